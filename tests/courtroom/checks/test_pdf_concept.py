"""A term of the report that stands for the node at which the code's graph joins branches."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.checks.pdf_concept import NO_CODE, PdfConcept, concept
from courtroom.checks.sources import Comparison
from courtroom.detectives.cross_reference import finding_from_both, is_open_again
from courtroom.models.evidence import CheckOutcome, Location, evidence
from courtroom.synthesis.advice.report_steps import term_steps
from tests.courtroom.surveys import CHECK_FIELDS

JOINS = {
    "evidence_pool": ("repo", "doc"),
    "chief_justice": ("defense", "tech_lead"),
    "save": ("chief_justice", "abort"),
}


def _comparison(text: str, *, is_read: bool = True) -> Comparison:
    shape = {"graph_shape": {"fan_outs": {}, "joins": JOINS, "chains": ()}}
    return Comparison(
        pdf=PdfReading((text,)),
        code=shape if is_read else {},
        paths=None,
        names=None,
        claims=None,
        diagram=None,
        diagrams=() if is_read else None,
        deferrals=(),
    )


def _check(*, is_join: bool) -> PdfConcept:
    return PdfConcept(**CHECK_FIELDS, term="aggregator", use="mentioned", is_join=is_join)


@pytest.mark.parametrize(
    ("text", "met", "reason"),
    [
        ("All end at the ChiefJustice, then save.", False, "The report nowhere uses “aggregator”."),
        ("All meet at EvidencePool.", True, "The report uses “evidence_pool” on page 1."),
        (
            "All are merged at a synchronization point.",
            True,
            "The report uses “synchronization point” on page 1.",
        ),
    ],
)
def test_join_of_the_graph_counts_under_its_own_name_and_the_verdict_does_not(
    text: str, met: bool, reason: str
) -> None:
    finding = finding_from_both(_check(is_join=True), _comparison(text))
    assert (finding.met, finding.reason) == (met, reason)


@pytest.mark.parametrize(
    ("is_join", "page", "passage"),
    [
        (True, 2, "Fan-In (EvidenceAggregator): a node that reads all three."),
        (
            False,
            1,
            "An aggregator: it flags empty results of each of the three detectives as weak.",
        ),
    ],
)
def test_passage_on_the_join_is_shown_before_one_on_what_else_its_node_does(
    is_join: bool, page: int, passage: str
) -> None:
    pages = (
        "An aggregator: it flags empty results of each of the three detectives as weak.",
        "Fan-In (EvidenceAggregator): a node that reads all three.",
    )
    (clue,) = concept(_check(is_join=is_join), PdfReading(pages)).clues
    assert (clue.page, clue.statement) == (page, passage)


def test_term_is_not_called_missing_where_the_graph_that_names_the_join_was_not_read() -> None:
    comparison = _comparison("All meet at EvidencePool.", is_read=False)
    finding = finding_from_both(_check(is_join=True), comparison)
    assert (finding.met, finding.reason) == (None, NO_CODE)


@pytest.mark.parametrize(
    ("met", "is_join", "is_open"),
    [(False, False, False), (True, True, False), (None, True, False), (False, True, True)],
)
def test_only_a_missing_term_for_a_join_is_looked_for_again(
    met: bool | None, is_join: bool, is_open: bool
) -> None:
    outcome = CheckOutcome(check="a.b", met=met, reason="Because.")
    comparison = _comparison("All meet at EvidencePool.")
    assert is_open_again(_check(is_join=is_join), outcome, comparison) is is_open


@pytest.mark.parametrize(
    ("first", "fault", "reason"),
    [
        (
            "Start.",
            (
                "The report never uses the term “State Synchronization”, though it explains what it"
                " stands for."
            ),
            "Page 2 explains it, and the term stands nowhere in the report.",
        ),
        (
            "A peer was weak on state synchronization.",
            (
                "The report does not use the term “State Synchronization” where it explains what it"
                " stands for."
            ),
            "Page 2 explains it, and the term stands elsewhere, as on page 1.",
        ),
    ],
)
def test_mechanism_without_its_term_is_no_missing_passage(
    first: str, fault: str, reason: str
) -> None:
    text = (
        "Nodes that run in parallel write to one state. Without care the last writer wins and what"
        " another node wrote is lost. Each key therefore has a reducer, which merges the"
        " dictionaries and appends the lists when the branches meet."
    )
    finding = concept(
        PdfConcept(**CHECK_FIELDS, term="State Synchronization"), PdfReading((first, text))
    )
    assert (finding.met, finding.fault, finding.reason) == (
        False,
        fault,
        reason,
    )


@pytest.mark.parametrize(
    ("rationale", "actions"),
    [
        (
            "Page 4 explains it, and the term stands nowhere in the report.",
            ["Use the term “Dialectics” where page 4 explains it."],
        ),
        ("The report mentions “Dialectics” on page 4 and explains it nowhere.", []),
    ],
)
def test_advice_names_a_page_only_where_that_page_explains_the_term(
    rationale: str, actions: list[str]
) -> None:
    piece = evidence(
        detective="DocAnalyst",
        check="a.b",
        goal="g",
        found=True,
        rationale=rationale,
        content="The judges differ.",
        location=Location(page=4),
    )
    assert [step.action for step in term_steps("Dialectics", [piece])] == actions
