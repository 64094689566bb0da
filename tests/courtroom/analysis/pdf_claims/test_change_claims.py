"""Changes that a report says answer an audit, held against the times of commits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from courtroom.analysis.git.change_times import change_times
from courtroom.analysis.git.history import Commit, History
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.change_claims import idle_changes
from courtroom.checks.pdf_paths import PdfPaths, claims_hold
from courtroom.synthesis.advice.report_steps import NAME_THE_COMMIT, READ_THE_REST, claim_steps
from tests.courtroom.synthesis.advised_work import work

AUDIT = "audit/report_bypeer_received/audit_20260228.md"
UNDATED = "audit/report_bypeer_received/audit.md"
OLD, NEW = "2026-02-26T09:00:00+00:00", "2026-02-27T21:00:00+02:00"
CHANGES = {
    AUDIT: (NEW,),
    UNDATED: (NEW,),
    "src/judges.py": (OLD, OLD),
    "src/justice.py": (OLD, "2026-02-28T08:00:00+00:00"),
    "rubric.json": (OLD,),
}
PROMPTS = [{"path": "src/judges.py", "persona": "Prosecutor"}]
FEEDBACK = "After peer feedback we did three things."


def _idle(
    *lines: str,
    headings: tuple[str, ...] = (),
    audit: str = AUDIT,
    changes: Mapping[str, tuple[str, ...]] | None = None,
) -> list[str]:
    marked = frozenset((1, line) for line in headings)
    code: dict[str, Any] = {"minmax": {"received": [audit]}, "persona_prompts": PROMPTS}
    reading = PdfReading(pages=("\n".join((*headings, *lines)),), headings=marked)
    other = UNDATED if audit == AUDIT else AUDIT
    times = {path: made for path, made in CHANGES.items() if path != other}
    return [held.claim.file for held in idle_changes(reading, code, {**times, **(changes or {})})]


@pytest.mark.parametrize(
    ("sentence", "file"),
    [
        ("In response we tightened the rubric.", "rubric.json"),
        ("Based on peer audits the rubric was tightened.", "rubric.json"),
        ("In response, sharpened the Prosecutor and Defense system prompts.", "src/judges.py"),
        ("After feedback the Tech Lead's prompt was revised.", "src/judges.py"),
        ("After peer feedback src/judges.py was refactored.", "src/judges.py"),
    ],
)
def test_change_of_a_file_whose_last_commit_is_older_is_not_made(sentence: str, file: str) -> None:
    assert _idle(sentence) == [file]


@pytest.mark.parametrize(
    "sentence",
    [
        "In response we tightened the Chief Justice logic.",
        "We tightened the rubric.",
        "In response we will have the rubric: it should be tightened.",
        "In response their rubric was tightened.",
        "In response src/other.py was refactored.",
        "The peer said: “We tightened the rubric”, not so.",
    ],
)
def test_made_planned_or_foreign_change_is_no_fault(sentence: str) -> None:
    assert _idle(sentence) == []


def test_section_on_feedback_tells_changes_for_four_headings() -> None:
    claim = "Tightened the rubric."
    assert _idle(claim, headings=("Changes in response",)) == ["rubric.json"]
    assert _idle(claim, headings=("Peer feedback", "Rubric")) == ["rubric.json"]
    assert _idle(claim, headings=("Peer feedback", "Our audit of their work, generated")) == []
    assert _idle(claim, headings=("Peer feedback", "A", "B", "C", "D")) == []


def test_audit_without_a_day_may_be_older_than_the_commit_that_brings_it() -> None:
    prompts, rubric = (
        "In response we sharpened the judges' prompts.",
        "In response we tightened the rubric.",
    )
    assert _idle(prompts, audit=UNDATED) == []
    # One commit alone: the file was never changed.
    assert _idle(rubric, audit=UNDATED) == ["rubric.json"]
    assert _idle(rubric, audit=UNDATED, changes={"old/rubric.json": (OLD,)}) == []


def test_file_that_comes_with_the_audit_or_at_an_unknown_time_is_open() -> None:
    rubric = "In response we tightened the rubric."
    assert _idle(rubric, changes={"rubric.json": (NEW,)}) == []
    assert _idle(rubric, changes={"rubric.json": ("",)}) == []
    assert _idle(rubric, changes={AUDIT: ("",)}) == []


def _commit(committed_at: str, *paths: str) -> Commit:
    return Commit("a" * 40, (), "Ada", "a@x", OLD, "Work", 0, paths, committed_at)


def test_times_of_changes_are_those_of_the_commits_of_a_whole_history() -> None:
    commits = (_commit(OLD, "a.py", "b.png"), _commit(NEW, "a.py", "c.md"))
    assert change_times(History(commits, 2, truncated=False)) == {
        "a.py": (OLD, NEW),
        "c.md": (NEW,),
    }
    assert change_times(History(commits, 9, truncated=True)) == {}


def test_finding_names_the_file_and_the_step_asks_for_the_commit() -> None:
    code = {"minmax": {"received": [AUDIT]}}
    reading = PdfReading(pages=("In response we tightened the rubric.",))
    held = tuple(idle_changes(reading, code, {AUDIT: (NEW,), "rubric.json": (OLD,)}))
    finding = claims_hold(PdfPaths(id="c", goal="a goal", aspect="claims_hold"), held, {})
    assert finding.clues[0].rationale == (
        "The code contradicts this claim of a change in answer to an audit: the last commit of"
        " rubric.json is older."
    )
    (step,) = claim_steps("claims_hold", work(pdf_claims={"made_change": "contradicted"}))
    assert step.action == f"{NAME_THE_COMMIT} {READ_THE_REST}"
