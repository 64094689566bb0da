"""Reports from the folders of a submitted repository, read out of a clone."""

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
from courtroom.models.frozen_record import Frozen
from courtroom.models.repository_access import RepositoryAccess

MOST_REPORTS = 40
MOST_BYTES = 16 * 1024 * 1024
# git modes: a link (120000) or submodule (160000) could name content outside the tree.
REGULAR_FILES = ("100644", "100755")
_OTHER_FORMATS = {
    ".pdf": (
        "A PDF cannot be imported. "
        "Commit the Markdown or JSON that it was made from in the same folder."
    ),
    ".docx": "A Word file cannot be imported. Commit Markdown or JSON.",
}
NOT_FOUND = "There is no such file at this commit."
TOO_LARGE = f"The file is larger than {QUOTABLE_FILE_BYTES // (1024 * 1024)} MB."
TOO_MANY = f"Only {MOST_REPORTS} reports per repository are read."
LIMIT_REACHED = (
    f"The reports before this one reach the limit of {MOST_BYTES // (1024 * 1024)} MB "
    "per repository."
)
NOT_A_FILE = "This is a link or a submodule, not a file."


class RepositoryReports(Frozen):
    """Frozen texts at `commit`: each report's text by path, and the reason for each unread path.

    Both mappings are in the order of the requested paths.
    """

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
    access: RepositoryAccess | None = None,
) -> RepositoryReports:
    """Return the texts at these paths of the tree, without a checkout; secrets are redacted.

    Raises UrlRefused or RepositoryRefused for faults that the student must fix,
    ExaminationFailed for all others.
    """
    limits = limits or Limits()
    requested = tuple(dict.fromkeys(paths))

    with tempfile.TemporaryDirectory(prefix="courtroom-") as workspace:
        snapshot = take_snapshot(
            repo_url,
            ref=ref,
            into=Path(workspace),
            limits=limits,
            allow_local=allow_local,
            access=access,
        )
        unread = dict(_unreadable(requested, snapshot, limits))
        texts = read_files(snapshot, [path for path in requested if path not in unread])

    unread |= {path: NOT_FOUND for path in requested if path not in texts and path not in unread}
    return RepositoryReports(
        commit=snapshot.commit,
        texts={path: "\n".join(texts[path]) for path in requested if path in texts},
        unread={path: unread[path] for path in requested if path in unread},
    )


def _unreadable(
    requested: Iterable[str], snapshot: Snapshot, limits: Limits
) -> Iterable[tuple[str, str]]:
    """Yield the paths that are not even opened, each with the reason."""
    tree = {entry.path: entry for entry in list_tree(snapshot, limits)}
    count, size = 0, 0

    for path in requested:
        entry = tree.get(path)
        suffix = PurePosixPath(path.lower()).suffix
        if suffix in _OTHER_FORMATS:
            yield path, _OTHER_FORMATS[suffix]
        elif entry is None:
            yield path, NOT_FOUND
        elif entry.mode not in REGULAR_FILES:
            yield path, NOT_A_FILE
        elif entry.size > QUOTABLE_FILE_BYTES:
            yield path, TOO_LARGE
        elif count >= MOST_REPORTS:
            yield path, TOO_MANY
        elif size + entry.size > MOST_BYTES:
            yield path, LIMIT_REACHED
        else:
            count, size = count + 1, size + entry.size
