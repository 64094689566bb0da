"""Audits of the work itself that a later commit replaces by another one in their folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def _are_of_one_work(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    names = {row["repository"], other["repository"]} - {None}
    folders = {PurePosixPath(audit["path"]).parent for audit in (row, other)}
    return len(names) < 2 and len(folders) == 1
