"""Frozen values read from a PDF, shared by the confined child and its parent.

Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TextLayer = Literal["text", "scanned", "none", "empty"]

PICTURE_PIXELS = 200
_MAX_ASPECT_RATIO = 6.0  # a longer image is a banner or a rule


@dataclass(frozen=True, slots=True)
class PdfImage:
    """One raster image drawn on a page, in its own pixels. Pages are 1-based everywhere."""

    page: int
    width: int
    height: int


def is_picture(image: PdfImage) -> bool:
    """Return whether the image is large enough for a diagram, unlike logos, icons and banners."""
    shorter, longer = sorted((image.width, image.height))
    return shorter >= PICTURE_PIXELS and longer <= _MAX_ASPECT_RATIO * shorter


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """One box of a vector drawing, its label, and its centre in points; y grows upwards."""

    label: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes of a drawing and the lines between them, as pairs of indexes, the smaller first.

    `arrows` are the lines with a head at one end, in the arrow's direction.
    """

    page: int
    boxes: tuple[DrawnBox, ...]
    links: tuple[tuple[int, int], ...]
    arrows: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """Counts of boxes side by side in a picture: all, reached by a line, from above, from below."""

    boxes: int
    linked: int
    above: int
    below: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes of a picture by level, from the top. Their text is not read."""

    page: int
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class VisionPicture:
    """Picture as a vision model read it. Without labels, it is no diagram.

    `edges` are directed pairs of indexes into `labels`.
    """

    page: int
    labels: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PdfReading:
    """Text of a PDF's pages, one paragraph, list item, table cell or heading per line.

    White space is normalised, ligatures are spelled out, control and invisible characters are
    removed. `headings` are (page, line) pairs. `drawn_pages` contain boxes joined by lines, which
    are in `drawings`. `invisible_pages` contained tag or direction-override characters. `hidden`
    is (page, text) that cannot be seen and is not part of `pages`. `non_body_texts` are (page or 0,
    source, text) of metadata, comments, attachments and replacement texts. `errors` are (code,
    message) of whatever could not be read. `layouts` are those of the larger pictures that could be
    decoded. `vision_pictures` is what a vision model read in pictures, None when it read none. A
    `scanned` text layer was recognised in pictures of pages, with this mean `confidence`.
    """

    pages: tuple[str, ...]
    images: tuple[PdfImage, ...] = ()
    drawn_pages: tuple[int, ...] = ()
    text_layer: TextLayer = "text"
    errors: tuple[tuple[str, str], ...] = ()
    headings: frozenset[tuple[int, str]] = frozenset()
    drawings: tuple[Drawing, ...] = ()
    invisible_pages: tuple[int, ...] = ()
    hidden: tuple[tuple[int, str], ...] = ()
    non_body_texts: tuple[tuple[int, str, str], ...] = ()
    layouts: tuple[Layout, ...] = ()
    vision_pictures: tuple[VisionPicture, ...] | None = None
    confidence: float = 1.0
