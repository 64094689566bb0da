"""Audits that lie among those of another kind: of the work itself, of peers or by peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from courtroom.analysis.locations import shown
from courtroom.analysis.project.audit_folders import kind_of
from courtroom.analysis.project.audit_rows import as_received
from courtroom.analysis.project.own_audits import own_repository
from courtroom.models.errors import ExaminationFailed

if TYPE_CHECKING:
    from courtroom.analysis.git.history import History


def received_copies(about: Mapping[str, str], oids: Mapping[str, str]) -> dict[str, list[str]]:
    """Return path to the received audits that are the same file, for the audits of oneself."""
    received: dict[str, list[str]] = {}
    for path, whom in about.items():
        if whom == "received":
            received.setdefault(oids[path], []).append(path)
    return {path: received.get(oids[path], []) for path, whom in about.items() if whom == "self"}


def misplaced_fact(
    audits: Sequence[Mapping[str, Any]] | None,
    reasons: Mapping[str, str],
    history: History | ExaminationFailed | None,
) -> tuple[list[dict[str, Any]] | None, str]:
    """Return the fact misplaced_audits, None with the reason; `audits` is the fact own_audits."""
    if audits is None:
        return None, reasons.get("own_audits", "the work's audits were not read")
    if history is None or isinstance(history, ExaminationFailed):
        rows, is_complete = misplaced_audits(audits, ()), False
    else:
        shas = [commit.sha for commit in history.commits]
        rows, is_complete = misplaced_audits(audits, shas), not history.truncated
    return (
        (rows, "") if rows or is_complete else (None, "the history was not read to its beginning")
    )


def misplaced_audits(
    rows: Sequence[Mapping[str, Any]], shas: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the audits of peers that name or cite this repository or lie elsewhere, as ShownFact.

    `rows` are the fact own_audits as JSON, `shas` the commits of this repository's history.
    """
    own = own_repository(rows)
    facts = ((row, _misplaced(row, own, shas)) for row in rows if row["about"] != "received")
    of_itself = [
        shown(as_received(row["path"], path), (path, None))
        for row in rows
        for path in row.get("received_as") or ()
    ]
    return [*(shown(text, (row["path"], None)) for row, text in facts if text), *of_itself]


def _misplaced(row: Mapping[str, Any], own: str | None, shas: Sequence[str]) -> str:
    path, repository = row["path"], row["repository"]
    if row["about"] == "peer" and own is not None and repository == own:
        return (
            f"{path} is an audit of a peer by its path and names the work's own repository, {own}."
        )

    is_other = row["about"] == "peer" or (repository is not None and own not in (None, repository))
    cited = row["cited_commits"]
    ours = [commit for commit in cited if any(sha.startswith(commit) for sha in shas)]
    if not is_other or not ours or len(ours) < len(cited):
        is_apart = row["about"] == "peer" and kind_of(path) == "self"
        text = f"{path} lies among the audits of oneself and names {repository} as audited."
        return text if is_apart else ""
    subject = (
        f"names {repository} as audited" if repository else "is an audit of a peer by its path"
    )
    commits = f"commit {ours[0]}, which is" if len(ours) == 1 else f"{len(ours)} commits, which are"
    return f"{path} {subject} and cites {commits} of this repository's own history."
