"""Undo obfuscation: invisible characters, homoglyphs, and the common encodings.

Every view keeps the text's lines, so that a match can be quoted with its line number.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

# Homoglyphs: letters of other scripts that look like Latin ones (the common part of Unicode TR 39's
# confusables).
_HOMOGLYPHS = str.maketrans(
    "авсԁеɡһіјкӏмոорԛѕтυνѡхузАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτ",
    "abcdeghijklmnopqstuvwxyzABCEHIJKMOPSTXYABEZHIKMNOPTYXaikvopt",
) | str.maketrans("", "", "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\ufeff")
_INVISIBLE = dict.fromkeys(
    (
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xE0000, 0xE0080),
    )
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BLANKS = re.compile(r"[ \t\u00a0]{2,}")
_LINE_END = re.compile(r"\r\n?")
_ANY_LINE_END = re.compile(r"\r\n|\r|\n")

_TAGGED = re.compile("[\U000e0020-\U000e007e]{4,}")
# The flags of England, Scotland and Wales are tag characters after a black flag.
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f")
_OVERRIDE = re.compile("[\u202d\u202e]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_ISOLATED = re.compile("[\u202a\u202b\u2066-\u2068]")

_BASE64 = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{20,8000}={0,2}")
# A digit comes first in the pattern: so it is tried at digits only.
_HEX = re.compile(
    r"[0-9a-fA-F](?<!\w.)(?:(?<=0)x[0-9a-fA-F])?[0-9a-fA-F][ :]?"
    r"(?:[0-9a-fA-F]{2}[ :]?){11,3999}(?!\w)"
)
_ESCAPES = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\u00[0-9a-fA-F]{2}){6,2000}")
# Digits in place of letters: in two words of a line that is more than the name of a format.
_LEET_WORD = re.compile(r"(?<!\w)[a-z]{0,8}(?:[a-z][013457]|[013457][a-z])[a-z013457]{1,12}(?!\w)")
_LEET = str.maketrans("013457", "oieast")
_FEWEST_LEET_WORDS = 2
_MAX_TOKENS = 200  # of one kind in one text
# A text with one of these, backwards or in rot13, is worth decoding.
_TELLTALE_WORDS = ("ignore", "disregard", "instructions", "rubric", "award")
_BACKWARDS = tuple(word[::-1] for word in _TELLTALE_WORDS)
_IN_ROT13 = tuple(codecs.encode(word, "rot13") for word in _TELLTALE_WORDS)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Decoded part of a text with its 1-based line; `how` completes "this passage ..."."""

    line: int
    text: str
    how: str


def view_of(text: str) -> str:
    """Return the text for matching.

    It is in lower case, with Latin letters instead of homoglyphs, single spaces, and identifiers
    split into words.
    """
    latin = _LINE_END.sub("\n", text)
    if not latin.isascii():
        latin = "\n".join(map(_latin, latin.split("\n")))
    return _BLANKS.sub(" ", _CAMEL.sub(" ", latin).replace("_", " ").lower())


def foreign_view_of(text: str) -> str:
    """Return the text for matching words of other scripts, which keeps their letters."""
    visible = _LINE_END.sub("\n", text)
    if not visible.isascii():
        lines = visible.split("\n")
        visible = "\n".join(line if line.isascii() else _visible(line) for line in lines)
    return visible.lower()


def _visible(line: str) -> str:
    return unicodedata.normalize("NFKC", line.translate(_INVISIBLE))


def _latin(line: str) -> str:
    return line if line.isascii() else _visible(line).translate(_HOMOGLYPHS)


def smuggled_texts(text: str) -> Iterator[DecodedText]:
    """Yield text in tag characters and lines with direction overrides: neither is an accident."""
    if text.isascii():
        return

    for match in islice(_TAGGED.finditer(_FLAG.sub("", text)), _MAX_TOKENS):
        decoded = "".join(chr(ord(tag) - 0xE0000) for tag in match[0])
        yield DecodedText(
            _line_at(text, match.start()), decoded, "is spelled in invisible tag characters"
        )

    lines = _LINE_END.sub("\n", text).split("\n")
    overridden = (
        number
        for number, line in enumerate(lines, start=1)
        if not line.isascii() and _has_override(line)
    )
    for number in islice(overridden, _MAX_TOKENS):
        visible = lines[number - 1].translate(_INVISIBLE).strip()
        yield DecodedText(number, visible, "hides characters")


def _has_override(line: str) -> bool:
    # Direction marks are legitimate beside letters that run from right to left, overrides never.
    isolated = _ISOLATED.search(line) and not _RIGHT_TO_LEFT.search(line)
    return bool(_OVERRIDE.search(line) or isolated)


def encoded_texts(text: str) -> Iterator[DecodedText]:
    """Yield text decoded from base64, hex, escapes, digits, entities, percents, rot13, reversal."""
    yield from _tokens(text, _BASE64, _from_base64, "is encoded in base64")
    yield from _tokens(text, _HEX, _from_hex, "is encoded in hexadecimal")
    if "\\" in text:
        yield from _tokens(text, _ESCAPES, _from_escapes, "is written in escape sequences")

    for number, line in _leet_lines(text):
        yield DecodedText(number, line.translate(_LEET), "writes digits for letters")

    for number, line in _whole_lines(text):
        lowered = line.lower()
        for how, decoded in _decoded_line(line, lowered):
            yield DecodedText(number, decoded, how)


def _leet_lines(text: str) -> Iterator[tuple[int, str]]:
    lowered = text.lower()
    starts = [match.start() for match in islice(_LEET_WORD.finditer(lowered), _MAX_TOKENS)]
    if len(starts) < _FEWEST_LEET_WORDS:
        return

    ends = [match.end() for match in _ANY_LINE_END.finditer(lowered)]
    lines = Counter(bisect_right(ends, start) + 1 for start in starts)
    if max(lines.values()) >= _FEWEST_LEET_WORDS:
        texts = _ANY_LINE_END.split(lowered)
        yield from ((n, texts[n - 1]) for n, count in lines.items() if count >= _FEWEST_LEET_WORDS)


def _whole_lines(text: str) -> Iterator[tuple[int, str]]:
    lowered = text.lower()
    if any(map(lowered.__contains__, ("&#", "%20", *_IN_ROT13, *_BACKWARDS))):
        yield from enumerate(_LINE_END.sub("\n", text).split("\n"), start=1)


def _decoded_line(line: str, lowered: str) -> Iterator[tuple[str, str]]:
    if "&#" in line:
        yield "is written in HTML entities", html.unescape(line)
    if "%20" in line:
        yield "is percent-encoded", unquote(line)
    if any(map(lowered.__contains__, _IN_ROT13)):
        yield "is encoded in rot13", codecs.encode(line, "rot13")
    if any(map(lowered.__contains__, _BACKWARDS)):
        yield "is written backwards", line[::-1]


def _tokens(
    text: str, pattern: re.Pattern[str], decode: Callable[[str], bytes], how: str
) -> Iterator[DecodedText]:
    for match in islice(pattern.finditer(text), _MAX_TOKENS):
        if decoded := _readable(decode(match[0])):
            yield DecodedText(_line_at(text, match.start()), decoded, how)


def _from_base64(token: str) -> bytes:
    try:
        return base64.b64decode(token.rstrip("=") + "=" * (-len(token.rstrip("=")) % 4))
    except binascii.Error:
        return b""


def _from_hex(token: str) -> bytes:
    digits = re.sub(r"^0x|[ :]", "", token)
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def _from_escapes(token: str) -> bytes:
    return bytes(int(pair, 16) for pair in re.findall(r"[0-9a-fA-F]{2}(?=\\|$)", token))


def _readable(content: bytes) -> str:
    """Return the text if these bytes are words (printable, with spaces), else an empty string."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if " " in text and all(c.isprintable() or c in "\r\n\t" for c in text) else ""


def _line_at(text: str, position: int) -> int:
    return len(_ANY_LINE_END.findall(text[:position])) + 1
