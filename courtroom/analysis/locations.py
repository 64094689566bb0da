"""Location in the source files of a repository."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Lines of a file, 1-based and inclusive; None for a whole file."""

    path: str
    line_start: int | None
    line_end: int | None
    note: str = ""
