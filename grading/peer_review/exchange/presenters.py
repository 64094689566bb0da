"""Chart of the loop: the score over the attempts, and below it the findings of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from grading.peer_review.exchange.attempt_history import Turn

LEFT, RIGHT = 44, 16
# With more attempts than MAX_WIDE_SLOTS the slots are narrower.
SLOT, NARROW_SLOT, MAX_WIDE_SLOTS = 92, 56, 8
# A score of 5 is at the top.
SCORES_TOP, SCORE_STEP = 22, 20
AXIS, MAX_UP, MAX_DOWN = 250, 104, 60
HEIGHT, BAR_SHARE = 348, 0.5
# A lower part of a bar has no room for its number.
MIN_LABELLED_HEIGHT = 11


@dataclass(frozen=True, slots=True)
class Part:
    """Part of an attempt's bar: still, new, back (upwards) or fixed (downwards)."""

    kind: str
    count: int
    x: float
    y: float
    width: float
    height: float

    @property
    def label_y(self) -> float | None:
        return round(self.y + self.height / 2, 1) if self.height >= MIN_LABELLED_HEIGHT else None


@dataclass(frozen=True, slots=True)
class Column:
    """Column of one attempt; `score_y` is None without a visible score."""

    attempt: int
    x: float
    score: float | None
    score_y: float | None
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Chart of all attempts. `words` describes it fully; `lines` join adjacent scores."""

    words: str
    columns: tuple[Column, ...]
    lines: tuple[tuple[float, float, float, float], ...]
    scores: tuple[tuple[int, float], ...]
    width: float
    height: int = HEIGHT
    axis: int = AXIS
    left: int = LEFT


def chart_of(turns: Sequence[Turn]) -> Chart | None:
    """Return the chart, None while no attempt has a visible score or findings."""
    if not any(turn.changes or turn.attempt.score is not None for turn in turns):
        return None
    slot = SLOT if len(turns) <= MAX_WIDE_SLOTS else NARROW_SLOT
    highest = max(
        (max(changes.there, len(changes.fixed)) for turn in turns if (changes := turn.changes)),
        default=0,
    )
    # No division by zero where no attempt has a finding.
    highest = highest or 1
    columns = [
        _column(turn, LEFT + slot * (index + 0.5), slot, highest)
        for index, turn in enumerate(turns)
    ]
    return Chart(
        words=" ".join(_description(turn) for turn in turns),
        columns=tuple(columns),
        lines=tuple(_lines(columns)),
        scores=tuple((score, _score_y(score)) for score in range(1, 6)),
        width=LEFT + slot * len(turns) + RIGHT,
    )


def _column(turn: Turn, x: float, slot: int, highest: int) -> Column:
    score, width = turn.attempt.score, slot * BAR_SHARE
    left, top = round(x - width / 2, 1), float(AXIS)
    parts = []
    for kind, count in _upper_parts(turn):
        height = MAX_UP * count / highest
        top -= height
        parts.append(Part(kind, count, left, round(top, 1), width, round(height, 1)))
    deep = round(MAX_DOWN * len(turn.fixes) / highest, 1)
    parts.append(Part("fixed", len(turn.fixes), left, AXIS + 1, width, deep))
    return Column(
        attempt=turn.submission.attempt,
        x=round(x, 1),
        score=score,
        score_y=None if score is None else _score_y(score),
        parts=tuple(part for part in parts if part.count),
    )


def _upper_parts(turn: Turn) -> list[tuple[str, int]]:
    """Return (kind, count) of the parts above the axis, from the axis upwards."""
    changes = turn.changes
    return (
        [("still", len(changes.still)), ("new", len(changes.new)), ("back", len(changes.back))]
        if changes
        else []
    )


def _score_y(score: float) -> float:
    return round(SCORES_TOP + (5 - score) * SCORE_STEP, 1)


def _lines(columns: Sequence[Column]) -> list[tuple[float, float, float, float]]:
    """Return the lines between adjacent scores; an attempt without a score leaves a gap."""
    return [
        (left.x, left.score_y, right.x, right.score_y)
        for left, right in pairwise(columns)
        if left.score_y is not None and right.score_y is not None
    ]


def _description(turn: Turn) -> str:
    score = "no score" if turn.attempt.score is None else f"{turn.attempt.score:.1f} of 5"
    attempt, changes = f"Attempt {turn.submission.attempt}: {score}", turn.changes
    if changes is None:
        return f"{attempt}."
    return (
        f"{attempt}; {len(changes.still)} still open, {len(changes.new)} new, "
        f"{len(changes.back)} regressed, "
        f"{len(changes.fixed)} fixed."
    )
