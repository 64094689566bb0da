"""Phrases that the reasons of checks share: numbers, lists, places and what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

# Further members of a list are counted.
MOST_NAMED = 4
# More sentences on one kind of fault are counted.
MOST_IN_FULL = 3
LINE_AT_END = re.compile(r" \(([^()\s]{1,300}):(\d{1,9})\)\.$")


def number_of(count: int, singular: str, plural: str = "") -> str:
    return f"{count} {singular if count == 1 else plural or singular + 's'}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`; "" without words."""
    *first, end = [*words] or [""]
    return f"{', '.join(first)} {last} {end}" if first else end


def clauses(parts: Iterable[str]) -> str:
    """`a`, `a, and b`: parts that hold an "and" or an "or" of their own."""
    *first, end = parts
    return f"{', '.join(first)}, and {end}" if first else end


def named(words: Sequence[str]) -> str:
    """The list, or its first words and the number of the others."""
    left = len(words) - MOST_NAMED
    # "1 more" is no shorter than the word itself.
    return listed(words if left < 2 else [*words[:MOST_NAMED], f"{left} more"])


def more_of_this_kind(left: int, which: str = "this") -> str:
    """A sentence, with a space before it, on what a reason leaves out; "" where it is nothing.

    What was recognised is counted: the work may hold more.
    """
    verb = "is" if left == 1 else "are"
    return f" There {verb} at least {left} more of {which} kind." if left > 0 else ""


def in_full(sentences: Iterable[str]) -> str:
    """All sentences of a kind where they are few, else the first and the number of the others.

    Those that differ in the line of their place alone are one.
    """
    different = list(_by_words(sentences))
    if len(different) <= MOST_IN_FULL:
        return " ".join(different)
    return different[0] + more_of_this_kind(len(different) - 1)


def _by_words(sentences: Iterable[str]) -> Iterator[str]:
    """Each sentence once, with all lines of its file in which it is so."""
    lines: dict[tuple[str, str], list[str]] = {}
    for sentence in sentences:
        place = LINE_AT_END.search(sentence)
        words, path, line = (
            (sentence[: place.start()], *place.groups()) if place else (sentence, "", "")
        )
        lines.setdefault((words, path), []).append(line)
    for (words, path), numbers in lines.items():
        yield f"{words} ({path}:{named([*dict.fromkeys(numbers)])})." if path else words


def by_kind(sentences: Sequence[tuple[str, str]]) -> str:
    """The sentences of the first kind, then of each other kind the first one and the number.

    `sentences` come with their kinds.
    """
    kinds: dict[str, list[str]] = {}
    for kind, sentence in sentences:
        kinds.setdefault(kind, []).append(sentence)
    first, *others = kinds.values()
    rest = (f" {other[0]}{more_of_this_kind(len(other) - 1, 'the last')}" for other in others)
    return in_full(first) + "".join(rest)


def sentence_of(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def place_of(path: str, line: int | None) -> str:
    return path if line is None else f"{path}:{line}"


def places_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """`a.py:3 and 9 and b.py:1`: the lines of one file stand together."""
    lines: dict[str, list[str]] = {}
    for row in rows:
        lines.setdefault(row["path"], []).append(str(row["line"]))
    return listed(f"{path}:{listed(dict.fromkeys(numbers))}" for path, numbers in lines.items())
