"""Scores, points and sums of criteria with people's overrides.

Importing it is cheap; what it imports of the courtroom, inside its functions, loads no langgraph.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grading.engine.events import CriterionRow

if TYPE_CHECKING:
    from courtroom.models.rubric import Criterion, Rubric


@dataclass(frozen=True, slots=True)
class Marks:
    """Results of criteria. `overall_score` is None while one of them needs review."""

    criteria: tuple[CriterionRow, ...]
    overall_score: float | None
    points_earned: float | None
    points_possible: float | None


def marks_under(
    document: dict[str, Any], works: Sequence[tuple[Sequence[CriterionRow], Mapping[str, int]]]
) -> list[Marks]:
    """Return for each work its results under the rubric `document`, with overrides (1 to 5).

    Levels, points and sums are the courtroom's own arithmetic. An override ends a need for review
    and an exclusion. Criteria that the rubric lacks stay as they are and count for nothing.
    """
    from courtroom import Rubric

    rubric = Rubric.from_stored(document)
    known = {criterion.id: criterion for criterion in rubric.criteria}
    return [
        _marks(
            rubric,
            tuple(
                _scored(known.get(row.criterion_id), row, scores.get(row.criterion_id))
                for row in verdicts
            ),
            [row.criterion_id for row in verdicts if row.criterion_id in known],
        )
        for verdicts, scores in works
    ]


def _marks(rubric: Rubric, rows: tuple[CriterionRow, ...], known: Container[str]) -> Marks:
    from courtroom.models.audit_report import CriterionResult
    from courtroom.synthesis.score_arithmetic import overall_score, sum_points

    results = [
        CriterionResult(
            id=row.criterion_id,
            name=row.name,
            final_score=row.score,
            points=row.points,
            max_points=row.max_points,
            # The record requires it; the arithmetic does not read it.
            rationale="",
        )
        for row in rows
        if row.criterion_id in known
    ]
    points = sum_points(results)
    return Marks(
        criteria=rows,
        overall_score=None
        if any(row.needs_review for row in rows)
        else overall_score(rubric, results),
        points_earned=points.earned if points else None,
        points_possible=points.possible if points else None,
    )


def _scored(criterion: Criterion | None, row: CriterionRow, score: int | None) -> CriterionRow:
    from courtroom.synthesis.score_arithmetic import level_of, points_of

    if criterion is None or score is None:
        return row
    level = level_of(criterion, score)
    return replace(
        row,
        score=score,
        level=level.name if level else "",
        points=points_of(criterion, score),
        max_points=criterion.max_points,
        needs_review=False,
        excluded=False,
    )
