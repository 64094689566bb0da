"""Search of answers for a staff thread."""

from __future__ import annotations

import io
import zipfile
from typing import Any

SECRET = "zebracrossing"
# Its heading and its place would tell that there is one.
TRACES = (SECRET, "Only staff see this", "staff-thread")


def traces_in(answer: Any) -> list[str]:
    """Return what an answer shows of a thread, in its archive or its headers too."""
    visible = _unpacked(answer.getvalue()) + str(answer.headers).encode()
    return [trace for trace in TRACES if trace.encode() in visible]


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"PK"):
        return body
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())
