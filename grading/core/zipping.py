"""A zip file that is sent while it is written: no more of it is in memory than one piece."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from datetime import datetime

SEND_FROM = 64 * 1024
PRIVATE = 0o600 << 16
EARLIEST = (1980, 1, 1, 0, 0, 0)  # of what the format can say


@dataclass(frozen=True, slots=True)
class Member:
    """A file in the archive. Its name comes from us; `packed` already, as a PDF is, it is not compressed again."""

    name: str
    pieces: Iterable[bytes]
    at: datetime | None = None
    packed: bool = False


def zipped(members: Iterable[Member]) -> Generator[bytes]:
    """The archive in pieces. It is whole only with its last one: a cut one cannot be opened."""
    spout = _Spout()
    with zipfile.ZipFile(spout, "w") as archive:
        for member in members:
            with archive.open(_entry(member), "w") as target:
                for piece in member.pieces:
                    target.write(piece)
                    if spout.waiting >= SEND_FROM:
                        yield spout.drained()
            if spout.waiting:
                yield spout.drained()
    yield spout.drained()


def _entry(member: Member) -> zipfile.ZipInfo:
    at = member.at.timetuple()[:6] if member.at else EARLIEST
    entry = zipfile.ZipInfo(member.name, max(at, EARLIEST))
    entry.compress_type = zipfile.ZIP_STORED if member.packed else zipfile.ZIP_DEFLATED
    entry.external_attr = PRIVATE
    return entry


class _Spout(io.RawIOBase):
    """Where zipfile writes to: nothing can be taken back, so it marks sizes behind each file."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self.waiting = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: bytes) -> int:  # type: ignore[override]  # -- zipfile writes nothing but bytes
        self._pieces.append(bytes(piece))
        self.waiting += len(piece)
        return len(piece)

    def drained(self) -> bytes:
        whole = b"".join(self._pieces)
        self._pieces, self.waiting = [], 0
        return whole
