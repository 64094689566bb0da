"""How the work is spread over time, and the history as one fact."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from courtroom.analysis.git.history import History, progression, weak_messages
from courtroom.analysis.project.deferrals import deferrals_in

SITTING = timedelta(hours=1)
MOST_AUTHORS = 30


@dataclass(frozen=True, slots=True)
class Pace:
    """`days`: UTC days with a commit; `busiest_hour`: the most commits within any sixty minutes."""

    days: int
    busiest_hour: int


def pace_of(history: History) -> Pace:
    times = _times(history)
    return Pace(
        days=len({time.date() for time in times}), busiest_hour=_most_within(times, SITTING)
    )


def story_of(history: History) -> dict[str, Any] | None:
    """The fields of courtroom.models.facts.HistoryFact; None without commits."""
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
        "authors": [{"name": name, "email": email} for name, email in _authors(history)],
    }


def deferrals_of(history: History) -> list[dict[str, str]]:
    """Work that a commit message puts off with a reason (courtroom.models.facts.Deferral)."""
    return [
        {"commit": commit.sha, "text": text}
        for commit in history.commits
        for _, text in deferrals_in(commit.subject)
    ]


def _authors(history: History) -> list[tuple[str, str]]:
    signed = dict.fromkeys((commit.author_name, commit.author_email) for commit in history.commits)
    return list(signed)[:MOST_AUTHORS]


def _times(history: History) -> list[datetime]:
    """When the work was done, as its authors say; but commits all made in one sitting cannot show several."""
    made = sorted(datetime.fromisoformat(c.committed_at) for c in history.commits if c.committed_at)
    if made and len(made) == len(history.commits) and made[-1] - made[0] <= SITTING:
        return made
    return sorted(datetime.fromisoformat(commit.authored_at) for commit in history.commits)


def _most_within(times: Sequence[datetime], window: timedelta) -> int:
    """The largest number of these sorted times that lie within one window."""
    return max(
        (index + 1 - bisect_left(times, time - window) for index, time in enumerate(times)),
        default=0,
    )
