"""A round drawn: a row for each who audits, a column for each who is audited, a square for each pair."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grading.queries.rounds import STATES, Matrix, State

WIDEST, LARGEST, SMALLEST = 640, 36, 2
MARGIN = 22  # for the numbers at the edge
NUMBERED = 12  # a square smaller than this has no room for a number
NAMED = 60  # above so many members the squares have no titles: the table names every pair


@dataclass(frozen=True, slots=True)
class Square:
    x: int
    y: int
    state: State
    title: str


@dataclass(frozen=True, slots=True)
class Number:
    """A member's place in the circle, written at both edges: `along` the upper, `below` beside the left."""

    text: int
    along: float
    below: float


@dataclass(frozen=True, slots=True)
class Grid:
    """`words` says everything that is drawn; `side` is a square's, `width` the drawing's."""

    words: str
    members: int
    squares: tuple[Square, ...]
    numbers: tuple[Number, ...]
    side: int
    inner: int
    width: int
    legend: tuple[tuple[State, str, int], ...]
    margin: int = MARGIN


def grid_of(matrix: Matrix) -> Grid:
    count = len(matrix.rows)
    step = max(SMALLEST, min(LARGEST, WIDEST // max(count, 1)))
    place = {row.member.student_id: number for number, row in enumerate(matrix.rows)}
    name = {row.member.student_id: str(row.member.student) for row in matrix.rows}
    squares = tuple(
        Square(
            x=MARGIN + step * place[pair.auditee],
            y=MARGIN + step * place[pair.auditor],
            state=pair.state,
            title=f"{name[pair.auditor]} audits {name[pair.auditee]}: {STATES[pair.state]}"
            if count <= NAMED
            else "",
        )
        for pair in matrix.pairs
    )
    tally = Counter(pair.state for pair in matrix.pairs)
    legend = tuple((state, words, tally[state]) for state, words in STATES.items() if tally[state])
    return Grid(
        words=_told(matrix, legend),
        members=count,
        squares=squares,
        numbers=_numbers(count, step),
        side=step - 1 if step < NUMBERED else step - 3,
        inner=step * count,
        width=MARGIN + step * count + 1,
        legend=legend,
    )


def _numbers(count: int, step: int) -> tuple[Number, ...]:
    if step < NUMBERED:
        return ()
    middles = (MARGIN + step * (number + 0.5) for number in range(count))
    return tuple(Number(number, middle, middle + 3) for number, middle in enumerate(middles, start=1))


def _told(matrix: Matrix, legend: tuple[tuple[State, str, int], ...]) -> str:
    said = "; ".join(f"{many} {words}" for _state, words, many in legend) or "no pairs"
    return f"Who audits whom among {len(matrix.rows)} students. {len(matrix.pairs)} pairs: {said}."
