"""What a cohort's grades at an assignment look like together, criterion by criterion. No report is opened for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean, median, stdev
from uuid import UUID

from grading.audits.queries import JudgeScores, Scores, judge_scores_of, spread_of
from grading.grades.queries.gradebook import FAR_APART, Wanted
from grading.models import Assignment, CriterionVerdict, Grade, Override

STEP = 0.5  # of the histogram: 1.0 to 5.0 in eight bins, the last with its end


@dataclass(frozen=True, slots=True)
class Cell:
    """One student on one criterion, as it counts. `position` is the criterion's in that student's own report."""

    position: int
    score: int | None
    by_hand: bool
    excluded: bool


@dataclass(frozen=True, slots=True)
class CriterionStatistics:
    """Over the students who have a score: `n`; `counts` how many stand at 1, 2, 3, 4 and 5. `deviation` is the
    sample's, null below two; `judges` the mean of each judge's scores; `spread` the mean between highest and lowest
    judge, null where nobody was heard; `apart` for how many that is FAR_APART or more."""

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
        """How many stand at 1."""
        return self.counts[0]

    @property
    def share_of_lowest(self) -> float:
        """In percent of those who have a score."""
        return 100 * self.lowest / self.n if self.n else 0.0


@dataclass(frozen=True, slots=True)
class Bin:
    """`high` is outside, null for the last, which holds its end."""

    low: float
    high: float | None
    count: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """Students by criteria. `criteria` are ids in the rubric's order; cells and hearings by the audit that counts."""

    criteria: tuple[str, ...]
    names: dict[str, str]
    cells: dict[UUID, dict[str, Cell]]
    hearings: dict[UUID, JudgeScores]
    overall: tuple[float, ...]


def matrix_of(assignment: Assignment) -> Matrix:
    """Everything that counts at the assignment. Four queries."""
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
    """By audit and criterion its name and cell, with scores by hand; of audits and their submissions. Two queries."""
    by_hand = _scores_by_hand(submission_of.values())
    found: defaultdict[UUID, dict[str, tuple[str, Cell]]] = defaultdict(dict)
    verdicts = CriterionVerdict.objects.filter(audit__in=submission_of).order_by("pk")
    for audit, key, name, position, score, excluded in verdicts.values_list(
        "audit_id", "criterion_id", "name", "position", "score", "excluded"
    ):
        cell = Cell(position, score, by_hand=False, excluded=excluded)
        given = by_hand.get((submission_of[audit], key))
        if given is not None:
            cell = replace(cell, score=given, by_hand=True, excluded=False)
        found[audit][key] = (name, cell)
    return dict(found)


def statistics_of(matrix: Matrix) -> list[CriterionStatistics]:
    """A row for each criterion."""
    return [_statistics(position, key, matrix) for position, key in enumerate(matrix.criteria)]


def distribution_of(matrix: Matrix) -> list[Bin]:
    """The overall scores in bins of half a point."""
    lows = [1 + STEP * number for number in range(8)]
    counts = Counter(min(int((score - 1) / STEP), len(lows) - 1) for score in matrix.overall)
    return [
        Bin(low, low + STEP if low != lows[-1] else None, counts[number])
        for number, low in enumerate(lows)
    ]


def audits_wanted(matrix: Matrix, wanted: Wanted) -> list[UUID] | None:
    """The counting audits that fit what is asked about one criterion; None where nothing is asked about one."""
    if wanted.criterion is None or wanted.criterion >= len(matrix.criteria):
        return None
    key = matrix.criteria[wanted.criterion]
    return [
        audit
        for audit, cells in matrix.cells.items()
        if key in cells and _fits(cells[key], matrix.hearings.get(audit), key, wanted)
    ]


def _fits(cell: Cell, hearing: JudgeScores | None, key: str, wanted: Wanted) -> bool:
    if wanted.score and wanted.score != ("none" if cell.score is None else str(cell.score)):
        return False
    return not wanted.apart or (
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
    spreads = [spread_of(said) for said in heard]
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
    for said in heard:
        for judge, score in said.items():
            if score is not None:
                given[judge].append(score)
    return {judge: fmean(scores) for judge, scores in given.items()}


def _scores_by_hand(submissions: Iterable[UUID]) -> Mapping[tuple[UUID, str], int]:
    standing = Override.objects.filter(submission__in=set(submissions), withdrawn_at=None)
    return {
        (submission, key): score
        for submission, key, score in standing.values_list("submission_id", "criterion_id", "score")
    }
