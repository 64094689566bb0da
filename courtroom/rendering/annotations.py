"""Findings of a report as annotations of lines, as code hosts show them on a commit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from courtroom.findings import findings_of_report
from courtroom.models.audit_report import AuditReport
from courtroom.rendering.markdown_escaping import one_line
from courtroom.rendering.sarif_report import LEVELS, file_uri, lines_of, sentences


@dataclass(frozen=True, slots=True)
class Annotation:
    """Finding at lines of a file. `level` is SARIF's."""

    path: str
    start: int
    end: int
    level: Literal["error", "warning", "note"]
    title: str
    message: str


def annotations_of(report: AuditReport) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
    """Return the findings at lines of files, and the titles of those without a file.

    They are those of the SARIF file, in its order. A degraded report has none.
    """
    if report.status == "degraded":
        return (), ()
    evidence = {piece.id: piece for piece in report.evidence}
    drafts = findings_of_report(report).there
    placed = [draft for draft in drafts if file_uri(draft.place) is not None]
    titles = tuple(one_line(draft.title) for draft in drafts if file_uri(draft.place) is None)

    def annotated() -> Iterator[Annotation]:
        for draft in placed:
            pieces = [evidence[key] for key in draft.evidence if key in evidence]
            for start, end in lines_of(draft, pieces):
                yield Annotation(
                    path=draft.place,
                    start=start,
                    end=max(start, end or start),
                    level=LEVELS.get(draft.priority, "warning"),
                    title=one_line(draft.title),
                    message=one_line(sentences(draft.title, draft.text, draft.action)),
                )

    return tuple(annotated()), titles
