"""Charts of a cohort's grades: overall scores, and each criterion's scores and judges' means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.grades.queries.statistics import Bin, CriterionStatistics
from grading.report_pages.judge_marks import JUDGES, Judge

# All sizes are pixels of the SVG drawings. Texts next to them repeat every number, because a screen
# reader does not read the drawing.
WIDTH, HEIGHT, BASE = 640, 170, 140
SLOT, GAP, TALLEST = 80, 10, 115
COLUMN, COLUMNS_BASE = 26, 36  # a criterion's scores, 1 to 5
LINE_LEFT, LINE_STEP = 12, 44  # the judges' line, from 1 to 5


@dataclass(frozen=True, slots=True)
class Bar:
    x: int
    y: float
    width: int
    height: float
    count: int
    label: str
    low: float
    high: float | None


@dataclass(frozen=True, slots=True)
class Histogram:
    """`words` describes everything that the drawing shows."""

    words: str
    bars: tuple[Bar, ...]
    width: int = WIDTH
    height: int = HEIGHT
    base: int = BASE


@dataclass(frozen=True, slots=True)
class Column:
    """Number of students at one score."""

    score: int
    count: int
    x: int
    middle: int
    y: float
    height: float
    width: int = COLUMN - 4


@dataclass(frozen=True, slots=True)
class Columns:
    """One column for each score from 1 to 5; `words` describes the whole drawing."""

    words: str
    columns: tuple[Column, ...]
    width: int = 5 * COLUMN
    base: int = COLUMNS_BASE
    height: int = COLUMNS_BASE + 16


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """Mean score of each judge on a line from 1 to 5: (judge, x)."""

    words: str
    marks: tuple[tuple[Judge, float], ...]
    ticks: tuple[int, ...] = tuple(LINE_LEFT + LINE_STEP * number for number in range(5))
    left: int = LINE_LEFT
    right: int = LINE_LEFT + 4 * LINE_STEP
    width: int = 2 * LINE_LEFT + 4 * LINE_STEP


def histogram_of(bins: Sequence[Bin]) -> Histogram:
    """Return bars of half a point each; the tallest fills the drawing."""
    # An empty cohort gets bars of height 0 instead of a division by zero.
    most = max((score_bin.count for score_bin in bins), default=0) or 1
    bars = tuple(_bar(number, score_bin, most) for number, score_bin in enumerate(bins))
    words = ", ".join(f"{bar.label}: {bar.count}" for bar in bars)
    return Histogram(f"Students by overall score. {words}.", bars)


def columns_of(statistics: CriterionStatistics) -> Columns:
    """Return one criterion's scores as columns; the tallest fills the drawing."""
    most = max(statistics.counts) or 1
    words = ", ".join(f"{count} at {score}" for score, count in enumerate(statistics.counts, 1))
    columns = tuple(_column(score, count, most) for score, count in enumerate(statistics.counts, 1))
    return Columns(f"Students by score: {words}.", columns)


def judge_line_of(statistics: CriterionStatistics) -> JudgeLine:
    """Return the judges' means as marks on a line."""
    # Judges in their fixed order, so that all criteria look alike.
    means = [
        (judge, statistics.judges[judge.id]) for judge in JUDGES if judge.id in statistics.judges
    ]
    words = ", ".join(f"{judge.name} {mean:.1f}" for judge, mean in means)

    return JudgeLine(
        f"Mean of each judge, 1 to 5: {words}." if means else "No judge was heard.",
        tuple((judge, round(LINE_LEFT + (mean - 1) * LINE_STEP, 1)) for judge, mean in means),
    )


def _column(score: int, count: int, most: int) -> Column:
    height, left = round(COLUMNS_BASE * count / most, 1), (score - 1) * COLUMN
    return Column(
        score, count, x=left + 2, middle=left + COLUMN // 2, y=COLUMNS_BASE - height, height=height
    )


def _bar(number: int, score_bin: Bin, most: int) -> Bar:
    height = round(TALLEST * score_bin.count / most, 1)
    # The scores have one decimal: what stands before the next bin's begin is the last of this one.
    last = 5.0 if score_bin.high is None else score_bin.high - 0.1
    return Bar(
        x=number * SLOT + GAP // 2,
        y=BASE - height,
        width=SLOT - GAP,
        height=height,
        count=score_bin.count,
        label=f"{score_bin.low:.1f} to {last:.1f}",
        low=score_bin.low,
        high=score_bin.high,
    )
