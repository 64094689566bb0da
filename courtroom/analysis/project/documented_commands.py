"""Commands in the fenced blocks of a README, as the words that a shell would make of them."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_COMMANDS = 200
MOST_WORDS = 60
LONGEST_LINE = 1000
_FENCE = re.compile(r"\s{0,12}(?:```|~~~)")
_PROMPT = re.compile(r"^\s*(?:\$|>|PS [^>\s]{0,80}>|\([\w.-]{1,30}\) ?\$?)\s+")
_COMMENT = re.compile(r"(?:^|\s)#(?:\s.*)?$")
# What a reader fills in may hold spaces.
_PLACEHOLDER = re.compile(r"<[^<>\n]{1,80}>")
# Parts that may be left out, or that stand for a choice.
_SYNOPSIS = re.compile(r"(?:^|\s)[\[{(]|…|\\\s|\.{3}\s*$")
# A separator in a path of Windows.
_BACKSLASH = re.compile(r"(?<=[\w.])\\(?=[\w.])")
_VARIABLE = re.compile(r"[A-Za-z_]\w{0,60}=")
_ENDS = frozenset({"|", "||", "&", ">", ">>", "2>", "2>&1", "<"})
_RUNNERS = frozenset({"uv", "poetry", "pipenv", "pdm", "hatch", "rye"})
_PYTHON = re.compile(r"(?:[\w./~-]{0,80}/)?(?:python|py)[\d.]{0,5}(?:\.exe)?")
_WITHOUT_VALUE = frozenset({"-u", "-B", "-E", "-I", "-O", "--no-sync", "--frozen", "--locked"})


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments at a 1-based line, in a `folder` of the tree, "" for the root.

    `is_synopsis`: parts of it may be left out, or are left to the reader.
    """

    line: int
    words: tuple[str, ...]
    folder: str
    is_synopsis: bool

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def placed(self, path: str) -> str:
        """Return the path from the root of what the command names, "" where it leads out."""
        whole = posixpath.normpath(posixpath.join(self.folder, path))
        return "" if whole.startswith(("/", "..", "~")) or ":" in whole else whole


@dataclass(frozen=True, slots=True)
class Start:
    """The `module`, or the file `path` from the root, that a command starts with arguments."""

    module: str
    path: str
    arguments: tuple[str, ...]


def commands_in(text: str, folders: frozenset[str]) -> Iterator[Command]:
    """Yield the commands of a README at the root; `folders` are those of the tree."""
    for _, (line, command, folder) in zip(
        range(MOST_COMMANDS), _lines(text, folders), strict=False
    ):
        joined = _PLACEHOLDER.sub(lambda match: "_".join(match[0].split()), command)
        try:
            words = shlex.split(_BACKSLASH.sub("/", joined))
        except ValueError:
            continue  # no shell takes it: a text, not a command
        end = next((n for n, word in enumerate(words) if word in _ENDS), len(words))
        if 0 < end <= MOST_WORDS:
            yield Command(line, tuple(words[:end]), folder, bool(_SYNOPSIS.search(command)))


def _lines(text: str, folders: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the line of each command, its text and the folder of the tree in which it runs."""
    is_inside, folder, kept, first = False, "", "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if _FENCE.match(line):
            is_inside, folder, kept = not is_inside, "", ""
            continue
        first = first if kept else number
        whole = kept + _COMMENT.sub("", line).strip()
        is_command = is_inside and len(whole) <= LONGEST_LINE
        kept = f"{whole[:-1]} " if is_command and whole.endswith(("\\", " `", " ^")) else ""
        if kept or not is_command:
            continue
        for part in re.split(r"&&|;", whole):
            command = _PROMPT.sub("", part, count=1).strip()
            if command.startswith("cd "):
                entered = posixpath.normpath(posixpath.join(folder, command[3:].strip(" \"'")))
                # The folder of the clone is the root of the tree.
                folder = entered if entered in folders else ""
            elif command:
                yield first, command, folder


def python_start(command: Command) -> Start | None:
    """Return what a command starts in Python, as far as no variable changes where it looks."""
    words = list(command.words)
    while words and _VARIABLE.match(words[0]):
        if words.pop(0).startswith("PYTHONPATH="):
            return None
    is_run = len(words) > 2 and words[0] in _RUNNERS and words[1] == "run"
    words = _without_flags(words[2:] if is_run else words)
    if not (is_run and words and words[0].endswith(".py")):
        if not words or not _PYTHON.fullmatch(words[0]):
            return None
        words = _without_flags(words[1:])
    if len(words) > 1 and words[0] == "-m" and not command.folder:
        return Start(words[1], "", tuple(words[2:]))
    path = command.placed(words[0]) if words and words[0].endswith(".py") else ""
    return Start("", path, tuple(words[1:])) if path else None


def _without_flags(words: Sequence[str]) -> list[str]:
    start = next((n for n, word in enumerate(words) if word not in _WITHOUT_VALUE), len(words))
    return list(words[start:])
