"""Zip file that is sent while it is written: one piece of it is in memory at a time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from datetime import datetime

SEND_FROM = 64 * 1024  # bytes that are collected before they are sent
PRIVATE = 0o600 << 16  # mode of an unpacked file: its owner alone reads it
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the format holds no earlier time


@dataclass(frozen=True, slots=True)
class Member:
    """File in the archive, under a name of ours. A `packed` one (a PDF) is not compressed again."""

    name: str
    pieces: Iterable[bytes]
    at: datetime | None = None
    packed: bool = False


def zipped(members: Iterable[Member]) -> Generator[bytes]:
    """Yield the archive in pieces. One that is cut off before its last piece cannot be opened."""
    buffer = _Buffer()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member in members:
            with archive.open(_entry(member), "w") as target:
                for piece in member.pieces:
                    target.write(piece)
                    if buffer.waiting >= SEND_FROM:
                        yield buffer.take()
            if buffer.waiting:
                yield buffer.take()
    yield buffer.take()


def _entry(member: Member) -> zipfile.ZipInfo:
    at = member.at.timetuple()[:6] if member.at else EARLIEST
    entry = zipfile.ZipInfo(member.name, max(at, EARLIEST))
    entry.compress_type = zipfile.ZIP_STORED if member.packed else zipfile.ZIP_DEFLATED
    entry.external_attr = PRIVATE
    return entry


class _Buffer(io.RawIOBase):
    """Output of zipfile. It cannot seek, so zipfile writes the sizes behind each file."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self.waiting = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: bytes) -> int:  # type: ignore[override]  # -- zipfile writes bytes
        self._pieces.append(bytes(piece))
        self.waiting += len(piece)
        return len(piece)

    def take(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces, self.waiting = [], 0
        return content
