"""Frozen values read from a PDF, shared by the confined child and its parent.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

TextLayer = Literal["text", "scanned", "none"]

PICTURE_PIXELS = 200
_MAX_ASPECT_RATIO = 6.0  # a longer image is a banner or a rule


# What a program writes in place of bytes that are no text: U+FFFD in UTF-8. A PDF may hold a few.
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()
_MANY_REPLACED = 100


def damage_of(content: bytes) -> str:
    """Return a sentence on bytes that a conversion to text has replaced; "" where it has not."""
    count = content.count(_REPLACEMENT)
    if count < _MANY_REPLACED:
        return ""
    return (
        f"A program took the file for text and put U+FFFD in place of its bytes ({count:,} times)."
        " Export the PDF again, and commit it as binary: `*.pdf binary` in .gitattributes."
    )


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

    `arrows` are the lines with a head at one end, in the arrow's direction. `has_loose_lines`: a
    line begins at a box, and the box at its other end was not recognised.
    """

    page: int
    boxes: tuple[DrawnBox, ...]
    links: tuple[tuple[int, int], ...]
    arrows: tuple[tuple[int, int], ...] = ()
    has_loose_lines: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """Counts of boxes side by side in a picture: all, reached by a line, from above, from below.

    `through`: reached from above and from below, as a branch is; `in_chain`: joined by lines with
    their neighbours, one after the other.
    """

    boxes: int
    linked: int
    above: int
    below: int
    through: int
    in_chain: int

    @property
    def is_split(self) -> bool:
        """Lines enter and leave several boxes, unlike in a last row or a heading."""
        # A line at the corner of a box is missed, but not that of every branch.
        return min(self.above, self.below) > 1 and self.through > 0

    @property
    def is_linked(self) -> bool:
        """Lines reach all of several boxes."""
        return self.linked == self.boxes > 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes of a picture by level, from the top. Their text is not read.

    In a picture that runs from left to right the levels are columns, `above` is to the left.
    """

    page: int
    levels: tuple[Level, ...]
    from_left: bool = False


def layout_from(answer: Mapping[str, Any]) -> Layout:
    """Return the layout that a child has sent as the dict of its fields."""
    levels = tuple(Level(**level) for level in answer["levels"])
    return Layout(answer["page"], levels, from_left=answer["from_left"])


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
    removed. `headings` are (page, line) pairs, `heading_sizes` adds their letters' sizes. `drawn_pages` contain boxes joined by lines, which
    are in `drawings`. `invisible_pages` contained tag or direction-override characters. `hidden`
    is (page, text) that cannot be seen and is not part of `pages`. `non_body_texts` are (page or 0,
    source, text) of metadata, comments, attachments and replacement texts. `errors` are (code,
    message) of whatever could not be read. `layouts` are those of the larger pictures that could be
    decoded. `vision_pictures` is what a vision model read in pictures, None when it read none. A
    `scanned` text layer was recognised in pictures of pages, with this mean `confidence`; where it
    is `none`, no character was read, and `damage` says what was done to the file, if that is seen.
    """

    pages: tuple[str, ...]
    images: tuple[PdfImage, ...] = ()
    drawn_pages: tuple[int, ...] = ()
    text_layer: TextLayer = "text"
    errors: tuple[tuple[str, str], ...] = ()
    headings: frozenset[tuple[int, str]] = frozenset()
    heading_sizes: tuple[tuple[int, str, float], ...] = ()
    drawings: tuple[Drawing, ...] = ()
    invisible_pages: tuple[int, ...] = ()
    hidden: tuple[tuple[int, str], ...] = ()
    non_body_texts: tuple[tuple[int, str, str], ...] = ()
    layouts: tuple[Layout, ...] = ()
    vision_pictures: tuple[VisionPicture, ...] | None = None
    confidence: float = 1.0
    damage: str = ""

    @property
    def unread(self) -> str:
        """Why nothing is known of what the report says; "" where its text was read."""
        if self.text_layer != "none":
            return ""
        return unread_report(len(self.pages), len(self.images), self.damage)


def unread_report(pages: int, pictures: int, damage: str = "") -> str:
    """Return why a report of so many pages and pictures, but without a character, is not judged."""
    gave = f"its {pages} pages gave" if pages != 1 else "its page gave"
    only = f", only {pictures} picture{'s' if pictures > 1 else ''}" if pictures else ""
    why = f"The report could not be read: {gave} no character of text{only}."
    return f"{why} {damage}".rstrip()
