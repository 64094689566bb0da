"""How the work is spread over time, and the history as one fact."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from courtroom.forensics.deferrals import deferrals_in
from courtroom.forensics.history import History, progression, weak_messages

SITTING = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Pace:
    """`days`: UTC days with a commit; `busiest_hour`: the most commits within any sixty minutes."""

    days: int
    busiest_hour: int


def pace_of(history: History) -> Pace:
    times = sorted(datetime.fromisoformat(commit.authored_at) for commit in history.commits)
    return Pace(days=len({time.date() for time in times}), busiest_hour=_most_within(times, SITTING))


def story_of(history: History) -> dict[str, Any] | None:
    """The fields of courtroom.facts.HistoryFact; None without commits."""
    if not history.commits:
        return None
    pace, times = pace_of(history), sorted(commit.authored_at for commit in history.commits)
    return {
        "first_at": times[0],
        "last_at": times[-1],
        "days": pace.days,
        "busiest_hour": pace.busiest_hour,
        "weak_messages": len(weak_messages(history)),
        "stages": [{"name": stage.name, "commit": stage.sha} for stage in progression(history)],
    }


def deferrals_of(history: History) -> list[dict[str, str]]:
    """Work that a commit message puts off with a reason (courtroom.facts.Deferral)."""
    return [
        {"commit": commit.sha, "text": text}
        for commit in history.commits
        for _, text in deferrals_in(commit.subject)
    ]


def _most_within(times: Sequence[datetime], window: timedelta) -> int:
    """The largest number of these sorted times that lie within one window."""
    return max((index + 1 - bisect_left(times, time - window) for index, time in enumerate(times)), default=0)
