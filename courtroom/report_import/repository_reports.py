"""The reports that lie in a submitted repository's own folders, brought out of a clone like everything else of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from courtroom.analysis.git.snapshot import (
    QUOTABLE_FILE_BYTES,
    Snapshot,
    list_tree,
    read_files,
    take_snapshot,
)
from courtroom.models.case import Limits
from courtroom.models.record import Frozen

MOST_REPORTS = 40
MOST_BYTES = 16 * 1024 * 1024
REGULAR_FILES = ("100644", "100755")
_NO_REPORTS = {
    ".pdf": "A PDF cannot be read as a report: commit the Markdown or JSON it was made from beside it.",
    ".docx": "A Word file cannot be read as a report: commit Markdown or JSON.",
}
NOT_THERE = "There is no such file at this commit."
TOO_LARGE = f"It is larger than {QUOTABLE_FILE_BYTES // (1024 * 1024)} MB."
TOO_MANY = f"Only {MOST_REPORTS} reports of one repository are read."
TOO_MUCH = f"The reports before it already fill the {MOST_BYTES // (1024 * 1024)} MB that are read of one repository."
NO_FILE = "It is a link or a submodule, not a file."


class RepositoryReports(Frozen):
    """At `commit`: each report's text by its path, and why another path could not be read. In the order asked for."""

    commit: str
    texts: Mapping[str, str]
    unread: Mapping[str, str]


def read_repository_reports(
    repo_url: str,
    *,
    ref: str | None,
    paths: Sequence[str],
    allow_local: bool = False,
    limits: Limits | None = None,
) -> RepositoryReports:
    """The texts at these paths of the tree, without a checkout; secrets in them are blacked out.

    Raises UrlRefused or RepositoryRefused for what the student must mend, ExaminationFailed for the rest.
    """
    limits = limits or Limits()
    with tempfile.TemporaryDirectory(prefix="courtroom-") as workspace:
        snapshot = take_snapshot(
            repo_url, ref=ref, into=Path(workspace), limits=limits, allow_local=allow_local
        )
        asked = tuple(dict.fromkeys(paths))
        unread = dict(_unreadable(asked, snapshot, limits))
        texts = read_files(snapshot, [path for path in asked if path not in unread])
        unread |= {path: NOT_THERE for path in asked if path not in texts and path not in unread}
    return RepositoryReports(
        commit=snapshot.commit,
        texts={path: "\n".join(texts[path]) for path in asked if path in texts},
        unread={path: unread[path] for path in asked if path in unread},
    )


def _unreadable(
    asked: Iterable[str], snapshot: Snapshot, limits: Limits
) -> Iterable[tuple[str, str]]:
    """The paths that are not even to be opened, each with the reason."""
    tree = {entry.path: entry for entry in list_tree(snapshot, limits)}
    taken, filled = 0, 0
    for path in asked:
        entry = tree.get(path)
        ending = PurePosixPath(path.lower()).suffix
        if ending in _NO_REPORTS:
            yield path, _NO_REPORTS[ending]
        elif entry is None:
            yield path, NOT_THERE
        elif entry.mode not in REGULAR_FILES:
            yield path, NO_FILE
        elif entry.size > QUOTABLE_FILE_BYTES:
            yield path, TOO_LARGE
        elif taken >= MOST_REPORTS:
            yield path, TOO_MANY
        elif filled + entry.size > MOST_BYTES:
            yield path, TOO_MUCH
        else:
            taken, filled = taken + 1, filled + entry.size
