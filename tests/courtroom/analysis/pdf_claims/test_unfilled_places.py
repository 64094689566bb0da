"""Places of a report that its author did not fill in."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.unfilled_places import unfilled_places
from courtroom.checks.unfilled_report import filled_in
from courtroom.models.evidence import Location
from courtroom.synthesis.advice import report_steps
from tests.courtroom.synthesis.advised_work import work
from tests.courtroom.synthesis.bench_records import piece

TABLE = "Criterion Score Prosecutor Notes\ngit — — — Commits\ngraph — — — Edges"


@pytest.mark.parametrize(
    ("pages", "places"),
    [
        (("Text.", "Reflection [Fill in after\nthe peer's audit.]"), [(2, 0)]),
        (("Run it and paste results here.", "[Insert\ndiagram]"), [(1, 0), (2, 0)]),
        (("Text. (Insert your picture here)",), [(1, 0)]),
        ((TABLE, "visual — — — Boxes"), [(1, 2), (2, 1)]),
        ((TABLE,), []),
        (("A tool that inserts [text]. Prompts end in [your argument].",), []),
        (("Detectives — judges — verdict.",), []),
    ],
)
def test_requests_of_a_template_and_tables_of_dashes_are_unfilled(
    pages: tuple[str, ...], places: list[tuple[int, int]]
) -> None:
    reading = PdfReading(pages=pages)
    assert [(place.page, place.rows) for place in unfilled_places(reading)] == places


def test_unfilled_places_are_a_fault_with_their_pages() -> None:
    finding = filled_in(PdfReading(pages=(f"{TABLE}\nstate — — — Keys", "See [Fill in later].")))
    assert (finding.met, finding.reason) == (
        False,
        (
            "The report holds 1 text of a template that asks its author for something (page 2) and"
            " 3 rows with dashes in place of values (page 1)."
        ),
    )
    assert [(clue.page, clue.statement) for clue in finding.clues] == [
        (2, "[Fill in later]"),
        (1, "git — — — Commits"),
    ]


def test_report_that_waits_for_nothing_is_filled_in() -> None:
    assert filled_in(PdfReading(pages=("Text.",))).met


def test_advice_names_the_pages() -> None:
    (step,) = report_steps.claim_steps("filled_in", work(), [piece(location=Location(page=2))])
    assert step.action == "Fill in what the report leaves open on page 2, or take it out."
