"""From scores to levels, points and sums. All arithmetic is exact; rounding is half up and happens once."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import floor

from courtroom.models.record import CriterionResult, Points
from courtroom.models.rubric import Criterion, Level, Rubric
from courtroom.synthesis.rules import Rounding

# With fewer levels than scores, 5 and 4 share the top (the points rubric of the course, 100/60/20/0 %).
SHARED_TOP = {5: 0, 4: 0, 3: 1, 2: 2}
SCORES = 5
HALF = Fraction(1, 2)


def rounded(value: Fraction, rounding: Rounding) -> int:
    """Half up takes 2.5 to 3; half even, as Python's round, takes it to 2."""
    return round(value) if rounding == "half_even" else floor(value + HALF)


def exclusion_level(criterion: Criterion) -> Level | None:
    """The level that stands for being left out, such as No Exchange: its id or name is the excluding fact's."""
    return next((level for level in criterion.levels if _is_excluding(level, criterion)), None)


def level_of(criterion: Criterion, score: int) -> Level | None:
    """5 and 4 the best level, 3 the second, 2 the third, 1 the last; with five or more, one level per score.

    A score never leads to the exclusion level: leaving out follows from a fact.
    """
    levels = [level for level in criterion.levels if not _is_excluding(level, criterion)]
    if not levels:
        return None
    last = len(levels) - 1
    if score == 1:
        return levels[last]
    return levels[SCORES - score if len(levels) >= SCORES else min(SHARED_TOP[score], last)]


def points_of(criterion: Criterion, score: int) -> float | None:
    """The level's points; without levels 1 is worth nothing, 5 everything and the rest lies evenly between."""
    if criterion.max_points is None:
        return None
    level = level_of(criterion, score)
    return (
        level.points if level else float(exact(criterion.max_points) * (score - 1) / (SCORES - 1))
    )


def tally(results: Iterable[CriterionResult]) -> Points | None:
    """Earned and possible over the criteria that were scored; what awaits review or is excluded is in neither."""
    counted = [
        (r.points, r.max_points)
        for r in results
        if r.points is not None and r.max_points is not None
    ]
    if not counted:
        return None
    earned, possible = (
        sum(map(exact, column), Fraction(0)) for column in zip(*counted, strict=True)
    )
    return Points(earned=float(earned), possible=float(possible))


def overall_score(rubric: Rubric, results: Iterable[CriterionResult]) -> float | None:
    """The mean of the scored criteria by their weights, to one decimal, half up; None when none is scored."""
    weights = {criterion.id: exact(criterion.weight) for criterion in rubric.criteria}
    scored = [(weights[r.id], r.final_score) for r in results if r.final_score is not None]
    if not scored:
        return None
    total = sum((weight * score for weight, score in scored), Fraction(0))
    return floor(total / sum(weight for weight, _ in scored) * 10 + HALF) / 10


@lru_cache(maxsize=1024)  # a rubric and a constitution write a handful of numbers
def exact(number: float) -> Fraction:
    """The number as written: 0.1 is one tenth."""
    return Fraction(str(number))


def _is_excluding(level: Level, criterion: Criterion) -> bool:
    names = {
        text.strip().lower().replace(" ", "_").replace("-", "_") for text in (level.id, level.name)
    }
    return criterion.exclude_when in names
