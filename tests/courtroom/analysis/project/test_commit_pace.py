"""Distribution of the commits over time, and the history fact."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from courtroom.analysis.git.history import History, read_history
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.project.commit_pace import Pace, deferrals_of, history_fact, pace_of
from courtroom.models.project_facts import HistoryFact
from tests.courtroom.analysis.git.test_history import LIMITS, stages_of
from tests.factories.repositories import Commit, make_repository

START = datetime(2026, 2, 1, 22, 30, tzinfo=UTC)


def history_of(path, *steps: tuple[str, int]) -> History:
    """Commits by message and minutes after START, each touching a file that its message names."""
    made = [
        Commit(message, {"a.py": f"x = {number}\n"}, when=START + timedelta(minutes=minutes))
        for number, (message, minutes) in enumerate(steps)
    ]
    return read_history(
        Snapshot(path, make_repository(path, made), None, malformed_objects=False), LIMITS
    )


def test_history_fact_is_none_without_commits():
    assert history_fact(History((), 0, truncated=False)) is None


@pytest.mark.parametrize(
    ("hours", "days"),
    [(0, ["2026-02-01", "2026-02-02"]), (2, ["2026-02-02"]), (-3, ["2026-02-01"])],
)
def test_days_are_those_of_the_authors_clock(tmp_path, hours, days):
    zone = timezone(timedelta(hours=hours))
    made = [
        Commit(files={"a.py": f"x = {n}\n"}, when=(START + timedelta(hours=2 * n)).astimezone(zone))
        for n in range(2)
    ]
    path = tmp_path / "a.git"
    head = make_repository(path, made)
    history = read_history(Snapshot(path, head, None, malformed_objects=False), LIMITS)
    story = history_fact(history)
    assert story is not None
    assert (pace_of(history).days, list(story["authors"][0]["by_day"])) == (len(days), days)
    assert story["first_at"] == START.astimezone(zone).isoformat()


def test_days_are_counted_and_the_busiest_hour_crosses_midnight(tmp_path):
    history = history_of(
        tmp_path / "a.git", ("One", 0), ("Two", 60), ("Three", 100), ("Four", 1600)
    )
    assert pace_of(history) == Pace(days=3, busiest_hour=2)


def test_history_fact_has_first_and_last_commit_weak_messages_and_stages(tmp_path):
    history = history_of(
        tmp_path / "a.git", ("Initial setup", 0), ("wip", 10), ("Wire the graph", 300)
    )
    story = history_fact(history)
    assert story is not None
    first, _, last = history.commits
    assert HistoryFact.model_validate(story).model_dump() == {
        "first_at": "2026-02-01T22:30:00+00:00",
        "last_at": "2026-02-02T03:30:00+00:00",
        "days": 2,
        "busiest_hour": 2,
        "weak_messages": 1,
        "stages": ({"name": "setup", "commit": first.sha}, {"name": "graph", "commit": last.sha}),
        "authors": (
            {
                "name": "Ada Student",
                "email": "ada@example.org",
                "person": 1,
                "is_bot": False,
                "by_day": {"2026-02-01": 2, "2026-02-02": 1},
                "python_lines": 3,
                "co_authored": 0,
            },
        ),
        "merges": 0,
        "bot_commits": 0,
        "repeats": (),
        "reverts": (),
        "squashed": (),
        "same_messages": (),
        "first_commit_files": 1,
        "files_ever": 1,
        "largest_run": 0.0,
    }


def test_stage_begins_with_its_files_whatever_the_message_says():
    assert stages_of(("update", ("src/graph.py",)), ("Wire it", ("src/graph.py",))) == [
        ("graph", "update")
    ]


def test_deferral_in_a_message_names_its_commit(tmp_path):
    history = history_of(
        tmp_path / "a.git", ("Defer caching until the parser is done", 0), ("Defer caching", 5)
    )
    assert deferrals_of(history) == [
        {"commit": history.commits[0].sha, "text": "Defer caching until the parser is done"}
    ]


def test_co_authors_follow_the_authors_and_a_bot_has_no_days_of_work(tmp_path):
    made = [
        Commit("Add a\n\nCo-authored-by: Bo Peer <bo@example.org>\n", {"a.py": "x\n"}),
        Commit("Bump b", {"b.py": "x\n"}, author="dependabot[bot] <1+dependabot[bot]@x.org>"),
    ]
    path = tmp_path / "a.git"
    head = make_repository(path, made)
    story = history_fact(read_history(Snapshot(path, head, None, malformed_objects=False), LIMITS))
    assert story is not None
    assert [
        (
            author["name"],
            author["person"],
            author["is_bot"],
            len(author["by_day"]),
            author["co_authored"],
        )
        for author in story["authors"]
    ] == [
        ("Ada Student", 1, False, 1, 0),
        ("dependabot[bot]", None, True, 0, 0),
        ("Bo Peer", None, False, 0, 1),
    ]
    assert (story["bot_commits"], story["days"]) == (1, 1)
