"""Who moves, how far, and over which boundary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grading import engine
from grading.previews import Change, Pair
from grading.views.previewing.criteria import crosses_level

Crossing = Literal["passes", "fails", ""]


@dataclass(frozen=True, slots=True)
class PassMarks:
    """Where passing begins: percent of the points where a result has points, else an overall score."""

    score: float = 3.0
    percent: float = 60.0

    def passed(self, marks: engine.Marks | None) -> bool | None:
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
    moved = sorted((change for change in changes if change.is_changed), key=lambda change: -change.distance)
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


def _waits(marks: engine.Marks | None) -> bool:
    return marks is not None and any(row.needs_review for row in marks.criteria)
