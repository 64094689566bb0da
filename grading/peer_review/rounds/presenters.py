"""When the reports of a round arrived: a bar for each day, and where the round ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from grading.peer_review.rounds.queries import STATES, Matrix, Paired, State

MOST_BARS = 42  # of a longer round a bar is several days
WIDTH, TALLEST, FLOOR_Y = 640, 80, 96


@dataclass(frozen=True, slots=True)
class Bar:
    """`late` stands on top of what was in time; `top` is where it begins."""

    x: float
    width: float
    top: float
    late: float
    in_time: float
    title: str

    @property
    def in_time_top(self) -> float:
        return round(self.top + self.late, 1)


@dataclass(frozen=True, slots=True)
class Arrivals:
    """`words` says everything that is drawn; `end_x` is where the round ends."""

    words: str
    bars: tuple[Bar, ...]
    first: str
    last: str
    end_x: float
    width: int = WIDTH
    floor_y: int = FLOOR_Y
    labels_y: int = FLOOR_Y + 16
    height: int = FLOOR_Y + 22


def arrivals_of(matrix: Matrix) -> Arrivals | None:
    """Null while there is nothing to draw. Days are in UTC, as everywhere on the site."""
    times = [pair.report.at for pair in matrix.pairs if pair.report is not None]
    if not times:
        return None
    until = matrix.round.ends_at
    first = min(matrix.round.starts_at, *times).date()
    last = max(until, *times).date()
    span = -(-((last - first).days + 1) // MOST_BARS)
    count = (last - first).days // span + 1
    bars = tuple(_bars(times, until, first, span, count))
    return Arrivals(
        words="Reports that arrived: "
        + "; ".join(bar.title for bar in bars if bar.late or bar.in_time)
        + ".",
        bars=bars,
        first=_day(first),
        last=_day(last),
        end_x=round(((until.date() - first).days / span + 1) * WIDTH / count - 1, 1),
    )


def _bars(times: list[datetime], until: datetime, first: date, span: int, count: int) -> list[Bar]:
    late = Counter((at.date() - first).days // span for at in times if at > until)
    in_time = Counter((at.date() - first).days // span for at in times if at <= until)
    most = max((late + in_time).values())
    return [
        Bar(
            x=round(place * WIDTH / count, 1),
            width=round(WIDTH / count - 3, 1),
            top=round(FLOOR_Y - TALLEST * (late[place] + in_time[place]) / most, 1),
            late=round(TALLEST * late[place] / most, 1),
            in_time=round(TALLEST * in_time[place] / most, 1),
            title=_told(first + timedelta(days=span * place), span, in_time[place], late[place]),
        )
        for place in range(count)
    ]


def _told(day: date, span: int, in_time: int, late: int) -> str:
    days = _day(day) if span == 1 else f"{_day(day)} to {_day(day + timedelta(days=span - 1))}"
    return f"{days}: {in_time + late}" + (f" ({late} late)" if late else "")


def _day(day: date) -> str:
    return f"{day.day} {day:%b}"


MATRIX_UP_TO = 40  # students; above, its squares are too small to tell their states apart
WIDEST, LARGEST = 640, 36
MARGIN = 22  # for the numbers at the edges
COLUMNS, STEP, GAP = 50, 12, 10
WHO_WHOM = (
    "A row for each who audits, a column for each who is audited, in the order of the circle."
)
WHAT_EACH = (
    "A column for each student, in the order of the circle: a square for each of their audits."
)


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
    words = _told_pair_grid(matrix, legend)
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
        numbers=tuple(
            Number(place, middle, middle + 3) for place, middle in enumerate(middles, start=1)
        ),
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
            square
            for place, row in enumerate(matrix.rows)
            for square in _column(row.audits, place, band)
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
            x=1 + STEP * (place % COLUMNS),
            y=1 + band * (place // COLUMNS) + STEP * level,
            state=pair.state,
        )


def _told_pair_grid(matrix: Matrix, legend: tuple[tuple[State, str, int], ...]) -> str:
    said = "; ".join(f"{many} {words}" for _state, words, many in legend) or "no pairs"
    return f"Who audits whom among {len(matrix.rows)} students. {len(matrix.pairs)} pairs: {said}."
