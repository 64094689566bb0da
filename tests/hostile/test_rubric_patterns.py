"""Patterns and sources made to crash ast-grep: a crash costs one check its answer, nothing more."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from courtroom.analysis import code_patterns
from courtroom.analysis.code_patterns import pattern_faults
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.sandbox.sandbox import examine, reading_limits
from courtroom.analysis.survey import survey_repository
from courtroom.models.case import Limits
from courtroom.models.rubric import Rubric
from tests.factories.repositories import Commit, make_repository
from tests.hostile.conftest import Trial
from tests.hostile.rubric_patterns import DEEP, PATTERNS, pattern_check, rubric_of

LIMITS = Limits()
# Short, and as deep as their characters allow.
SHORT = ("-" * 499 + "x", "not " * 124 + "x", "x" + ".b" * 249, "x" + "+1" * 249)


def test_fork_that_crashes_or_never_ends_leaves_its_child_alive(on_trial: Trial) -> None:
    with on_trial("patterns", deadline=LIMITS.child_seconds):
        works = ("overflow", "never ends", "raises", "ends")
        outcomes = examine(
            "tests.hostile.crashing_work",
            {"works": works},
            limits=reading_limits(LIMITS, output_bytes=10_000),
        )

    assert outcomes == {
        "overflow": "it was stopped by signal 11",
        "never ends": "it took more than 1 s",
        "raises": "it failed",
        "ends": 7,
    }


def test_short_patterns_as_deep_as_can_be_are_usable(on_trial: Trial) -> None:
    with on_trial("patterns", deadline=LIMITS.child_seconds):
        assert pattern_faults([("python", pattern) for pattern in SHORT]) == {}


@pytest.mark.parametrize("name", PATTERNS)
def test_stored_pattern_that_would_crash_is_not_established(
    name: str, tmp_path: Path, on_trial: Trial
) -> None:
    checks = [
        pattern_check(PATTERNS[name], id="crash"),
        pattern_check(DEEP, id="deep"),
        pattern_check("print($A)", id="usable"),
    ]
    rubric = Rubric.from_stored(rubric_of(*checks))
    files = {"a.py": "print(1)\n", "deep.py": PATTERNS["lists"]}
    commit = make_repository(tmp_path / "x.git", [Commit(files=files)])

    with on_trial("patterns", deadline=2 * LIMITS.child_seconds):
        snapshot = Snapshot(tmp_path / "x.git", commit, None, False)
        survey = survey_repository(snapshot, rubric.checks, LIMITS)

    size = len(PATTERNS[name])
    assert survey.unanswered == {
        "crash": f"The limit is 500 characters; there are {size}.",
        "deep": "A pattern has at most 20 brackets within each other.",
    }
    assert [place.path for place in survey.locations["usable"]] == ["a.py"]


def test_deeply_nested_sources_cost_no_check_its_answer(tmp_path: Path, on_trial: Trial) -> None:
    checks = [pattern_check("f(f($A))", id="deep"), pattern_check("os.system($A)", id="usable")]
    files = {"a.py": "import os\nos.system('ls')\n", "b.py": f"{'f(' * 100_000}x{')' * 100_000}"}
    commit = make_repository(tmp_path / "x.git", [Commit(files=files)])

    with on_trial("patterns", deadline=2 * LIMITS.child_seconds):
        snapshot = Snapshot(tmp_path / "x.git", commit, None, False)
        survey = survey_repository(snapshot, Rubric.from_stored(rubric_of(*checks)).checks, LIMITS)

    assert (dict(survey.unanswered), [code for code, _ in survey.errors]) == (
        {},
        ["source_unreadable"],
    )
    assert {place.path for place in survey.locations["deep"]} == {"b.py"}
    assert [place.path for place in survey.locations["usable"]] == ["a.py"]


def test_patterns_wait_while_others_are_tried_and_are_refused_after_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy = threading.BoundedSemaphore(1)
    monkeypatch.setattr(code_patterns, "TRIALS_AT_ONCE", busy)
    monkeypatch.setattr(code_patterns, "TRIALS_SECONDS", 0)
    pattern = ("python", "waits_for_its_turn()")

    with busy:
        assert "Others are being tried" in pattern_faults([pattern])[pattern]
