"""Earlier versions of the work's own audits, as far as the history has them, and their scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from courtroom.analysis.git.blobs import text_of
from courtroom.analysis.git.git_process import read_git
from courtroom.analysis.project.audit_folders import read_once
from courtroom.analysis.project.dissent_opinions import opinions_of
from courtroom.analysis.project.own_audits import audit_paths

if TYPE_CHECKING:
    from courtroom.analysis.git.history import Commit
    from courtroom.report_import.imported_report import ImportedReport

# Versions that are read, the newest first, and the bytes of each and of all.
MOST_VERSIONS, VERSION_BYTES, ALL_BYTES = 30, 256 * 1024, 8 * 1024 * 1024
# One opinion may be given again in the same words.
LEAST_OPINIONS = 2
_HEADER = re.compile(rb"[0-9a-f]+ blob (\d+)")


@dataclass(frozen=True, slots=True)
class EarlierAudit:
    """Version of an audit that is no more: `commit` wrote it, `next_commit` changed or removed it.

    `overall` is its overall score as written. `edited_to` is that of the next version where all
    opinions are the same in both.
    """

    path: str
    commit: str
    next_commit: str
    overall: str
    score: float | None
    maximum: float | None
    edited_to: str = ""


def earlier_audits(git_dir: Path, commits: Sequence[Commit]) -> tuple[EarlierAudit, ...]:
    """Return the earlier versions with an overall score, by path; `commits` are oldest first.

    Raises ChildFailed where git cannot read them.
    """
    own_commits = [commit for commit in commits if not commit.is_merge]
    subjects = audit_paths({path for commit in own_commits for path in commit.paths})
    touches: dict[str, list[str]] = {}
    for commit in own_commits:
        for path in commit.paths:
            if subjects.get(path) in {"self", ""}:
                touches.setdefault(path, []).append(commit.sha)
    replaceable = [(path, sha) for path, shas in touches.items() if len(shas) > 1 for sha in shas]
    order = {commit.sha: number for number, commit in enumerate(own_commits)}
    newest_versions = sorted(replaceable, key=lambda version: order[version[1]])[-MOST_VERSIONS:]
    versions: dict[str, list[tuple[str, ImportedReport | None]]] = {}
    for (path, sha), text in zip(newest_versions, _texts(git_dir, newest_versions), strict=True):
        report = read_once(text, path) if text else None
        versions.setdefault(path, []).append((sha, report))
    return tuple(
        audit for path, rows in versions.items() for audit in _replaced_versions(path, rows)
    )


def _replaced_versions(
    path: str, versions: Sequence[tuple[str, ImportedReport | None]]
) -> Iterator[EarlierAudit]:
    for (sha, report), (next_sha, next_report) in pairwise(versions):
        if report is None or report.overall is None:
            continue
        overall = report.overall
        new_overall = next_report.overall if next_report else None
        is_edited = (
            next_report is not None
            and new_overall is not None
            and new_overall.value != overall.value
            and _opinions(report) == _opinions(next_report)
            and len(_opinions(report)) >= LEAST_OPINIONS
        )
        edited_to = new_overall.written if new_overall and is_edited else ""
        yield EarlierAudit(
            path, sha, next_sha, overall.written, overall.value, overall.maximum, edited_to
        )


def _opinions(report: ImportedReport) -> list[tuple[str, float | None, str]]:
    return [
        (
            str(opinion.judge),
            opinion.score.value if opinion.score else None,
            " ".join(opinion.argument.split()),
        )
        for criterion in report.criteria
        for opinion in opinions_of(criterion)
    ]


def _texts(git_dir: Path, versions: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the text of each version, "" where the commit removed it or it is too large."""
    if not versions:
        return
    names = b"".join(f"{sha}:{path}\n".encode() for path, sha in versions)
    output = read_git(git_dir, ["cat-file", "--batch"], stdin=names, output_bytes=ALL_BYTES)
    position = 0
    for _ in versions:
        start = output.index(b"\n", position) + 1
        match = _HEADER.fullmatch(output[position : start - 1])
        position = start + int(match[1]) + 1 if match else start
        content = output[start : position - 1] if match else b""
        yield text_of(content) if len(content) <= VERSION_BYTES else ""
