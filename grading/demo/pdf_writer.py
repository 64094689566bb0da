"""Small writer of PDFs: wrapped text, grey images, labelled boxes and arrows between them.

The demo cohort submits its PDFs, and tests read them. The same pages give the same bytes.
"""

from __future__ import annotations

import math
import textwrap
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# A4, in points.
PAGE_WIDTH, PAGE_HEIGHT, MARGIN = 595, 842, 72
TEXT_SIZE, HEADING_SIZE, LABEL_SIZE = 11, 15, 9
# Distance of two lines, in sizes of their text.
_LEADING = 1.3
# Characters of Helvetica that fit between the margins.
_WRAP_AT = {TEXT_SIZE: 82, HEADING_SIZE: 55}
# Length of an arrow's head, in points.
_HEAD = 6.0


@dataclass(frozen=True, slots=True)
class Box:
    """Rectangle by its lower left corner, in points; its label stands in the middle."""

    label: str
    x: float
    y: float
    width: float = 100
    height: float = 30

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Arrow:
    """Arrow from one box of the page to another, by their indexes."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Image:
    """Raster image in its own pixels, drawn at half a point per pixel below the text.

    It is grey without `rgb` samples.
    """

    width: int
    height: int
    rgb: bytes = b""


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `lines` are paragraphs; "# " makes a heading. `white` ones follow, white on white.

    `word_by_word` places every word by itself, as some word processors do.
    """

    lines: Sequence[str] = ()
    images: Sequence[Image] = ()
    boxes: Sequence[Box] = ()
    arrows: Sequence[Arrow] = ()
    word_by_word: bool = False
    white: Sequence[str] = ()


def make_pdf(path: Path, pages: Sequence[Page], *, encrypted: bool = False) -> Path:
    """Write the pages to `path`; with `encrypted`, under a password that nobody is told."""
    path.write_bytes(_document(pages))
    if encrypted:
        _encrypt(path)
    return path


def _encrypt(path: Path) -> None:
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=path)
    writer.encrypt("not told", algorithm="RC4-128")
    writer.write(path)


def _document(pages: Sequence[Page]) -> bytes:
    """Objects: 1 catalogue, 2 page tree, 3 and 4 fonts, then each page with its contents and
    images.
    """
    # The first two objects name the pages, so they are written at the end.
    objects: list[bytes] = [b"", b"", _font("Helvetica"), _font("Helvetica-Bold")]
    kids = []
    for page in pages:
        names = {f"Im{number}": len(objects) + 1 + number for number in range(len(page.images))}
        objects += [_image(image) for image in page.images]
        objects.append(_stream(_content(page), ""))
        objects.append(_page(names, contents=len(objects)))
        kids.append(f"{len(objects)} 0 R")

    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    return _assemble(objects)


def _assemble(objects: Sequence[bytes]) -> bytes:
    body, offsets = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)

    # An entry has exactly 20 bytes, as the format demands.
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(body))
    return b"%sxref\n0 %d\n0000000000 65535 f \n%s%s" % (body, size, table, trailer)


def _font(name: str) -> bytes:
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
    )


def _page(images: dict[str, int], *, contents: int) -> bytes:
    xobjects = " ".join(f"/{name} {number} 0 R" for name, number in images.items())
    return (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]"
        f" /Contents {contents} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> /XObject << {xobjects} >> >> >>"
    ).encode()


def _stream(data: bytes, entries: str) -> bytes:
    packed = zlib.compress(data, 9)
    head = f"<< /Length {len(packed)} /Filter /FlateDecode {entries}>>\nstream\n".encode()
    return head + packed + b"\nendstream"


def _image(image: Image) -> bytes:
    # A ramp from black to white, so that the image is not blank.
    grey = bytes(255 * column // image.width for column in range(image.width)) * image.height
    space = "/DeviceRGB" if image.rgb else "/DeviceGray"
    kind = f"/Type /XObject /Subtype /Image /ColorSpace {space} /BitsPerComponent 8"
    return _stream(image.rgb or grey, f"{kind} /Width {image.width} /Height {image.height} ")


def _content(page: Page) -> bytes:
    commands, y = _text(page, page.lines, PAGE_HEIGHT - MARGIN)
    written, y = _text(page, page.white, y)
    commands += ["1 g", *written, "0 g"] if written else []

    for number, image in enumerate(page.images):
        y -= image.height / 2 + 10
        commands.append(
            f"q {image.width / 2} 0 0 {image.height / 2} {MARGIN} {y:.1f} cm /Im{number} Do Q"
        )

    commands += [_box(box) for box in page.boxes]
    commands += [
        _arrow(page.boxes[arrow.source], page.boxes[arrow.target]) for arrow in page.arrows
    ]

    # The fonts declare WinAnsiEncoding, which is cp1252.
    return "\n".join(commands).encode("cp1252", errors="replace")


def _text(page: Page, paragraphs: Sequence[str], y: float) -> tuple[list[str], float]:
    """Return the commands that write the paragraphs from `y` downwards, and the lowest y."""
    commands: list[str] = []
    for paragraph in paragraphs:
        heading = paragraph.startswith("# ")
        size = HEADING_SIZE if heading else TEXT_SIZE
        for line in textwrap.wrap(paragraph.removeprefix("# "), _WRAP_AT[size]):
            y -= _LEADING * size
            commands += _line(line, y, size, bold=heading, word_by_word=page.word_by_word)
        y -= 0.7 * size

    return commands, y


def _line(line: str, y: float, size: int, *, bold: bool, word_by_word: bool) -> list[str]:
    font = "F2" if bold else "F1"
    if not word_by_word:
        return [_show(line, MARGIN, y, size, font)]

    commands, x = [], float(MARGIN)

    for word in line.split():
        commands += [
            _show(word, x, y, size, font),
            _show(" ", x + _width(word, size), y, size, font),
        ]
        x += _width(f"{word} ", size)

    return commands


def _show(text: str, x: float, y: float, size: int, font: str) -> str:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{font} {size} Tf 1 0 0 1 {x:.2f} {y:.2f} Tm ({escaped}) Tj ET"


def _width(text: str, size: int) -> float:
    # The mean width of Helvetica's letters.
    return 0.52 * size * len(text)


def _box(box: Box) -> str:
    x, y = box.centre
    label = _show(
        box.label, x - _width(box.label, LABEL_SIZE) / 2, y - LABEL_SIZE / 3, LABEL_SIZE, "F1"
    )
    return f"1 g 0 G {box.x} {box.y} {box.width} {box.height} re B 0 g\n{label}"


def _arrow(source: Box, target: Box) -> str:
    """Draw a line between the borders of the boxes, with a filled head."""
    (x0, y0), (x1, y1) = _border_point(source, target), _border_point(target, source)
    # `or 1.0`: two boxes at one place have no direction.
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    dx, dy = (x1 - x0) / length * _HEAD, (y1 - y0) / length * _HEAD
    shaft = f"{x0:.1f} {y0:.1f} m {x1 - dx:.1f} {y1 - dy:.1f} l S"
    left, right = (x1 - dx - dy / 2, y1 - dy + dx / 2), (x1 - dx + dy / 2, y1 - dy - dx / 2)
    head = f"{x1:.1f} {y1:.1f} m {left[0]:.1f} {left[1]:.1f} l {right[0]:.1f} {right[1]:.1f} l f"
    return f"{shaft}\n{head}"


def _border_point(box: Box, other: Box) -> tuple[float, float]:
    """Return the point where the line to the other box's centre leaves this box."""
    (x, y), (to_x, to_y) = box.centre, other.centre
    dx, dy = to_x - x, to_y - y
    # At most 1: the other centre may lie inside this box.
    share = min(
        box.width / 2 / abs(dx) if dx else math.inf,
        box.height / 2 / abs(dy) if dy else math.inf,
        1.0,
    )

    return x + dx * share, y + dy * share
