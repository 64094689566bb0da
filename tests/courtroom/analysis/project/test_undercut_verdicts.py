"""Verdicts on security in committed audits that lie below what every judge gave."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.undercut_verdicts import undercut_verdicts
from tests.courtroom.analysis.project.test_own_audits import SELF, read

RECEIVED = "audit/report_bypeer_received/b.md"


def audit(verdict: str, scores: tuple[int, ...] = (5, 5, 4), name: str = "Safe Tools") -> str:
    lines = ["# Audit Report", "", "**Overall Score:** 4/5", "", "## Criterion Breakdown", ""]
    lines += [f"### {name}", "", f"**Final Score:** {verdict}/5", ""]
    judges = zip(("Prosecutor", "Defense", "Tech Lead"), scores, strict=False)
    lines += [
        f"- **{judge}** ({score}/5): The clone is kept in a folder." for judge, score in judges
    ]
    return "\n".join((*lines, ""))


def test_verdict_below_all_three_judges_is_shown_with_its_place():
    (row,) = undercut_verdicts(read({SELF: audit("3")}))
    assert row["text"] == (
        f"In {SELF} the judges give “Safe Tools” 4, 5 and 5, and the verdict is 3."
    )
    assert row["places"] == [{"path": SELF, "line": 7}]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (SELF, audit("4")),
        (SELF, audit("3", (5, 5, 3))),
        (SELF, audit("3", (5, 5))),
        (SELF, audit("3", name="State Management")),
        (RECEIVED, audit("3")),
    ],
    ids=["lowest", "between", "two judges", "other criterion", "received"],
)
def test_other_verdicts_are_not_shown(path: str, text: str):
    assert undercut_verdicts(read({path: text})) == []
