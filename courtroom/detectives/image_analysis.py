"""Result of looking at the report's pictures."""

from __future__ import annotations

from dataclasses import dataclass, field

from courtroom.analysis.pdf.pdf_content import VisionPicture
from courtroom.models.audit_report import Usage


@dataclass(frozen=True, slots=True)
class ImageAnalysis:
    """Every picture as `model` read it, or why none was; and what it cost in either case.

    `kind` is the failure in one word: a FailureKind of the record, or `unexamined` where no picture
    could be taken.
    """

    pictures: tuple[VisionPicture, ...] = ()
    kind: str = ""
    failure: str | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
