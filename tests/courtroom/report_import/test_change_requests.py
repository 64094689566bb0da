"""Sentences of plans: only those that ask for a change are actions."""

from __future__ import annotations

import pytest

from courtroom import read_report
from courtroom.report_import.change_requests import asks_for_change


@pytest.mark.parametrize(
    "text",
    [
        "All judges in src/judges.py return a schema, which removes the risk of free text.",
        "The audit of `src/tools.py` demonstrates rigorous adherence to good practice.",
        "[Tech Lead] The reducers are right. Add nothing.",
        "[Prosecutor] SECURITY NEGLIGENCE: the clone in src/tools.py should not run a shell.",
        "Retry logic with a counter in judges.py provides resilience.",
        "Commit messages are atomic in src/graph.py.",
        "FORENSIC CONFIDENCE: 0.92. No dangerous patterns. Cited: src/tools.py: clone_repo(), import",
        "Fan-in/fan-out in src/graph.py is as it should have been.",
        "See docs/report.md for the details.",
        "Details in src/graph.py, as described above.",
        "Files to update: src/state.py",
        "Cited: src/justice.py",
        "No changes needed in src/state.py.",
        "Keep up the good work in src/state.py.",
        "",
        "...",
    ],
)
def test_praise_verdict_or_pointer_asks_for_no_change(text: str) -> None:
    assert not asks_for_change(text)


@pytest.mark.parametrize(
    "text",
    [
        "Add a deadline to the clone.",
        "`src/a.py:9`: split this function.",
        "src/a.py:9 Split this function.",
        "src/graph.py — replace the placeholder.",
        "In src/justice.py, add a test for each rule.",
        "[HIGH] Use a list of arguments.",
        "**Please** remove `os.system`.",
        "Grace says: do not run a shell.",
        "Test the reducer.",
        "Call git with a list of arguments, Ada says.",
        "Change `src/a.py` to use a list.",
        "The clone hangs. Give it a deadline.",
        "The clone in src/a.py needs a deadline: it should end.",
        "We recommend a deadline in src/a.py.",
    ],
)
def test_request_for_a_change_is_recognised_wherever_it_begins(text: str) -> None:
    assert asks_for_change(text)


def test_only_requests_of_a_plan_are_actions_and_nothing_is_dropped() -> None:
    report = read_report(
        "# Audit\n\n## Tidy\n\nScore: 2/5\n\n### Remediation\n\n"
        "- `src/a.py`: split this function.\n"
        "- The code in src/b.py is exemplary in every way.\n"
    )
    assert [(row.path, row.action is not None) for row in report.findings] == [
        ("src/a.py", True),
        ("src/b.py", False),
    ]
