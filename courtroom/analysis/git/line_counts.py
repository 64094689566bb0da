"""Number of lines of each file at the commit, by one reading of git."""

from __future__ import annotations

from courtroom.analysis.git.git_process import read_git
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.models.case import Limits

# git knows the empty tree by its name, whether or not a repository holds it.
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
# "<added>\t<removed>\t" before each path.
COUNT_BYTES = 24


def count_lines(snapshot: Snapshot, limits: Limits) -> dict[str, int | None]:
    """Return path to lines of every file, links and submodules included; None for binary files.

    Raises ChildFailed.
    """
    arguments = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff"]
    arguments += ["--no-textconv", EMPTY_TREE, snapshot.commit]
    output_bytes = limits.tree_entries * (limits.path_bytes + COUNT_BYTES)
    listing = read_git(snapshot.git_dir, arguments, output_bytes=output_bytes)
    return dict(map(_counted, listing.split(b"\0")[:-1]))


def _counted(row: bytes) -> tuple[str, int | None]:
    added, _removed, path = row.split(b"\t", 2)
    return path.decode(errors="replace"), None if added == b"-" else int(added)
