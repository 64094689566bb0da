"""Committed audits that later commits leave behind: by another one, or by a change of the judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.project.own_audits import LEAST_OPINIONS

if TYPE_CHECKING:
    from courtroom.analysis.git.history import Commit


def replaced_audits(audits: Sequence[Mapping[str, Any]], commits: Sequence[Commit]) -> set[str]:
    """Return the paths of the audits that an audit with opinions follows in the history.

    `audits` are the fact own_audits, `commits` the history, oldest first. An audit without a date
    of its own is as old as its last change.
    """
    last = {path: number for number, commit in enumerate(commits) for path in commit.paths}
    own = [row for row in audits if row["about"] == "self" and row["path"] in last]
    later = [row for row in own if row["opinions"] >= LEAST_OPINIONS]
    return {
        row["path"]
        for row in own
        if any(
            last[other["path"]] > last[row["path"]] and _are_of_one_work(row, other)
            for other in later
        )
    }


def later_changes(
    audits: Iterable[str], judges: Iterable[str], commits: Sequence[Commit]
) -> dict[str, tuple[str, str]]:
    """Return path to the file of the judges that changed last after it, and the commit's id.

    `judges` are the files of the judges; an audit that is none of the history's is left out.
    """
    last = {path: number for number, commit in enumerate(commits) for path in commit.paths}
    changed = max(((last[path], path) for path in judges if path in last), default=None)
    if changed is None:
        return {}
    number, judge = changed
    return {
        path: (judge, commits[number].sha) for path in audits if last.get(path, number) < number
    }


def _are_of_one_work(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    names = {row["repository"], other["repository"]} - {None}
    folders = {PurePosixPath(audit["path"]).parent for audit in (row, other)}
    return len(names) < 2 and len(folders) == 1
