"""Quoted lines, highlighted. What students wrote leaves this module escaped, with nothing invisible in it."""

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

# A lexer's regular expressions were not written against an adversary: longer quotes stay uncoloured.
MOST_CHARACTERS_TO_COLOUR = 8_000
# Direction overrides, zero-width characters and tag characters: code that does not read as it runs.
INVISIBLE = (
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
    *range(0xE0000, 0xE0080),
)
_SHOWN = {point: f"[U+{point:04X}]" for point in INVISIBLE}


@dataclass(frozen=True, slots=True)
class QuotedLine:
    number: int | None
    html: SafeString


def reveal_invisible(text: str) -> str:
    """The text with invisible characters written out, such as [U+202E]."""
    return text.translate(_SHOWN)


def quoted_lines(content: str, path: str, first_line: int | None) -> tuple[QuotedLine, ...]:
    """The lines of a file from `first_line` on, as safe HTML with Pygments' classes and no inline style."""
    text = reveal_invisible(content)
    lexer = _lexer_for(PurePosixPath(path).name if len(text) <= MOST_CHARACTERS_TO_COLOUR else "")
    coloured = highlight(text, lexer, HtmlFormatter(nowrap=True)).removesuffix("\n")
    return tuple(
        QuotedLine(None if first_line is None else first_line + offset, mark_safe(line))  # noqa: S308 -- escaped by Pygments
        for offset, line in enumerate(coloured.split("\n"))
    )


@lru_cache(maxsize=256)
def _lexer_for(name: str) -> Lexer:
    lexer_class = find_lexer_class_for_filename(name) or TextLexer
    return lexer_class(stripnl=False, ensurenl=False)
