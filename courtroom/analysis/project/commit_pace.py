"""Distribution of the commits over time, and the history as one fact."""

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
    """Number of UTC `days` with a commit, and the most commits within any sixty minutes."""

    days: int
    busiest_hour: int


def pace_of(history: History) -> Pace:
    times = _times(history)
    return Pace(
        days=len({time.date() for time in times}), busiest_hour=_most_within(times, SITTING)
    )


def history_fact(history: History) -> dict[str, Any] | None:
    """Return the fields of courtroom.models.facts.HistoryFact, or None without commits."""
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
    """Return work that a commit message defers with a reason, as fields of facts.Deferral."""
    return [
        {"commit": commit.sha, "text": text}
        for commit in history.commits
        for _, text in deferrals_in(commit.subject)
    ]


def _authors(history: History) -> list[tuple[str, str]]:
    authors = dict.fromkeys((commit.author_name, commit.author_email) for commit in history.commits)
    return list(authors)[:MOST_AUTHORS]


def _times(history: History) -> list[datetime]:
    """Return the sorted author times, or the commit times when these lie in one sitting."""
    # Author times can be set freely: work committed within one hour was not spread over days.
    committed = sorted(
        datetime.fromisoformat(commit.committed_at)
        for commit in history.commits
        if commit.committed_at
    )
    is_complete = bool(committed) and len(committed) == len(history.commits)
    if is_complete and committed[-1] - committed[0] <= SITTING:
        return committed

    return sorted(datetime.fromisoformat(commit.authored_at) for commit in history.commits)


def _most_within(times: Sequence[datetime], window: timedelta) -> int:
    """Return the largest number of these sorted times within one window."""
    return max(
        (index + 1 - bisect_left(times, time - window) for index, time in enumerate(times)),
        default=0,
    )
