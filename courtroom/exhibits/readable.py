"""Files of the tree that are worth reading, the ones that matter most first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from courtroom.analysis.git.blobs import REGULAR_FILES
from courtroom.analysis.git.snapshot import Snapshot, TreeEntry, read_files
from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.languages import is_binary, language_of
from courtroom.analysis.project.project_files import CI, LOCKS, MANIFESTS, README
from courtroom.analysis.python.source_files import is_test_path, is_vendored
from courtroom.models.case import Limits

# Files that are read, and their bytes: hand-written work is a fraction of that.
MOST_FILES, MOST_BYTES = 2000, 6 * 1024 * 1024


def readable_paths(
    entries: Sequence[TreeEntry], cited: Collection[str], limits: Limits
) -> list[str]:
    """Return the paths worth reading: the evidence's, what describes the project, the work."""
    left, chosen = MOST_BYTES, []
    for entry in sorted(entries, key=lambda entry: _rank(entry.path, cited)):
        is_file = entry.mode in REGULAR_FILES and not is_binary(entry.path)
        is_wanted = entry.path in cited or not is_vendored(entry.path)
        if is_file and is_wanted and entry.size <= min(left, limits.source_file_bytes):
            left -= entry.size
            chosen.append(entry.path)
    return chosen[:MOST_FILES]


def lines_by_path(snapshot: Snapshot, paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the lines of the files, without secrets; what follows a final newline is no line."""
    files = read_files(snapshot, paths)
    return {
        path: lines[:-1] if len(lines) > 1 and not lines[-1] else lines
        for path, lines in files.items()
    }


def _rank(path: str, cited: Collection[str]) -> tuple[int, int, str]:
    if path in cited:
        rank = 0
    elif matches(path, (*README, *CI, *MANIFESTS)):
        rank = 1
    elif matches(path, LOCKS) or language_of(path) is None:
        rank = 5
    elif is_test_path(path):
        rank = 4
    else:
        rank = 2 if path.endswith(".py") else 3
    return rank, path.count("/"), path
