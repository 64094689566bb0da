"""Texts of a repository's files, kept so that a page can show them beside a citation."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.analysis.git.snapshot import Snapshot, TreeEntry, contents, redacted_lines
from courtroom.models.case import MEBIBYTE
from courtroom.models.source_file import SourceFile

# A longer file is data, or was generated: nobody reads ten lines around a place in it.
MAX_FILE_BYTES = 256 * 1024
MAX_TOTAL_BYTES = 4 * MEBIBYTE
# git, too, takes a file for binary if one of its first 8000 bytes is zero.
BINARY_PREFIX = 8000


def read_sources(snapshot: Snapshot, entries: Sequence[TreeEntry]) -> dict[str, SourceFile]:
    """Return every file of the tree by its path, the small ones with their text.

    Where all are too much, the smallest are kept. Raises ChildFailed.
    """
    files = [entry for entry in entries if entry.mode.startswith("100")]
    texts = {
        path: "\n".join(redacted_lines(path, content))
        for path, content in contents(snapshot, _small_paths(files))
        if b"\0" not in content[:BINARY_PREFIX]
    }
    return {entry.path: SourceFile(entry.oid, texts.get(entry.path)) for entry in files}


def _small_paths(files: list[TreeEntry]) -> list[str]:
    paths, total = [], 0
    for entry in sorted(files, key=lambda entry: entry.size):
        total += entry.size
        if entry.size > MAX_FILE_BYTES or total > MAX_TOTAL_BYTES:
            break
        paths.append(entry.path)
    return paths
