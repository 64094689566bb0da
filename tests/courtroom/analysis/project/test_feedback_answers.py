"""Findings that received reports state, and what counts as an answer to one."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.git.history import Commit, History
from courtroom.analysis.project.feedback_answers import (
    answers_in,
    findings_owed,
    may_answer,
    with_commits,
)
from courtroom.report_import.read_report import read_report

FINDINGS: list[dict[str, Any]] = [
    {"text": "There is no timeout on the clone.", "criterion": None, "file": None},
    {"text": "Judges share a prompt.", "criterion": "Judicial Nuance", "file": "src/judges.py"},
]
REPORT = """# Audit

**Overall Score:** 3.5/5

## Safe Tool Engineering

**Score:** 2/5

**Remediation:** Add a timeout to the clone in src/tools.py

## State Management

**Score:** 5/5

**Remediation:** Keep the reducers as they are in src/state.py
"""


def answered(text: str, path: str = "docs/feedback.md") -> list[tuple[int, list[int]]]:
    return [(row["line"], row["findings"]) for row in answers_in([(path, text)], FINDINGS)]


def test_a_criterion_with_full_marks_asks_for_nothing() -> None:
    rows = findings_owed("r.md", read_report(REPORT, name="r.md"))
    assert [(row["criterion"], row["file"]) for row in rows] == [
        ("Safe Tool Engineering", "src/tools.py")
    ]


def test_a_report_without_a_finding_asks_for_nothing() -> None:
    text = "# Audit\n\n## Safe Tools\n\n**Score:** 5/5\n\n## State\n\n**Score:** 4/5\n"
    assert findings_owed("r.md", read_report(text, name="r.md")) == []


@pytest.mark.parametrize(
    "text",
    [
        "- No timeout on clone: fixed in 3f2a9c1",
        "| no timeout on clone | fixed | 3f2a9c1 |",
        "1. The clone has a timeout: we added one of 60 seconds,\n   as the peer advised.",
        "A timeout on the clone is deferred because the interface would change.",
        "We disagree about a timeout on the clone, since git has its own.",
    ],
)
def test_an_answer_names_its_finding_and_what_was_done(text: str) -> None:
    assert answered(text) == [(1, [0])]


@pytest.mark.parametrize(
    "text",
    [
        "All feedback was addressed.",
        "Addressed the clone without a timeout.",
        "- A timeout on the clone will be added.",
        "- Add a timeout to the clone.",
        '- The peer wrote "timeout on the clone was not fixed"',
        "- Fixed the typo.",
        "```\n- timeout on clone: fixed in 3f2a9c1\n```",
    ],
)
def test_a_plan_or_a_word_without_its_finding_is_no_answer(text: str) -> None:
    assert answered(text) == []


def test_a_criterion_or_a_file_names_its_findings() -> None:
    text = "- Judicial nuance in src/judges.py: replaced the common text\n"
    assert answered(text) == [(1, [1])]
    assert answered("- Improved judicial nuance\n") == []


@pytest.mark.parametrize(
    ("text", "is_answer"),
    [
        ("# Report\n\n## Safe tools\n\n- Added a timeout on the clone\n", False),
        ("# Report\n\n## Response to peers\n\n- Added a timeout on the clone\n", True),
        ("# MinMax\n\n## Audit of the peer\n\n- Added a timeout on the clone\n", False),
        ("# Report\n\n- Added a timeout on the clone, as the peer asked\n", True),
    ],
)
def test_elsewhere_an_answer_stands_where_feedback_is_the_subject(
    text: str, is_answer: bool
) -> None:
    assert bool(answered(text, "reports/final_report.md")) is is_answer


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", True),
        ("docs/answers.md", True),
        ("audit/notes.md", True),
        ("submission_report.md", True),
        ("src/peer_feedback.md", True),
        ("src/notes.md", False),
        ("manual/docs/notes.md", False),
    ],
)
def test_answers_are_searched_in_usual_documents(path: str, expected: bool) -> None:
    assert may_answer(path) is expected


def history_of(*subjects: str) -> History:
    commits = [
        Commit(f"{number:040x}", (), "Ada", "ada@example.org", "2026-02-20T10:00:00Z", subject, 1)
        for number, subject in enumerate(subjects, start=1)
    ]
    return History(tuple(commits), len(commits), truncated=False)


def test_a_commit_that_mentions_feedback_answers_what_it_names() -> None:
    subjects = (
        "Add a timeout to the clone",
        "Peer feedback: no timeout on clone",
        "Address peer feedback",
    )
    facts = with_commits(
        {"received_findings": FINDINGS, "written_answers": []}, history_of(*subjects)
    )
    assert [(row["text"], row["findings"]) for row in facts["written_answers"]] == [
        ("Peer feedback: no timeout on clone", [0])
    ]
