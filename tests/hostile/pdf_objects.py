"""PDF files written object by object, so that each can be wrong in its own way."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

TEXT = b"BT /F1 12 Tf 72 720 Td (Seen by a reader.) Tj ET"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
SOUND: Mapping[int, bytes] = {
    1: b"<< /Type /Catalog /Pages 2 0 R >>",
    2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    3: PAGE,
    4: b"",
    5: FONT,
}


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def packed(data: bytes, entries: bytes = b"", times: int = 1) -> bytes:
    """Flate-coded `times` over."""
    for _ in range(times):
        data = zlib.compress(data, 9)
    filters = b"/FlateDecode " * times
    return stream(data, b"/Filter [%s] %s" % (filters, entries))


def document(
    changes: Mapping[int, bytes] | None = None, *, trailer: bytes = b"", content: bytes = TEXT
) -> bytes:
    """A sound file of one page with some objects changed or added; `trailer` is added to the
    trailer's entries.
    """
    objects = {**SOUND, 4: stream(content), **(changes or {})}
    # Bytes would be copied for each of ten thousand pages.
    body, offsets = bytearray(b"%PDF-1.7\n"), {}
    for number, value in sorted(objects.items()):
        offsets[number] = len(body)
        body += b"%d 0 obj\n%s\nendobj\n" % (number, value)
    sections = b"".join(b"%d 1\n%010d 00000 n \n" % (number, at) for number, at in offsets.items())
    end = b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(
        body
        + b"xref\n0 1\n0000000000 65535 f \n"
        + sections
        + end
        % (
            max(objects) + 1,
            trailer,
            len(body),
        )
    )


def page(entries: bytes) -> bytes:
    """The one page with other entries: what is named last counts."""
    return PAGE[:-3] + b" " + entries + b" >>"


def drawing(resources: bytes) -> bytes:
    """The one page with these resources beside its font."""
    return PAGE.replace(b"/Resources << ", b"/Resources << " + resources + b" ")
