"""Bars over hours or days, one drawing for every measure: two parts on each other, and words that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import ceil, log10

LEFT, RIGHT, TOP, BASE, HEIGHT, ROOM = 56, 8, 14, 134, 158, 576
BAR_SHARE = 0.72
EVERY = 6  # so many bars apart stand the labels
ROUND_NUMBERS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Bar:
    """What stands over one hour or day, from the axis upwards; null where nothing is known of it."""

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
    """`words` says everything the drawing shows; `scale` and `labels` are (text, place)."""

    words: str
    blocks: tuple[Block, ...]
    scale: tuple[tuple[str, float], ...]
    labels: tuple[tuple[str, float], ...]
    left: int = LEFT
    right: int = LEFT + ROOM
    base: int = BASE
    width: int = LEFT + ROOM + RIGHT
    height: int = HEIGHT


def bar_chart_of(
    title: str, stacks: Sequence[Bar], kinds: Sequence[str], *, whole: bool = False
) -> BarChart | None:
    """Null where every stack is empty. `kinds` name the parts; the scale of what is counted `whole` has no halves."""
    most = max((sum(part or 0 for part in stack.parts) for stack in stacks), default=0)
    if not most:
        return None
    top, slot = _rounded_up(most, whole=whole), ROOM / len(stacks)
    said = [stack.words for stack in stacks if any(stack.parts)]
    middle = [top / 2] if not whole or top % 2 == 0 else []
    return BarChart(
        words=f"{title}. {'; '.join(said)}.",
        blocks=tuple(
            block
            for place, stack in enumerate(stacks)
            for block in _blocks(stack, place, slot, top, kinds)
        ),
        scale=tuple((f"{value:g}", _y(value, top)) for value in (0, *middle, top)),
        labels=tuple(
            (stack.label, round(LEFT + slot * (place + 0.5), 1))
            for place, stack in enumerate(stacks)
            if (len(stacks) - 1 - place) % EVERY == 0
        ),
    )


def period_label(at: datetime, slot: str) -> str:
    """As it stands under a bar and in a table's row."""
    return f"{at:%H:%M}" if slot == "hour" else f"{at.day} {at:%b}"


def _blocks(stack: Bar, place: int, slot: float, top: float, kinds: Sequence[str]) -> list[Block]:
    """Each part stands on the one below it."""
    heights = [0.0]
    for part in stack.parts:
        heights.append(heights[-1] + (part or 0))
    left, width = round(LEFT + slot * (place + (1 - BAR_SHARE) / 2), 1), round(slot * BAR_SHARE, 1)
    return [
        Block(kind, left, _y(high, top), width, round(_y(low, top) - _y(high, top), 1))
        for kind, (low, high) in zip(kinds, pairwise(heights), strict=True)
        if high > low
    ]


def _y(value: float, top: float) -> float:
    return round(BASE - (BASE - TOP) * value / top, 1)


def _rounded_up(most: float, *, whole: bool) -> float:
    """The next round number, so that the scale can be read."""
    size = 10.0 ** (ceil(log10(most)) - 1)
    top = next(number * size for number in ROUND_NUMBERS if number * size >= most * (1 - 1e-9))
    return float(ceil(top)) if whole else top
