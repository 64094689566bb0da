"""The picture of the loop: the score over the attempts, and below it what was found in each and what was fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from grading.peer_review.exchange.attempt_history import Turn

LEFT, RIGHT = 44, 16
SLOT, NARROW_SLOT, MOST_WIDE = 92, 56, 8  # with more attempts than these the slots are narrower
SCORES_TOP, SCORE_STEP = 22, 20  # 5 stands at the top
AXIS, TALLEST, DEEPEST = 250, 104, 60
HEIGHT, BAR_SHARE = 348, 0.5
LEAST_LABELLED = 11  # a lower part of a bar has no room for its number


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an attempt's bar: still, new, back (upwards) or fixed (downwards)."""

    kind: str
    count: int
    x: float
    y: float
    width: float
    height: float

    @property
    def label_y(self) -> float | None:
        return round(self.y + self.height / 2, 1) if self.height >= LEAST_LABELLED else None


@dataclass(frozen=True, slots=True)
class Column:
    """One attempt; `score_y` is null where no score is to be shown."""

    attempt: int
    x: float
    score: float | None
    score_y: float | None
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """`words` says everything the drawing shows; `lines` lead from score to score of attempts that follow each other."""

    words: str
    columns: tuple[Column, ...]
    lines: tuple[tuple[float, float, float, float], ...]
    scores: tuple[tuple[int, float], ...]
    width: float
    height: int = HEIGHT
    axis: int = AXIS
    left: int = LEFT


def picture_of(turns: Sequence[Turn]) -> Picture | None:
    """Null while there is nothing to draw: no attempt, or none that was told of."""
    if not any(turn.changes or turn.attempt.score is not None for turn in turns):
        return None
    slot = SLOT if len(turns) <= MOST_WIDE else NARROW_SLOT
    most = (
        max(
            (max(told.there, len(told.fixed)) for turn in turns if (told := turn.changes)),
            default=0,
        )
        or 1
    )
    columns = [
        _column(turn, LEFT + slot * (place + 0.5), slot, most) for place, turn in enumerate(turns)
    ]
    return Picture(
        words=" ".join(_words(turn) for turn in turns),
        columns=tuple(columns),
        lines=tuple(_lines(columns)),
        scores=tuple((score, _score_y(score)) for score in range(1, 6)),
        width=LEFT + slot * len(turns) + RIGHT,
    )


def _column(turn: Turn, x: float, slot: int, most: int) -> Column:
    score, width = turn.attempt.score, slot * BAR_SHARE
    left, top = round(x - width / 2, 1), float(AXIS)
    parts = []
    for kind, count in _there(turn):
        height = TALLEST * count / most
        top -= height
        parts.append(Part(kind, count, left, round(top, 1), width, round(height, 1)))
    deep = round(DEEPEST * len(turn.fixes) / most, 1)
    parts.append(Part("fixed", len(turn.fixes), left, AXIS + 1, width, deep))
    return Column(
        attempt=turn.submission.attempt,
        x=round(x, 1),
        score=score,
        score_y=None if score is None else _score_y(score),
        parts=tuple(part for part in parts if part.count),
    )


def _there(turn: Turn) -> list[tuple[str, int]]:
    """From the axis upwards."""
    told = turn.changes
    return (
        [("still", len(told.still)), ("new", len(told.new)), ("back", len(told.back))]
        if told
        else []
    )


def _score_y(score: float) -> float:
    return round(SCORES_TOP + (5 - score) * SCORE_STEP, 1)


def _lines(columns: Sequence[Column]) -> list[tuple[float, float, float, float]]:
    """A gap where an attempt has no score."""
    return [
        (one.x, one.score_y, other.x, other.score_y)
        for one, other in pairwise(columns)
        if one.score_y is not None and other.score_y is not None
    ]


def _words(turn: Turn) -> str:
    score = "no score" if turn.attempt.score is None else f"{turn.attempt.score:.1f} of 5"
    attempt, told = f"Attempt {turn.submission.attempt}: {score}", turn.changes
    if told is None:
        return f"{attempt}."
    return (
        f"{attempt}; {len(told.still)} still open, {len(told.new)} new, {len(told.back)} came back, "
        f"{len(told.fixed)} fixed."
    )
