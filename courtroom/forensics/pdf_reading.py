"""What was read from a PDF: frozen values that both sides of the confined child share. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TextLayer = Literal["text", "none", "empty"]


@dataclass(frozen=True, slots=True)
class PdfImage:
    """One raster image drawn on a page, in its own pixels. Pages are 1-based everywhere."""

    page: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """One box of a vector drawing and what is written in it; its centre in points, y grows upwards."""

    label: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and the lines between them (pairs of indexes into `boxes`, direction not known)."""

    page: int
    boxes: tuple[DrawnBox, ...]
    links: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PdfReading:
    """A PDF's pages as text, one paragraph, list item, table cell or heading per line.

    White space is normalised, ligatures are spelled out, control and invisible characters are gone.
    `headings` are (page, line) pairs. `drawn_pages` hold boxes joined by
    lines (`drawings` says which). `invisible_pages` carried tag or direction-override characters. `hidden`
    is (page, text) that is in the file but cannot be seen, and is no part of `pages`. `errors` are (code,
    message): what could not be read, for the record.
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
