"""Locations of feedback and communication in a repository, taken from the facts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from courtroom.analysis.locations import SourceLocation


def report_locations(aspect: str, reports: Mapping[str, Sequence[str]]) -> list[SourceLocation]:
    """Return the reports of this aspect as whole files; `reports` is the fact minmax as JSON."""
    aspects = ("generated", "received") if aspect == "exchanged" else (aspect,)
    return [
        SourceLocation(path, None, None, f"a report: {name}")
        for name in aspects
        # Reports of earlier versions say nothing of what the generated ones hold.
        for path in reports.get(name, ())
    ]


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
