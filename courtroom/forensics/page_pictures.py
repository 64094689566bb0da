"""Pictures of a report for a model to look at, taken in a confined child: its larger images, or whole pages.

Whole pages need pypdfium2, an extra; it dies of hostile files, so it runs nowhere but in that child. Without it
the images that pages embed are taken as they are stored.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from courtroom.forensics.confine import ChildLimits, examine
from courtroom.forensics.pdf_reading import is_picture

if TYPE_CHECKING:
    from courtroom.case import Limits

MEBIBYTE = 1024 * 1024
MOST_PICTURES = 4
# A model scales larger pictures down, and pdfium's memory grows with them.
LONGEST_SIDE = 1600
_MOST_BYTES = 6 * MEBIBYTE  # all pictures of one report
_CPU_SECONDS = 20
_CHANNELS = {"/DeviceGray": 1, "/CalGray": 1, "/DeviceRGB": 3, "/CalRGB": 3}
_PNG_COLOURS = {1: 0, 3: 2}

MediaType = Literal["image/png", "image/jpeg"]


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture of a page, or on it, in a format every model reads."""

    page: int
    media_type: MediaType
    base64: str


def page_pictures(path: Path, pages: Sequence[int], limits: Limits) -> tuple[PagePicture, ...]:
    """At most MOST_PICTURES pictures of these pages, in their order. Raises ChildFailed."""
    child = ChildLimits(
        memory_bytes=limits.child_memory_bytes,
        cpu_seconds=min(_CPU_SECONDS, limits.child_cpu_seconds),
        file_bytes=0,
        wall_seconds=limits.child_seconds,
        output_bytes=2 * _MOST_BYTES,
    )
    request = {"path": str(path.resolve()), "pages": list(pages)}
    reply = examine("courtroom.forensics.page_pictures", request, limits=child, reads=(path.resolve(),))
    return tuple(PagePicture(**picture) for picture in reply["pictures"])


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The child's side: {path, pages} in, {pictures} out."""
    pictures: list[dict[str, Any]] = []
    room = _MOST_BYTES
    for page, media_type, data in _taken(Path(request["path"]), request["pages"]):
        room -= len(data)
        if room < 0 or len(pictures) == MOST_PICTURES:
            break
        pictures.append({"page": page, "media_type": media_type, "base64": base64.b64encode(data).decode()})
    return {"pictures": pictures}


def _taken(path: Path, pages: Sequence[int]) -> Iterator[tuple[int, MediaType, bytes]]:
    try:
        import pypdfium2  # type: ignore[import-not-found, import-untyped, unused-ignore]  # -- an extra
    except ImportError:
        yield from _embedded(path, pages)
        return
    document = pypdfium2.PdfDocument(path)
    for page in pages:
        yield page, "image/png", _rendered(document[page - 1])


def _rendered(page: Any) -> bytes:
    """The page as PNG, its longer side at most LONGEST_SIDE pixels."""
    bitmap = page.render(scale=min(2.0, LONGEST_SIDE / max(page.get_size())), rev_byteorder=True)
    samples, width = bytes(bitmap.buffer), bitmap.width * bitmap.n_channels
    rows = (
        samples[start : start + width] for start in range(0, bitmap.stride * bitmap.height, bitmap.stride)
    )
    return png(bitmap.width, bitmap.height, bitmap.n_channels, b"".join(rows))


def _embedded(path: Path, pages: Sequence[int]) -> Iterator[tuple[int, MediaType, bytes]]:
    """The images of a diagram's size, in stored form where it is JPEG, else as PNG; other forms are left out."""
    import pypdf

    from courtroom.forensics.page_images import drawn_images, size_of

    reader = pypdf.PdfReader(path)
    for page in pages:
        for image in drawn_images(reader.pages[page - 1], None):
            if is_picture(size_of(page, image)) and (stored := _stored(image)):
                yield page, *stored


def _stored(image: Any) -> tuple[MediaType, bytes] | None:
    filters = image.get("/Filter")
    names = filters if isinstance(filters, list) else [filters]
    if names == ["/DCTDecode"]:
        return "image/jpeg", image._data  # noqa: SLF001 -- pypdf decodes JPEG only with an image library
    channels = _channels(image.get("/ColorSpace"))
    if names != ["/FlateDecode"] or image.get("/BitsPerComponent") != 8 or channels is None:
        return None
    return "image/png", png(int(image["/Width"]), int(image["/Height"]), channels, image.get_data())


def _channels(space: Any) -> int | None:
    space = space.get_object() if space is not None else None
    if isinstance(space, list) and space and space[0] == "/ICCBased":
        count = int(space[1].get_object().get("/N", 0))
        return count if count in _PNG_COLOURS else None
    return _CHANNELS.get(str(space))


def png(width: int, height: int, channels: int, samples: bytes) -> bytes:
    """Rows of 8-bit grey or RGB samples as a PNG file (PNG specification, third edition, 5)."""
    row = width * channels
    lines = b"".join(b"\x00" + samples[start : start + row] for start in range(0, row * height, row))
    header = struct.pack(">IIBBBBB", width, height, 8, _PNG_COLOURS[channels], 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
