"""The VisionInspector: looks for diagrams in the report's pictures, drawings and characters."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Protocol

from courtroom.analysis.diagrams.diagram_kind import drawn_sketches, pages_to_look_at
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.checks.from_report import no_report
from courtroom.checks.registry import Check, kind_of, unknown_kind
from courtroom.checks.result import Finding
from courtroom.checks.sources import Sources
from courtroom.detectives.detective_result import (
    DIAGRAM_FACTS,
    DetectiveResult,
    TranscribedDiagram,
    failed_result,
)
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.image_analysis import ImageAnalysis
from courtroom.models.audit_report import RecordedError
from courtroom.models.errors import ExaminationFailed
from courtroom.models.evidence import DetectiveName

NAME: DetectiveName = "VisionInspector"


class ImageReader(Protocol):
    """Reader of the report's pages as pictures; vision_model.py has the one that asks a model."""

    async def look_at(self, pages: Sequence[int]) -> ImageAnalysis: ...

    async def close(self) -> None: ...


async def analyse_images(
    pdf: PdfReading | ExaminationFailed | None, reader: ImageReader | None
) -> ImageAnalysis | None:
    """The pictures that text and geometry leave open, as `reader` sees them; null without any."""
    if reader is None or not isinstance(pdf, PdfReading):
        return None
    # Finding the pages takes seconds of geometry: not on the event loop.
    pages = await asyncio.to_thread(_open_pages, pdf)
    return await reader.look_at(pages) if pages else None


def inspect(
    pdf: PdfReading | ExaminationFailed | None,
    checks: Sequence[Check],
    analysis: ImageAnalysis | None = None,
) -> DetectiveResult:
    """Answer the checks on the presence of a diagram. The aggregator compares it with the code."""
    if isinstance(pdf, ExaminationFailed):
        return failed_result(NAME, checks, pdf, DIAGRAM_FACTS)

    findings = [(check, _finding(check, pdf)) for check in checks]
    evidence, outcomes = write_down([(check, finding) for check, finding in findings if finding])
    result = DetectiveResult(detective=NAME, evidence=evidence, outcomes=outcomes)
    return result.model_copy(update=_image_fields(analysis)) if analysis else result


def _open_pages(pdf: PdfReading) -> list[int]:
    """The pages with pictures, unless a diagram with both splits can be read without a model."""
    # A model costs money: it is called only where a diagram stays unread.
    has_both_splits = any(len(sketch.splits) >= 2 for sketch in drawn_sketches(pdf))
    return [] if has_both_splits else pages_to_look_at(pdf)


def _image_fields(analysis: ImageAnalysis) -> dict[str, Any]:
    """The analysis as fields of the result. A failed one leaves its cost, an error and a reason."""
    cost = {"usage": analysis.usage, "model": analysis.model}
    if analysis.failure is None:
        pictures = (TranscribedDiagram(**asdict(picture)) for picture in analysis.pictures)
        return {**cost, "pictures": tuple(pictures)}

    sentence = f"The report's pictures were not looked at ({analysis.kind}): {analysis.failure}"
    error = RecordedError(stage=NAME, code=f"vision_{analysis.kind}", message=sentence)
    return {**cost, "errors": (error,), "reasons": dict.fromkeys(DIAGRAM_FACTS, sentence)}


def _finding(check: Check, pdf: PdfReading | None) -> Finding | None:
    """Null for what only the aggregator can answer, which knows what a model read in pictures."""
    if pdf is None:
        return no_report(check.goal)
    if pdf.unread:
        return None
    kind = kind_of(check)
    return kind.detect(check, Sources(report=pdf)) if kind else unknown_kind(check)
