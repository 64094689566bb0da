"""Distribution of the commits over time, and the history as one fact."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from courtroom.analysis.git.commit_kinds import (
    Pair,
    is_bot,
    people_of,
    repeated_messages,
    repeats,
    reverts,
    work_of,
)
from courtroom.analysis.git.history import Commit, History, once, weak_messages
from courtroom.analysis.git.stages import progression
from courtroom.analysis.project.deferrals import deferrals_in
from courtroom.analysis.python.source_files import is_installed

SITTING = timedelta(hours=1)
# Time too short to make another change in, and the number of commits in a run of such times.
SUCCESSION, LEAST_RUN = timedelta(minutes=1), 5
MOST_AUTHORS = 30
DAYS = 400
MOST_ROWS = 50
Timed = tuple[datetime, Commit]


@dataclass(frozen=True, slots=True)
class Pace:
    """Number of `days` with work by its authors' clocks, and the most commits in sixty minutes."""

    days: int
    busiest_hour: int


def pace_of(history: History) -> Pace:
    times = _times(work_of(history))
    return Pace(
        days=len({time.date() for time, _ in times}), busiest_hour=len(_most_within(times, SITTING))
    )


def busiest_commits(history: History, most: int, lines: float) -> list[Commit]:
    """Return the commits of work in the sixty minutes with the most of them, in their order.

    Where some such times hold more than `most` and more than so many Python lines, it is of these.
    """
    times = _times(work_of(history))
    sittings = [
        part for part in _parts(times, SITTING) if len(part) > most and _python_lines(part) > lines
    ]
    return [commit for _, commit in max(sittings, key=len, default=_most_within(times, SITTING))]


def fullest_hour(history: History) -> tuple[list[Commit], timedelta]:
    """Return the commits with the most Python of any sixty minutes, and the time they span."""
    times = [row for row in _times(work_of(history)) if row[1].python_lines_added]
    part = max(_parts(times, SITTING), key=_python_lines, default=())
    return [commit for _, commit in part], part[-1][0] - part[0][0] if part else timedelta()


def quick_runs(history: History) -> list[list[Commit]]:
    """Return the runs of five or more commits of work, each within a minute of the one before."""
    runs: list[list[Timed]] = [[]]
    for row in _times(work_of(history)):
        if runs[-1] and row[0] - runs[-1][-1][0] > SUCCESSION:
            runs.append([])
        runs[-1].append(row)
    return [[commit for _, commit in run] for run in runs if len(run) >= LEAST_RUN]


def largest_run(history: History) -> tuple[list[Commit], int]:
    """Return the quick run that brought the most Python, with its lines; ([], 0) without one.

    A commit that repeats an earlier one brings nothing anew.
    """
    lines = {commit.sha: commit.python_lines_added for commit in once(history)}
    runs = [(run, sum(lines.get(commit.sha, 0) for commit in run)) for run in quick_runs(history)]
    return max(runs, key=lambda row: row[1], default=([], 0))


def _python_lines(part: Sequence[Timed]) -> int:
    return sum(commit.python_lines_added for _, commit in part)


def history_fact(history: History) -> dict[str, Any] | None:
    """Return the fields of courtroom.models.facts.HistoryFact, or None without commits."""
    if not history.commits:
        return None

    pace, every = pace_of(history), sum(c.python_lines_added for c in once(history))
    times = sorted((c.authored_at for c in history.commits), key=datetime.fromisoformat)
    first_files, files = files_of_first_commit(history) or (None, None)
    return {
        "first_at": times[0],
        "last_at": times[-1],
        "days": pace.days,
        "busiest_hour": pace.busiest_hour,
        "largest_run": (
            largest_run(history)[1] / every if every and not history.truncated else None
        ),
        "weak_messages": len(weak_messages(history)),
        "stages": [{"name": stage.name, "commit": stage.sha} for stage in progression(history)],
        "authors": _authors(history),
        "merges": sum(commit.is_merge for commit in history.commits),
        "bot_commits": sum(is_bot(*commit.author) for commit in history.commits),
        "repeats": _rows(repeats(history)),
        "reverts": _rows(reverts(history)),
        "squashed": [
            {"commit": commit.sha, "commits": commit.joins}
            for commit in history.commits
            if commit.joins and not commit.is_merge
        ][:MOST_ROWS],
        "same_messages": [
            {"text": text, "commits": count} for text, count in repeated_messages(history).items()
        ][:MOST_ROWS],
        "first_commit_files": first_files,
        "files_ever": files,
    }


def files_of_first_commit(history: History) -> tuple[int, int] | None:
    """Return the number of paths of the first commit and of the whole history, None if unread.

    Files that the first commit only lays out empty are none of its own; installed packages are left
    out.
    """
    if history.truncated or not history.commits:
        return None
    paths = {path for commit in history.commits for path in commit.paths if not is_installed(path)}
    first = history.commits[0]
    return len(paths.intersection(first.paths).difference(first.empty_paths)), len(paths)


def deferrals_of(history: History) -> list[dict[str, str]]:
    """Return work that a commit message defers with a reason, as fields of facts.Deferral."""
    return [
        {"commit": commit.sha, "text": text}
        for commit in history.commits
        for _, text in deferrals_in(commit.subject)
    ]


def _rows(pairs: Sequence[Pair]) -> list[dict[str, str | None]]:
    return [
        {"commit": pair.commit.sha, "earlier": pair.earlier.sha if pair.earlier else None}
        for pair in pairs[:MOST_ROWS]
    ]


def _authors(history: History) -> list[dict[str, Any]]:
    """Return the fields of CommitAuthor for authors, then for co-authors who are none."""
    people, work = people_of(history), work_of(history).commits
    days = Counter((*commit.author, commit.authored_at[:10]) for commit in work)
    lines: Counter[tuple[str, str]] = Counter()
    for commit in work:
        lines[commit.author] += commit.python_lines_added
    joined = Counter(person for commit in work for person in commit.co_authors)

    authors = dict.fromkeys(commit.author for commit in history.commits)
    listed = [*authors, *(person for person in joined if person not in authors)]
    return [
        {
            "name": name,
            "email": email,
            "person": people.get((name, email)),
            "is_bot": is_bot(name, email),
            "by_day": _first_days(days, name, email),
            "python_lines": lines[name, email],
            "co_authored": joined[name, email],
        }
        for name, email in listed[:MOST_AUTHORS]
    ]


def _first_days(days: Mapping[tuple[str, str, str], int], name: str, email: str) -> dict[str, int]:
    own = sorted((day, count) for (n, e, day), count in days.items() if (n, e) == (name, email))
    return dict(own[:DAYS])


def _times(history: History) -> list[Timed]:
    """Return the commits by author time, or by commit time when these lie in one sitting."""
    # Author times can be set freely: work committed within one hour was not spread over days.
    committed = _sorted((commit.committed_at, commit) for commit in history.commits)
    is_complete = bool(committed) and len(committed) == len(history.commits)
    if is_complete and committed[-1][0] - committed[0][0] <= SITTING:
        return committed

    return _sorted((commit.authored_at, commit) for commit in history.commits)


def _sorted(commits: Iterable[tuple[str, Commit]]) -> list[Timed]:
    times = ((datetime.fromisoformat(time), commit) for time, commit in commits if time)
    return sorted(times, key=_time)


def _time(row: Timed) -> datetime:
    return row[0]


def _most_within(times: Sequence[Timed], window: timedelta) -> Sequence[Timed]:
    """Return the largest part of these sorted rows within one window, the first of equals."""
    return max(_parts(times, window), key=len, default=())


def _parts(times: Sequence[Timed], window: timedelta) -> Iterator[Sequence[Timed]]:
    """Yield the rows of each window that ends with a row."""
    for index, (time, _) in enumerate(times):
        yield times[bisect_left(times, time - window, key=_time) : index + 1]
