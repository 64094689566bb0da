"""Statistics of a cohort's grades at an assignment, by criterion. They open no report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean, median, stdev
from uuid import UUID

from grading.audits.queries import JudgeScores, Scores, judge_scores_of, spread_of
from grading.grades.queries.gradebook import FAR_APART, GradeFilters
from grading.models import Assignment, CriterionVerdict, Grade, Override

STEP = 0.5  # of the histogram: 1.0 to 5.0 in eight bins, the last with its end


@dataclass(frozen=True, slots=True)
class Cell:
    """One student's score on one criterion. `position` is its place in that student's report."""

    position: int
    score: int | None
    by_hand: bool
    excluded: bool


@dataclass(frozen=True, slots=True)
class CriterionStatistics:
    """Statistics over the `n` students who have a score.

    `counts` are the students at 1, 2, 3, 4 and 5. `deviation` is the sample's, null below two.
    `judges` are the judges' means. `spread` is the mean distance between the highest and lowest
    judge, null without opinions; `apart` counts distances of FAR_APART or more.
    """

    position: int
    name: str
    n: int
    unscored: int
    mean: float | None
    median: float | None
    deviation: float | None
    counts: tuple[int, ...]
    judges: dict[str, float]
    spread: float | None
    apart: int

    @property
    def lowest(self) -> int:
        """Number of students with a score of 1."""
        return self.counts[0]

    @property
    def share_of_lowest(self) -> float:
        """Percentage of those who have a score."""
        return 100 * self.lowest / self.n if self.n else 0.0


@dataclass(frozen=True, slots=True)
class Bin:
    """`high` is exclusive; null for the last bin, which includes its end."""

    low: float
    high: float | None
    count: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """Students by criteria, in rubric order; cells and hearings go by the counting audit."""

    criteria: tuple[str, ...]
    names: dict[str, str]
    cells: dict[UUID, dict[str, Cell]]
    hearings: dict[UUID, JudgeScores]
    overall: tuple[float, ...]


def matrix_of(assignment: Assignment) -> Matrix:
    """Return everything that counts at the assignment. Four queries."""
    grades = list(
        Grade.objects.filter(assignment=assignment).values_list(
            "audit_id", "audit__submission_id", "overall_score"
        )
    )
    submission_of = {audit: submission for audit, submission, _ in grades}
    judged = cells_of(submission_of)
    places: dict[str, int] = {}
    names: dict[str, str] = {}

    for criteria in judged.values():
        for key, (name, cell) in criteria.items():
            # Rubric versions differ in their order; the smallest position decides.
            names[key], places[key] = name, min(cell.position, places.get(key, cell.position))

    return Matrix(
        criteria=tuple(sorted(names, key=lambda key: (places[key], key))),
        names=names,
        cells={
            audit: {key: cell for key, (_, cell) in criteria.items()}
            for audit, criteria in judged.items()
        },
        hearings=judge_scores_of(submission_of),
        overall=tuple(score for _, _, score in grades if score is not None),
    )


def cells_of(submission_of: Mapping[UUID, UUID]) -> dict[UUID, dict[str, tuple[str, Cell]]]:
    """Return (name, cell) by audit and criterion id, overrides included. Two queries."""
    overrides = _override_scores(submission_of.values())
    cells: defaultdict[UUID, dict[str, tuple[str, Cell]]] = defaultdict(dict)
    verdicts = CriterionVerdict.objects.filter(audit__in=submission_of).order_by("pk")
    for audit, key, name, position, score, excluded in verdicts.values_list(
        "audit_id", "criterion_id", "name", "position", "score", "excluded"
    ):
        cell = Cell(position, score, by_hand=False, excluded=excluded)
        given = overrides.get((submission_of[audit], key))
        if given is not None:
            # An override also counts where the court left the criterion out.
            cell = replace(cell, score=given, by_hand=True, excluded=False)
        cells[audit][key] = (name, cell)

    return dict(cells)


def statistics_of(matrix: Matrix) -> list[CriterionStatistics]:
    """Return a row for each criterion."""
    return [_statistics(position, key, matrix) for position, key in enumerate(matrix.criteria)]


def distribution_of(matrix: Matrix) -> list[Bin]:
    """Return the overall scores in bins of half a point."""
    lows = [1 + STEP * number for number in range(8)]
    # A score of 5.0 belongs to the last bin.
    counts = Counter(min(int((score - 1) / STEP), len(lows) - 1) for score in matrix.overall)
    return [
        Bin(low, low + STEP if low != lows[-1] else None, counts[number])
        for number, low in enumerate(lows)
    ]


def audits_matching(matrix: Matrix, filters: GradeFilters) -> list[UUID] | None:
    """Return counting audits that match the criterion filters; None without such a filter."""
    if filters.criterion is None or filters.criterion >= len(matrix.criteria):
        return None
    key = matrix.criteria[filters.criterion]
    return [
        audit
        for audit, cells in matrix.cells.items()
        if key in cells and _matches(cells[key], matrix.hearings.get(audit), key, filters)
    ]


def _matches(cell: Cell, hearing: JudgeScores | None, key: str, filters: GradeFilters) -> bool:
    if filters.score and filters.score != ("none" if cell.score is None else str(cell.score)):
        return False
    return not filters.apart or (
        hearing is not None and spread_of(hearing.scores.get(key, {})) >= FAR_APART
    )


def _statistics(position: int, key: str, matrix: Matrix) -> CriterionStatistics:
    cells = [row[key] for row in matrix.cells.values() if key in row]
    scores = [cell.score for cell in cells if cell.score is not None]
    heard = [
        matrix.hearings[audit].scores[key]
        for audit in matrix.cells
        if audit in matrix.hearings and key in matrix.hearings[audit].scores
    ]
    spreads = [spread_of(opinion_scores) for opinion_scores in heard]

    return CriterionStatistics(
        position=position,
        name=matrix.names[key],
        n=len(scores),
        unscored=len(cells) - len(scores),
        mean=fmean(scores) if scores else None,
        median=median(scores) if scores else None,
        deviation=stdev(scores) if len(scores) > 1 else None,
        counts=tuple(scores.count(score) for score in range(1, 6)),
        judges=_means(heard),
        spread=fmean(spreads) if spreads else None,
        apart=sum(spread >= FAR_APART for spread in spreads),
    )


def _means(heard: Iterable[Scores]) -> dict[str, float]:
    given: defaultdict[str, list[int]] = defaultdict(list)
    for opinion_scores in heard:
        for judge, score in opinion_scores.items():
            if score is not None:
                given[judge].append(score)
    return {judge: fmean(scores) for judge, scores in given.items()}


def _override_scores(submissions: Iterable[UUID]) -> Mapping[tuple[UUID, str], int]:
    standing = Override.objects.filter(submission__in=set(submissions), withdrawn_at=None)
    return {
        (submission, key): score
        for submission, key, score in standing.values_list("submission_id", "criterion_id", "score")
    }
