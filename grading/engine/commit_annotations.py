"""Findings of a stored report as annotations of a commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Annotation:
    """Finding at 1-based lines of a file; `level` is error, warning or note."""

    path: str
    start: int
    end: int
    level: str
    title: str
    message: str


def annotations_of(report: dict[str, Any]) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
    """Return the findings at lines of files, and the titles of those without a file."""
    from courtroom import AuditReport, annotations_of

    placed, titles = annotations_of(AuditReport.model_validate(report))
    rows = (
        Annotation(row.path, row.start, row.end, row.level, row.title, row.message)
        for row in placed
    )
    return tuple(rows), titles
