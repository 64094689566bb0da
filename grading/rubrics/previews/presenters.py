"""Preview page: each criterion before and after, changed results, totals and charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor
from statistics import fmean
from typing import Literal

from grading.engine import audits as engine_audits
from grading.engine.events import CriterionRow
from grading.rubrics.previews.cohort_preview import Change, Pair


@dataclass(frozen=True, slots=True)
class Side:
    """A criterion's scores before or after. `waiting` results need review and have no score."""

    scores: tuple[int, ...]
    waiting: int

    @property
    def mean(self) -> float | None:
        return fmean(self.scores) if self.scores else None


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """A criterion before and after, with numbers of results.

    `moved` results change; of these the score is `higher` or `lower`, and `levels` get another
    level. `open_checks` are goals that need a new audit, with their numbers of audits. `outdated`
    audits have opinions of a model on another text. In `unheard` audits the criterion is new and
    has no verdict.
    """

    place: int
    name: str
    is_new: bool
    is_removed: bool
    before: Side
    after: Side
    moved: int
    higher: int
    lower: int
    levels: int
    open_checks: tuple[tuple[str, int], ...]
    outdated: int
    is_reheard: bool
    unheard: int
    dumbbell: Dumbbell

    @property
    def is_complete(self) -> bool:
        """All checks and opinions of the criterion are known from the stored reports."""
        return not (self.open_checks or self.outdated or self.unheard)


def criterion_changes(changes: Sequence[Change]) -> list[CriterionChange]:
    """Return the criteria over all previewed results, in the new order; removed ones come last."""
    previewed = [change for change in changes if change.after is not None]
    removed = {
        key for change in previewed for key, (_, after) in change.pairs.items() if after is None
    }
    order = list(dict.fromkeys(key for change in previewed for key in change.pairs))
    order.sort(key=lambda key: key in removed)
    return [_criterion_change(place, key, previewed) for place, key in enumerate(order, start=1)]


def _criterion_change(place: int, key: str, changes: Sequence[Change]) -> CriterionChange:
    pairs = [change.pairs[key] for change in changes if key in change.pairs]
    moved = [change.moved[key] for change in changes if key in change.moved]
    old, new = _side(before for before, _ in pairs), _side(after for _, after in pairs)
    verdicts = [change.verdict for change in changes if change.verdict]
    open_goals = Counter(goal for verdict in verdicts for goal in verdict.open_checks.get(key, ()))

    return CriterionChange(
        place=place,
        name=next(row.name for pair in pairs for row in reversed(pair) if row),
        is_new=all(before is None for before, _ in pairs),
        is_removed=all(after is None for _, after in pairs),
        before=old,
        after=new,
        moved=len(moved),
        higher=sum(_score_change(pair) > 0 for pair in moved),
        lower=sum(_score_change(pair) < 0 for pair in moved),
        levels=sum(crosses_level(pair) for pair in moved),
        open_checks=tuple(open_goals.items()),
        outdated=sum(key in verdict.outdated for verdict in verdicts),
        is_reheard=any(key in verdict.reheard for verdict in verdicts),
        unheard=sum(
            before is None and after is not None and after.needs_review for before, after in pairs
        ),
        dumbbell=dumbbell_of(old.mean, new.mean),
    )


def crosses_level(pair: Pair) -> bool:
    """Tell if the result gets another level."""
    before, after = pair
    return bool(before and after and before.level != after.level)


def _side(rows: Iterable[CriterionRow | None]) -> Side:
    present = [row for row in rows if row]
    # A result that needs review has no score and does not enter the mean.
    return Side(
        scores=tuple(row.score for row in present if row.score is not None),
        waiting=sum(row.needs_review for row in present),
    )


def _score_change(pair: Pair) -> int:
    before, after = pair
    if before is None or after is None or before.score is None or after.score is None:
        return 0
    return after.score - before.score


Crossing = Literal["passes", "fails", ""]


@dataclass(frozen=True, slots=True)
class PassMarks:
    """Pass marks: percent of the points where a result has points, else an overall score."""

    score: float = 3.0
    percent: float = 60.0

    def passed(self, marks: engine_audits.Marks | None) -> bool | None:
        """Tell if a result passes; None without a result."""
        if marks is None or marks.overall_score is None:
            return None
        if marks.points_possible:
            return 100 * (marks.points_earned or 0) >= self.percent * marks.points_possible
        return marks.overall_score >= self.score


@dataclass(frozen=True, slots=True)
class Move:
    """One changed result, with its changed criteria."""

    change: Change
    crossing: Crossing
    criteria: tuple[tuple[Pair, bool], ...]

    @property
    def levels(self) -> int:
        return sum(crossed for _, crossed in self.criteria)


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of results. `refusals` are reasons for results without a preview, with numbers."""

    total: int
    previewed: int
    changed: int
    higher: int
    lower: int
    now_pass: int
    now_fail: int
    needs_review_before: int
    needs_review_after: int
    overridden: int
    refusals: tuple[tuple[str, int], ...]


def moves_of(changes: Sequence[Change], marks: PassMarks) -> list[Move]:
    """Return the changed results, largest change first; equal changes keep roster order."""
    # sorted() is stable: the order of the roster stays among equal changes.
    moved = sorted(
        (change for change in changes if change.is_changed), key=lambda change: -change.distance
    )
    return [
        Move(
            change=change,
            crossing=_crossing(change, marks),
            criteria=tuple((pair, crosses_level(pair)) for pair in change.moved.values()),
        )
        for change in moved
    ]


def tally_of(changes: Sequence[Change], moves: Sequence[Move]) -> Tally:
    directions = [change.direction for change in changes]
    return Tally(
        total=len(changes),
        previewed=sum(change.after is not None for change in changes),
        changed=len(moves),
        higher=directions.count(1),
        lower=directions.count(-1),
        now_pass=sum(move.crossing == "passes" for move in moves),
        now_fail=sum(move.crossing == "fails" for move in moves),
        needs_review_before=sum(_needs_review(change.before) for change in changes),
        needs_review_after=sum(_needs_review(change.after) for change in changes),
        overridden=sum(bool(change.overridden) for change in changes),
        refusals=tuple(Counter(change.refusal for change in changes if change.refusal).items()),
    )


def _crossing(change: Change, marks: PassMarks) -> Crossing:
    before, after = marks.passed(change.before), marks.passed(change.after)
    if before is None or after is None or before == after:
        return ""
    return "passes" if after else "fails"


def _needs_review(marks: engine_audits.Marks | None) -> bool:
    return marks is not None and any(row.needs_review for row in marks.criteria)


# Sizes of the drawings, in pixels.
LEFT, STEP, LINE_Y = 14, 52, 14
BINS = (
    "1 to 1.4",
    "1.5 to 1.9",
    "2 to 2.4",
    "2.5 to 2.9",
    "3 to 3.4",
    "3.5 to 3.9",
    "4 to 4.4",
    "4.5 to 5",
)
TENTHS = (*(f"{10 * n} to {10 * n + 9} %" for n in range(9)), "90 to 100 %")
NO_SCORE = "no score"
# Widths of a column and a bar, height of the tallest bar, and position of the base line.
COLUMN, BAR, TALLEST, FLOOR_Y = 56, 20, 110, 130


@dataclass(frozen=True, slots=True)
class Dumbbell:
    """Drawing of two means on the line from 1 to 5; None where there is no mean."""

    words: str
    before_x: float | None
    after_x: float | None
    ticks: tuple[int, ...] = tuple(LEFT + STEP * n for n in range(5))
    line_y: int = LINE_Y
    width: int = 2 * LEFT + 4 * STEP
    height: int = 2 * LINE_Y


def dumbbell_of(before: float | None, after: float | None) -> Dumbbell:
    return Dumbbell(
        words=f"Mean {_mean_text(before)} before, {_mean_text(after)} after",
        before_x=_x(before),
        after_x=_x(after),
    )


def _x(mean: float | None) -> float | None:
    return None if mean is None else round(LEFT + (mean - 1) * STEP, 1)


def _mean_text(mean: float | None) -> str:
    return "not scored" if mean is None else f"{mean:.2f}"


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the histogram; `words_y` is the position of its number."""

    count: int
    x: int
    y: float
    height: float

    @property
    def middle(self) -> int:
        return self.x + BAR // 2

    @property
    def words_y(self) -> float:
        return self.y - 5


@dataclass(frozen=True, slots=True)
class Column:
    """One part of the scale: `label` is its range, `begins` the text at its left edge."""

    label: str
    begins: str
    before: Bar
    after: Bar


@dataclass(frozen=True, slots=True)
class Histogram:
    """Histogram of results; `words` describe it for screen readers, `unit` names the scale."""

    words: str
    unit: str
    columns: tuple[Column, ...]
    width: int
    bar: int = BAR
    floor_y: int = FLOOR_Y
    labels_y: int = FLOOR_Y + 16
    height: int = FLOOR_Y + 26


def histogram_of(results: Sequence[tuple[engine_audits.Marks, engine_audits.Marks]]) -> Histogram:
    """Return the histogram of results before and after.

    It counts tenths of the points where all results have points, else overall scores.
    """
    in_points = bool(results) and all(marks.points_possible for pair in results for marks in pair)
    labels = (*(TENTHS if in_points else BINS), NO_SCORE)
    before, after = ([_bin(pair[side], in_points=in_points) for pair in results] for side in (0, 1))
    highest = max(
        (bins.count(n) for bins in (before, after) for n in range(len(labels))), default=0
    )

    # Without results every bar has height 0 of 1.
    highest = highest or 1
    columns = tuple(
        Column(
            label=label,
            begins=label.partition(" to ")[0],
            before=_bar(before.count(n), highest, x=6 + COLUMN * n),
            after=_bar(after.count(n), highest, x=6 + COLUMN * n + BAR),
        )
        for n, label in enumerate(labels)
    )
    unit = "percent of the points" if in_points else "overall score"
    return Histogram(
        words=_description(columns, unit),
        unit=unit,
        columns=columns,
        width=12 + COLUMN * len(columns),
    )


def _bar(count: int, highest: int, *, x: int) -> Bar:
    height = round(TALLEST * count / highest, 1)
    return Bar(count=count, x=x, y=round(FLOOR_Y - height, 1), height=height)


def _description(columns: Sequence[Column], unit: str) -> str:
    filled = (
        f"{column.label}: {column.before.count} before, {column.after.count} after"
        for column in columns
        if column.before.count or column.after.count
    )
    return f"By {unit}: {'; '.join(filled)}"


def _bin(marks: engine_audits.Marks, *, in_points: bool) -> int:
    """Return the index of a result's bin; the last one is for results without a score."""
    if marks.overall_score is None:
        return len(TENTHS if in_points else BINS)
    if in_points:
        return min(
            len(TENTHS) - 1, floor(10 * (marks.points_earned or 0) / (marks.points_possible or 1))
        )
    return min(len(BINS) - 1, floor(2 * (marks.overall_score - 1)))
