"""Strings and comments in code, by patterns that serve most languages."""

from __future__ import annotations

import re
from collections import deque
from pathlib import PurePosixPath

# Before a sign that opened: its string is a value, no docstring.
VALUE = "= "
# Characters: all that stands before each string would be quadratic in the text.
_LOOKED_BACK = 600
# What a string on the next line belongs to.
_CONTINUES = ("=", "(", "[", "{", ",", "+", "%", "|", "\\", " return", " in", " and", " or")

_DOCSTRING = r"(?P<doc>[rbfuRBFU]{0,2}+(?:\"\"\"(?s:.*?)(?:\"\"\"|\Z)|'''(?s:.*?)(?:'''|\Z)))"
# A backslash takes the line's end too.
_LITERAL = r"\"(?>(?:\\(?s:.)|[^\"\\\n]++)*)\"?|'(?>(?:\\(?s:.)|[^'\\\n]++)*)'?|`[^`]*+`?"
_STRING = rf"(?P<string>{_LITERAL})"
_HASHED = re.compile(rf"{_DOCSTRING}|{_STRING}|(?P<comment>\#[^\n]*)")
_SLASHED = re.compile(rf"{_STRING}|(?P<comment>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))")
# Strings side by side are one string to Python, so they are measured as one.
_NEXT = rf"\s*+[rbfuRBFU]{{0,2}}+(?!\"\"\"|''')(?:{_LITERAL})"
_RUN = rf"(?P<string>(?:{_LITERAL})(?>(?:{_NEXT})*))"
_HASHED_RUNS, _SLASHED_RUNS = (
    re.compile(pattern.pattern.replace(_STRING, _RUN)) for pattern in (_HASHED, _SLASHED)
)
# Of what may go on over several lines.
_SIGN = re.compile(r"[rbfuRBFU]{0,2}(\"\"\"|'''|`|/\*)")
_CLOSING = {"/*": "*/"}
_SLASHED_SUFFIXES = frozenset({".js", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".c", ".h"})
_SLASHED_SUFFIXES |= {".cpp", ".cs", ".kt", ".swift", ".php", ".scala", ".mjs", ".cjs", ".cc"}
_SLASHED_SUFFIXES |= {".hpp", ".css", ".scss", ".less", ".dart", ".groovy", ".gradle", ".proto"}


def token_pattern(path: str, *, runs: bool = False) -> re.Pattern[str]:
    """Return the pattern of strings and comments: groups `doc`, `string` and `comment`.

    With `runs`, strings side by side are one.
    """
    is_slashed = PurePosixPath(path).suffix.lower() in _SLASHED_SUFFIXES
    if runs:
        return _SLASHED_RUNS if is_slashed else _HASHED_RUNS
    return _SLASHED if is_slashed else _HASHED


def text_before(literal: re.Match[str]) -> str:
    """Return what stands before a string, as far as it can tell what the string is."""
    return literal.string[max(0, literal.start() - _LOOKED_BACK) : literal.start()]


def is_statement(literal: re.Match[str]) -> bool:
    """Return whether a string stands alone, as docstrings do: nothing is done with it."""
    before = text_before(literal)
    line = before.rpartition("\n")[2]
    return not line.strip() and not before.rstrip().endswith(_CONTINUES)


def open_at_end(text: str, path: str) -> str:
    """Return the sign of the string or comment that this beginning of a file ends in, else "".

    Quotes of a string that is a value come after VALUE.
    """
    last = deque(token_pattern(path).finditer(text), maxlen=1)
    sign = _SIGN.match(last[0][0]) if last and last[0].end() == len(text) else None
    if sign is None or sign.string[sign.end() :].endswith(_CLOSING.get(sign[1], sign[1])):
        return ""
    is_value = sign[1] not in _CLOSING and not is_statement(last[0])
    return f"{VALUE}{sign[1]}" if is_value else sign[1]


def open_markup(text: str) -> str:
    """Return the sign of the comment that this beginning of a document ends in, else ""."""
    return "<!--" if text.rfind("<!--") > text.rfind("-->") else ""
