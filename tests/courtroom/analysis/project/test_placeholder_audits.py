"""Own audits with placeholders in place of opinions."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.own_audits import audits_without_judgement
from tests.courtroom.analysis.project.test_own_audits import SELF, audit, read, rows


def test_placeholders_in_place_of_opinions_are_no_judgement():
    texts = {SELF: audit("[Opinion of the judge.]", "The graph is wired.", "TBD")}
    (row,) = rows(texts)
    assert (row["opinions"], row["failed"]) == (2, 0)
    text = f"4 of 6 opinions of {SELF} have a placeholder in place of an argument"
    assert f"{text}, such as “[Opinion of the judge.]”." in row["remarks"]
    (fact,) = audits_without_judgement(read(texts))
    assert fact["text"].startswith(text)
    assert len(fact["places"]) == 4
    assert all(audit("TBD").splitlines()[p["line"] - 1].startswith("- **") for p in fact["places"])


@pytest.mark.parametrize(
    ("marks", "count"),
    [
        (("Low dissent placeholder (variance > 2).", "`state.py` (placeholder)."), 2),
        (("Dissent placeholder.", "low/moderate dissent placeholders."), 2),
        (("`src/page.py` is a placeholder.", "Remove each (placeholder) from it."), 0),
    ],
)
def test_audit_that_calls_its_own_lines_placeholders_is_no_judgement(marks, count):
    facts = audits_without_judgement(
        read({SELF: audit() + "".join(f"\n**Note:** {mark}" for mark in marks)})
    )
    assert [(fact["text"], len(fact["places"])) for fact in facts] == [
        (f"{SELF} calls 2 of its lines placeholders.", 2)
    ][:count]


def test_received_audit_of_placeholders_is_remarked_and_nobody_is_charged():
    texts = {"audit/report_bypeer_received/b.md": audit("[Opinion.]")}
    (row,) = rows(texts)
    assert (row["opinions"], audits_without_judgement(read(texts))) == (0, [])
    assert row["remarks"][0].startswith("All 6 opinions of ")
