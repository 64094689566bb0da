"""Checks without their subject hang on one root cause; all others keep their outcome."""

from collections.abc import Sequence

import pytest

from courtroom.checks.graph_topology import GraphTopology
from courtroom.checks.pdf_concept import PdfConcept
from courtroom.checks.registry import Check
from courtroom.detectives.root_causes import hang_on_root_causes
from courtroom.models.evidence import CheckOutcome, Evidence, evidence

TERMS = [
    PdfConcept(id=f"term.{name}", goal=f"It explains {name}", term=name) for name in ("a", "b")
]
EXISTS, PARALLEL = (
    GraphTopology(id=f"graph.{aspect}", goal=aspect, aspect=aspect)
    for aspect in ("exists", "detectives_parallel")
)
NO_GRAPH = {"graph": None, "detectives_parallel": False}


def answered(
    checks: Sequence[Check], met: bool | None = False, **fields: bool
) -> tuple[list[Evidence], list[CheckOutcome]]:
    """Return evidence and outcomes of checks that all have the same answer."""
    pieces = [
        evidence(
            detective="DocAnalyst",
            check=check.id,
            goal=check.goal,
            found=bool(met),
            rationale="looked",
            content=f"{check.id} was looked for",
            confidence=0.8,
        )
        for check in checks
    ]
    cited = [() if met is None else (piece.id,) for piece in pieces]
    outcomes = [
        CheckOutcome(check=check.id, met=met, reason="looked", evidence=ids).model_copy(
            update=fields
        )
        for check, ids in zip(checks, cited, strict=True)
    ]
    return ([] if met is None else pieces), outcomes


def test_checks_on_an_absent_report_share_one_root_cause_and_its_evidence():
    items, outcomes = hang_on_root_causes(TERMS, *answered(TERMS), {"pdf_pages": 0})
    (item,) = items
    assert (item.check, item.found, item.confidence) == ("no_report", False, 0.8)
    assert {(o.met, o.reason, o.evidence) for o in outcomes} == {
        (None, "No PDF report was handed in.", (item.id,))
    }
    assert {o.not_applicable and o.not_applicable.code for o in outcomes} == {"no_report"}


def test_empty_files_are_named_where_no_report_was_handed_in():
    facts = {"pdf_pages": 0, "empty_reports": ["docs/report.pdf"]}
    (_, outcome) = hang_on_root_causes(TERMS, *answered(TERMS), facts)[1]
    assert outcome.not_applicable is not None
    assert outcome.reason == "No PDF report was handed in (docs/report.pdf is empty)."
    assert outcome.not_applicable.without_place.sentence == "No PDF report was handed in."


def test_check_that_states_the_root_cause_stays_unmet_with_the_same_evidence():
    checks = [EXISTS, PARALLEL]
    items, (stating, hanging) = hang_on_root_causes(checks, *answered(checks), NO_GRAPH)
    assert (stating.met, stating.not_applicable, stating.reason) == (
        False,
        None,
        "No LangGraph StateGraph is built anywhere in the code.",
    )
    assert hanging.not_applicable is not None
    assert (hanging.met, hanging.not_applicable.sentence) == (None, stating.reason)
    assert stating.evidence == hanging.evidence == (items[0].id,)


@pytest.mark.parametrize("fields", [{}, {"has_failed": True}])
def test_check_that_nobody_could_answer_hangs_on_nothing(fields):
    items, outcomes = hang_on_root_causes(
        TERMS, *answered(TERMS, met=None, **fields), {"pdf_pages": 0}
    )
    assert (items, outcomes) == ((), tuple(answered(TERMS, met=None, **fields)[1]))


@pytest.mark.parametrize("pages", [None, 3])
def test_unmet_check_on_a_report_that_is_there_or_was_not_read_stays_unmet(pages):
    pieces, outcomes = answered(TERMS)
    kept = hang_on_root_causes(TERMS, pieces, outcomes, {"pdf_pages": pages})
    assert kept == (tuple(pieces), tuple(outcomes))


def test_met_check_stays_met():
    pieces, outcomes = answered([PARALLEL], met=True)
    assert hang_on_root_causes([PARALLEL], pieces, outcomes, NO_GRAPH)[1] == tuple(outcomes)
