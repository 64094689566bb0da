"""Letters of a text with their positions, whatever their case, accents, escapes or spacing."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from urllib.parse import unquote_to_bytes

_ESCAPE = (
    r"(?:%[0-9a-fA-F]{2})+|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|"
    r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"
)
# An escape, a word of plain letters (HTTPAna ends with the word Ana), or a character of any script.
_PIECE = re.compile(
    rf"(?P<escape>{_ESCAPE})|(?P<word>[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+)|[^\x00-\x7f]", re.ASCII
)
# Letters that Unicode does not decompose.
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
# Unicode categories of combining accents and invisible characters: part of the letter before.
INVISIBLE = ("Mn", "Cf")
# From here on, scripts put no spaces between words.
_FIRST_WITHOUT_SPACES = "\u2e80"


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters and digits of a text, without case and accents (`folded`).

    The lists hold, for each of them: its span in the text (`starts`, `ends`), whether a word
    begins or ends with it (`begins`, `closes`), and whether it is a capital.
    """

    folded: str
    starts: list[int]
    ends: list[int]
    begins: list[bool]
    closes: list[bool]
    capital: list[bool]


class _LettersBuilder:
    """Builder that takes the pieces of a text in their order."""

    def __init__(self) -> None:
        self._folded: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._begins: list[bool] = []
        self._capital: list[bool] = []
        self._end, self._last_char = -1, ""

    def word(self, word: str, start: int) -> None:
        """Add plain letters or digits of one word."""
        size, continues = len(word), start == self._end and not _ends_word(self._last_char, word[0])
        self._folded.append(word.lower())
        self._starts += range(start, start + size)
        self._ends += range(start + 1, start + size + 1)
        self._begins += (not continues, *repeat(False, size - 1))
        self._capital += map(str.isupper, word)
        self._end, self._last_char = start + size, word[-1]

    def character(self, char: str, start: int, end: int, *, inside: bool = False) -> None:
        """Add a character of any script with its span; `inside` an escape after its first."""
        letters = fold(char) if char.isalnum() else ""
        if letters:
            size, continues = (
                len(letters),
                (inside or start == self._end) and not _ends_word(self._last_char, char),
            )
            self._folded.append(letters)
            self._starts += repeat(start, size)
            self._ends += repeat(end, size)
            self._begins += (not continues, *repeat(False, size - 1))
            self._capital += repeat(char.isupper(), size)
            self._end, self._last_char = end, char
        elif start == self._end and unicodedata.category(char) in INVISIBLE:
            self._ends[-1] = self._end = end

    def build(self) -> Letters:
        # A word closes where the next letter begins another.
        closes = [*self._begins[1:], True]
        return Letters(
            "".join(self._folded), self._starts, self._ends, self._begins, closes, self._capital
        )


def letters_of(text: str) -> Letters:
    """Return the letters of a text.

    Words end at any other character, at a capital after a small letter, and where digits begin or
    end.
    """
    builder = _LettersBuilder()
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        if piece.lastgroup == "word":
            builder.word(piece[0], start)
        elif piece.lastgroup == "escape":
            _read_escape(builder, piece[0], start, end)
        else:
            builder.character(piece[0], start, end)
    return builder.build()


def _read_escape(builder: _LettersBuilder, escaped: str, start: int, end: int) -> None:
    """Add %C3%A9, \\u00e9 or &eacute; as one letter; a false escape (100%dana) as plain text."""
    decoded = _decode(escaped)
    if decoded is None:
        for place, char in enumerate(escaped, start):
            builder.character(char, place, place + 1)
        return
    # All characters share the span of the escape: it is withheld as a whole or not at all.
    for number, char in enumerate(decoded):
        builder.character(char, start, end, inside=number > 0)


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return letters and digits only, without case and accents."""
    # Twice: decomposing may produce new capitals and letters of the table.
    plain = (
        unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN))
        .casefold()
        .translate(_PLAIN)
    )
    return "".join(char for char in plain if char.isalnum())


def _decode(escaped: str) -> str | None:
    """Return the characters of an escape, None for what only looks like one."""
    if escaped.startswith("%"):
        try:
            return unquote_to_bytes(escaped).decode()
        except UnicodeDecodeError:
            return None
    if escaped.startswith("\\"):
        return chr(int(escaped.lstrip("\\ux"), 16))
    decoded = html.unescape(escaped)
    return None if decoded == escaped else decoded


def _ends_word(before: str, char: str) -> bool:
    """Return True if a word ends between two adjacent characters."""
    if char >= _FIRST_WITHOUT_SPACES or before >= _FIRST_WITHOUT_SPACES:
        return True
    if before.isascii() and char.isascii():
        # Adjacent ASCII letters of one word arrive as one piece.
        return True
    return (before.islower() and char.isupper()) or before.isdigit() != char.isdigit()
