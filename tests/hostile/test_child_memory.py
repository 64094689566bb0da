"""The measure of hostile cases: the memory of a child, and nothing of the process that tests."""

from __future__ import annotations

import sys

import pytest

from courtroom.analysis.sandbox import sandbox
from courtroom.analysis.sandbox.sandbox import reading_limits, run_confined
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed
from tests.hostile.child_memory import Starter, measured_children

MEBIBYTE = 1024 * 1024
LIMITS = reading_limits(Limits(), output_bytes=1000)
IDLE = "pass"
LARGE = "x = b'x' * (300 * 1024 * 1024)"


@pytest.fixture(scope="module")
def large_worker() -> bytes:
    """600 MB of this process, all of it written to."""
    return b"x" * (600 * MEBIBYTE)


@pytest.fixture(params=["with bubblewrap", "with limits alone"])
def wrapping(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "with limits alone":
        monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)


def peak_of(starter: Starter, code: str) -> int:
    with measured_children(starter) as peaks:
        run_confined([sys.executable, "-I", "-S", "-c", code], limits=LIMITS)
    return peaks.largest // MEBIBYTE


@pytest.mark.usefixtures("large_worker", "wrapping")
def test_child_of_a_large_worker_is_charged_with_its_own_memory_alone(starter: Starter) -> None:
    assert 0 < peak_of(starter, IDLE) < 100
    assert 300 <= peak_of(starter, LARGE) < 400


@pytest.mark.usefixtures("wrapping")
def test_memory_of_what_a_child_starts_counts(starter: Starter) -> None:
    started = f"import subprocess, sys; subprocess.run([sys.executable, '-I', '-c', {LARGE!r}])"
    assert 300 <= peak_of(starter, started) < 400


@pytest.mark.usefixtures("wrapping")
def test_memory_of_a_killed_child_counts(starter: Starter) -> None:
    waits = f"{LARGE}; import sys, time; print('x' * 2000, flush=True); time.sleep(60)"
    with measured_children(starter) as peaks, pytest.raises(ChildFailed, match="output"):
        run_confined([sys.executable, "-I", "-S", "-c", waits], limits=LIMITS)
    assert 300 <= peaks.largest // MEBIBYTE < 400
