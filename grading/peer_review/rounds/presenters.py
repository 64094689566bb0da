"""Charts of a round: reports by day of arrival, and the grid of who audits whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.timezone import localtime

from grading.peer_review.rounds.queries import STATES, Matrix, PairStatus, State

# In a longer round a bar covers several days.
MAX_BARS = 42
WIDTH, MAX_BAR_HEIGHT, FLOOR_Y = 640, 80, 96


@dataclass(frozen=True, slots=True)
class Bar:
    """Bar of one day or several. `late` is stacked on `in_time` and begins at `top`."""

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
    """Bar chart of arrivals. `words` describes it fully; `end_x` is the end of the round."""

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
    """Return the chart, or None without reports. Days are those of the page's zone."""
    times = [localtime(pair.report.at) for pair in matrix.pairs if pair.report is not None]
    if not times:
        return None
    until = localtime(matrix.round.ends_at)

    first = min(localtime(matrix.round.starts_at), *times).date()
    last = max(until, *times).date()
    # Days per bar, rounded up.
    span = -(-((last - first).days + 1) // MAX_BARS)
    count = (last - first).days // span + 1
    bars = tuple(_bars(times, until, first, span, count))
    return Arrivals(
        words="Reports received: "
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

    highest = max((late + in_time).values())
    return [
        Bar(
            x=round(index * WIDTH / count, 1),
            width=round(WIDTH / count - 3, 1),
            top=round(FLOOR_Y - MAX_BAR_HEIGHT * (late[index] + in_time[index]) / highest, 1),
            late=round(MAX_BAR_HEIGHT * late[index] / highest, 1),
            in_time=round(MAX_BAR_HEIGHT * in_time[index] / highest, 1),
            title=_bar_title(
                first + timedelta(days=span * index), span, in_time[index], late[index]
            ),
        )
        for index in range(count)
    ]


def _bar_title(day: date, span: int, in_time: int, late: int) -> str:
    days = _day(day) if span == 1 else f"{_day(day)} to {_day(day + timedelta(days=span - 1))}"
    return f"{days}: {in_time + late}" + (f" ({late} late)" if late else "")


def _day(day: date) -> str:
    return f"{day.day} {day:%b}"


# With more students the squares are too small to tell their states apart.
MAX_MATRIX_MEMBERS = 40
WIDEST, MAX_SQUARE = 640, 36
# Room for the numbers at the edges.
MARGIN = 22
COLUMNS, STEP, GAP = 50, 12, 10
MATRIX_CAPTION = (
    "One row per auditor and one column per student audited, both in the order of the members."
)
COLUMN_CAPTION = "One column per student, in the order of the members, with one square per audit."


@dataclass(frozen=True, slots=True)
class Square:
    """Square of one pair. `title` names the pair where the grid is a matrix."""

    x: int
    y: int
    state: State
    title: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """Place of a member in the circle, at the top edge (`along`) and the left edge (`below`)."""

    text: int
    along: float
    below: float


@dataclass(frozen=True, slots=True)
class Grid:
    """Grid of pairs. `words` describes it fully; `side` is the side of a square.

    `inner` is the size of the matrix, 0 for the grid of columns.
    """

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
    words = _pair_grid_words(matrix, legend)
    return (
        _matrix_grid(matrix, words, legend)
        if len(matrix.rows) <= MAX_MATRIX_MEMBERS
        else _column_grid(matrix, words, legend)
    )


def _matrix_grid(matrix: Matrix, words: str, legend: tuple[tuple[State, str, int], ...]) -> Grid:
    count = len(matrix.rows)
    step = min(MAX_SQUARE, WIDEST // max(count, 1))
    middles = [MARGIN + step * (index + 0.5) for index in range(count)]
    width = MARGIN + step * count + 1
    return Grid(
        words=words,
        caption=MATRIX_CAPTION,
        members=count,
        squares=tuple(_matrix_squares(matrix, step)),
        numbers=tuple(
            Number(index, median_time, median_time + 3)
            for index, median_time in enumerate(middles, start=1)
        ),
        side=step - 3,
        inner=step * count,
        width=width,
        height=width,
        legend=legend,
    )


def _matrix_squares(matrix: Matrix, step: int) -> Iterator[Square]:
    index = {row.member.student_id: number for number, row in enumerate(matrix.rows)}
    name = {row.member.student_id: row.name for row in matrix.rows}
    for pair in matrix.pairs:
        yield Square(
            x=MARGIN + step * index[pair.auditee] + 1,
            y=MARGIN + step * index[pair.auditor] + 1,
            state=pair.state,
            title=f"{name[pair.auditor]} audits {name[pair.auditee]}: {STATES[pair.state]}",
        )


def _column_grid(matrix: Matrix, words: str, legend: tuple[tuple[State, str, int], ...]) -> Grid:
    tallest = max(len(row.audits) for row in matrix.rows)
    band = tallest * STEP + GAP
    return Grid(
        words=words,
        caption=COLUMN_CAPTION,
        members=len(matrix.rows),
        squares=tuple(
            square
            for index, row in enumerate(matrix.rows)
            for square in _column(row.audits, index, band)
        ),
        numbers=(),
        side=STEP - 2,
        inner=0,
        width=COLUMNS * STEP + 2,
        height=band * -(-len(matrix.rows) // COLUMNS),
        legend=legend,
    )


def _column(audits: Iterable[PairStatus], index: int, band: int) -> Iterator[Square]:
    for level, pair in enumerate(audits):
        yield Square(
            x=1 + STEP * (index % COLUMNS),
            y=1 + band * (index // COLUMNS) + STEP * level,
            state=pair.state,
        )


def _pair_grid_words(matrix: Matrix, legend: tuple[tuple[State, str, int], ...]) -> str:
    states = "; ".join(f"{count} {words}" for _state, words, count in legend) or "no pairs"
    return (
        f"Who audits whom among {len(matrix.rows)} students. {len(matrix.pairs)} pairs: {states}."
    )
