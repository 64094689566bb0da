"""The VisionInspector: looks for diagrams in the report's pictures, drawings and characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Protocol

from courtroom.detectives.diagram_checks import is_present
from courtroom.detectives.document_checks import no_report
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.findings import Finding
from courtroom.detectives.looking import Look
from courtroom.detectives.testimony import DIAGRAM_FACTS, SeenDiagram, Testimony, failed_testimony
from courtroom.errors import ExaminationFailed
from courtroom.forensics.diagrams import pages_to_look_at, sketches_of
from courtroom.forensics.pdf import PdfReading
from courtroom.record import DetectiveName, RecordedError
from courtroom.rubric import Check, Diagram

NAME: DetectiveName = "VisionInspector"


class Eyes(Protocol):
    """Looks at pages of the report; see vision_model.py for the one that asks a model."""

    def look_at(self, pages: Sequence[int]) -> Look: ...


def inspect(
    pdf: PdfReading | ExaminationFailed | None, checks: Sequence[Check], eyes: Eyes | None = None
) -> Testimony:
    """Answer whether there is a diagram. What it shows is held against the code by the aggregator.

    `eyes` are asked only where text and geometry leave a picture open.
    """
    if isinstance(pdf, ExaminationFailed):
        return failed_testimony(NAME, checks, pdf, DIAGRAM_FACTS)
    answers = [(check, _finding_on(check, pdf)) for check in checks]
    evidence, outcomes = write_down([(check, found) for check, found in answers if found])
    testimony = Testimony(detective=NAME, evidence=evidence, outcomes=outcomes)
    pages = pages_to_look_at(pdf) if pdf and eyes and not _shows_splits(pdf) else []
    return _with_look(testimony, eyes.look_at(pages)) if eyes and pages else testimony


def _shows_splits(pdf: PdfReading) -> bool:
    return any(len(sketch.splits) >= 2 for _, sketch in sketches_of(pdf))


def _with_look(testimony: Testimony, look: Look) -> Testimony:
    failed = look.failure is not None
    return testimony.model_copy(
        update={
            "seen": None if failed else tuple(SeenDiagram(**asdict(one)) for one in look.seen),
            "usage": look.usage,
            "errors": (RecordedError(stage=NAME, code="vision_failed", message=look.failure or ""),)
            if failed
            else (),
        }
    )


def _finding_on(check: Check, pdf: PdfReading | None) -> Finding | None:
    """Null for what only the aggregator can answer."""
    if pdf is None:
        return no_report(check.goal)
    return is_present(pdf) if isinstance(check, Diagram) and check.aspect == "present" else None
