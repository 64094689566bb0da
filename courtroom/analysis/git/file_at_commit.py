"""One file of a repository at a commit, for callers that audit nothing.

Imports no pydantic, like the modules it uses.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from courtroom.analysis.git.blobs import REGULAR_FILES
from courtroom.analysis.git.git_process import read_git
from courtroom.analysis.git.snapshot import TreeEntry, list_tree, take_snapshot
from courtroom.models.errors import PdfRefused
from courtroom.models.repository_access import RepositoryAccess

if TYPE_CHECKING:
    from courtroom.models.case import Limits

LINK_MODE = "120000"


def read_file_at_commit(
    repo_url: str,
    commit: str,
    path: str,
    *,
    most_bytes: int,
    allow_local: bool,
    limits: Limits | None = None,
    access: RepositoryAccess | None = None,
) -> bytes:
    """Return the bytes of the report at `path`, as it is at the commit.

    Raises PdfRefused pdf_not_in_repository, pdf_is_link, pdf_too_large, and what a clone raises.
    """
    from courtroom.models.case import Limits

    limits = limits or Limits()
    with tempfile.TemporaryDirectory(prefix="courtroom-") as workspace:
        snapshot = take_snapshot(
            repo_url,
            ref=commit,
            into=Path(workspace),
            limits=limits,
            allow_local=allow_local,
            access=access,
        )
        entry = next((row for row in list_tree(snapshot, limits) if row.path == path), None)
        _check(entry, path, commit, most_bytes)
        assert entry is not None  # noqa: S101 -- _check refuses a missing one
        return read_git(
            snapshot.git_dir, ["cat-file", "blob", entry.oid], output_bytes=most_bytes + 1
        )


def _check(entry: TreeEntry | None, path: str, commit: str, most_bytes: int) -> None:
    if entry is None:
        raise PdfRefused("pdf_not_in_repository", f"The commit {commit[:8]} has no file {path}.")
    if entry.mode == LINK_MODE:
        sentence = f"{path} is a symbolic link in the repository: commit the file itself."
        raise PdfRefused("pdf_is_link", sentence)
    if entry.mode not in REGULAR_FILES:
        raise PdfRefused("pdf_not_in_repository", f"{path} is no file of the repository.")
    if entry.size > most_bytes:
        limit = most_bytes // 2**20
        raise PdfRefused("pdf_too_large", f"{path} is larger than {limit} MB.")
