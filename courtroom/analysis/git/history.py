"""How the work came about: the commits, and the facts that follow from them.

One pass of `git log` tells the names, messages and paths of every commit, and the lines that commits which are no
merges added to Python files: attributes spare git the contents of all others. Files that only moved add no lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtroom.analysis.git.git_process import read_git
from courtroom.analysis.git.snapshot import Snapshot

if TYPE_CHECKING:
    from courtroom.models.case import Limits

# The two largest commits brought more than this share of all Python lines ever added: the course's measure.
BULK_SHARE = 0.55
BULK_COMMITS = 2
# A commit that touches this many stages at once shows none of them.
STAGES_IN_ONE_GO = 3
SUBJECT_CHARACTERS = 300
LATEST_SECOND = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())

LOG_FORMAT = (
    "--format="
    + "".join(f"%x00{field}" for field in ("%H", "%P", "%an", "%ae", "%at", "%ct", "%s"))
    + "%x00"
)
FIELDS = 8

ATTRIBUTES = Path(__file__).parent / "python_only.gitattributes"
# "added TAB removed TAB path"; what git does not count has "-" for a number.
_COUNT = re.compile(r"(\d+)\t\d+\t")
_UNSHOWABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# What each stage is called in a message, and in a path's folders and file names.
STAGES = {
    "setup": r"set ?up|init(ial\w*)?|scaffold\w*|bootstrap\w*|skeleton|structure|environment|dependenc\w+|config\w*"
    r"|pyproject|requirements|uv|gitignore|env|readme|package",
    "tools": r"tools?|tooling|forensics?|detectives?|investigators?|pars(er|ing|e)|ast|clon\w+|pdf|git",
    "graph": r"graphs?|langgraph|stategraph|orchestrat\w+|workflow|pipeline|wir(e|ing)|nodes|fan",
    "judges": r"judg\w+|judicial|prosecutor|defen[sc]e|tech|justice|verdict|synthesis|personas?",
}
_STAGE_WORDS = {name: re.compile(rf"(?:{words})", re.IGNORECASE) for name, words in STAGES.items()}
# A message made of these alone says that something was done, not what.
EMPTY_WORDS = re.compile(
    r"a|add(ed|ing)?|again|all|and|chang(e|ed|es)|code|commit|done|edit(ed)?|files?|final(ly)?|fix(ed|es)?|for|in|it"
    r"|latest|minor|misc|more|my|new|now|of|ok|please|push|saved?|small|some|stuff|te?mp|test|the|things?|to|try|up"
    r"|updat(e|ed|es|ing)|upload|version|via|wip|work"
)


@dataclass(frozen=True, slots=True)
class Commit:
    """Times are ISO 8601 in UTC; a date git cannot read is the epoch, as git itself has it. The author may set
    `authored_at` at will; `committed_at` ("" when unknown) is when the commit was made, or made anew.

    `python_lines_added` is 0 for a merge: its lines belong to the commits it joins.
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


@dataclass(frozen=True, slots=True)
class History:
    """`commits` oldest first; when `truncated`, only the newest of `total`."""

    commits: tuple[Commit, ...]
    total: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a stage of the work (setup, tools, graph, judges) began."""

    name: str
    sha: str
    subject: str


def read_history(snapshot: Snapshot, limits: Limits) -> History:
    """Every commit the snapshot's commit stands on, at most `limits.commits`. Raises ChildFailed."""
    words = [
        "log",
        f"--max-count={limits.commits}",
        "--reverse",
        "--encoding=UTF-8",
        "-M",
        "--raw",
        "--numstat",
    ]
    listing = read_git(
        snapshot.git_dir,
        [*words, LOG_FORMAT, snapshot.commit],
        settings=[f"core.attributesFile={ATTRIBUTES}"],
    )
    commits = tuple(_commits(listing.decode(errors="replace")))
    total = len(commits) if len(commits) < limits.commits else _count(snapshot)
    return History(commits, total, truncated=total > len(commits))


def history_facts(history: History) -> tuple[dict[str, Any], dict[str, str]]:
    """The facts commit_count, author_count and bulk_upload, and why those that are missing are unknown."""
    facts: dict[str, Any] = {"commit_count": history.total}
    if history.truncated:
        why = f"only the newest {len(history.commits)} of {history.total} commits were read"
        return facts, {"bulk_upload": why, "author_count": why}
    facts["author_count"] = len({commit.author_email.lower() for commit in history.commits})
    lines = sorted((commit.python_lines_added for commit in history.commits), reverse=True)
    if not any(lines):
        return facts, {"bulk_upload": "no commit added a line of Python"}
    facts["bulk_upload"] = sum(lines[:BULK_COMMITS]) > BULK_SHARE * sum(lines)
    return facts, {}


def progression(history: History) -> tuple[Stage, ...]:
    """The stages of the work in the order they began, each in a commit of its own.

    A commit begins one stage at most: the first its message names that had not begun, else the one most of its
    paths belong to. One that touches nearly everything and names nothing begins none, nor does one whose message
    says nothing.
    """
    begun: dict[str, Stage] = {}
    for commit in history.commits:
        is_silent = len(commit.parents) > 1 or _says_nothing(commit.subject)
        shown = [] if is_silent else _stages_of(commit)
        name = next((stage for stage in shown if stage not in begun), None)
        if name is not None:
            begun[name] = Stage(name, commit.sha, commit.subject)
    return tuple(begun.values())


def without_empty(history: History) -> History:
    """The history without commits that change no file: they are a message and no work. Merges stay."""
    kept = tuple(commit for commit in history.commits if commit.paths or len(commit.parents) > 1)
    return History(kept, history.total - len(history.commits) + len(kept), history.truncated)


def weak_messages(history: History) -> tuple[Commit, ...]:
    """The commits, merges apart, whose message does not say what was changed."""
    return tuple(c for c in history.commits if len(c.parents) < 2 and _says_nothing(c.subject))


def _commits(listing: str) -> Iterator[Commit]:
    """No field of a commit can hold a NUL, so they come in eights: seven fields, then its changes by line."""
    tokens = listing.split("\0")[1:]
    for start in range(0, len(tokens), FIELDS):
        sha, parents, name, email, seconds, made, subject, changes = tokens[start : start + FIELDS]
        lines = changes.split("\n")
        yield Commit(
            sha=sha,
            parents=tuple(parents.split()),
            author_name=_shown(name),
            author_email=_shown(email),
            authored_at=_moment(seconds),
            subject=_shown(subject),
            python_lines_added=sum(
                int(count[1]) for line in lines if (count := _COUNT.match(line))
            ),
            paths=tuple(line.rpartition("\t")[2] for line in lines if line.startswith(":")),
            committed_at=_moment(made),
        )


def _count(snapshot: Snapshot) -> int:
    return int(read_git(snapshot.git_dir, ["rev-list", "--count", snapshot.commit]))


def _shown(text: str) -> str:
    return _UNSHOWABLE.sub("\ufffd", text)[:SUBJECT_CHARACTERS]


def _moment(seconds: str) -> str:
    return datetime.fromtimestamp(min(int(seconds or 0), LATEST_SECOND), UTC).isoformat()


def _stages_of(commit: Commit) -> list[str]:
    said = _stages_in(commit.subject)
    touched = Counter(stage for path in commit.paths for stage in _stages_in(path))
    if said or len(touched) >= STAGES_IN_ONE_GO:
        return said
    return [stage for stage, _ in touched.most_common()]


def _stages_in(text: str) -> list[str]:
    """The stages its words name, in the order it names them; ChiefJustice and git_tools are two words each."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)
    named = (
        name for word in words for name, stage in _STAGE_WORDS.items() if stage.fullmatch(word)
    )
    return list(dict.fromkeys(named))


def _says_nothing(subject: str) -> bool:
    return all(map(EMPTY_WORDS.fullmatch, re.findall(r"[^\W\d_]+", subject.lower())))
