"""Drawings of before and after: a dumbbell for a criterion's mean, and how all results are spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from grading import engine

LEFT, STEP, LINE_Y = 14, 52, 14
BINS = ("1 to 1.4", "1.5 to 1.9", "2 to 2.4", "2.5 to 2.9", "3 to 3.4", "3.5 to 3.9", "4 to 4.4", "4.5 to 5")
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
        words=f"Mean {_said(before)} before, {_said(after)} after", before_x=_x(before), after_x=_x(after)
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


def histogram_of(results: Sequence[tuple[engine.Marks, engine.Marks]]) -> Histogram:
    """Results before and after: in tenths of the points where everybody has points on both sides, else by overall score."""
    in_points = bool(results) and all(marks.points_possible for pair in results for marks in pair)
    labels = (*(TENTHS if in_points else BINS), NO_SCORE)
    was, will = ([_bin(pair[side], in_points=in_points) for pair in results] for side in (0, 1))
    most = max((scores.count(n) for scores in (was, will) for n in range(len(labels))), default=0) or 1
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
    return Histogram(words=_told(columns, unit), unit=unit, columns=columns, width=12 + COLUMN * len(columns))


def _bar(count: int, most: int, *, x: int) -> Bar:
    height = round(TALLEST * count / most, 1)
    return Bar(count=count, x=x, y=round(FLOOR_Y - height, 1), height=height)


def _told(columns: Sequence[Column], unit: str) -> str:
    told = (f"{c.label}: {c.before.count} before, {c.after.count} after" for c in columns)
    filled = (words for words, c in zip(told, columns, strict=True) if c.before.count or c.after.count)
    return f"By {unit}: {'; '.join(filled)}"


def _bin(marks: engine.Marks, *, in_points: bool) -> int:
    """The last bin is for what has no score yet."""
    if marks.overall_score is None:
        return len(TENTHS if in_points else BINS)
    if in_points:
        return min(len(TENTHS) - 1, floor(10 * (marks.points_earned or 0) / (marks.points_possible or 1)))
    return min(len(BINS) - 1, floor(2 * (marks.overall_score - 1)))
