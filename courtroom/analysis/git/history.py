"""Commit history of a repository, and the facts that follow from it.

One run of `git log` lists the authors, messages and paths of all commits, and the lines that
commits other than merges added to Python files. An attributes file keeps git from reading any
other file's contents. A file that only moved adds no lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.git.commit_kinds import (
    co_authors,
    joined_commits,
    people_of,
    repeats,
    reverted_commit,
    work_of,
)
from courtroom.analysis.git.git_process import read_git
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.git.stages import with_graphs_read, with_stubs_read
from courtroom.analysis.python.source_files import is_installed

if TYPE_CHECKING:
    from courtroom.analysis.project.audit_versions import EarlierAudit
    from courtroom.models.case import Limits

# The course calls it a bulk upload when the two largest commits added more than this share of all
# Python lines.
BULK_SHARE = 0.55
BULK_COMMITS = 2
SUBJECT_CHARACTERS = 300
LATEST_SECOND = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())

LOG_FORMAT = (
    "--format="
    + "".join(f"%x00{field}" for field in ("%H", "%P", "%an", "%ae", "%ad", "%cd", "%s", "%b"))
    + "%x00"
)
FIELDS = 9

ATTRIBUTES = Path(__file__).parent / "python_only.gitattributes"
# Of the first files of the stages of 65 works those with fewer lines of Python were placeholders,
# or their message named the stage, or they laid out a graph.
LEAST_LINES = 18
# "added TAB removed TAB path"; a file that git does not count has "-" instead of a number.
_LINE_COUNT = re.compile(r"(\d+)\t\d+\t(.*)")
# The start of git's id of the content of a new Python file, and its path.
_NEW_PYTHON = re.compile(r":0+ \d+ 0+ ([0-9a-f]+)[.]* A\t(.*\.py)")
# The start of git's id of an empty file, which it may abbreviate to seven digits.
_EMPTY_BLOB = re.compile(r":\d+ \d+ [0-9a-f]+ e69de29[0-9a-f]* ")
# Seconds since the epoch, and hours and minutes ahead of UTC.
_RAW_DATE = re.compile(r"(\d+) ([+-])(\d\d)(\d\d)")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# A message made of these words alone does not say what changed.
EMPTY_WORDS = re.compile(
    r"a|add(ed|ing|s)?|again|init(ial)?|first|all|an|and|big|bugs?|chang(e|ed|es)|check(ed|ing|s)?|chore"
    r"|creat(e|ed|es|ing)|delet(e|ed|es|ing)|did|i|implement(ed|ing|s)?"
    r"|clean(ed|ing|up)?|codes?|codebase|commit|complet(e|ed|es|ing|ion)|deliverables?|done|edit(ed|s)?"
    r"|enhanc(e|ed|ements?|ing)|everything|full|last|logic|modifications?|polish(ed|ing)?|ready"
    r"|refin(e|ed|ements?|ing)|scores?|stable|submission|submit(ted)?|system|tweak(ed|s)?"
    r"|errors?|feat|features?|files?|final(ly|i[sz](e|ed|es|ing))?|fix(ed|es|ing)?|for|important|improv(ed?|ements?|ing)"
    r"|in|issues?|it|latest|minor|misc|modif(ied|y)|more|my|new|now|of|ok|optimi[sz]ations?|please"
    r"|remaining|remov(e|ed|es|ing)|unnecessary|untracked|when"
    r"|mak(e|es|ing)"
    r"|branch|current|initiali[sz](e|ed|es|ing|ation)|with"
    r"|project|push(ed)?|refactor(ed|ing)?|repo(sitory)?|saved?|small|some|stuff|te?mp|test|the"
    r"|things?|to|try|up|updat(e|ed|es|ing)|upload(ed)?|versions?|via|wip|work"
)
# So many other words make a message that shows what a good one is.
TELLING = 3
# Long ones of these words, as they are known also when misspelt.
LONG_WORDS: tuple[str, ...] = (
    "submission",
    "everything",
    "making",
    "updating",
    "updated",
    "modified",
    "improved",
)
LONG_WORDS += ("completed", "implemented", "refactored", "improvements", "modifications")
_UP_TO_DATE = re.compile(r"\bup[ -]to[ -]date\b", re.IGNORECASE)
# Of an auditor this is the whole product.
_PRODUCT_WORDS = re.compile(r"\b(?:automaton auditor|audit(?:ing|or)? system)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_KIND = re.compile(r"\w{1,20} ?:")
# Words that say of a file that it is another than before.
_CHANGED = re.compile(r"chang(?:e|ed|es)|edit(?:ed|s)?|modif(?:ied|y)|updat(?:e|ed|es|ing)")
# The ground of a change is no part of what changed.
_GROUND = re.compile(r"\b(?:according to|as per|based on) [^,;:]{1,200}", re.IGNORECASE)
KINDS = ("chore", "feat", "feature", "fix", "refactor", "update")
ALIKE = 0.85
# A kind of as many letters, of which one is another: "deat" for "feat".
ALMOST = 0.75
# An updater is no misspelt update.
MISSPELT = 0.9
# Of these words those that say what changed where each changed file is called so.
FILE_WORDS = frozenset({"test", "init", "error", "errors", "scores", "logic", "submission"})
# The number of an issue, not that of a pull request, which the service adds; or of a version.
_NAMED_NUMBER = re.compile(r"(?<!\()#\d|\d\.\d")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. Times are ISO 8601 by the clock that set them; the epoch where git reads none.

    The author can set `authored_at` freely; `committed_at` ("" when unknown) is when the commit was
    created or rewritten. `python_lines_added` is 0 for a merge: its lines belong to the commits it
    joins, and those of installed packages stand in `installed_lines_added`, those of files that the commit adds
    under several paths once here and else in `copied_lines_added`. `empty_paths` are those
    of `paths` that hold nothing after it, `thin_paths` the Python files to which it adds fewer than
    LEAST_LINES, or whose judges do nothing yet, `bare_graphs` those in which the graph has no node
    of its own yet, `bench_paths` those where functions of judges begin, `client_paths` those of
    detectives that import tools (stages.py). `co_authors` are names and emails, `joins` the number of commits that the message says were squashed,
    `reverts` the id of the commit that it takes back.
    """

    sha: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    authored_at: str
    subject: str
    python_lines_added: int
    paths: tuple[str, ...] = ()
    committed_at: str = ""
    co_authors: tuple[tuple[str, str], ...] = ()
    joins: int = 0
    reverts: str = ""
    empty_paths: frozenset[str] = frozenset()
    thin_paths: frozenset[str] = frozenset()
    bare_graphs: frozenset[str] = frozenset()
    bench_paths: frozenset[str] = frozenset()
    client_paths: frozenset[str] = frozenset()
    installed_lines_added: int = 0
    copied_lines_added: int = 0

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1

    @property
    def author(self) -> tuple[str, str]:
        return self.author_name, self.author_email


@dataclass(frozen=True, slots=True)
class History:
    """Commits, oldest first; when `truncated`, only the newest of `total`.

    `earlier_audits` are versions of the work's own audits that later commits changed; None where
    they were not read.
    """

    commits: tuple[Commit, ...]
    total: int
    truncated: bool
    earlier_audits: tuple[EarlierAudit, ...] | None = None


def read_history(snapshot: Snapshot, limits: Limits) -> History:
    """Read the commit and its ancestors, at most `limits.commits` of them. Raises ChildFailed."""
    options = [f"--max-count={limits.commits}", "--reverse", "--encoding=UTF-8", "-M"]
    listing = read_git(
        snapshot.git_dir,
        ["log", *options, "--date=raw", "--raw", "--numstat", LOG_FORMAT, snapshot.commit],
        settings=[f"core.attributesFile={ATTRIBUTES}"],
    )
    commits = tuple(_parse_commits(listing.decode(errors="replace")))
    commits = with_stubs_read(snapshot.git_dir, with_graphs_read(snapshot.git_dir, commits))
    total = len(commits) if len(commits) < limits.commits else _count_commits(snapshot)
    return History(commits, total, truncated=total > len(commits))


def history_facts(history: History) -> tuple[dict[str, Any], dict[str, str]]:
    """Return commit_count, author_count and bulk_upload, and the reasons for missing ones.

    `author_count` is the number of people. A change that is in the history twice counts once.
    """
    facts: dict[str, Any] = {"commit_count": history.total}
    if history.truncated:
        reason = f"only the newest {len(history.commits)} of {history.total} commits were read"
        return facts, {"bulk_upload": reason, "author_count": reason}

    facts["author_count"] = len(set(people_of(history).values()))
    lines = sorted((commit.python_lines_added for commit in once(history)), reverse=True)
    if not any(lines):
        return facts, {"bulk_upload": "no commit added a line of Python"}

    facts["bulk_upload"] = sum(lines[:BULK_COMMITS]) > BULK_SHARE * sum(lines)
    return facts, {}


def once(history: History) -> tuple[Commit, ...]:
    """Return the commits without those that repeat an earlier one."""
    again = {pair.commit.sha for pair in repeats(history)}
    return tuple(commit for commit in history.commits if commit.sha not in again)


def weak_messages(history: History) -> tuple[Commit, ...]:
    """Return the commits of work whose message does not say what changed."""
    return tuple(
        commit
        for commit in work_of(history).commits
        if _is_empty_message(commit.subject) and not _names_its_files(commit)
    )


def messages_on_files(history: History) -> tuple[Commit, ...]:
    """Return the commits of work whose message says of its files that they changed, and no more."""
    return tuple(commit for commit in work_of(history).commits if _only_names_files(commit))


def telling_message(commits: Sequence[Commit]) -> Commit:
    """Return the last commit whose message has several words that name something, else the last."""
    telling = (commit for commit in reversed(commits) if _named_words(commit.subject) >= TELLING)
    return next(telling, commits[-1])


def _parse_commits(listing: str) -> Iterator[Commit]:
    # No field can contain a NUL, so every commit is nine tokens: eight fields and its changes.
    tokens = listing.split("\0")[1:]
    for start in range(0, len(tokens), FIELDS):
        sha, parents, name, email, authored, committed, subject, body, changes = tokens[
            start : start + FIELDS
        ]
        lines = changes.split("\n")
        added = [(count[2], int(count[1])) for line in lines if (count := _LINE_COUNT.match(line))]
        own = [(path, count) for path, count in added if not is_installed(path)]
        again = _copies(lines)
        # Markers of packages are alike and no copies.
        copied = sum(count for path, count in own if path in again and count >= LEAST_LINES)
        yield Commit(
            sha=sha,
            parents=tuple(parents.split()),
            author_name=_printable(name),
            author_email=_printable(email),
            authored_at=_timestamp(authored),
            subject=_printable(subject.strip()),
            python_lines_added=sum(count for _, count in own) - copied,
            installed_lines_added=sum(count for path, count in added if is_installed(path)),
            paths=tuple(line.rpartition("\t")[2] for line in lines if line.startswith(":")),
            empty_paths=frozenset(
                line.rpartition("\t")[2] for line in lines if _EMPTY_BLOB.match(line)
            ),
            # Of a file that moved both paths stand in one field, so that it is none of these.
            thin_paths=frozenset(path for path, count in added if count < LEAST_LINES),
            committed_at=_timestamp(committed),
            co_authors=tuple(
                (_printable(name), _printable(email)) for name, email in co_authors(body)
            ),
            joins=joined_commits(subject, body),
            reverts=reverted_commit(body),
            copied_lines_added=copied,
        )


def _copies(lines: Sequence[str]) -> set[str]:
    """Return the new Python files whose content another new one has, but for the first of them."""
    new = (match.groups() for line in lines if (match := _NEW_PYTHON.fullmatch(line)))
    first: dict[str, str] = {}
    return {path for blob, path in new if first.setdefault(blob, path) != path}


def _count_commits(snapshot: Snapshot) -> int:
    return int(read_git(snapshot.git_dir, ["rev-list", "--count", snapshot.commit]))


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)[:SUBJECT_CHARACTERS]


def _timestamp(date: str) -> str:
    match = _RAW_DATE.fullmatch(date)
    if match is None:
        return datetime.fromtimestamp(0, UTC).isoformat()
    ahead = timedelta(hours=int(match[3]), minutes=int(match[4]))
    # git takes any four digits for a zone.
    zone = timezone(-ahead if match[2] == "-" else ahead) if ahead < timedelta(days=1) else UTC
    return datetime.fromtimestamp(min(int(match[1]), LATEST_SECOND), zone).isoformat()


def _words_of_change(subject: str) -> list[str]:
    named = _PRODUCT_WORDS.sub("", _UP_TO_DATE.sub("", _GROUND.sub("", subject)))
    words = _WORD.findall(named.lower())
    # A kind of change before a colon, misspelt or not, names nothing.
    return words[1:] if words and _KIND.match(subject) and _is_kind(words[0]) else words


def _is_empty_message(subject: str) -> bool:
    words = _words_of_change(subject)
    return all(map(_is_empty_word, words)) and not _NAMED_NUMBER.search(subject)


def _only_names_files(commit: Commit) -> bool:
    words = _words_of_change(commit.subject)
    parts = (part for path in commit.paths for part in PurePosixPath(path).parts)
    named = {word for part in parts for word in _WORD.findall(part.lower())}
    rest = [word for word in words if word in named or not _is_empty_word(word)]
    return bool(rest) and named.issuperset(rest) and any(map(_CHANGED.fullmatch, words))


def _named_words(subject: str) -> int:
    return sum(not _is_empty_word(word) for word in _WORD.findall(subject.lower()))


def _is_kind(word: str) -> bool:
    as_long = [kind for kind in KINDS if len(kind) == len(word)]
    return bool(
        get_close_matches(word, KINDS, cutoff=ALIKE)
        or get_close_matches(word, as_long, cutoff=ALMOST)
    )


def _names_its_files(commit: Commit) -> bool:
    """Return whether each file is called by a word of the message, which is not its only one."""
    words = _WORD.findall(commit.subject.lower())
    file_words = FILE_WORDS.intersection(words)
    names = (_WORD.findall(PurePosixPath(path).stem.lower()) for path in commit.paths)
    return len(words) > 1 and bool(file_words) and not any(map(file_words.isdisjoint, names))


def _is_empty_word(word: str) -> bool:
    return bool(EMPTY_WORDS.fullmatch(word) or get_close_matches(word, LONG_WORDS, cutoff=MISSPELT))
