"""The VisionInspector: looks for diagrams in the report's pictures, drawings and characters."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Protocol

from courtroom.analysis.diagrams.diagram_kind import pages_to_look_at, sketches_of
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.detectives.detective_result import (
    DIAGRAM_FACTS,
    DetectiveResult,
    TranscribedDiagram,
    failed_result,
)
from courtroom.detectives.diagram_checks import is_present
from courtroom.detectives.document_checks import no_report
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.findings import Finding
from courtroom.detectives.image_analysis import ImageAnalysis
from courtroom.models.errors import ExaminationFailed
from courtroom.models.record import DetectiveName, RecordedError
from courtroom.models.rubric import Check, Diagram

NAME: DetectiveName = "VisionInspector"


class Eyes(Protocol):
    """Looks at pages of the report; see vision_model.py for the one that asks a model."""

    async def look_at(self, pages: Sequence[int]) -> ImageAnalysis: ...

    async def close(self) -> None: ...


async def look(
    pdf: PdfReading | ExaminationFailed | None, eyes: Eyes | None
) -> ImageAnalysis | None:
    """What `eyes` see where text and geometry leave a picture open; null where nobody needs to look."""
    if eyes is None or not isinstance(pdf, PdfReading):
        return None
    pages = await asyncio.to_thread(_left_open, pdf)
    return await eyes.look_at(pages) if pages else None


def inspect(
    pdf: PdfReading | ExaminationFailed | None,
    checks: Sequence[Check],
    look: ImageAnalysis | None = None,
) -> DetectiveResult:
    """Answer whether there is a diagram. What it shows is held against the code by the aggregator."""
    if isinstance(pdf, ExaminationFailed):
        return failed_result(NAME, checks, pdf, DIAGRAM_FACTS)
    answers = [(check, _finding_on(check, pdf)) for check in checks]
    evidence, outcomes = write_down([(check, found) for check, found in answers if found])
    testimony = DetectiveResult(detective=NAME, evidence=evidence, outcomes=outcomes)
    return testimony.model_copy(update=_told(look)) if look else testimony


def _left_open(pdf: PdfReading) -> list[int]:
    return (
        []
        if any(len(sketch.splits) >= 2 for _, sketch in sketches_of(pdf))
        else pages_to_look_at(pdf)
    )


def _told(look: ImageAnalysis) -> dict[str, Any]:
    """The look's part of the testimony. Of a failed one stay its cost, an error, and why the fact is null."""
    cost = {"usage": look.usage, "model": look.model}
    if look.failure is None:
        return {**cost, "seen": tuple(TranscribedDiagram(**asdict(one)) for one in look.seen)}
    sentence = f"The report's pictures were not looked at ({look.kind}): {look.failure}"
    error = RecordedError(stage=NAME, code=f"vision_{look.kind}", message=sentence)
    return {**cost, "errors": (error,), "reasons": dict.fromkeys(DIAGRAM_FACTS, sentence)}


def _finding_on(check: Check, pdf: PdfReading | None) -> Finding | None:
    """Null for what only the aggregator can answer."""
    if pdf is None:
        return no_report(check.goal)
    return is_present(pdf) if isinstance(check, Diagram) and check.aspect == "present" else None
