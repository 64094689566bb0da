"""Scores of judges in a report that the model of an opinion does not let through."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.judge_scores import impossible_scores
from courtroom.checks.pdf_paths import COMPARED, PdfPaths, claims_hold
from courtroom.synthesis.advice.report_steps import NAME_THEIR_SCORES, READ_THE_REST, claim_steps
from tests.courtroom.synthesis.advised_work import work

MODEL = {"name": "Opinion", "lowest": 1, "highest": 5}
HIGH = "Prosecutor (8 / 10) It holds. Defense (9/10) All is there. TechLead: 10/10 It runs."


def quotes(text: str, model: dict[str, Any] | None = MODEL, headings: tuple[str, ...] = ()):
    marked = frozenset((1, heading) for heading in headings)
    reading = PdfReading(pages=(text,), headings=marked)
    return [held.claim.quote for held in impossible_scores(reading, {"opinion_model": model})]


def test_scores_beyond_the_model_of_an_opinion_are_no_scores_of_its_judges() -> None:
    assert quotes(HIGH) == ["Prosecutor 8/10, where Opinion allows 1 to 5"]


@pytest.mark.parametrize(
    ("text", "model", "headings"),
    [
        (HIGH, {**MODEL, "highest": 10}, ()),
        (HIGH, None, ()),
        ("Prosecutor 3/5, Defense 4/5, Tech Lead 5/5.", MODEL, ()),
        ("Prosecutor 8/10 and Defense 9/10 are two.", MODEL, ()),
        (f"Peer audit\n{HIGH}", MODEL, ("Peer audit",)),
        (f"The peer gave {HIGH}", MODEL, ()),
    ],
)
def test_scores_that_may_be_given_are_not_wrong(
    text: str, model: dict[str, Any] | None, headings: tuple[str, ...]
) -> None:
    assert quotes(text, model, headings) == []


def test_such_scores_contradict_the_report_and_are_to_be_replaced() -> None:
    held = list(impossible_scores(PdfReading(pages=(HIGH,)), {"opinion_model": MODEL}))
    finding = claims_hold(PdfPaths(id="c", goal="g", aspect="claims_hold"), held, {})
    assert finding.reason.partition(f" {COMPARED}")[0] == (
        "The code contradicts 1 claim of the report:"
        " scores by its own judges, as Prosecutor 8/10, where Opinion allows 1 to 5 (page 1)."
    )
    (step,) = claim_steps("claims_hold", work(pdf_claims={"judge_scores": "contradicted"}))
    assert step.action == f"{NAME_THEIR_SCORES} {READ_THE_REST}"
