"""Check whether a named commit is in a repository's history and changes a named file.

Imports no pydantic, like the modules it uses.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from unicodedata import normalize

from courtroom.analysis.git.git_process import MEBIBYTE, read_git
from courtroom.analysis.git.snapshot import Snapshot, take_snapshot
from courtroom.models.errors import CourtroomError, RepositoryRefused
from courtroom.models.repository_access import RepositoryAccess

if TYPE_CHECKING:
    from courtroom.models.case import Limits

# Shorter prefixes match several commits too often: git itself prints at least 7 digits.
_HASH = re.compile(r"[0-9a-f]{7,40}")
# In a commit that moves more files than this, git lists renames as deletions and additions.
RENAME_LIMIT = "-l1000"
CHANGES_BYTES = 16 * MEBIBYTE
# Statuses of --name-status that list an old and a new path: renamed and copied.
STATUSES_WITH_TWO_PATHS = ("R", "C")


@dataclass(frozen=True, slots=True)
class CommitTouch:
    """Result of the lookup. `commit` is the full id.

    `exists` and `touches` are None when they could not be established; `reason` explains it.
    """

    exists: bool | None
    touches: bool | None
    reason: str
    commit: str | None = None


def commit_touches(
    repo_url: str,
    commit: str,
    path: str | None,
    *,
    allow_local: bool = False,
    limits: Limits | None = None,
    access: RepositoryAccess | None = None,
) -> CommitTouch:
    """Look the commit up in a clone with all branches and tags.

    `commit` has 7 to 40 hexadecimal digits. `path` is a file or folder of the tree, or a bare file
    name; without it, only the commit is looked up. Never raises a CourtroomError: `reason` holds
    its message. A rename touches both names; a merge touches what differs from its first parent.
    """
    prefix = commit.strip().lower()
    if not _HASH.fullmatch(prefix):
        return CommitTouch(
            False, None, "A commit id must have between 7 and 40 hexadecimal digits."
        )

    try:
        with tempfile.TemporaryDirectory(prefix="courtroom-") as workspace:
            snapshot = _snapshot_at(
                repo_url, prefix, Path(workspace), limits, allow_local=allow_local, access=access
            )
            if snapshot is None:
                return _unknown_commit(prefix)
            return _touch_of(snapshot, path)
    except CourtroomError as error:
        return CommitTouch(None, None, error.message)


def _snapshot_at(
    repo_url: str,
    prefix: str,
    into: Path,
    limits: Limits | None,
    *,
    allow_local: bool,
    access: RepositoryAccess | None,
) -> Snapshot | None:
    """Return the repository at a commit; None where no commit has this id."""
    from courtroom.models.case import Limits

    try:
        snapshot = take_snapshot(
            repo_url,
            ref=prefix,
            into=into,
            limits=limits or Limits(),
            allow_local=allow_local,
            access=access,
        )
    except RepositoryRefused as refusal:
        if refusal.code != "repository_ref_unknown":
            raise
        return None

    # Else it is the name of a branch or tag.
    return snapshot if snapshot.commit.startswith(prefix) else None


def _unknown_commit(prefix: str) -> CommitTouch:
    return CommitTouch(
        False, None, f"No single commit in the repository's history begins with {prefix}."
    )


def _touch_of(snapshot: Snapshot, path: str | None) -> CommitTouch:
    short = snapshot.commit[:8]
    if not path:
        return CommitTouch(True, None, f"{short} is in the repository's history.", snapshot.commit)
    match = next((changed for changed in _changed_paths(snapshot) if _is_at(changed, path)), None)
    if match is None:
        return CommitTouch(True, False, f"{short} does not change {path}.", snapshot.commit)
    return CommitTouch(True, True, f"{short} changes {match}.", snapshot.commit)


def _changed_paths(snapshot: Snapshot) -> Iterator[str]:
    """Yield the paths the commit changes; a rename or copy yields both of its paths."""
    arguments = ["log", "-1", "-z", "--format=", "--name-status", "--diff-merges=first-parent"]
    arguments += ["-M", RENAME_LIMIT, snapshot.commit]
    listing = read_git(snapshot.git_dir, arguments, output_bytes=CHANGES_BYTES)
    fields = iter(listing.decode(errors="replace").split("\0"))
    for status in fields:
        for _ in range(2 if status.startswith(STATUSES_WITH_TWO_PATHS) else 1 if status else 0):
            yield next(fields, "")


def _is_at(changed: str, path: str) -> bool:
    """Return whether `changed` is the file, lies in the folder, or has the bare file name."""
    # macOS stores accents as separate characters; people type them as one. Compare one form.
    changed = normalize("NFC", changed)
    wanted = normalize("NFC", path).strip().removeprefix("./").rstrip("/")
    return (
        changed == wanted
        or changed.startswith(f"{wanted}/")
        or ("/" not in wanted and PurePosixPath(changed).name == wanted)
    )
