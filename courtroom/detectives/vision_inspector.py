"""The VisionInspector: looks for diagrams in the report's pictures, drawings and characters."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.detectives.diagram_checks import is_present
from courtroom.detectives.document_checks import no_report
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.findings import Finding
from courtroom.detectives.testimony import DIAGRAM_FACTS, Testimony, failed_testimony
from courtroom.errors import ExaminationFailed
from courtroom.forensics.pdf import PdfReading
from courtroom.record import DetectiveName
from courtroom.rubric import Check, Diagram

NAME: DetectiveName = "VisionInspector"


def inspect(pdf: PdfReading | ExaminationFailed | None, checks: Sequence[Check]) -> Testimony:
    """Answer whether there is a diagram. What it shows is held against the code by the aggregator."""
    if isinstance(pdf, ExaminationFailed):
        return failed_testimony(NAME, checks, pdf, DIAGRAM_FACTS)
    answers = [(check, _finding_on(check, pdf)) for check in checks]
    evidence, outcomes = write_down([(check, found) for check, found in answers if found])
    return Testimony(detective=NAME, evidence=evidence, outcomes=outcomes)


def _finding_on(check: Check, pdf: PdfReading | None) -> Finding | None:
    """Null for what only the aggregator can answer."""
    if pdf is None:
        return no_report(check.goal)
    return is_present(pdf) if isinstance(check, Diagram) and check.aspect == "present" else None
