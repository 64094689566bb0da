"""Where something was seen in a repository."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Lines are 1-based and inclusive; null for a whole file."""

    path: str
    line_start: int | None
    line_end: int | None
    note: str = ""
