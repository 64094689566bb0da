"""Read a PDF report in a confined child process, up to the limits, or refuse it with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

from courtroom.analysis.pdf.pdf_content import (
    Drawing,
    DrawnBox,
    Layout,
    Level,
    PdfImage,
    PdfReading,
    is_picture,
    layout_from,
)
from courtroom.analysis.pdf.picture_layouts import picture_layouts
from courtroom.analysis.pdf.scanned_text import scanned_text
from courtroom.analysis.sandbox.sandbox import examine, reading_limits
from courtroom.analysis.sandbox.warm_child import WarmChild
from courtroom.analysis.warm_readers import REPORT, answer_warm, readers_are_ready
from courtroom.models.errors import ChildFailed, PdfRefused

if TYPE_CHECKING:
    from courtroom.models.case import Limits

__all__ = [
    "Drawing",
    "DrawnBox",
    "Layout",
    "Level",
    "PdfImage",
    "PdfReading",
    "probe_pdf",
    "read_pdf",
]

MEBIBYTE = 1024 * 1024
PROBE = "courtroom.analysis.pdf.probe_child"
MOST_IMAGES = 50
# The signature must be within these first bytes (PDF 32000-1, Annex H.3, note 13).
_SIGNATURE_WITHIN = 1024
# Limits for counting pages, while a person waits in the browser. 200 pages take 0.1 s.
PROBE_CPU_SECONDS, PROBE_SECONDS = 10, 20.0
# Probes at once in one process of the site: a burst of uploads must leave CPU time and memory to
# the pages.
_PROBE_TURNS = BoundedSemaphore(4)
# Its start takes 0.15 s of processor time, one answer 0.01 s (decision 5).
_WARM_PROBE = WarmChild((PROBE,))
# Share of the child's CPU time after which it stops at the end of a page and returns its results.
_CPU_SHARE = 0.6


def probe_pdf(path: Path, limits: Limits) -> int:
    """Return the number of pages; refuse the PDFs that read_pdf refuses, and those with more pages.

    Raises PdfRefused: pdf_missing, pdf_too_large, pdf_not_a_pdf, pdf_encrypted, pdf_unreadable,
    pdf_too_many_pages; ChildFailed when the child process failed, or child_busy when no turn came
    up within the child's time limit.
    """
    check_file(path, limits)
    file = path.resolve()
    request = {"file": str(file), "most_pages": limits.pdf_pages}
    child = replace(
        reading_limits(limits, output_bytes=MEBIBYTE),
        cpu_seconds=min(limits.child_cpu_seconds, PROBE_CPU_SECONDS),
        wall_seconds=min(limits.child_seconds, PROBE_SECONDS),
    )

    with _probe_turn(child.wall_seconds):
        reply = _WARM_PROBE.answer(PROBE, request, file.read_bytes(), limits=child)
        # What the warm child could not answer, a child of its own answers, or fails to.
        if reply is None:
            reply = examine(PROBE, request, limits=child, reads=(file,))

    return int(reply["pages"])


def read_pdf(path: Path, limits: Limits) -> PdfReading:
    """Return the text, images and drawings of all pages, up to the limits.

    `errors` names what was left out. Raises as probe_pdf does, except pdf_too_many_pages: then the
    first pages are read.
    """
    answer = _request_reading(path, limits)
    reading = _reading(answer)
    if reading.text_layer == "none":
        return _with_scanned_text(reading, path, limits)
    return _with_picture_layouts(reading, path.resolve(), limits)


def _with_picture_layouts(reading: PdfReading, path: Path, limits: Limits) -> PdfReading:
    """Return the reading with the layouts of pictures that only an image library can decode."""
    analysed = {layout.page for layout in reading.layouts}
    pages = {image.page for image in reading.images if is_picture(image)} - analysed
    if not pages:
        return reading

    try:
        added = picture_layouts(path, sorted(pages), limits)
    except ChildFailed as error:
        return replace(reading, errors=(*reading.errors, (error.code, error.message)))
    layouts = sorted((*reading.layouts, *added), key=lambda layout: layout.page)
    return replace(reading, layouts=tuple(layouts))


def _with_scanned_text(reading: PdfReading, path: Path, limits: Limits) -> PdfReading:
    """Return the reading with the text seen in pictures of its pages, if tesseract reads them all.

    Of a part nothing follows: what the report does not say may stand on the other pages.
    """
    try:
        text = scanned_text(path.resolve(), len(reading.pages), limits)
    except ChildFailed as error:
        return replace(reading, errors=(*reading.errors, (error.code, error.message)))
    if text is None:
        return reading

    note = (
        f"The pages give no text. It was recognised in pictures of {text.read} of"
        f" {len(text.pages)}, with a confidence of {text.confidence:.2f}."
    )
    noted = replace(reading, errors=(*reading.errors, ("pdf_scanned_text", note)))
    if text.read < len(text.pages):
        return noted
    return replace(noted, pages=text.pages, text_layer="scanned", confidence=text.confidence)


def _reading(answer: dict[str, Any]) -> PdfReading:
    return PdfReading(
        pages=tuple(answer["pages"]),
        images=tuple(PdfImage(**image) for image in answer["images"]),
        drawn_pages=tuple(answer["drawn_pages"]),
        text_layer=answer["text_layer"],
        damage=answer["damage"],
        errors=tuple((code, message) for code, message in answer["errors"]),
        headings=frozenset((page, text) for page, text, _size in answer["headings"]),
        heading_sizes=tuple((page, text, size) for page, text, size in answer["headings"]),
        drawings=tuple(_drawing(drawing) for drawing in answer["drawings"]),
        invisible_pages=tuple(answer["invisible_pages"]),
        hidden=tuple((page, text) for page, text in answer["hidden"]),
        non_body_texts=tuple(
            (page, source, text) for page, source, text in answer["non_body_texts"]
        ),
        layouts=tuple(map(layout_from, answer["layouts"])),
    )


@contextmanager
def _probe_turn(seconds: float) -> Iterator[None]:
    if not _PROBE_TURNS.acquire(timeout=seconds):
        raise ChildFailed(
            "child_busy", "Too many files are being checked right now. Try again in a minute."
        )

    try:
        yield
    finally:
        _PROBE_TURNS.release()


def _drawing(answer: dict[str, Any]) -> Drawing:
    boxes = tuple(DrawnBox(**box) for box in answer["boxes"])
    return Drawing(
        page=answer["page"],
        boxes=boxes,
        links=tuple((first, second) for first, second in answer["links"]),
        arrows=tuple((source, target) for source, target in answer["arrows"]),
        has_loose_lines=answer["has_loose_lines"],
    )


def _request_reading(path: Path, limits: Limits) -> dict[str, Any]:
    check_file(path, limits)
    request = {
        "file": str(path.resolve()),
        "most_pages": limits.pdf_pages,
        "most_characters": limits.pdf_text_characters,
        "most_images": MOST_IMAGES,
        "seconds": limits.child_cpu_seconds * _CPU_SHARE,
    }
    # Text is written at most twice (pages; headings and labels), and a JSON escape takes six bytes.
    child = reading_limits(limits, output_bytes=12 * limits.pdf_text_characters + 4 * MEBIBYTE)
    reply = (
        answer_warm(REPORT, request, path.read_bytes(), limits=child)
        if readers_are_ready()
        else None
    )
    return reply or examine(REPORT, request, limits=child, reads=(path.resolve(),))


def check_file(path: Path, limits: Limits) -> None:
    """Refuse what is no PDF by its size and first bytes. Raises PdfRefused."""
    if not path.is_file():
        raise PdfRefused("pdf_missing", "The PDF file does not exist.")
    size = path.stat().st_size
    if size == 0:
        raise PdfRefused(
            "pdf_not_a_pdf", "The PDF is empty (0 bytes). Export the report again and upload that."
        )
    if size > limits.pdf_bytes:
        megabytes = limits.pdf_bytes // MEBIBYTE
        raise PdfRefused(
            "pdf_too_large", f"The PDF is larger than {megabytes} MB. Upload a smaller one."
        )

    with path.open("rb") as file:
        if b"%PDF-" not in file.read(_SIGNATURE_WITHIN):
            raise PdfRefused(
                "pdf_not_a_pdf", "The file is not a PDF. Export the report as PDF and upload that."
            )
