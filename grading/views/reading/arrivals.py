"""When the reports of a round arrived: a bar for each day, and where the round ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from grading.queries.peers.rounds import Matrix

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
