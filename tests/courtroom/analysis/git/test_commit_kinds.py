"""Kinds of commits and the people behind them."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.git.commit_kinds import (
    co_authors,
    is_bot,
    joined_commits,
    people_of,
    repeated_messages,
    repeats,
    reverts,
    work_of,
)
from courtroom.analysis.git.history import Commit, History, history_facts

WHEN = "2026-01-05T09:00:00+00:00"


def commit(number: int, *parents: int, subject: str = "", when: str = "", **fields: Any) -> Commit:
    return Commit(
        sha=f"{number:040x}",
        parents=tuple(f"{parent:040x}" for parent in parents),
        author_name=fields.pop("name", "Ada Student"),
        author_email=fields.pop("email", "ada@example.org"),
        authored_at=when or f"2026-01-05T09:{number:02}:00+00:00",
        subject=subject or f"Add part {number}",
        python_lines_added=fields.pop("lines", 10),
        paths=fields.pop("paths", (f"part{number}.py",)),
        **fields,
    )


def history(*commits: Commit) -> History:
    return History(commits, len(commits), truncated=False)


def numbers(commits) -> list[int]:
    return [int(commit.sha, 16) for commit in commits]


def rebased(**second: Any) -> History:
    """Two lines from commit 1 with the same change, then their merge."""
    same: dict[str, Any] = {
        "subject": "Add the parser",
        "when": WHEN,
        "paths": ("parser.py", "notes.md"),
    }
    return history(commit(1), commit(2, 1, **same), commit(3, 1, **same | second), commit(4, 2, 3))


@pytest.mark.parametrize(
    "difference",
    [
        {"subject": "Add another parser"},
        {"when": "2026-01-05T10:00:00+00:00"},
        {"paths": ("graph.py",)},
        {"email": "bo@example.org"},
    ],
)
def test_change_that_differs_in_author_time_message_or_files_is_no_repeat(difference):
    assert repeats(rebased(**difference)) == []


@pytest.mark.parametrize("paths", [("parser.py", "notes.md"), ("parser.py",)])
def test_change_on_two_lines_of_work_is_a_repeat_and_counts_once(paths):
    both = rebased(paths=paths)
    assert [numbers((pair.commit, pair.earlier)) for pair in repeats(both)] == [[3, 2]]
    assert numbers(work_of(both).commits) == [1, 2]


def test_same_words_at_the_same_second_in_a_row_are_no_repeat():
    same: dict[str, Any] = {"subject": "Add the parser", "when": WHEN, "paths": ("parser.py",)}
    side = (commit(5, 1), commit(6, 4, 5))
    row = history(commit(1), commit(2, 1, **same), commit(3, 2, **same), commit(4, 3), *side)
    assert repeats(row) == []


def test_repeated_lines_do_not_hide_a_bulk_upload():
    same: dict[str, Any] = {"subject": "Add all", "when": WHEN, "paths": ("all.py",), "lines": 60}
    single = history(commit(1, lines=0), commit(2, 1, **same), commit(3, 2, lines=55))
    doubled = history(*single.commits, commit(4, 1, **same), commit(5, 3, 4, lines=0))
    assert [history_facts(h)[0]["bulk_upload"] for h in (single, doubled)] == [True, True]
    assert history_facts(doubled)[0]["commit_count"] == 5


def test_merges_bots_and_commits_without_files_are_no_work():
    bot = {"name": "dependabot[bot]", "email": "49699333+dependabot[bot]@users.noreply.github.com"}
    mixed = history(commit(1), commit(2, 1, **bot), commit(3, 2, paths=()), commit(4, 1, 3))
    assert numbers(work_of(mixed).commits) == [1]


@pytest.mark.parametrize(
    ("name", "email", "expected"),
    [
        ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com", True),
        ("GitHub Actions", "ci@example.org", True),
        ("renovate", "bot@renovateapp.com", True),
        ("Abbot Costello", "abbot@example.org", False),
        ("Robotnik", "robot@example.org", False),
        ("Ada", "1+ada@users.noreply.github.com", False),
    ],
)
def test_bot_is_known_by_its_mark_or_its_service(name, email, expected):
    assert is_bot(name, email) is expected


def test_revert_names_the_commit_that_it_takes_back():
    taken = history(
        commit(1, subject="Add the cache"),
        commit(2, 1, subject='Revert "Add the cache"', reverts=f"{1:040x}"),
        commit(3, 2, subject='Revert "Add the cache"'),
        commit(4, 3, subject='Revert "Something unknown"'),
        commit(5, 4, subject="Revert to the old colours"),
    )
    assert [
        (int(p.commit.sha, 16), p.earlier and int(p.earlier.sha, 16)) for p in reverts(taken)
    ] == [
        (2, 1),
        (3, 1),
        (4, None),
    ]


@pytest.mark.parametrize(
    ("subject", "body", "count"),
    [
        ("Add judges (#12)", "* Add personas\n\n* Fix prompt\n\nCo-authored-by: A <a@b.c>", 2),
        ("Squash", f"Squashed commit of the following:\n\ncommit {'a' * 40}\ncommit {'b' * 40}", 2),
        ("Add judges (#12)", "* Add personas", 0),
        ("Add judges", "* personas\n* prompts", 0),
    ],
)
def test_squash_is_known_by_the_list_that_git_or_github_writes(subject, body, count):
    assert joined_commits(subject, body) == count


def test_co_authors_are_those_of_trailers_alone():
    body = "As co-authored-by: nobody\nCo-authored-by: Bo <bo@x.org>\nco-authored-by: Bo <bo@x.org>"
    assert co_authors(body) == (("Bo", "bo@x.org"),)


@pytest.mark.parametrize(
    ("authors", "count"),
    [
        ([("Ada", "ada@x.org"), ("Ada", "ada@home.org")], 1),
        ([("Ada Student", "a@x.org"), ("student7", "A@x.org")], 1),
        ([("Ada Student", "a@x.org"), ("ada7", "1+ada7@users.noreply.github.com")], 2),
        ([("ada7", "a@x.org"), ("Ada Student", "1+ada7@users.noreply.github.com")], 1),
        ([("Ada", "a@x.org"), ("Ada Student", "b@x.org")], 1),
        ([("Ada", "a@x.org"), ("Ada One", "b@x.org"), ("Ada Two", "c@x.org")], 3),
        ([("Ada", "a@x.org"), ("Bo", "b@x.org"), ("Bo", "a@x.org")], 1),
        ([("Ada", "a@x.org"), ("dependabot[bot]", "d@x.org")], 1),
    ],
)
def test_addresses_are_one_persons_where_a_name_or_an_account_shows_it(authors, count):
    commits = (commit(n, name=name, email=email) for n, (name, email) in enumerate(authors, 1))
    assert len(set(people_of(history(*commits)).values())) == count


def test_messages_of_several_commits_are_counted_without_merges():
    same = history(
        commit(1, subject="Update"),
        commit(2, 1, subject="Update"),
        commit(3, 1, 2, subject="Update"),
        commit(4, 3, subject="Add the graph"),
    )
    assert repeated_messages(same) == {"Update": 2}
