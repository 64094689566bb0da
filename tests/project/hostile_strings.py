"""Texts that make a regular expression slow, derived from the expression itself.

Every unbounded repeat of a pattern is pumped: after what leads up to it, its own characters are
repeated many times and followed by one that fails. A pattern that tries the same characters again
from each of them then takes four times as long for twice the text.
"""

from __future__ import annotations

import re
import re._compiler as compiler  # type: ignore[import-not-found]  # -- the standard library's own
import re._constants as constants  # type: ignore[import-not-found]  # -- the standard library's own
import re._parser as parser  # type: ignore[import-not-found]  # -- the standard library's own
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

Text = Callable[[int], str]
# A repeat of so many counts as unbounded.
MANY = 64
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
CHARACTERS = [*map(chr, range(32, 127)), *"\n\t\r\xa0é—王\u200b\u0300"]
ENDS = ("\x00", "\n", "!", "a", " ", "")
ALONE = "[(<{`*-_\"'|\n\\/.:a0 \t>#"
KINDS: tuple[Callable[[str], bool], ...] = (
    str.isspace,
    str.isalpha,
    str.isdigit,
    lambda char: not char.isalnum() and not char.isspace(),
)


def texts_of(pattern: re.Pattern[Any], ends: Sequence[str] = ENDS) -> Iterator[Text]:
    """Yield functions that return a hostile text of about n characters."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin1")
    flags = pattern.flags if isinstance(pattern.pattern, str) else pattern.flags | re.ASCII
    code = parser.parse(text, flags)
    for lead, pump in dict.fromkeys(_repeats(code, "")):
        for end in ends:
            yield partial(_pumped, lead, pump, end)
        if lead:
            yield partial(_repeated, lead)
            yield partial(_repeated, lead + pump)
            yield partial(_repeated, lead + pump * 20 + "\x00")
    for word in (*ALONE, _example(code)):
        if word:
            yield partial(_repeated, word)


def _pumped(lead: str, pump: str, end: str, size: int) -> str:
    return lead + pump * (size // len(pump)) + end


def _repeated(word: str, size: int) -> str:
    return word * (size // len(word))


def _repeats(code: Any, lead: str) -> Iterator[tuple[str, str]]:
    """Yield (text before an unbounded repeat, text to repeat)."""
    for operation, argument in code:
        name = str(operation)
        if name in REPEATS:
            least, most, body = argument
            yield from _repeats(body, lead)
            if most is constants.MAXREPEAT or most >= MANY:
                yield from ((lead, pump) for pump in _pumps(body))
            lead += _example(body) * least
            continue
        for part in _parts(name, argument):
            yield from _repeats(part, lead)
        lead += _example([(operation, argument)])


def _parts(name: str, argument: Any) -> list[Any]:
    match name:
        case "BRANCH":
            return list(argument[1])
        case "SUBPATTERN":
            return [argument[3]]
        case "ATOMIC_GROUP":
            return [argument]
        case "ASSERT" | "ASSERT_NOT":
            return [argument[1]]
        case _:
            return []


def _pumps(body: Any) -> list[str]:
    """Return a few texts that the body of a repeat matches once."""
    pumps = [_example(body)]
    for operation, argument in body:
        name = str(operation)
        if len(body) == 1 and name == "IN":
            pumps += _representatives(argument)
        elif len(body) == 1 and name in ("ANY", "NOT_LITERAL"):
            pumps += ["a", " "]
        elif name == "SUBPATTERN":
            pumps += _pumps(argument[3])
        elif name == "BRANCH":
            pumps += map(_example, argument[1])
    return [pump for pump in dict.fromkeys(pumps) if pump]


def _example(code: Any) -> str:
    """Return a short text that the code matches, as far as that can be told from each part."""
    return "".join(_example_of(str(operation), argument) for operation, argument in code)


def _example_of(name: str, argument: Any) -> str:
    match name:
        case "LITERAL":
            return chr(argument)
        case "NOT_LITERAL":
            return "b" if argument == ord("a") else "a"
        case "ANY":
            return "a"
        case "IN":
            return _representatives(argument)[0]
        case "BRANCH":
            return _example(argument[1][0])
        case "SUBPATTERN":
            return _example(argument[3])
        case "ATOMIC_GROUP":
            return _example(argument)
        case _ if name in REPEATS:
            return _example(argument[2]) * int(argument[0])
        case _:
            return ""


def _representatives(members: Any) -> list[str]:
    """Return a blank, a letter, a digit and a sign of a class of characters, as far as it has any."""
    single = compiler.compile(parser.SubPattern(parser.State(), [(constants.IN, members)]))
    matched = [char for char in CHARACTERS if single.match(char)]
    first = (next(filter(kind, matched), None) for kind in KINDS)
    return [char for char in first if char] or ["a"]
