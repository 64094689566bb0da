"""What was read from a PDF: frozen values that both sides of the confined child share. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TextLayer = Literal["text", "none", "empty"]

PICTURE_PIXELS = 200
_WIDEST = 6.0  # sides' ratio; beyond it an image is a banner or a rule


@dataclass(frozen=True, slots=True)
class PdfImage:
    """One raster image drawn on a page, in its own pixels. Pages are 1-based everywhere."""

    page: int
    width: int
    height: int


def is_picture(image: PdfImage) -> bool:
    """Large enough to be a diagram; logos, icons and banners are not."""
    shorter, longer = sorted((image.width, image.height))
    return shorter >= PICTURE_PIXELS and longer <= _WIDEST * shorter


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """One box of a vector drawing and what is written in it; its centre in points, y grows upwards."""

    label: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and the lines between them: pairs of indexes into `boxes`, the smaller first.

    `arrows` are the lines whose one end has a head, from box to box.
    """

    page: int
    boxes: tuple[DrawnBox, ...]
    links: tuple[tuple[int, int], ...]
    arrows: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """Boxes side by side in a picture: how many, how many a line reaches, and how many from above and from below."""

    boxes: int
    linked: int
    above: int
    below: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A picture's boxes by level, from the top. Their words are not known."""

    page: int
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class SeenPicture:
    """A picture as a model read it; `edges` are directed pairs of indexes into `labels`. No labels: no diagram."""

    page: int
    labels: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PdfReading:
    """A PDF's pages as text, one paragraph, list item, table cell or heading per line.

    White space is normalised, ligatures are spelled out, control and invisible characters are gone.
    `headings` are (page, line) pairs. `drawn_pages` hold boxes joined by
    lines (`drawings` says which). `invisible_pages` carried tag or direction-override characters. `hidden`
    is (page, text) that is in the file but cannot be seen, and is no part of `pages`. `margins` is (page or 0, where,
    text) that stands beside the pages: metadata, comments, attachments, replacement text. `errors` are (code,
    message): what could not be read, for the record. `layouts` are those of the larger pictures that could
    be decoded. `seen` is what a model read in pictures, null when none looked.
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
    margins: tuple[tuple[int, str, str], ...] = ()
    layouts: tuple[Layout, ...] = ()
    seen: tuple[SeenPicture, ...] | None = None
