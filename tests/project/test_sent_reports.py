"""A run on workers prints what became of every test, though they send few reports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

TESTS = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("setup")

@pytest.fixture
def unclosed():
    yield
    print("closing")
    raise ValueError("teardown")

@pytest.fixture
def talking():
    yield
    print("words of a teardown")

def test_that_passes(): pass
def test_that_fails(talking): assert not "empty"
def test_that_is_not_begun(broken): pass
def test_that_is_not_ended(unclosed): pass
@pytest.mark.skip
def test_that_is_skipped(): pass
@pytest.mark.xfail
def test_that_is_expected_to_fail(): assert False
"""
SUMMARY = "1 failed, 2 passed, 1 skipped, 1 xfailed, 2 errors in "


def printed_by(folder: Path, *options: str) -> str:
    (folder / "test_outcomes.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(folder)]
    without = ["-p", "no:django", "-p", "no:cacheprovider", "-p", "tests.sent_reports"]
    done = subprocess.run(
        [*command, *without, "-n", "2", *options, str(folder)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(settings.BASE_DIR)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.processes
def test_every_outcome_is_counted_and_what_a_failing_test_printed_is_shown(tmp_path: Path) -> None:
    printed = printed_by(tmp_path, "-q")
    assert SUMMARY in printed
    assert "words of a teardown" in printed
    assert "closing" in printed


@pytest.mark.processes
def test_run_that_asks_for_durations_gets_those_of_all_phases(tmp_path: Path) -> None:
    printed = printed_by(tmp_path, "-q", "--durations", "0", "--durations-min", "0")
    assert SUMMARY in printed
    # Two tests have no call: one is skipped, and one fails before it.
    assert [printed.count(f"s {phase} ") for phase in ("setup   ", "call    ", "teardown")] == [
        6,
        4,
        6,
    ]
