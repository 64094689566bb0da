"""Locations of feedback and communication in a repository, taken from the facts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from courtroom.analysis.locations import SourceLocation

# Aspects of findings and their answers. Only answers can be written down in a repository.
MEASURED = ("answered", "fixed", "relevant")
NOT_IN_FILES = (
    "Files can't show this. Only a site that keeps the peer rounds knows it, and none took part."
)


def feedback_locations(aspect: str, audits: Mapping[str, Sequence[str]]) -> list[SourceLocation]:
    """Return the audits of this kind as whole files; `audits` is the fact minmax as JSON."""
    kinds = ("generated", "received") if aspect == "exchanged" else (aspect,)
    return [
        SourceLocation(path, None, None, f"feedback, {kind}")
        for kind in kinds
        for path in audits[kind]
    ]


def fact_behind(aspect: str) -> str | None:
    """Return the name of the fact that decides this aspect of feedback, or None without one."""
    if aspect in MEASURED:
        return "written_answers" if aspect == "answered" else None
    return "deferrals" if aspect == "deferred" else "minmax"


def locations_behind(aspect: str, fact: Any) -> list[SourceLocation]:
    """Return the locations in the tree of the fact behind this aspect, given as JSON."""
    match fact_behind(aspect):
        case "written_answers":
            return [
                SourceLocation(row["path"], row["line"], row["line"], "an answer to feedback")
                for row in fact
            ]
        case "deferrals":
            return deferral_locations(fact)
        case _:
            return feedback_locations(aspect, fact)


def deferral_locations(deferrals: Sequence[Mapping[str, Any]]) -> list[SourceLocation]:
    """Return the deferrals in files; `deferrals` is the fact of this name as JSON."""
    # Deferrals in commit messages and in the report have no line of the tree.
    return [
        SourceLocation(row["path"], row["line"], row["line"], "work deferred, with a reason")
        for row in deferrals
        if row.get("path")
    ]


def communication_locations(
    about: str, entries: Sequence[Mapping[str, Any]]
) -> list[SourceLocation]:
    """Return the dated entries about this; `entries` is the fact communication_entries as JSON."""
    subject = "" if about == "anything" else f" about {about}"
    note = f"an entry of the communication log{subject}"
    return [
        SourceLocation(entry["path"], entry["line"], entry["line"], note)
        for entry in entries
        if about in ("anything", *entry["kinds"])
    ]
