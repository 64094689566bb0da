"""Markdown, perhaps with HTML in it, as a list of plain lines: kind, text and line number.

This is no Markdown parser. Programs that never looked at the rendered page write the reports, so
each line counts by itself: a fence that is never closed, or a table without its rule, costs
nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from courtroom.report_import.text_cleaning import visible_text

Kind = Literal["blank", "heading", "item", "row", "text", "rule", "code"]
# A line that is bold as a whole serves as a heading below Markdown's six levels.
BOLD_HEADING = 7
LONGEST_UNDERLINED = 80
MOST_CELLS = 30

# Not a ruler drawn in a comment of pasted code.
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(?![-=*]{3})|(?=[^\s#!\[]))(.*)")
_LIST_ITEM = re.compile(r"(\s*)(?:[-*+•▪◦●\u2013‣]|\(?\d{1,3}[.)])[ \t]++(.*)")
_RULE = re.compile(r"\s*(?:[-_*=~][ \t]?){3,}\s*")
_SETEXT = re.compile(r" {0,3}(?:={3,}|-{3,})\s*")
_FENCE = re.compile(r"[ >]{0,8}(`{3,}+|~{3,}+)(.*)")
_BOLD_LEAD = re.compile(r"(\s*(?:[-*+][ \t]+)?)\*\*([^*\n]{1,60})\.\*\*(?=\s)")
_QUOTE_MARK = re.compile(r"\s*(?:>[ \t]?)+")
_CELL_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")
_MARKS = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(\#?[A-Za-z0-9]{1,10};)|(?<!`)`([^`\n]{1,300})`(?!`)"
    r"|\*\*|(?<!\w)__|__(?!\w)|`+"
    r"|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|~~"
    r"|(?<![\w\\])_(?=\S[^_\n]{0,300}\S_(?!\w))|(?<=\S)_(?=[\s.,;:)]|$)"
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\(([^()\s]{0,500})\)")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,15})\b[^<>]{0,500}>")
_WHOLE_BOLD = re.compile(r"\s*(?:\*\*|__)([^*\n]{1,200}?)(?:\*\*|__)\s*+(?::\s*+)?")
_MARKDOWN_FENCES = ("markdown", "md")
_BREAKS = frozenset(
    {"br", "p", "div", "tr", "table", "ul", "ol", "details", "section", "hr", "blockquote"}
)


@dataclass(frozen=True, slots=True)
class Line:
    """Frozen line. `number` is 1-based.

    `depth` of a heading is its level, 7 for a line that is bold as a whole; of an item it is the
    indent in columns.
    """

    number: int
    kind: Kind
    depth: int
    text: str
    cells: tuple[str, ...] = ()


def parse_lines(raw: Sequence[str]) -> Iterator[Line]:
    """Yield the lines; several blocks of HTML on one line are lines with the same number."""
    raw = list(raw)
    for index in _borderless_rows(raw):
        raw[index] = f"| {raw[index]}"
    fenced = _fenced_lines(raw)

    # One line is held back: an underline turns the text above it into a heading.
    previous: Line | None = None
    for number, words in enumerate(raw, start=1):
        if number in fenced:
            if previous:
                yield previous
            previous = Line(number, "code", 0, words) if fenced[number] else None
            continue

        for line in _blocks(number, words):
            if previous and _underlines(words, line, previous):
                previous = replace(previous, kind="heading", depth=1 if "=" in words else 2)
                continue
            if previous:
                yield previous
            previous = line
    if previous:
        yield previous


def _borderless_rows(raw: list[str]) -> Iterator[int]:
    """Yield the positions of table rows that do not begin with a bar.

    The rule under the head tells such rows from other lines with bars.
    """
    for index, words in enumerate(raw):
        has_bars = "|" in words[1:] and not words.lstrip().startswith("|")
        if not (has_bars and "-" in words and _CELL_RULE.fullmatch(words[:400])):
            continue

        for row in range(max(index - 1, 0), len(raw)):
            if "|" not in raw[row]:
                break
            yield row


def _underlines(words: str, line: Line, previous: Line) -> bool:
    """Return true for a heading's underline, false for a line that only parts two blocks.

    Dashes make a heading only under a short line without a colon.
    """
    if line.kind != "rule" or previous.kind != "text" or not _SETEXT.fullmatch(words):
        return False
    return "=" in words or (len(previous.text) <= LONGEST_UNDERLINED and ":" not in previous.text)


def _fenced_lines(raw: list[str]) -> dict[int, bool]:
    """Map the numbers of fenced lines to true for code, false for the fence itself.

    A fence of Markdown, and one that is never closed, hides nothing.
    """
    fenced: dict[int, bool] = {}
    opening: tuple[int, str, bool] | None = None

    for number, words in enumerate(raw, start=1):
        match = _FENCE.match(words)
        if match is None:
            continue

        mark, info = match[1], match[2].strip().lower()
        if opening is None:
            opening = number, mark, info in _MARKDOWN_FENCES
        elif mark.startswith(opening[1]) and not info:
            start, _, is_markdown = opening
            fenced |= dict.fromkeys((start, number), False)
            fenced |= {} if is_markdown else dict.fromkeys(range(start + 1, number), True)
            opening = None
    return fenced


def _blocks(number: int, words: str) -> Iterator[Line]:
    if "<" not in words:
        yield _line(number, words)
        return

    for prefix, part in _html_parts(_without_comments(words)):
        yield _line(number, prefix + part)


def _without_comments(words: str) -> str:
    # By find() and not by a pattern: a pattern would backtrack over many unclosed comments.
    kept, position = [], 0
    while (start := words.find("<!--", position)) >= 0 and (end := words.find("-->", start)) >= 0:
        kept.append(words[position:start])
        position = end + len("-->")
    return "".join([*kept, words[position:]])


def _html_parts(words: str) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a line with HTML in it, each with the mark that Markdown has for it."""
    prefix, block, position = "", "", 0
    is_row = words.lstrip(" >").startswith("|")

    for tag in _TAG.finditer(words):
        name, is_closing = (tag[2] or "").lower(), bool(tag[1])
        block += words[position : tag.start()]
        position = tag.end()
        mark = _markdown_mark(name)

        if is_row or (mark is None and name not in _BREAKS and name not in ("td", "th")):
            block += " " if name == "br" else "**" if name in ("b", "strong") else ""
        elif name in ("td", "th"):
            block += "" if is_closing else "| " if "|" not in block else " | "
        else:
            if block.strip():
                yield prefix, block
            prefix, block = ("" if is_closing or mark is None else mark), ""

    block += words[position:]
    if block.strip() or not words.strip():
        yield prefix, block


def _markdown_mark(tag_name: str) -> str | None:
    if tag_name == "li":
        return "- "
    if tag_name == "summary":
        return "###### "

    is_heading = len(tag_name) == 2 and tag_name[0] == "h" and tag_name[1] in "123456"
    return f"{'#' * int(tag_name[1])} " if is_heading else None


def _line(number: int, words: str) -> Line:
    if match := _QUOTE_MARK.match(words):
        words = words[match.end() :]
    bare = words.strip()
    if not bare:
        return Line(number, "blank", 0, "")
    if match := _HEADING.fullmatch(words):
        return Line(number, "heading", len(match[1]), strip_markup(match[2].rstrip("# ")))
    if bare.startswith("|") and bare.count("|") > 1:
        return _row(number, bare)
    if _RULE.fullmatch(words[:200]):
        return Line(number, "rule", 0, "")
    if match := _WHOLE_BOLD.fullmatch(words):
        return Line(number, "heading", BOLD_HEADING, strip_markup(match[1]))

    # `**Dissent.** Words` is a label and its value, as our own Markdown writes it.
    if match := _BOLD_LEAD.match(words):
        words = f"{match[1]}{match[2]}:{words[match.end() :]}"
        bare = words.strip()
    if match := _LIST_ITEM.match(words):
        return Line(number, "item", len(match[1]), strip_markup(words[match.start(2) :]))
    return Line(number, "text", len(words) - len(words.lstrip()), strip_markup(bare))


def _row(number: int, bare: str) -> Line:
    if _CELL_RULE.fullmatch(bare[:400]):
        return Line(number, "rule", 1, "")

    # An escaped bar belongs to its cell; \x1f cannot be in the text, which was cleaned.
    inner = bare.removeprefix("|").replace("\\|", "\x1f").removesuffix("|")
    parts = inner.split("|", MOST_CELLS)[:MOST_CELLS]
    cells = tuple(strip_markup(part.replace("\x1f", "|")) for part in parts)
    return Line(number, "row", 0, " ".join(cells), cells)


def strip_markup(words: str) -> str:
    """Return the words as rendered: no emphasis, ticks, links, tags, escapes or entities."""
    if "](" in words:
        words = _LINK.sub(lambda link: link[1] or link[2], words)
    if "<" in words:
        words = _TAG.sub(" ", words)
    return " ".join(_MARKS.sub(_unmarked, words).split())


def _unmarked(mark: re.Match[str]) -> str:
    if mark[1] or mark[3]:
        return mark[1] or mark[3]
    # An entity could bring back an invisible character that the text was cleaned of.
    return visible_text(html.unescape(f"&{mark[2]}")) if mark[2] else ""
