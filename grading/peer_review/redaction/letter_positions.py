"""A text as its letters alone, each with its place: however it was written, cased, accented, escaped or split."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from urllib.parse import unquote_to_bytes

_ESCAPE = r"(?:%[0-9a-fA-F]{2})+|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"
# An escape, a word of plain letters (of HTTPAna the last is Ana), or any other character that may be a letter.
_PIECE = re.compile(
    rf"(?P<escape>{_ESCAPE})|(?P<word>[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+)|[^\x00-\x7f]", re.ASCII
)
# What no decomposition takes apart.
_PLAIN = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "\u0131": "i",
        "ħ": "h",
    }
)
UNSEEN = (
    "Mn",
    "Cf",
)  # accents that stand by themselves, and what nobody sees: part of the letter before
_FIRST_WITHOUT_SPACES = "\u2e80"  # from here on scripts that put no spaces between words


@dataclass(frozen=True, slots=True)
class Letters:
    """`folded`: letters and digits without case and accents. Of each, in the same order: where it stands in the text
    (`starts`, `ends`), whether a word begins or ends with it, and whether it is a capital."""

    folded: str
    starts: list[int]
    ends: list[int]
    begins: list[bool]
    closes: list[bool]
    capital: list[bool]


class _Writer:
    """Takes the pieces of a text in their order."""

    def __init__(self) -> None:
        self._folded: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._begins: list[bool] = []
        self._capital: list[bool] = []
        self._stood, self._before = -1, ""

    def word(self, word: str, start: int) -> None:
        """Plain letters or digits, of one word."""
        size, goes_on = len(word), start == self._stood and not _turns(self._before, word[0])
        self._folded.append(word.lower())
        self._starts += range(start, start + size)
        self._ends += range(start + 1, start + size + 1)
        self._begins += (not goes_on, *repeat(False, size - 1))
        self._capital += map(str.isupper, word)
        self._stood, self._before = start + size, word[-1]

    def character(self, char: str, start: int, end: int, *, inside: bool = False) -> None:
        """One of any script, from where to where it is written; `inside` an escape that has begun already."""
        letters = fold(char) if char.isalnum() else ""
        if letters:
            size, goes_on = (
                len(letters),
                (inside or start == self._stood) and not _turns(self._before, char),
            )
            self._folded.append(letters)
            self._starts += repeat(start, size)
            self._ends += repeat(end, size)
            self._begins += (not goes_on, *repeat(False, size - 1))
            self._capital += repeat(char.isupper(), size)
            self._stood, self._before = end, char
        elif start == self._stood and unicodedata.category(char) in UNSEEN:
            self._ends[-1] = self._stood = end

    def written(self) -> Letters:
        closes = [*self._begins[1:], True]
        return Letters(
            "".join(self._folded), self._starts, self._ends, self._begins, closes, self._capital
        )


def letters_of(text: str) -> Letters:
    """Words end at whatever is no letter or digit, at a capital after a small letter, and where digits begin or end."""
    writer = _Writer()
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        if piece.lastgroup == "word":
            writer.word(piece[0], start)
        elif piece.lastgroup == "escape":
            _unescape(writer, piece[0], start, end)
        else:
            writer.character(piece[0], start, end)
    return writer.written()


def _unescape(writer: _Writer, escaped: str, start: int, end: int) -> None:
    """%C3%A9, \\u00e9 and &eacute; are one letter; what is no escape after all, as in 100%dana, is read as it stands."""
    meant = _meant(escaped)
    if meant is None:
        for place, char in enumerate(escaped, start):
            writer.character(char, place, place + 1)
        return
    for number, char in enumerate(meant):
        writer.character(char, start, end, inside=number > 0)


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    plain = (
        unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN))
        .casefold()
        .translate(_PLAIN)
    )
    return "".join(char for char in plain if char.isalnum())


def _meant(escaped: str) -> str | None:
    """Null for what only looks like an escape."""
    if escaped.startswith("%"):
        try:
            return unquote_to_bytes(escaped).decode()
        except UnicodeDecodeError:
            return None
    if escaped.startswith("\\"):
        return chr(int(escaped.lstrip("\\ux"), 16))
    meant = html.unescape(escaped)
    return None if meant == escaped else meant


def _turns(before: str, char: str) -> bool:
    """Whether a word ends between two characters that stand side by side."""
    if char >= _FIRST_WITHOUT_SPACES or before >= _FIRST_WITHOUT_SPACES:
        return True
    if before.isascii() and char.isascii():
        return True  # one piece otherwise
    return (before.islower() and char.isupper()) or before.isdigit() != char.isdigit()
