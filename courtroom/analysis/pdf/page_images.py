"""The raster images a page draws: their sizes, and the layout of those that can be decoded without any library."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from pypdf.errors import PyPdfError

from courtroom.analysis.pdf.box_layout import layout_of
from courtroom.analysis.pdf.pdf_content import Layout, PdfImage, is_picture
from courtroom.analysis.pdf.pixels import cells_of

_FORM_DEPTH = 5
# Beyond these an image costs more time than its layout is worth: photographs, and rows stored as differences.
_MOST_PIXELS = 4_000_000
_MOST_PREDICTED_PIXELS = 800_000


def drawn_images(page: Any, names: set[str] | None) -> Iterator[Any]:
    """Every image object that the page draws under these names (any, when null), forms within forms included."""
    return _within(page.get("/Resources"), names, _FORM_DEPTH)


def _within(resources: Any, names: set[str] | None, depth: int) -> Iterator[Any]:
    if resources is None or depth == 0 or "/XObject" not in resources.get_object():
        return
    for name, reference in resources.get_object()["/XObject"].items():
        drawing = reference.get_object() if names is None or name in names else None
        if drawing is not None and drawing.get("/Subtype") == "/Image":
            yield drawing
        elif drawing is not None:
            yield from _within(drawing.get("/Resources"), names, depth - 1)


def size_of(page: int, image: Any) -> PdfImage:
    return PdfImage(page, int(image["/Width"]), int(image["/Height"]))


def picture_layout(size: PdfImage, image: Any) -> Layout | None:
    """None for what is no picture, or is stored in a way that only an image library decodes (JPEG and the like)."""
    if not (is_picture(size) and _is_plain(size, image)):
        return None
    try:
        samples = image.get_data()
    except (PyPdfError, zlib.error, ValueError, NotImplementedError):
        return None
    cells = cells_of(samples, size.width, size.height)
    return layout_of(size.page, cells) if cells is not None else None


def _is_plain(size: PdfImage, image: Any) -> bool:
    """Deflated 8-bit samples; when each row is stored as differences to its neighbours, only a small image."""
    filters = image.get("/Filter")
    parameters = image.get("/DecodeParms") or {}
    if (
        filters != "/FlateDecode"
        or image.get("/BitsPerComponent") != 8
        or not hasattr(parameters, "get")
    ):
        return False
    most = _MOST_PREDICTED_PIXELS if parameters.get("/Predictor", 1) > 1 else _MOST_PIXELS
    return size.width * size.height <= most
