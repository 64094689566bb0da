"""Committed audits that the code of the commit could not have written."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.score_ranges import ScoreRange
from courtroom.analysis.project.unwritable_audits import WritingCode, unwritable
from tests.courtroom.analysis.project.test_general_facts import survey
from tests.courtroom.analysis.project.test_own_audits import SELF, audit, read

KEPT = ScoreRange("Prosecutor", 1, 3, "src/judges.py", 12)
WRITER = "'# Audit Report\\n' + url + '\\n## Closing Words\\n'"


def sentences(text, *, highest=None, code=WRITER):
    texts = None if code is None else (lambda: [code])
    return [*unwritable(read({SELF: text}), WritingCode(highest or {}, texts)).values()]


@pytest.mark.parametrize(("score", "count"), [(3, 0), (4, 1)])
def test_score_above_the_bound_of_the_code_is_not_the_codes(score, count):
    reason = (
        "the code keeps the score of Prosecutor at 3 or below (src/judges.py:12), and Prosecutor"
    )
    sentence = (
        f"The code of this commit could not have written {SELF} as it stands: {reason} gives up to 4"
        " there."
    )
    assert sentences(audit(score=score), highest={"Prosecutor": KEPT}) == [sentence] * count


@pytest.mark.parametrize(
    "text",
    [
        audit(),
        f"{audit()}\n## Closing Words\n\nGood.\n",
        # One may come from what only a run knows, and code in a fence is quoted.
        f"{audit()}\n## A Word on Method\n\nGood.\n",
        f"{audit()}\n```\n## One thing\n## Another thing\n```\n",
        f"{audit()}\n# One thing\n# Another thing\n",
        # An argument may have headings of its own.
        audit("Good.\n\n## One thing\n\nGood.\n\n## Another thing\n"),
    ],
)
def test_headings_that_the_code_may_write_are_the_codes(text):
    assert sentences(text) == []


def test_headings_that_stand_nowhere_in_the_code_are_not_the_codes():
    text = f"{audit()}\n## A Word on Self-Audits\n\nGood.\n\n## **Contact**: Bo\n\nBo.\n"
    sentence = (
        f"The code of this commit could not have written {SELF} as it stands: no text in the code has"
        " its headings “A Word on Self-Audits” and “Contact”."
    )
    assert sentences(text) == [sentence]
    assert sentences(text, code=None) == []


def test_audit_of_a_test_folder_among_audits_is_an_output(tmp_path):
    path = "audit/smoke_test/report.md"
    rows = survey({path: audit(), f"tests/{path}": audit(score=2)}, tmp_path).facts["own_audits"]
    assert [row["path"] for row in rows] == [path]
