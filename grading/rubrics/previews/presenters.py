"""Each criterion before and after: means, who moves, who waits, and what is not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor
from statistics import fmean
from typing import Literal

from grading.engine import audits as engine_audits
from grading.engine.events import CriterionRow
from grading.rubrics.previews.rubric_preview import Change, Pair


@dataclass(frozen=True, slots=True)
class Side:
    """A criterion's scores on one side. `mean` is null when none has one; `waiting` have none and need a person."""

    scores: tuple[int, ...]
    waiting: int

    @property
    def mean(self) -> float | None:
        return fmean(self.scores) if self.scores else None


@dataclass(frozen=True, slots=True)
class CriterionOutlook:
    """`moved` counts everybody whose result on it is another, `higher` and `lower` of them whose score is.

    `levels` counts who gets another level. `left_open` are the goals of checks that only a new audit can answer, with
    how many audits it concerns; `outdated` audits whose opinions, by a model, were given on another text;
    `unheard` audits in which it is new and no verdict comes of what is known.
    """

    place: int
    name: str
    is_new: bool
    is_gone: bool
    before: Side
    after: Side
    moved: int
    higher: int
    lower: int
    levels: int
    left_open: tuple[tuple[str, int], ...]
    outdated: int
    is_heard_again: bool
    unheard: int
    dumbbell: Dumbbell

    @property
    def is_known(self) -> bool:
        """Whether all that this version asks of it could be answered."""
        return not (self.left_open or self.outdated or self.unheard)


def criteria_of(changes: Sequence[Change]) -> list[CriterionOutlook]:
    """Over everything that can be foreseen, in the new rubric's order; those that it no longer asks come last."""
    seen = [change for change in changes if change.after is not None]
    gone = {key for change in seen for key, (_, after) in change.pairs.items() if after is None}
    order = list(dict.fromkeys(key for change in seen for key in change.pairs))
    order.sort(key=lambda key: key in gone)
    return [_outlook(place, key, seen) for place, key in enumerate(order, start=1)]


def _outlook(place: int, key: str, seen: Sequence[Change]) -> CriterionOutlook:
    pairs = [change.pairs[key] for change in seen if key in change.pairs]
    moved = [change.moved[key] for change in seen if key in change.moved]
    before, after = _side(was for was, _ in pairs), _side(will for _, will in pairs)
    looks = [change.outlook for change in seen if change.outlook]
    return CriterionOutlook(
        place=place,
        name=next(row.name for pair in pairs for row in reversed(pair) if row),
        is_new=all(was is None for was, _ in pairs),
        is_gone=all(will is None for _, will in pairs),
        before=before,
        after=after,
        moved=len(moved),
        higher=sum(_rises(pair) > 0 for pair in moved),
        lower=sum(_rises(pair) < 0 for pair in moved),
        levels=sum(crosses_level(pair) for pair in moved),
        left_open=tuple(Counter(goal for look in looks for goal in look.open.get(key, ())).items()),
        outdated=sum(key in look.outdated for look in looks),
        is_heard_again=any(key in look.reheard for look in looks),
        unheard=sum(was is None and will is not None and will.needs_review for was, will in pairs),
        dumbbell=dumbbell_of(before.mean, after.mean),
    )


def crosses_level(pair: Pair) -> bool:
    """Whether the level that is named is another one."""
    was, will = pair
    return bool(was and will and was.level != will.level)


def _side(rows: Iterable[CriterionRow | None]) -> Side:
    asked = [row for row in rows if row]
    return Side(
        scores=tuple(row.score for row in asked if row.score is not None),
        waiting=sum(row.needs_review for row in asked),
    )


def _rises(pair: Pair) -> int:
    was, will = pair
    if was is None or will is None or was.score is None or will.score is None:
        return 0
    return will.score - was.score


Crossing = Literal["passes", "fails", ""]


@dataclass(frozen=True, slots=True)
class PassMarks:
    """Where passing begins: percent of the points where a result has points, else an overall score."""

    score: float = 3.0
    percent: float = 60.0

    def passed(self, marks: engine_audits.Marks | None) -> bool | None:
        """Null without a result."""
        if marks is None or marks.overall_score is None:
            return None
        if marks.points_possible:
            return 100 * (marks.points_earned or 0) >= self.percent * marks.points_possible
        return marks.overall_score >= self.score


@dataclass(frozen=True, slots=True)
class Move:
    """One changed result, with the criteria that make it."""

    change: Change
    crossing: Crossing
    criteria: tuple[tuple[Pair, bool], ...]

    @property
    def levels(self) -> int:
        return sum(crossed for _, crossed in self.criteria)


@dataclass(frozen=True, slots=True)
class Tally:
    """In numbers. `refusals`: why nothing is foreseen of the rest, and of how many."""

    total: int
    foreseen: int
    changed: int
    higher: int
    lower: int
    now_pass: int
    now_fail: int
    waiting: int
    waited: int
    overridden: int
    refusals: tuple[tuple[str, int], ...]


def moves_of(changes: Sequence[Change], marks: PassMarks) -> list[Move]:
    """Everybody whose result changes, the farthest first; equals stay in the roster's order."""
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
        foreseen=sum(change.after is not None for change in changes),
        changed=len(moves),
        higher=directions.count(1),
        lower=directions.count(-1),
        now_pass=sum(move.crossing == "passes" for move in moves),
        now_fail=sum(move.crossing == "fails" for move in moves),
        waited=sum(_waits(change.before) for change in changes),
        waiting=sum(_waits(change.after) for change in changes),
        overridden=sum(bool(change.overridden) for change in changes),
        refusals=tuple(Counter(change.refusal for change in changes if change.refusal).items()),
    )


def _crossing(change: Change, marks: PassMarks) -> Crossing:
    was, will = marks.passed(change.before), marks.passed(change.after)
    if was is None or will is None or was == will:
        return ""
    return "passes" if will else "fails"


def _waits(marks: engine_audits.Marks | None) -> bool:
    return marks is not None and any(row.needs_review for row in marks.criteria)


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
COLUMN, BAR, TALLEST, FLOOR_Y = 56, 20, 110, 130


@dataclass(frozen=True, slots=True)
class Dumbbell:
    """Two means on the line from 1 to 5; null where there is none."""

    words: str
    before_x: float | None
    after_x: float | None
    ticks: tuple[int, ...] = tuple(LEFT + STEP * n for n in range(5))
    line_y: int = LINE_Y
    width: int = 2 * LEFT + 4 * STEP
    height: int = 2 * LINE_Y


def dumbbell_of(before: float | None, after: float | None) -> Dumbbell:
    return Dumbbell(
        words=f"Mean {_said(before)} before, {_said(after)} after",
        before_x=_x(before),
        after_x=_x(after),
    )


def _x(mean: float | None) -> float | None:
    return None if mean is None else round(LEFT + (mean - 1) * STEP, 1)


def _said(mean: float | None) -> str:
    return "not scored" if mean is None else f"{mean:.2f}"


@dataclass(frozen=True, slots=True)
class Bar:
    """How many results, drawn; `words_y` is where the number stands."""

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
    """One part of the scale: `label` says from where to where, `begins` is what is drawn at its left edge."""

    label: str
    begins: str
    before: Bar
    after: Bar


@dataclass(frozen=True, slots=True)
class Histogram:
    """`words` says everything that is drawn. `unit` names the scale."""

    words: str
    unit: str
    columns: tuple[Column, ...]
    width: int
    bar: int = BAR
    floor_y: int = FLOOR_Y
    labels_y: int = FLOOR_Y + 16
    height: int = FLOOR_Y + 26


def histogram_of(results: Sequence[tuple[engine_audits.Marks, engine_audits.Marks]]) -> Histogram:
    """Results before and after: in tenths of the points where everybody has points on both sides, else by overall score."""
    in_points = bool(results) and all(marks.points_possible for pair in results for marks in pair)
    labels = (*(TENTHS if in_points else BINS), NO_SCORE)
    was, will = ([_bin(pair[side], in_points=in_points) for pair in results] for side in (0, 1))
    most = (
        max((scores.count(n) for scores in (was, will) for n in range(len(labels))), default=0) or 1
    )
    columns = tuple(
        Column(
            label=label,
            begins=label.partition(" to ")[0],
            before=_bar(was.count(n), most, x=6 + COLUMN * n),
            after=_bar(will.count(n), most, x=6 + COLUMN * n + BAR),
        )
        for n, label in enumerate(labels)
    )
    unit = "percent of the points" if in_points else "overall score"
    return Histogram(
        words=_told(columns, unit), unit=unit, columns=columns, width=12 + COLUMN * len(columns)
    )


def _bar(count: int, most: int, *, x: int) -> Bar:
    height = round(TALLEST * count / most, 1)
    return Bar(count=count, x=x, y=round(FLOOR_Y - height, 1), height=height)


def _told(columns: Sequence[Column], unit: str) -> str:
    told = (f"{c.label}: {c.before.count} before, {c.after.count} after" for c in columns)
    filled = (
        words for words, c in zip(told, columns, strict=True) if c.before.count or c.after.count
    )
    return f"By {unit}: {'; '.join(filled)}"


def _bin(marks: engine_audits.Marks, *, in_points: bool) -> int:
    """The last bin is for what has no score yet."""
    if marks.overall_score is None:
        return len(TENTHS if in_points else BINS)
    if in_points:
        return min(
            len(TENTHS) - 1, floor(10 * (marks.points_earned or 0) / (marks.points_possible or 1))
        )
    return min(len(BINS) - 1, floor(2 * (marks.overall_score - 1)))
