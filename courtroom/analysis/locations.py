"""Location in the source files of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Lines of a file, 1-based and inclusive; None for a whole file."""

    path: str
    line_start: int | None
    line_end: int | None
    note: str = ""
    # What a place lacks of what it was looked for: it is the nearest, and does not meet the check.
    lacks: tuple[str, ...] = ()


def shown(text: str, *places: tuple[str, int | None]) -> dict[str, Any]:
    """Return the fields of courtroom.models.output_facts.ShownFact; a whole file has no line."""
    return {"text": text, "places": [{"path": path, "line": line or 1} for path, line in places]}
