"""Finding on places of a report that wait for its author."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from courtroom.checks.phrases import listed, number_of
from courtroom.checks.result import INFERRED, Clue, Finding, absent, present

if TYPE_CHECKING:
    from courtroom.analysis.pdf.pdf_content import PdfReading
    from courtroom.analysis.pdf_claims.unfilled_places import UnfilledPlace


def filled_in(report: PdfReading) -> Finding:
    """No place of the report waits for its author."""
    from courtroom.analysis.pdf_claims.unfilled_places import unfilled_places

    places = unfilled_places(report)
    if not places:
        reason = (
            "Looked for texts of a template that ask the author for something, and for tables with"
            " dashes in place of values."
        )
        pages = number_of(len(report.pages), "page")
        return absent(reason, f"Looked for them on {pages}.", met=True)
    requests = [place for place in places if not place.rows]
    rows = [place for place in places if place.rows]
    parts = []
    if requests:
        texts = "1 text of a template that asks its author"
        if len(requests) > 1:
            texts = f"{len(requests)} texts of a template that ask its author"
        parts.append(f"{texts} for something {_on_pages(requests)}")
    if rows:
        count = sum(place.rows for place in rows)
        parts.append(f"{count} rows with dashes in place of values {_on_pages(rows)}")
    clues = [
        Clue(
            rationale="This row has dashes in place of values."
            if place.rows
            else "This text of a template asks the author for something.",
            statement=place.text,
            page=place.page,
            confidence=INFERRED,
        )
        for place in places
    ]
    return present(f"The report holds {listed(parts)}.", clues, met=False)


def _on_pages(places: Sequence[UnfilledPlace]) -> str:
    pages = [str(page) for page in dict.fromkeys(place.page for place in places)]
    return f"(page{'s' if len(pages) > 1 else ''} {listed(pages)})"
