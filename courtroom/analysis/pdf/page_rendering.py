"""Render pages of a report as pictures for a vision model, with pdfium in a confined child.

Some hostile files crash pdfium, so only that child imports it. The child has no network, no file
but the PDF, and limited memory and time; this build has no script engine. A page that cannot be
rendered is left out.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtroom.analysis.sandbox.sandbox import ChildLimits, examine

if TYPE_CHECKING:
    from courtroom.models.case import Limits

MEBIBYTE = 1024 * 1024
MOST_PICTURES = 4
# Models scale larger pictures down, and pdfium's memory grows with them.
LONGEST_SIDE = 1600
MEDIA_TYPE = "image/png"
_MAX_SCALE = 2.0  # pixels per point; small print is legible
_MAX_BYTES = 6 * MEBIBYTE  # all pictures of one report
_CPU_SECONDS = 20
_MIN_SIDE = 1.0  # points
_CHANNELS = 3
_PNG_RGB = 2


@dataclass(frozen=True, slots=True)
class PagePicture:
    """One whole page as PNG."""

    page: int
    base64: str


def page_pictures(path: Path, pages: Sequence[int], limits: Limits) -> tuple[PagePicture, ...]:
    """Render the first MOST_PICTURES pages; failed ones are missing. Raises ChildFailed."""
    child = ChildLimits(
        memory_bytes=limits.child_memory_bytes,
        cpu_seconds=min(_CPU_SECONDS, limits.child_cpu_seconds),
        file_bytes=0,
        wall_seconds=limits.child_seconds,
        output_bytes=2 * _MAX_BYTES,
    )
    request = {"path": str(path.resolve()), "pages": list(pages[:MOST_PICTURES])}
    reply = examine(
        "courtroom.analysis.pdf.page_rendering", request, limits=child, reads=(path.resolve(),)
    )
    return tuple(PagePicture(**picture) for picture in reply["pictures"])


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Handle the request in the child: {path, pages} in, {pictures} out."""
    pictures: list[dict[str, Any]] = []
    bytes_left = _MAX_BYTES
    for page, data in _rendered_pages(Path(request["path"]), request["pages"]):
        bytes_left -= len(data)
        if bytes_left < 0:
            break
        pictures.append({"page": page, "base64": base64.b64encode(data).decode()})

    return {"pictures": pictures}


def _rendered_pages(path: Path, pages: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    import pypdfium2  # type: ignore[import-untyped]  # -- it ships no types

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        return

    for number in pages:
        try:
            picture = _render(document[number - 1])
        except (pypdfium2.PdfiumError, IndexError):
            continue
        if picture is not None:
            yield number, picture


def _render(page: Any) -> bytes | None:
    """Return the page as PNG, at most LONGEST_SIDE pixels long; None for one without an area."""
    shorter, longer = sorted(page.get_size())
    if shorter < _MIN_SIDE:
        return None

    bitmap = page.render(scale=min(_MAX_SCALE, LONGEST_SIDE / longer), rev_byteorder=True)
    samples, width = memoryview(bitmap.buffer), bitmap.width * _CHANNELS
    rows = (
        samples[start : start + width]
        for start in range(0, bitmap.stride * bitmap.height, bitmap.stride)
    )
    return png(bitmap.width, bitmap.height, b"".join(rows))


def png(width: int, height: int, samples: bytes) -> bytes:
    """Encode rows of 8-bit RGB samples as a PNG file (PNG specification, third edition, 5)."""
    row = width * _CHANNELS
    lines = b"".join(
        b"\x00" + samples[start : start + row] for start in range(0, row * height, row)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, _PNG_RGB, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
