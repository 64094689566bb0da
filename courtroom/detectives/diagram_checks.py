"""Checks on the report's diagrams: that there is one, that it shows the splits, that it matches the code."""

from __future__ import annotations

from courtroom.analysis.diagrams.diagram_kind import DiagramSighting, diagram_of
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.detectives.findings import Clue, Finding, absent, could_not_look, present
from courtroom.models.rubric import Diagram

# Read from geometry and labels, not seen.
READ_NOT_SEEN = 0.7
SHOWS_SPLITS = ("accurate", "parallel_shown")


def is_present(reading: PdfReading) -> Finding:
    """A picture, a drawing or a diagram of characters is there, whatever it shows."""
    seen = diagram_of(reading, None)
    if seen.kind is None and seen.page is None:
        return could_not_look(f"Not established: {seen.reason}.")
    if seen.kind == "none":
        return _no_diagram(seen)
    return present("The report has a diagram or a picture.", [_clue(seen)])


def what_it_shows(check: Diagram, seen: DiagramSighting) -> Finding:
    """`seen` is the report's best diagram, held against the code's graph."""
    if seen.kind is None:
        return could_not_look(f"Not established: {seen.reason}.")
    if seen.kind == "none":
        return _no_diagram(seen)
    met = seen.kind == "accurate" if check.aspect == "accurate" else seen.kind in SHOWS_SPLITS
    return present(
        f"The best diagram is of the kind: {seen.kind.replace('_', ' ')}.", [_clue(seen)], met=met
    )


def _no_diagram(seen: DiagramSighting) -> Finding:
    searched = f"Looked for a diagram on every page: {seen.reason}."
    return absent("The report has no diagram.", searched, confidence=READ_NOT_SEEN)


def _clue(seen: DiagramSighting) -> Clue:
    return Clue(
        rationale=f"On this page: {seen.reason}.",
        statement=seen.passage or f"A picture on page {seen.page}.",
        page=seen.page,
        confidence=READ_NOT_SEEN,
    )
