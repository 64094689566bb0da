"""Highlighted quotes of student files, escaped and with invisible characters revealed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from django.utils.safestring import SafeString, mark_safe
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename
from pygments.lexers.special import TextLexer

# A lexer's regular expressions were not written against an adversary: longer quotes stay plain.
MAX_CHARACTERS_TO_HIGHLIGHT = 8_000
# Direction overrides, zero-width characters and tag characters: code that does not read as it runs.
INVISIBLE = (
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
    *range(0xE0000, 0xE0080),
)
# Making one takes as long as highlighting a quote; it keeps no state of a text.
_FORMATTER = HtmlFormatter(nowrap=True)
_REPLACEMENTS = {point: f"[U+{point:04X}]" for point in INVISIBLE}


@dataclass(frozen=True, slots=True)
class QuotedLine:
    number: int | None
    html: SafeString


def reveal_invisible(text: str) -> str:
    """Return the text with invisible characters written out, such as [U+202E]."""
    return text.translate(_REPLACEMENTS)


def quoted_lines(content: str, path: str, first_line: int | None) -> tuple[QuotedLine, ...]:
    """Return the lines as safe HTML with Pygments' classes, numbered from `first_line`."""
    text = reveal_invisible(content)
    lexer = _lexer_for(PurePosixPath(path).name if len(text) <= MAX_CHARACTERS_TO_HIGHLIGHT else "")
    highlighted = highlight(text, lexer, _FORMATTER)
    # Pygments ends with a newline of its own, unless the quote has an empty last line.
    if not text.endswith(("\n", "\r")):
        highlighted = highlighted.removesuffix("\n")
    rows = [mark_safe(row) for row in highlighted.split("\n")]  # noqa: S308 -- escaped by Pygments
    return tuple(
        QuotedLine(None if first_line is None else first_line + offset, row)
        for offset, row in enumerate(rows)
    )


@lru_cache(maxsize=256)
def _lexer_for(name: str) -> Lexer:
    lexer_class = find_lexer_class_for_filename(name) or TextLexer
    # Newlines that the lexer strips or adds would shift the line numbers.
    return lexer_class(stripnl=False, ensurenl=False)
