"""Verdicts of committed audits on security that lie below what every judge gave: a cap at work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from courtroom.analysis.locations import shown
from courtroom.analysis.python.tree_walk import words_of

if TYPE_CHECKING:
    from courtroom.analysis.project.own_audits import AuditReading
    from courtroom.report_import.imported_report import ImportedCriterion

JUDGES = 3
MOST_ROWS = 50
SECURITY = frozenset(words_of("safe safety secure security sandbox sandboxed sandboxing"))


def undercut_verdicts(readings: Sequence[AuditReading]) -> list[dict[str, Any]]:
    """Return each such verdict of the audits that the work made, as ShownFact."""
    rows = (row for reading in readings if reading.is_ours for row in _in_audit(reading))
    return list(islice(rows, MOST_ROWS))


def _in_audit(reading: AuditReading) -> Iterator[dict[str, Any]]:
    for criterion in reading.report.criteria:
        verdict = criterion.score.value if criterion.score else None
        values = _above(criterion, verdict) if verdict is not None else []
        if values and criterion.line:
            first, second, third = (f"{value:g}" for value in values)
            text = (
                f"In {reading.path} the judges give “{criterion.name}” {first}, {second} and {third},"
                f" and the verdict is {verdict:g}."
            )
            yield shown(text, (reading.path, criterion.line))


def _above(criterion: ImportedCriterion, verdict: float) -> list[float]:
    """Return what three judges give a criterion on security, where all of it is above the verdict."""
    scores = [opinion.score for opinion in criterion.opinions if opinion.score]
    values = sorted(score.value for score in scores if score.value is not None)
    judges = {str(opinion.judge) for opinion in criterion.opinions}
    is_whole = len(criterion.opinions) == len(values) == len(judges) == JUDGES
    scales = {score.maximum for score in (*scores, criterion.score) if score}
    is_about = bool(SECURITY.intersection(words_of(criterion.name))) and not criterion.excluded
    return values if is_about and is_whole and len(scales) == 1 and verdict < values[0] else []
