"""Build the text of a page from positioned pieces: lines, then paragraphs.

Positions decide, not the line breaks in the stream: many PDF writers place every word separately,
so that a plain extraction gives one word per line, and others draw an underscore as a thin rule.
Positions are in points, y grows upwards. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

# Characters are about half an em wide, these narrower or wider. That is enough to recognise a gap
# without the font.
_NARROW = re.compile(r"[iljtfrI.,:;'|!()\[\]{}/\\ -]")
_CAPITAL = re.compile(r"[A-HJ-ZmwMW@%]")
_SPACE_BEFORE_STOP = re.compile(r" ([,;.)])(?=\s|$)")
_BULLET = re.compile(r"(?:[•●○▪◦‣∙·*\u2013-]|\d{1,2}[.)])\s")
_BARE_MARK = re.compile(r"[•●○▪◦‣∙·*\u2013-]|\d{1,2}[.)]")
# In heights of a line: what parts two lines of a column, and what marks and their lines may differ.
_LINE_DROP, _SAME_LINE = 0.9, 0.35
# A single number ("3. Parse it") may also be a list item: then the font decides.
_NUMBERED_HEADING = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[A-Z]")
# Lines of a drawing made of characters, also in ASCII: "|---> name", "v   v".
_DRAWN_IN_TEXT = re.compile(
    r"[\u2500-\u257f\u25b2\u25bc\u25ba\u25c4]|^[|+](?=\s|$|-)|--[>+|\\/]|<--"
    r"|^[|vV\u2193](?:\s[|vV\u2193])*$"
)
_FILE_NAME = re.compile(r"[\w-]*\.(?:py|ipynb|md|json|toml|ya?ml|txt|pdf|sh|html?|csv)\b")
_ENDS_SENTENCE = (".", "!", "?", ":", ";", ",")
_LONGEST_HEADING = 12  # words


@dataclass(frozen=True, slots=True)
class Piece:
    """Piece of text and the start of its baseline.

    A `rule` is a thin line that may be an underscore. `faint` text is visible on a coloured
    background at most, and `gone` text nowhere. `painted` counts the paths painted before it.
    """

    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    rule: bool = False
    faint: bool = False
    gone: bool = False
    painted: int = 0

    @property
    def end(self) -> float:
        """Estimate where the piece ends, from the widths of its characters."""
        narrow, capital = len(_NARROW.findall(self.text)), len(_CAPITAL.findall(self.text))
        return self.x + self.size * (0.52 * len(self.text) - 0.2 * narrow + 0.14 * capital)


@dataclass(frozen=True, slots=True)
class Line:
    """Pieces that share a baseline, in reading order, and their text. `size` is the largest."""

    pieces: tuple[Piece, ...]
    text: str
    size: float
    bold: bool

    @property
    def y(self) -> float:
        return self.pieces[0].y


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, list item, cell or heading, and the size of its letters in points."""

    text: str
    heading: bool
    size: float = 0.0


def lines_of(pieces: Iterable[Piece]) -> list[Line]:
    """Group pieces in stream order into lines. A step back, up or down starts a new line."""
    lines: list[list[Piece]] = []
    for piece in pieces:
        if piece.rule and not (lines and _is_underscore(lines[-1], piece)):
            continue
        if lines and (piece.rule or _continues(lines[-1], piece)):
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return [line for line in map(line_of, lines) if line.text]


def in_page_order(lines: Sequence[Line]) -> list[Line]:
    """Return the lines from the top of the page, where the stream draws some after the rest.

    Marks of lists that stand apart join their lines. Columns and the cells of a table keep the
    order of the stream.
    """
    steps = pairwise(lines)
    if all(after.y <= before.y + max(before.size, after.size) for before, after in steps):
        return list(lines)
    ordered: list[Line] = []
    for line in sorted(lines, key=lambda line: -line.y):
        last = ordered[-1] if ordered else None
        drop = (last.y - line.y) / max(last.size, line.size) if last else _LINE_DROP
        if last is None or drop >= _LINE_DROP:
            ordered.append(line)
            continue
        mark, text = sorted((last, line), key=lambda line: line.pieces[0].x)
        if drop > _SAME_LINE or not _BARE_MARK.fullmatch(mark.text):
            return list(lines)
        ordered[-1] = replace(text, text=f"{mark.text} {text.text}")
    return ordered


def line_of(pieces: Sequence[Piece]) -> Line:
    texts = [piece for piece in pieces if not piece.rule]
    return Line(
        pieces=tuple(pieces),
        text=_text_with_spaces(pieces),
        size=max(piece.size for piece in texts),
        bold=all(piece.bold for piece in texts if piece.text.strip()),
    )


def _continues(line: Sequence[Piece], piece: Piece) -> bool:
    first, last = line[0], line[-1]
    size = max(first.size, piece.size)
    return abs(piece.y - first.y) <= 0.35 * size and piece.x >= last.x - 0.1 * size


def _is_underscore(line: Sequence[Piece], rule: Piece) -> bool:
    """Return whether the rule is short, just under the baseline, and follows the last piece.

    `rule.size` is its width.
    """
    last = line[-1]
    below = -0.35 * last.size <= rule.y - line[0].y <= 0.1 * last.size
    fits = 0.15 * last.size <= rule.size <= 0.9 * last.size
    return not last.rule and below and fits and rule.x >= last.x + 0.6 * (last.end - last.x)


def _text_with_spaces(pieces: Sequence[Piece]) -> str:
    text = ""
    for before, piece in zip((None, *pieces), pieces, strict=False):
        added = piece.text
        if before is not None and before.rule:
            added = added.lstrip()
        elif before is not None and not piece.rule and _is_gap(before, piece):
            added = " " + added
        text += added
    return _SPACE_BEFORE_STOP.sub(r"\1", " ".join(text.split()))


def _is_gap(before: Piece, piece: Piece) -> bool:
    width = before.end - before.x
    return piece.x - before.end > 0.5 * piece.size + 0.15 * width


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    """Group lines into blocks, and join words that were broken at the end of a line."""
    drops = [a.y - b.y for a, b in pairwise(lines) if 0 < a.y - b.y < 4 * a.size]
    leading = median(drops) if drops else 0.0
    body = median(line.size for line in lines) if lines else 0.0
    groups: list[list[Line]] = []

    for line in lines:
        if groups and _is_same_block(groups[-1], line, leading):
            groups[-1].append(line)
        else:
            groups.append([line])

    return [Block(_joined(group), _is_heading(group, body), group[0].size) for group in groups]


def _is_same_block(group: Sequence[Line], line: Line, leading: float) -> bool:
    last = group[-1]
    drop = last.y - line.y
    if not 0 < drop <= 1.25 * max(leading, line.size):
        return False
    if _DRAWN_IN_TEXT.search(last.text) or _DRAWN_IN_TEXT.search(line.text):
        return False
    if abs(last.size - line.size) > 0.12 * line.size or _changes_weight(group, line):
        return _ends_inside_path(last.text) and abs(last.size - line.size) <= 0.12 * line.size

    return not (
        _BULLET.match(line.text) or _NUMBERED_HEADING.match(line.text) or _looks_numbered(group)
    )


def _changes_weight(group: Sequence[Line], line: Line) -> bool:
    """Return whether a line begins in bold or without after a line that ends otherwise.

    A heading, bold as a whole, is no part of a text that begins with bold words.
    """
    if group[-1].bold == line.bold:
        return False
    is_heading = all(other.bold for other in group)
    return is_heading or group[-1].pieces[-1].bold != line.pieces[0].bold


def _looks_numbered(group: Sequence[Line]) -> bool:
    text = group[-1].text
    return len(group) == 1 and bool(_NUMBERED_HEADING.match(text)) and _is_short(text)


def _is_short(text: str) -> bool:
    return len(text.split()) <= _LONGEST_HEADING and not text.endswith(_ENDS_SENTENCE)


def _is_heading(group: Sequence[Line], body: float) -> bool:
    text = _joined(group)
    if not _is_short(text) or not any(character.isalpha() for character in text):
        return False
    larger = group[0].size >= 1.12 * body
    return larger or group[0].bold or bool(_NUMBERED_HEADING.match(text))


def _joined(group: Sequence[Line]) -> str:
    text = group[0].text
    for line in group[1:]:
        text = _join_lines(text, line.text)
    return text


def _join_lines(text: str, following: str) -> str:
    if _ends_inside_path(text) or _continues_name(text, following):
        return text + following
    if re.search(r"\w-$", text) and following[:1].isalpha():
        return (text[:-1] if _is_broken_word(text, following) else text) + following
    return f"{text} {following}"


def _is_broken_word(text: str, following: str) -> bool:
    """Return whether the hyphen comes from the line break: no path and no common compound."""
    head = re.search(r"(?:^|[\s(\"“'])([A-Za-z]{2,}-)$", text)
    tail = re.match(r"[a-z]+(?:[^\w-]|$)", following)
    is_file = _FILE_NAME.match(following)
    return bool(head and tail and not is_file and head[1].lower() not in _COMPOUND_HEADS)


# Words that keep their hyphen when a line breaks after it.
_COMPOUND_HEADS = frozenset(
    {
        "self-",
        "multi-",
        "non-",
        "fan-",
        "meta-",
        "cross-",
        "high-",
        "low-",
        "re-",
        "pre-",
        "post-",
        "sub-",
        "real-",
        "well-",
        "long-",
        "short-",
        "rule-",
        "type-",
        "role-",
        "state-",
        "run-",
        "end-",
    }
)


def _ends_inside_path(text: str) -> bool:
    """Return whether the line breaks inside a path or a snake_case name, which takes no space."""
    return bool(re.search(r"[\w.-][/_]$", text)) and not text.endswith("://")


def _continues_name(text: str, following: str) -> bool:
    """Return whether a line begins with the ending of a file or the middle of a snake_case name."""
    word = text[text.rfind(" ") + 1 :]
    is_name = word[-1:].isalnum() and ("/" in word or "_" in word)
    ending = following.startswith((".", "_")) and _FILE_NAME.match(following)
    return is_name and bool(ending or re.match(r"_[a-z]", following))
