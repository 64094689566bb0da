"""Whether a commit that somebody names is in a repository's history, and whether it changes a file that they name.

Imports no pydantic: as light as what it stands on.
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

if TYPE_CHECKING:
    from courtroom.models.case import Limits

# Shorter ones are too often the beginning of several: git itself writes at least 7.
_HASH = re.compile(r"[0-9a-f]{7,40}")
# A commit that moves more files than this has its renames told as removals and additions.
MOST_RENAMES = "-l1000"
CHANGES_BYTES = 16 * MEBIBYTE
TWO_PATHS = ("R", "C")


@dataclass(frozen=True, slots=True)
class CommitTouch:
    """`commit` is the full id. `touches`, and even `exists`, is null where nobody could look, and `reason` says why."""

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
) -> CommitTouch:
    """Look in a clone with every branch and tag. `commit` has 7 to 40 hex digits; `path` is of the tree, a folder or a
    bare file name; without one only the commit is looked for. Nothing is raised: what went wrong is the reason.

    A rename touches both names; a merge touches what differs from its first parent.
    """
    named = commit.strip().lower()
    if not _HASH.fullmatch(named):
        return CommitTouch(
            False, None, "A commit is named by at least 7 of its hexadecimal digits."
        )
    try:
        with tempfile.TemporaryDirectory(prefix="courtroom-") as workspace:
            return _look(
                repo_url, named, path, Path(workspace), allow_local=allow_local, limits=limits
            )
    except CourtroomError as error:
        return CommitTouch(None, None, error.message)


def _look(
    repo_url: str,
    named: str,
    path: str | None,
    into: Path,
    *,
    allow_local: bool,
    limits: Limits | None,
) -> CommitTouch:
    from courtroom.models.case import Limits

    try:
        snapshot = take_snapshot(
            repo_url, ref=named, into=into, limits=limits or Limits(), allow_local=allow_local
        )
    except RepositoryRefused as refused:
        if refused.code != "repository_ref_unknown":
            raise
        return _unknown(named)
    if not snapshot.commit.startswith(named):  # a branch or tag of that name
        return _unknown(named)
    return _touch(snapshot, path)


def _unknown(named: str) -> CommitTouch:
    return CommitTouch(
        False, None, f"The repository's history has no one commit that begins with {named}."
    )


def _touch(snapshot: Snapshot, path: str | None) -> CommitTouch:
    short = snapshot.commit[:8]
    if not path:
        return CommitTouch(True, None, f"{short} is in the repository's history.", snapshot.commit)
    touched = next((changed for changed in _changed(snapshot) if _is_at(changed, path)), None)
    if touched is None:
        return CommitTouch(True, False, f"{short} does not change {path}.", snapshot.commit)
    return CommitTouch(True, True, f"{short} changes {touched}.", snapshot.commit)


def _changed(snapshot: Snapshot) -> Iterator[str]:
    """Every path the commit changes; of a rename or copy, both."""
    words = [
        "log",
        "-1",
        "-z",
        "--format=",
        "--name-status",
        "--diff-merges=first-parent",
        "-M",
        MOST_RENAMES,
    ]
    listing = read_git(snapshot.git_dir, [*words, snapshot.commit], output_bytes=CHANGES_BYTES)
    fields = iter(listing.decode(errors="replace").split("\0"))
    for status in fields:
        for _ in range(2 if status.startswith(TWO_PATHS) else 1 if status else 0):
            yield next(fields, "")


def _is_at(changed: str, path: str) -> bool:
    """The file itself, a file in the folder, or, for a name without a folder, a file of that name anywhere.

    Accents are the same however they are written: a Mac puts them apart into its file names, and people do not.
    """
    changed, wanted = (
        normalize("NFC", changed),
        normalize("NFC", path).strip().removeprefix("./").rstrip("/"),
    )
    return (
        changed == wanted
        or changed.startswith(f"{wanted}/")
        or ("/" not in wanted and PurePosixPath(changed).name == wanted)
    )
