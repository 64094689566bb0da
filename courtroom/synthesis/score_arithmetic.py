"""Levels, points and sums of scores. Arithmetic is exact; rounding happens once, at the end."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import floor

from courtroom.models.audit_report import CriterionResult, Points
from courtroom.models.rubric import Criterion, Level, Rubric
from courtroom.synthesis.rules import Rounding

# Index of the level for a score, where there are fewer levels than scores (the course's points
# rubric has four: 100, 60, 20 and 0 %).
SHARED_TOP = {5: 0, 4: 0, 3: 1, 2: 2}
SCORES = 5
# Weight and score of each judge or criterion.
Weighted = tuple[tuple[Fraction, int], ...]
HALF = Fraction(1, 2)


def rounded(value: Fraction, rounding: Rounding) -> int:
    """Round half up (2.5 to 3) or half to even (2.5 to 2), as Python's round does."""
    # Python's round is half to even, also for fractions.
    return round(value) if rounding == "half_even" else floor(value + HALF)


def exclusion_level(criterion: Criterion) -> Level | None:
    """Return the level for an excluded criterion, such as No Exchange; its id or name is the
    fact's.
    """
    return next((level for level in criterion.levels if _is_excluding(level, criterion)), None)


def level_of(criterion: Criterion, score: int) -> Level | None:
    """Return the level: 5 and 4 the best, 3 the second, 2 the third, 1 the last; one each if there
    are five or more.

    A score never leads to the exclusion level: exclusion follows from a fact.
    """
    levels = [level for level in criterion.levels if not _is_excluding(level, criterion)]
    if not levels:
        return None
    last = len(levels) - 1
    if score == 1:
        return levels[last]
    return levels[SCORES - score if len(levels) >= SCORES else min(SHARED_TOP[score], last)]


def points_of(criterion: Criterion, score: int) -> float | None:
    """Return the level's points; without levels, 1 gives none, 5 all, the others even steps."""
    if criterion.max_points is None:
        return None
    level = level_of(criterion, score)
    return (
        level.points if level else float(exact(criterion.max_points) * (score - 1) / (SCORES - 1))
    )


def sum_points(results: Iterable[CriterionResult]) -> Points | None:
    """Return points earned and possible, over scored criteria; excluded ones are in neither sum."""
    scored = [
        (r.points, r.max_points)
        for r in results
        if r.points is not None and r.max_points is not None
    ]
    if not scored:
        return None
    earned, possible = (
        sum(map(exact, column), Fraction(0)) for column in zip(*scored, strict=True)
    )
    return Points(earned=float(earned), possible=float(possible))


def overall_score(rubric: Rubric, results: Iterable[CriterionResult]) -> float | None:
    """Return the weighted mean of scored criteria to one decimal, half up; None without any."""
    scored = weighted_scores(rubric, results)
    return floor(weighted_mean(scored) * 10 + HALF) / 10 if scored else None


def weighted_scores(rubric: Rubric, results: Iterable[CriterionResult]) -> Weighted:
    """Return weight and score of each scored criterion."""
    weights = {criterion.id: exact(criterion.weight) for criterion in rubric.criteria}
    return tuple((weights[r.id], r.final_score) for r in results if r.final_score is not None)


def weighted_mean(scores: Weighted) -> Fraction:
    # Fractions: a float sum would depend on the order of the scores.
    total = sum((weight * score for weight, score in scores), Fraction(0))
    return total / sum(weight for weight, _ in scores)


def weighted_mean_formula(scores: Weighted) -> str:
    """Return the mean as a person would work it out: (1 x 1 + 1 x 5 + 2 x 3) / 4 = 12 / 4 = 3."""
    weights = [weight for weight, _ in scores]
    is_plain = set(weights) == {Fraction(1)}
    terms = (str(score) if is_plain else f"{decimal(weight)} x {score}" for weight, score in scores)
    total = sum((weight * score for weight, score in scores), Fraction(0))
    divisor = decimal(sum(weights, Fraction(0)))
    mean = decimal(weighted_mean(scores))
    return f"({' + '.join(terms)}) / {divisor} = {decimal(total)} / {divisor} = {mean}"


def decimal(value: Fraction) -> str:
    """Return the number for a reader, with at most four decimals; nothing is computed from it."""
    return f"{displayed(value):.12g}"


def displayed(value: Fraction) -> float:
    """Round to four decimals for the reader; nothing is computed from the result."""
    return round(float(value), 4)


# A rubric and a constitution hold few different numbers.
@lru_cache(maxsize=1024)
def exact(number: float) -> Fraction:
    """Return the number as written: 0.1 is one tenth."""
    return Fraction(str(number))


def _is_excluding(level: Level, criterion: Criterion) -> bool:
    names = {
        text.strip().lower().replace(" ", "_").replace("-", "_") for text in (level.id, level.name)
    }
    return criterion.exclude_when in names
