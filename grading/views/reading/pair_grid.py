"""A round drawn, a square for each pair: of few students who audits whom, of many what each of them owes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grading.queries.peers.rounds import STATES, Matrix, Paired, State

MATRIX_UP_TO = 40  # students; above, its squares are too small to tell their states apart
WIDEST, LARGEST = 640, 36
MARGIN = 22  # for the numbers at the edges
COLUMNS, STEP, GAP = 50, 12, 10
WHO_WHOM = "A row for each who audits, a column for each who is audited, in the order of the circle."
WHAT_EACH = "A column for each student, in the order of the circle: a square for each of their audits."


@dataclass(frozen=True, slots=True)
class Square:
    """`title` names the pair where there are few enough to be pointed at."""

    x: int
    y: int
    state: State
    title: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A member's place in the circle, written at both edges: `along` the upper, `below` beside the left."""

    text: int
    along: float
    below: float


@dataclass(frozen=True, slots=True)
class Grid:
    """`words` says everything that is drawn; `side` is a square's. `inner` is the ground of a matrix, 0 without one."""

    words: str
    caption: str
    members: int
    squares: tuple[Square, ...]
    numbers: tuple[Number, ...]
    side: int
    inner: int
    width: int
    height: int
    legend: tuple[tuple[State, str, int], ...]
    margin: int = MARGIN


def grid_of(matrix: Matrix) -> Grid:
    tally = Counter(pair.state for pair in matrix.pairs)
    legend = tuple((state, words, tally[state]) for state, words in STATES.items() if tally[state])
    words = _told(matrix, legend)
    return (
        _who_whom(matrix, words, legend)
        if len(matrix.rows) <= MATRIX_UP_TO
        else _what_each(matrix, words, legend)
    )


def _who_whom(matrix: Matrix, words: str, legend: tuple[tuple[State, str, int], ...]) -> Grid:
    count = len(matrix.rows)
    step = min(LARGEST, WIDEST // max(count, 1))
    middles = [MARGIN + step * (place + 0.5) for place in range(count)]
    width = MARGIN + step * count + 1
    return Grid(
        words=words,
        caption=WHO_WHOM,
        members=count,
        squares=tuple(_crossings(matrix, step)),
        numbers=tuple(Number(place, middle, middle + 3) for place, middle in enumerate(middles, start=1)),
        side=step - 3,
        inner=step * count,
        width=width,
        height=width,
        legend=legend,
    )


def _crossings(matrix: Matrix, step: int) -> Iterator[Square]:
    place = {row.member.student_id: number for number, row in enumerate(matrix.rows)}
    name = {row.member.student_id: str(row.member.student) for row in matrix.rows}
    for pair in matrix.pairs:
        yield Square(
            x=MARGIN + step * place[pair.auditee] + 1,
            y=MARGIN + step * place[pair.auditor] + 1,
            state=pair.state,
            title=f"{name[pair.auditor]} audits {name[pair.auditee]}: {STATES[pair.state]}",
        )


def _what_each(matrix: Matrix, words: str, legend: tuple[tuple[State, str, int], ...]) -> Grid:
    tallest = max(len(row.audits) for row in matrix.rows)
    band = tallest * STEP + GAP
    return Grid(
        words=words,
        caption=WHAT_EACH,
        members=len(matrix.rows),
        squares=tuple(
            square for place, row in enumerate(matrix.rows) for square in _column(row.audits, place, band)
        ),
        numbers=(),
        side=STEP - 2,
        inner=0,
        width=COLUMNS * STEP + 2,
        height=band * -(-len(matrix.rows) // COLUMNS),
        legend=legend,
    )


def _column(audits: Iterable[Paired], place: int, band: int) -> Iterator[Square]:
    for level, pair in enumerate(audits):
        yield Square(
            x=1 + STEP * (place % COLUMNS), y=1 + band * (place // COLUMNS) + STEP * level, state=pair.state
        )


def _told(matrix: Matrix, legend: tuple[tuple[State, str, int], ...]) -> str:
    said = "; ".join(f"{many} {words}" for _state, words, many in legend) or "no pairs"
    return f"Who audits whom among {len(matrix.rows)} students. {len(matrix.pairs)} pairs: {said}."
