"""Text of one audited file."""

from __future__ import annotations

from typing import NamedTuple


class SourceFile(NamedTuple):
    """One file at the audited commit: git's id of its content, and its text without secrets.

    `text` is None for a binary file and for one that is too large to keep. Lines end with "\n".
    """

    oid: str
    text: str | None
