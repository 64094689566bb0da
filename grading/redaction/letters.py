"""A text as its letters alone, each with its place: however it was written, cased, accented, escaped or split."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes

_ESCAPED = re.compile(
    r"(?:%[0-9a-fA-F]{2})+|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"
)
# What no decomposition takes apart.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i", "ħ": "h"}
)
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


def letters_of(text: str) -> Letters:
    """Words end at whatever is no letter or digit, at a capital after a small letter, and where digits begin or end."""
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    begins: list[bool] = []
    capital: list[bool] = []
    before, stands, stood = "", -1, -1
    for char, start, end in _written(text):
        if not char.isalnum():
            continue
        new_word = start not in (stands, stood) or _turns(before, char)
        for letter in fold(char):
            folded.append(letter)
            starts.append(start)
            ends.append(end)
            begins.append(new_word)
            capital.append(char.isupper())
            new_word = False
        before, stands, stood = char, start, end
    _split_before_last_capital(begins, capital, folded)
    closes = [*begins[1:], True]
    return Letters("".join(folded), starts, ends, begins, closes, capital)


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN)).casefold().translate(_PLAIN)
    return "".join(char for char in plain if char.isalnum())


def _written(text: str) -> Iterator[tuple[str, int, int]]:
    """Each character that is meant, from where to where it stands: %C3%A9, \\u00e9 and &eacute; are one."""
    place = 0
    for match in _ESCAPED.finditer(text):
        meant = _meant(match[0])
        if meant is None:
            continue
        yield from ((text[i], i, i + 1) for i in range(place, match.start()))
        yield from ((char, match.start(), match.end()) for char in meant)
        place = match.end()
    yield from ((text[i], i, i + 1) for i in range(place, len(text)))


def _meant(escaped: str) -> str | None:
    """What is no escape after all, as in 100%dana, is taken as it stands."""
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
    return (before.islower() and char.isupper()) or before.isdigit() != char.isdigit()


def _split_before_last_capital(begins: list[bool], capital: list[bool], folded: list[str]) -> None:
    """In HTTPAna the word that ends in small letters begins with the capital before them."""
    for i in range(1, len(begins) - 1):
        inside = not begins[i] and not begins[i + 1]
        if inside and capital[i - 1] and capital[i] and not capital[i + 1] and folded[i + 1].isalpha():
            begins[i] = True
