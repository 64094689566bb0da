"""Layouts of the pictures that need an image library (JPEG, for example), by pdfium in a child.

Some hostile files crash pdfium, so only a confined child imports it, as for page_rendering.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtroom.analysis.pdf.box_layout import layout_of
from courtroom.analysis.pdf.page_rendering import MEBIBYTE
from courtroom.analysis.pdf.pdf_content import Layout, PdfImage, is_picture, layout_from
from courtroom.analysis.sandbox.sandbox import examine, reading_limits

if TYPE_CHECKING:
    from courtroom.models.case import Limits

MOST_PAGES = 8
_MAX_PIXELS = 4_500_000
_FORM_DEPTH = 5
_RGB = 3


def picture_layouts(path: Path, pages: Sequence[int], limits: Limits) -> tuple[Layout, ...]:
    """Return the layouts of the pictures on the first MOST_PAGES pages. Raises ChildFailed."""
    reply = examine(
        "courtroom.analysis.pdf.picture_layouts",
        {"path": str(path), "pages": list(pages[:MOST_PAGES])},
        limits=reading_limits(limits, output_bytes=MEBIBYTE),
        reads=(path,),
    )
    return tuple(map(layout_from, reply["layouts"]))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Handle the request in the child: {path, pages} in, {layouts} out."""
    import pypdfium2  # type: ignore[import-untyped]  # -- it ships no types

    try:
        document = pypdfium2.PdfDocument(Path(request["path"]))
        layouts = [asdict(layout) for page in request["pages"] for layout in _on(document, page)]
    except pypdfium2.PdfiumError:
        return {"layouts": []}
    return {"layouts": layouts}


def _on(document: Any, page: int) -> Iterator[Layout]:
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE  # type: ignore[import-untyped]  # -- no types

    for image in document[page - 1].get_objects([FPDF_PAGEOBJ_IMAGE], max_depth=_FORM_DEPTH):
        width, height = image.get_px_size()
        if not is_picture(PdfImage(page, width, height)) or width * height > _MAX_PIXELS:
            continue
        bitmap = image.get_bitmap(render=False)
        if layout := layout_of(page, _samples(bitmap), bitmap.width, bitmap.height):
            yield layout


def _samples(bitmap: Any) -> bytes:
    """Return the rows without their padding. The order of the colours does not matter."""
    buffer, width = memoryview(bitmap.buffer), bitmap.width * bitmap.n_channels
    if bitmap.n_channels not in {1, _RGB}:
        return b""
    starts = range(0, bitmap.stride * bitmap.height, bitmap.stride)
    return b"".join(buffer[start : start + width] for start in starts)
