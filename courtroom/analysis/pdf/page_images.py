"""Sizes of the raster images a page draws, and the layout of those we can decode ourselves."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from pypdf.errors import PyPdfError

from courtroom.analysis.pdf.box_layout import layout_of
from courtroom.analysis.pdf.pdf_content import Layout, PdfImage, is_picture

_FORM_DEPTH = 5
# Larger images take more time than their layout is worth. Rows stored as differences take more.
_MAX_PIXELS = 4_000_000
_MAX_PREDICTED_PIXELS = 800_000


def drawn_images(page: Any, names: set[str] | None) -> Iterator[Any]:
    """Yield the images that the page draws under these names, and all images within its forms.

    Without names, yield all images.
    """
    return _images_within(page.get("/Resources"), names, _FORM_DEPTH)


def _images_within(resources: Any, names: set[str] | None, depth: int) -> Iterator[Any]:
    if resources is None or depth == 0 or "/XObject" not in resources.get_object():
        return

    for name, reference in resources.get_object()["/XObject"].items():
        drawing = reference.get_object() if names is None or name in names else None
        if drawing is not None and drawing.get("/Subtype") == "/Image":
            yield drawing
        elif drawing is not None:
            yield from _images_within(drawing.get("/Resources"), names, depth - 1)


def size_of(page: int, image: Any) -> PdfImage:
    return PdfImage(page, int(image["/Width"]), int(image["/Height"]))


def picture_layout(size: PdfImage, image: Any) -> Layout | None:
    """Return the picture's layout.

    None when the image is too small for a picture or needs an image library (JPEG, for example).
    """
    if not (is_picture(size) and _is_plain(size, image)):
        return None

    try:
        samples = image.get_data()
    except (PyPdfError, zlib.error, ValueError, NotImplementedError):
        return None

    return layout_of(size.page, samples, size.width, size.height)


def _is_plain(size: PdfImage, image: Any) -> bool:
    """Return whether the image is deflated 8-bit samples and not too large to decode here."""
    filters = image.get("/Filter")
    parameters = image.get("/DecodeParms") or {}
    if (
        filters != "/FlateDecode"
        or image.get("/BitsPerComponent") != 8
        or not hasattr(parameters, "get")
    ):
        return False

    has_predictor = parameters.get("/Predictor", 1) > 1
    return size.width * size.height <= (_MAX_PREDICTED_PIXELS if has_predictor else _MAX_PIXELS)
