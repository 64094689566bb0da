"""Where feedback and communication show, pointed at from the facts: no file is read twice, and none is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from courtroom.analysis.locations import SourceLocation

# What is asked of findings and their answers: only answers can be written down in a repository.
MEASURED = ("answered", "fixed", "relevant")
NOT_IN_FILES = (
    "No file tells this: it is known where rounds of peers are kept, and no such site took part."
)


def feedback_locations(aspect: str, audits: Mapping[str, Sequence[str]]) -> list[SourceLocation]:
    """The audits on record of this kind, each a whole file; `audits` is the fact minmax as JSON."""
    kinds = ("generated", "received") if aspect == "exchanged" else (aspect,)
    return [
        SourceLocation(path, None, None, f"feedback, {kind}")
        for kind in kinds
        for path in audits[kind]
    ]


def fact_behind(aspect: str) -> str | None:
    """The fact about the repository that answers this aspect of feedback; null where none can."""
    if aspect in MEASURED:
        return "written_answers" if aspect == "answered" else None
    return "deferrals" if aspect == "deferred" else "minmax"


def locations_behind(aspect: str, fact: Any) -> list[SourceLocation]:
    """Where that fact, as JSON, lies in the tree."""
    match fact_behind(aspect):
        case "written_answers":
            return [
                SourceLocation(one["path"], one["line"], one["line"], "an answer to feedback")
                for one in fact
            ]
        case "deferrals":
            return deferral_locations(fact)
        case _:
            return feedback_locations(aspect, fact)


def deferral_locations(deferrals: Sequence[Mapping[str, Any]]) -> list[SourceLocation]:
    """Work put off in a file; `deferrals` is the fact of this name as JSON, those of commits are no lines."""
    placed = [one for one in deferrals if one.get("path")]
    return [
        SourceLocation(one["path"], one["line"], one["line"], "work put off, with a reason")
        for one in placed
    ]


def communication_locations(
    about: str, entries: Sequence[Mapping[str, Any]]
) -> list[SourceLocation]:
    """The dated entries about this; `entries` is the fact communication_entries as JSON."""
    telling = [entry for entry in entries if about in ("anything", *entry["kinds"])]
    words = "" if about == "anything" else f" about {about}"
    note = f"an entry of the communication log{words}"
    return [SourceLocation(entry["path"], entry["line"], entry["line"], note) for entry in telling]
