"""Messages that their commits do not bear out: more than was done, other files, an unfilled template."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from courtroom.analysis.git.commit_kinds import work_of

if TYPE_CHECKING:
    from courtroom.analysis.git.history import Commit, History

# A message that says that something works now, and words for a layout of files still to be filled.
_CLAIM = re.compile(r"\bimplement(?:s|ed|ing)?\b|\b(?:functions|logic)\b", re.IGNORECASE)
_LAYOUT = re.compile(
    r"\b(?:structure|skeleton|scaffold\w*|stubs?|placeholders?|init|initial\w*|files?|folders?|layout"
    r"|imports?|docs?|docstrings?|comments?|remov\w*|fix\w*|refactor\w*)\b|__init__|\.py\b",
    re.IGNORECASE,
)
# A name of a class after a word that says that it is there now.
_DEFINING_WORDS = re.compile(
    r"\b(?:[Aa]dd|[Cc]reat|[Dd]efin|[Ii]mplement)(?:e[ds]?|s|ing)? (?:[a-z]+ ){0,2}"
    r"(?:[A-Z][a-z0-9]+){2,}\b"
)
# A file right after the verb, and what may follow where it is all that the verb is about.
_NAMED_FILE = re.compile(
    r"(?:\w+(?:\([\w, /-]{1,40}\))? ?: ?)?"
    r"(?:(?P<add>add)|creat|delet|edit|fix|modif|refactor|remov|updat)(?:e[ds]?|ied|ies|y|ing|s)? (?:the )?"
    r"`?(?P<path>(?:[\w.-]+/){0,9}[\w-]*\.[a-z]{2,10}(?:\.[a-z]{2,10})?)`?"
    r"(?= *(?:$|[,;:(]| and\b| for\b| with\b|(?(add)(?!)| to (?!\S*\.))))",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"^describe (?:a|one|the|what|your)\b.{0,40}(?:\bchange|\bcommit|\bdid\b|: e\.g\.)"
    r"|\byour commit message\b|\bcommit message here\b"
    r"|<(?:type|scope|subject|description|message|summary|what)\b[^<>]{0,40}>|^\w+\(scope\):",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")
# A file under nearly the name that the message gives is the same one, misspelt.
ALIKE = 0.8


def overclaimed_messages(history: History) -> tuple[Commit, ...]:
    """Return the commits that say to implement something and add no more than a line of Python."""
    return tuple(
        commit
        for commit in work_of(history).commits
        if commit.python_lines_added <= 1
        and not _LAYOUT.search(commit.subject)
        and _has_place_for_claim(commit)
    )


def untouched_files(history: History) -> tuple[tuple[Commit, str], ...]:
    """Return the commits whose message begins with a file that they do not touch, with its name."""
    pairs = ((commit, _file_of(commit.subject)) for commit in work_of(history).commits)
    return tuple(
        (commit, name) for commit, name in pairs if name and commit.paths and not _has(commit, name)
    )


def template_messages(history: History) -> tuple[Commit, ...]:
    """Return the commits whose message tells what to write in place of it."""
    return tuple(commit for commit in work_of(history).commits if _TEMPLATE.search(commit.subject))


def _has_place_for_claim(commit: Commit) -> bool:
    """Return whether what the message claims would have to be in other files than the commit's."""
    if all(path.endswith(".py") for path in commit.paths):
        return _CLAIM.search(commit.subject) is not None
    if not all(PurePosixPath(path).name.startswith(".") for path in commit.paths):
        return False
    # A setting that the message names is what it claims.
    names = " ".join(commit.paths).lower()
    if any(word in names for word in _WORD.findall(commit.subject.lower())):
        return False
    return bool(_CLAIM.search(commit.subject) or _DEFINING_WORDS.search(commit.subject))


def _file_of(subject: str) -> str:
    match = _NAMED_FILE.match(subject)
    return PurePosixPath(match["path"]).name if match else ""


def _has(commit: Commit, name: str) -> bool:
    # Of a file that moved both paths stand in one field.
    paths = (path for field in commit.paths for path in field.split("\t"))
    names = {PurePosixPath(path).name.lower() for path in paths}
    return bool(get_close_matches(name.lower(), names, cutoff=ALIKE))
