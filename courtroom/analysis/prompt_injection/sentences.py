"""Sentences of a text with their lines: those of documents, and the comments of sources."""

# ruff: noqa: RUF001 -- the punctuation of every language
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

# prose: documents; message: that of a commit, or a name; assistant: orders to a coding assistant;
# code: sources, whose strings may be prompts; data: JSON, notebooks, tables.
Kind = Literal["prose", "message", "assistant", "code", "data"]

# A longer line was wrapped by an editor or by the reader of a PDF: its sentence may go on.
_WRAPPED = 50
_LONGEST_TAIL = 300
_SENTENCE_END = ".!?:;。！？।።؟"
_BREAK = re.compile(r"(?<=[.!?;])\s|[。！？；።।؟]|\s[|—–]\s")
_BULLET = " \t#/*>|-+•"
_COMMENT_SIGNS = ("#", "//", "--", "*", "/*")
_DOCSTRING = re.compile(r"[rRuU]?(\"\"\"|''')")


class Sentence(NamedTuple):
    """Sentence, or the end of a wrapped line with the start of the next; lines are 1-based."""

    text: str
    line_start: int
    line_end: int


def sentences_of(text: str, kind: Kind) -> Iterator[Sentence]:
    """Yield the sentences of a document, or of the comments and docstrings of a source."""
    lines = text.split("\n")
    tail = ""
    for number, line in enumerate(comments_of(lines) if kind == "code" else lines, start=1):
        if not line:
            tail = ""
            continue
        parts = [part.strip() for part in _BREAK.split(line.strip(_BULLET))]
        parts = [part for part in parts if part]

        if tail and parts:
            yield Sentence(f"{tail} {parts[0]}", number - 1, number)
        for part in parts:
            yield Sentence(part, number, number)

        tail = _open_tail(line, parts)


def _open_tail(line: str, parts: list[str]) -> str:
    is_wrapped = parts and len(line) >= _WRAPPED and len(parts[-1]) <= _LONGEST_TAIL
    return parts[-1] if is_wrapped and parts[-1][-1] not in _SENTENCE_END else ""


def comments_of(lines: list[str]) -> Iterator[str]:
    """Yield each line as far as it is a comment or part of a docstring, else an empty string.

    Other strings may be prompts.
    """
    quote, before = "", ""
    for line in lines:
        stripped = line.strip()
        if quote:
            yield line
            quote = "" if quote in stripped else quote
            continue

        comment = comment_in(line)
        # A docstring opens a file or a block.
        can_open = not comment and (not before or before.endswith(":"))
        if can_open and (opening := _DOCSTRING.match(stripped)):
            comment = line
            quote = opening[1] if stripped.count(opening[1]) == 1 else ""
        yield comment
        if stripped and not stripped.startswith(_COMMENT_SIGNS):
            before = stripped


def comment_in(line: str) -> str:
    """Return the comment of a source's line, or an empty string."""
    if line.lstrip().startswith(_COMMENT_SIGNS):
        return line
    if " # " not in line and " // " not in line:
        return ""
    # Outside the quotation marks of a string.
    starts = [start for sign in (" # ", " // ") if (start := line.find(sign)) >= 0]
    outside = [n for n in starts if not (line.count('"', 0, n) % 2 or line.count("'", 0, n) % 2)]
    return line[min(outside) + 1 :] if outside else ""
