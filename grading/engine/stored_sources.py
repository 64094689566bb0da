"""Texts of an audit's files as one compressed value, as AuditContents keeps it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import NamedTuple


class StoredFile(NamedTuple):
    """One file: git's id of its content, and its text, None where none is kept."""

    oid: str
    text: str | None

    @property
    def lines(self) -> list[str]:
        return [] if self.text is None else self.text.removesuffix("\n").split("\n")


StoredSources = Mapping[str, StoredFile]


def pack_sources(sources: Mapping[str, tuple[str, str | None]]) -> bytes:
    return zlib.compress(json.dumps(sources).encode())


def unpack_sources(packed: bytes | memoryview | None) -> StoredSources | None:
    """Return the files by their path; None where none are kept."""
    if packed is None:
        return None
    rows: dict[str, tuple[str, str | None]] = json.loads(zlib.decompress(packed))
    return {path: StoredFile(*row) for path, row in rows.items()}
