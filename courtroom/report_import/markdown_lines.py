"""Markdown with HTML in it as a list of plain lines: what each is, what it says without its marks, and where it stood.

Not a Markdown parser: students' reports are written by programs that never looked at the rendered page, so each line is
taken for what it says, and a fence that is never closed or a table without its rule costs nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from courtroom.report_import.text_cleaning import shown

Kind = Literal["blank", "heading", "item", "row", "text", "rule", "code"]
BOLD_HEADING = 7
LONGEST_UNDERLINED = 80
MOST_CELLS = 30

# Not a ruler drawn in a comment of pasted code.
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(?![-=*]{3})|(?=[^\s#!\[]))(.*)")
_ITEM = re.compile(r"(\s*)(?:[-*+•▪◦●\u2013‣]|\(?\d{1,3}[.)])[ \t]+(.*)")
_RULE = re.compile(r"\s*(?:[-_*=~][ \t]?){3,}\s*")
_SETEXT = re.compile(r" {0,3}(?:={3,}|-{3,})\s*")
_FENCE = re.compile(r"[ >]{0,8}(`{3,}|~{3,})(.*)")
_BOLD_LEAD = re.compile(r"(\s*(?:[-*+][ \t]+)?)\*\*([^*\n]{1,60})\.\*\*(?=\s)")
_QUOTE = re.compile(r"\s*(?:>[ \t]?)+")
_CELL_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")
_MARKS = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(\#?[A-Za-z0-9]{1,10};)|\*\*|(?<!\w)__|__(?!\w)|`+|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|~~"
    r"|(?<![\w\\])_(?=\S[^_\n]{0,300}\S_(?!\w))|(?<=\S)_(?=[\s.,;:)]|$)"
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\(([^()\s]{0,500})\)")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,15})\b[^<>]{0,500}>")
_WHOLE_BOLD = re.compile(r"\s*(?:\*\*|__)([^*\n]{1,200}?)(?:\*\*|__)\s*:?\s*")
_MARKDOWN_FENCES = ("markdown", "md")
_BREAKS = frozenset(
    {"br", "p", "div", "tr", "table", "ul", "ol", "details", "section", "hr", "blockquote"}
)


@dataclass(frozen=True, slots=True)
class Line:
    """`depth` of a heading is its level, 7 for a line that is bold as a whole; of an item its indent in columns."""

    number: int
    kind: Kind
    depth: int
    text: str
    cells: tuple[str, ...] = ()


def lines_in(raw: Sequence[str]) -> Iterator[Line]:
    """Where a line holds several blocks of HTML, each is a line with the same 1-based number."""
    raw = list(raw)
    for number in _open_rows(raw):
        raw[number] = f"| {raw[number]}"
    fenced = _fenced_lines(raw)
    before: Line | None = None
    for number, words in enumerate(raw, start=1):
        if number in fenced:
            if before:
                yield before
            before = Line(number, "code", 0, words) if fenced[number] else None
            continue
        for line in _blocks(number, words):
            if (
                line.kind == "rule"
                and before
                and before.kind == "text"
                and _underlines(words, before.text)
            ):
                before = replace(before, kind="heading", depth=1 if "=" in words else 2)
                continue
            if before:
                yield before
            before = line
    if before:
        yield before


def _open_rows(raw: list[str]) -> Iterator[int]:
    """Positions of the rows of tables whose lines do not begin with a bar: a rule tells them from other lines."""
    for at, words in enumerate(raw):
        if (
            "|" in words[1:]
            and "-" in words
            and not words.lstrip().startswith("|")
            and _CELL_RULE.fullmatch(words[:400])
        ):
            start = max(at - 1, 0)
            for row in range(start, len(raw)):
                if "|" not in raw[row]:
                    break
                yield row


def _underlines(words: str, text: str) -> bool:
    """A line of dashes often only parts two blocks; under a short line without a colon it makes a heading."""
    return _SETEXT.fullmatch(words) is not None and (
        "=" in words or (len(text) <= LONGEST_UNDERLINED and ":" not in text)
    )


def _fenced_lines(raw: list[str]) -> dict[int, bool]:
    """Which lines are code (true) or the fence itself (false). A fence of Markdown, or one never closed, is none."""
    found: dict[int, bool] = {}
    opened: tuple[int, str, bool] | None = None
    for number, words in enumerate(raw, start=1):
        match = _FENCE.match(words)
        if match is None:
            continue
        mark, info = match[1], match[2].strip().lower()
        if opened is None:
            opened = number, mark, info in _MARKDOWN_FENCES
        elif mark.startswith(opened[1]) and not info:
            start, _, is_markdown = opened
            found |= dict.fromkeys((start, number), False)
            found |= {} if is_markdown else dict.fromkeys(range(start + 1, number), True)
            opened = None
    return found


def _blocks(number: int, words: str) -> Iterator[Line]:
    if "<" not in words:
        yield _line(number, words)
        return
    for prefix, part in _html_parts(_without_comments(words)):
        yield _line(number, prefix + part)


def _without_comments(words: str) -> str:
    kept, seen = [], 0
    while (start := words.find("<!--", seen)) >= 0 and (end := words.find("-->", start)) >= 0:
        kept.append(words[seen:start])
        seen = end + len("-->")
    return "".join([*kept, words[seen:]])


def _html_parts(words: str) -> Iterator[tuple[str, str]]:
    """The blocks of a line with HTML in it, each with the mark that Markdown has for it."""
    prefix, held, seen = "", "", 0
    in_row = words.lstrip(" >").startswith("|")
    for tag in _TAG.finditer(words):
        name, closing = (tag[2] or "").lower(), bool(tag[1])
        between, seen = words[seen : tag.start()], tag.end()
        held += between
        mark = _mark_of(name)
        if in_row or (mark is None and name not in _BREAKS and name not in ("td", "th")):
            held += " " if name == "br" else "**" if name in ("b", "strong") else ""
        elif name in ("td", "th"):
            held += "" if closing else "| " if "|" not in held else " | "
        else:
            if held.strip():
                yield prefix, held
            prefix, held = ("" if closing or mark is None else mark), ""
    held += words[seen:]
    if held.strip() or not words.strip():
        yield prefix, held


def _mark_of(name: str) -> str | None:
    if name == "li":
        return "- "
    if name == "summary":
        return "###### "
    return (
        f"{'#' * int(name[1])} "
        if len(name) == 2 and name[0] == "h" and name[1] in "123456"
        else None
    )


def _line(number: int, words: str) -> Line:
    words = _QUOTE.sub("", words, count=1) if words.lstrip().startswith(">") else words
    bare = words.strip()
    if not bare:
        return Line(number, "blank", 0, "")
    if match := _HEADING.fullmatch(words):
        return Line(number, "heading", len(match[1]), plain(match[2].rstrip("# ")))
    if bare.startswith("|") and bare.count("|") > 1:
        return _row(number, bare)
    if _RULE.fullmatch(words[:200]):
        return Line(number, "rule", 0, "")
    if match := _WHOLE_BOLD.fullmatch(words):
        return Line(number, "heading", BOLD_HEADING, plain(match[1]))
    if "**" in words:
        words = _BOLD_LEAD.sub(r"\1\2:", words, count=1) if _BOLD_LEAD.match(words) else words
        bare = words.strip()
    if match := _ITEM.match(words):
        return Line(number, "item", len(match[1]), plain(words[match.start(2) :]))
    return Line(number, "text", len(words) - len(words.lstrip()), plain(bare))


def _row(number: int, bare: str) -> Line:
    if _CELL_RULE.fullmatch(bare[:400]):
        return Line(number, "rule", 1, "")
    inner = bare.removeprefix("|").replace("\\|", "\x1f")
    inner = inner.removesuffix("|")
    cells = tuple(
        plain(cell.replace("\x1f", "|")) for cell in inner.split("|", MOST_CELLS)[:MOST_CELLS]
    )
    return Line(number, "row", 0, " ".join(cells), cells)


def plain(words: str) -> str:
    """The words as a reader sees them: no emphasis, code ticks, links, tags, escapes or entities."""
    if "](" in words:
        words = _LINK.sub(lambda link: link[1] or link[2], words)
    if "<" in words:
        words = _TAG.sub(" ", words)
    return " ".join(_MARKS.sub(_unmarked, words).split())


def _unmarked(mark: re.Match[str]) -> str:
    if mark[1]:
        return mark[1]
    return shown(html.unescape(f"&{mark[2]}")) if mark[2] else ""
