"""Present figures over time as bar charts with stacked parts and a text that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import ceil, log10

# In pixels of the drawing; BASE is the y of the axis.
LEFT, RIGHT, TOP, BASE, HEIGHT, PLOT_WIDTH = 56, 8, 14, 134, 158, 576
BAR_SHARE = 0.72
LABEL_STEP = 6  # a label under every sixth bar: more would overlap
ROUND_NUMBERS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Bar:
    """Bar of one hour or day. `parts` go from the axis upwards; null means unknown."""

    label: str
    words: str
    parts: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class BarChart:
    """Drawing of a chart. `words` describes it; `scale` and `labels` are (text, coordinate)."""

    words: str
    blocks: tuple[Block, ...]
    scale: tuple[tuple[str, float], ...]
    labels: tuple[tuple[str, float], ...]
    left: int = LEFT
    right: int = LEFT + PLOT_WIDTH
    base: int = BASE
    width: int = LEFT + PLOT_WIDTH + RIGHT
    height: int = HEIGHT


def bar_chart_of(
    title: str, bars: Sequence[Bar], kinds: Sequence[str], *, whole: bool = False
) -> BarChart | None:
    """Return the chart, null if every bar is empty.

    `kinds` name the parts of a bar. `whole` is for counts: their scale shows no fractions.
    """
    most = max((sum(part or 0 for part in bar.parts) for bar in bars), default=0)
    if not most:
        return None

    top, bar_space = _rounded_up(most, whole=whole), PLOT_WIDTH / len(bars)
    descriptions = [bar.words for bar in bars if any(bar.parts)]
    # Half of an odd count is no number of audits.
    middle = [top / 2] if not whole or top % 2 == 0 else []

    return BarChart(
        words=f"{title}. {'; '.join(descriptions)}.",
        blocks=tuple(
            block
            for place, bar in enumerate(bars)
            for block in _blocks(bar, place, bar_space, top, kinds)
        ),
        scale=tuple((f"{value:g}", _y(value, top)) for value in (0, *middle, top)),
        labels=tuple(
            (bar.label, round(LEFT + bar_space * (place + 0.5), 1))
            for place, bar in enumerate(bars)
            # Counted from the end, so that the current period always has its label.
            if (len(bars) - 1 - place) % LABEL_STEP == 0
        ),
    )


def period_label(at: datetime, unit: str) -> str:
    """Return the label of an hour or day, for charts and tables."""
    return f"{at:%H:%M}" if unit == "hour" else f"{at.day} {at:%b}"


def _blocks(
    bar: Bar, place: int, bar_space: float, top: float, kinds: Sequence[str]
) -> list[Block]:
    """Return the rectangles of a bar, each part on top of the previous one."""
    heights = [0.0]
    for part in bar.parts:
        heights.append(heights[-1] + (part or 0))

    left = round(LEFT + bar_space * (place + (1 - BAR_SHARE) / 2), 1)
    width = round(bar_space * BAR_SHARE, 1)
    return [
        Block(kind, left, _y(high, top), width, round(_y(low, top) - _y(high, top), 1))
        for kind, (low, high) in zip(kinds, pairwise(heights), strict=True)
        if high > low
    ]


def _y(value: float, top: float) -> float:
    return round(BASE - (BASE - TOP) * value / top, 1)


def _rounded_up(most: float, *, whole: bool) -> float:
    """Return the next round number, which makes a readable scale."""
    # The factor keeps a rounding error from skipping a number that fits exactly.
    size = 10.0 ** (ceil(log10(most)) - 1)
    top = next(number * size for number in ROUND_NUMBERS if number * size >= most * (1 - 1e-9))
    return float(ceil(top)) if whole else top
