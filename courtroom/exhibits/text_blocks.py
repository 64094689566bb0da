"""Blocks of text in any language, by the simplest rules that hold for most: sections and indents.

Used where there is no syntax tree: prose, configuration, and code in other languages than Python.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

# Lines of a block, and of a window on each side where no block is found.
LONGEST_BLOCK, WINDOW = 200, 12

_SECTIONS = frozenset({".md", ".markdown", ".rst", ".adoc", ".txt", ""})
_HEADING = re.compile(r"#{1,6}\s|={1,5}\s+\S")
_UNDERLINE = re.compile(r"={3,}\s*$|-{3,}\s*$")
_CLOSING = re.compile(r"\s*(?:[)\]}]|end\b|else\b|elif\b|except\b|finally\b|catch\b|rescue\b)")
_COMMENT_LINE = re.compile(r"\s*(?:#|//|/?\*|--|@|\[)")
_KEYWORDS = r"func|fn|def|class|interface|struct|enum|type|trait|impl|function|const|let|var|module"
_DEFINES = re.compile(
    rf"(?:[\w@]+ ){{0,4}}(?:{_KEYWORDS})\s+(?:\([^)]{{0,80}}\)\s*)?([A-Za-z_]\w*)"
)
# Of a module's lines, as many as are looked at for definitions, and of each its beginning.
MOST_LINES, LINE_CHARACTERS = 5000, 400

Lines = Sequence[str]


def block_around(lines: Lines, line: int, path: str) -> tuple[int, int]:
    """Return first and last line of the section or block that holds a line, all 1-based."""
    line = max(1, min(line, len(lines)))
    # A block that reaches beyond these lines is too long in any case.
    start = max(0, line - 1 - LONGEST_BLOCK)
    near = lines[start : line + LONGEST_BLOCK]
    is_prose = PurePosixPath(path).suffix.lower() in _SECTIONS
    first, last = (_section if is_prose else _indented)(near, line - start)
    while last > first and not near[last - 1].strip():
        last -= 1
    if last - first >= LONGEST_BLOCK:
        return max(1, line - WINDOW), min(len(lines), line + WINDOW)
    return start + first, start + last


def defined_names(lines: Lines) -> list[str]:
    """Return what the unindented lines of a module define, in any usual language."""
    matches = (_DEFINES.match(text[:LINE_CHARACTERS]) for text in lines[:MOST_LINES])
    return list(dict.fromkeys(match[1] for match in matches if match))


def definition_lines(lines: Lines, name: str) -> list[int]:
    """Return the lines that define a name in any usual language."""
    defines = re.compile(
        rf"^\s*(?:[\w@]+ ){{0,4}}(?:{_KEYWORDS})\s+(?:\([^)]{{0,80}}\)\s*)?{re.escape(name)}\b"
        rf"|^\s*(?:[\w<>\[\],.?]+ ){{1,4}}{re.escape(name)}\s*\([^;]{{0,200}}\{{\s*$"
    )
    return [
        number
        for number, text in enumerate(lines, start=1)
        if defines.match(text[:LINE_CHARACTERS])
    ]


def _section(lines: Lines, line: int) -> tuple[int, int]:
    headings = [number for number in range(1, len(lines) + 1) if _is_heading(lines, number)]
    first = max((number for number in headings if number <= line), default=1)
    following = min((number for number in headings if number > line), default=len(lines) + 1)
    return first, following - 1


def _is_heading(lines: Lines, number: int) -> bool:
    text, below = lines[number - 1], lines[number] if number < len(lines) else ""
    return bool(_HEADING.match(text) or (text.strip() and _UNDERLINE.match(below)))


def _indented(lines: Lines, line: int) -> tuple[int, int]:
    """Return the unindented head above a line with what stands deeper, else the paragraph."""
    first = line
    while first > 1 and not _is_head(lines[first - 1]):
        first -= 1
    last = line
    while last < len(lines) and not _is_head(lines[last]):
        last += 1

    if first == last:
        return _paragraph(lines, line)

    # What is written above a head without a blank line, such as a comment, belongs to it.
    while first > 1 and _COMMENT_LINE.match(lines[first - 2]):
        first -= 1
    return first, last


def _is_head(text: str) -> bool:
    """Return whether an unindented line begins something."""
    return bool(text) and not text[0].isspace() and not _CLOSING.match(text)


def _paragraph(lines: Lines, line: int) -> tuple[int, int]:
    first = last = line
    while first > 1 and lines[first - 2].strip():
        first -= 1
    while last < len(lines) and lines[last].strip():
        last += 1
    return first, last
