"""Kinds of commits: work, merges, bots, repeats, reverts and squashes, and the people behind them.

A kind follows from what git records of a commit; no kind says why a commit was made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from courtroom.analysis.git.history import Commit, History

# GitHub marks its applications so; the names are those of services from before that mark.
_BOT = re.compile(
    r".*\[bot\]|(?:dependabot|renovate|greenkeeper|github[- ]actions?|actions-user|pre-commit-ci"
    r"|semantic-release-bot|snyk-bot|imgbot|allcontributors|github-classroom)(?:[- ]preview)?",
    re.IGNORECASE,
)
# "12345+name@users.noreply.github.com" is the address that GitHub gives the account "name".
_ACCOUNT = re.compile(r"(?:\d+\+)?([\w.-]+)@users\.noreply\.github\.com", re.IGNORECASE)
_LINES = re.IGNORECASE | re.MULTILINE
_REVERTED = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")
_REVERT_SUBJECT = re.compile(r'Revert "(.*)"(?: \(#\d+\))?$')
_CO_AUTHOR = re.compile(r"^co-authored-by: ?([^<>\n]{1,200}) <([^<>\s]{1,200})>", _LINES)
# The lists that GitHub and `git merge --squash` write of the commits they join.
_PULL_REQUEST = re.compile(r"\(#\d+\)$")
_JOINED = re.compile(r"^\* \S", re.MULTILINE)
_SQUASHED = re.compile(r"^commit [0-9a-f]{40}$", re.MULTILINE)
LEAST_JOINED = 2
# Whether a commit is an ancestor of another takes a walk; a history made to be slow gets no more.
MOST_WALKS = 200


@dataclass(frozen=True, slots=True)
class Pair:
    """A commit and the earlier one that it repeats or reverts; `earlier` is None where unknown."""

    commit: Commit
    earlier: Commit | None


def is_bot(name: str, email: str) -> bool:
    """Return whether a program of a known service, or one marked [bot], made the commit."""
    return any(_BOT.fullmatch(text) for text in (name, email.partition("@")[0]))


def co_authors(body: str) -> tuple[tuple[str, str], ...]:
    """Return name and email of each Co-authored-by line."""
    return tuple(dict.fromkeys((name.strip(), email) for name, email in _CO_AUTHOR.findall(body)))


def joined_commits(subject: str, body: str) -> int:
    """Return how many commits the message lists as joined into this one, 0 for none."""
    pattern = _JOINED if _PULL_REQUEST.search(subject) else _SQUASHED
    count = len(pattern.findall(body))
    return count if count >= LEAST_JOINED else 0


def reverted_commit(body: str) -> str:
    """Return the commit id that git writes into the message of a revert, or ""."""
    match = _REVERTED.search(body)
    return match[1] if match else ""


def work_of(history: History) -> History:
    """Return the history without merges, bots' commits, repeats and commits without a file."""
    again = {pair.commit.sha for pair in repeats(history)}
    kept = tuple(
        commit
        for commit in history.commits
        if commit.paths
        and not commit.is_merge
        and not is_bot(*commit.author)
        and commit.sha not in again
    )
    return replace(history, commits=kept, total=history.total - len(history.commits) + len(kept))


def repeats(history: History) -> list[Pair]:
    """Return the commits with author, time, message and files of one on another line of work.

    A rebase and a cherry-pick keep all four, and a merge then brings both into the history; a file
    may have been dropped on the way. A commit that follows the other one is a change of its own.
    """
    if not any(commit.is_merge for commit in history.commits):
        return []

    by_sha = {commit.sha: commit for commit in history.commits}
    first: dict[tuple[str, ...], Commit] = {}
    alike = []
    for commit in history.commits:
        if commit.is_merge or not commit.paths:
            continue
        key = (commit.author_email, commit.authored_at, commit.subject)
        earlier = first.setdefault(key, commit)
        ours, theirs = set(commit.paths), set(earlier.paths)
        if earlier is not commit and (ours <= theirs or theirs <= ours):
            alike.append(Pair(commit, earlier))
    return [pair for pair in alike[:MOST_WALKS] if not _follows(pair, by_sha)]


def _follows(pair: Pair, by_sha: Mapping[str, Commit]) -> bool:
    """Return whether the earlier commit is an ancestor of the later one."""
    queue, visited = list(pair.commit.parents), set()
    while queue:
        sha = queue.pop()
        if pair.earlier is not None and sha == pair.earlier.sha:
            return True
        if sha not in visited and sha in by_sha:
            visited.add(sha)
            queue += by_sha[sha].parents
    return False


def reverts(history: History) -> list[Pair]:
    """Return the commits that git made to take another one back, each with that one."""
    pairs = []
    by_sha: dict[str, Commit] = {}
    by_subject: dict[str, Commit] = {}
    for commit in history.commits:
        subject = _REVERT_SUBJECT.match(commit.subject)
        if commit.reverts:
            pairs.append(Pair(commit, by_sha.get(commit.reverts)))
        elif subject:
            pairs.append(Pair(commit, by_subject.get(subject[1])))
        by_sha[commit.sha] = by_subject[commit.subject] = commit
    return pairs


def repeated_messages(history: History) -> dict[str, int]:
    """Return each message that several commits of work have, with their number, most first."""
    counts = Counter(commit.subject for commit in work_of(history).commits)
    return {subject: count for subject, count in counts.most_common() if count > 1}


def people_of(history: History) -> dict[tuple[str, str], int]:
    """Return a number for the person behind each name and address, from 1, bots left out.

    Addresses are one person's where the name is the same, or is the first name of only one other,
    or where the account of an address of GitHub is another's name or begins its address.
    """
    authors = [a for a in dict.fromkeys(c.author for c in history.commits) if not is_bot(*a)]
    surnames: dict[str, set[str]] = {}
    for name, _ in authors:
        first, _, rest = name.casefold().partition(" ")
        surnames.setdefault(first, set()).add(rest)

    people: dict[tuple[str, str], int] = {}
    by_mark: dict[str, int] = {}
    for place, author in enumerate(authors, start=1):
        marks = list(_marks_of(*author, surnames))
        # An address may show that two persons so far are one.
        same = {by_mark[mark] for mark in marks if mark in by_mark}
        person = min(same, default=place)
        if len(same) > 1:
            by_mark = {m: person if number in same else number for m, number in by_mark.items()}
            people = {key: person if number in same else number for key, number in people.items()}
        by_mark |= dict.fromkeys(marks, person)
        people[author] = person
    numbers = {person: number for number, person in enumerate(sorted(set(people.values())), 1)}
    return {author: numbers[person] for author, person in people.items()}


def _marks_of(name: str, email: str, surnames: Mapping[str, set[str]]) -> Iterator[str]:
    account = _ACCOUNT.fullmatch(email)
    first, _, rest = name.casefold().partition(" ")
    yield name.casefold()
    yield email.casefold()
    yield account[1].casefold() if account else email.partition("@")[0].casefold()
    if rest and surnames[first] == {"", rest}:
        yield first
