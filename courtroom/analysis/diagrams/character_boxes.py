"""Read the boxes of a diagram drawn with characters: the names side by side, row by row.

The text of a page keeps the order of characters, not their columns: a row of boxes is known by the
corners of the border above it and by the bars between its names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

_CORNER = re.compile(r"[┌╭╔┏]|\+[-=]{2,}(?=\+)")
_BOTTOM = re.compile(r"[└╰╚┗]|\+[-=]{2,}\+")
_COLUMN = re.compile(r"[┬╤╥╦┯┰┳]|[-=]\+[-=]")
_BORDER = re.compile(r"[\u2500-\u257f+\-=|\s]+")
_DRAWN_BAR = re.compile(r"[│┃║]")
_ASCII_BAR = re.compile(r"\|")
# Lists, remarks in brackets and fields below a name describe its box.
_NAME_PART = re.compile(r"[A-Za-z][^:(]*$")


@dataclass(frozen=True, slots=True)
class BoxRow:
    """Boxes side by side: their names, the line above their border, and the lines they take up.

    `is_parted`: they are the parts of one box, between bars that the border knows nothing of.
    """

    names: tuple[str, ...]
    above: str
    first: int
    end: int
    is_parted: bool = False

    @property
    def are_branches(self) -> bool:
        """Boxes of the same name repeat a part, and do not branch."""
        return len(self.names) >= 2 and len(set(self.names)) == len(self.names)


def box_rows(lines: Sequence[str]) -> list[BoxRow]:
    """Return the rows of boxes, from the top. Boxes within boxes have a row of their own."""
    rows: list[BoxRow] = []
    index = 0
    while index < len(lines):
        row = _row_at(index, lines)
        if row:
            rows.append(row)
        index = row.end if row else index + 1
    return rows


def is_within_bars(line: str) -> bool:
    """Return whether the line is text between the sides of a box."""
    ends = _DRAWN_BAR.match(line.strip()), _DRAWN_BAR.match(line.strip()[-1:])
    return all(ends) and bool(_cells(line, _DRAWN_BAR))


def _row_at(first: int, lines: Sequence[str]) -> BoxRow | None:
    borders = list(takewhile(_is_top, lines[first:]))
    body = list(takewhile(lambda line: not _is_border(line), lines[first + len(borders) :]))
    if not borders or not body:
        return None

    bar = _DRAWN_BAR if _DRAWN_BAR.search(body[0]) else _ASCII_BAR
    names = _names([_cells(line, bar) for line in body])
    corners = sum(len(_CORNER.findall(line)) for line in borders)
    end = first + len(borders) + len(body)
    is_parted = len(names) > corners == len(body) and _closes(lines[end : end + 1])
    if (
        not names
        or not (is_parted or len(names) <= corners)
        or (is_parted and _has_columns(borders))
    ):
        return None
    return BoxRow(names, lines[first - 1] if first else "", first, end, is_parted)


def _closes(below: Sequence[str]) -> bool:
    return bool(below) and _BOTTOM.search(below[0]) is not None


def _has_columns(borders: Sequence[str]) -> bool:
    """Return whether a border marks columns, as that of a table does."""
    return any(_COLUMN.search(border) for border in borders)


def _is_top(line: str) -> bool:
    return bool(_CORNER.search(line)) and bool(_BORDER.fullmatch(line))


def _is_border(line: str) -> bool:
    return bool(_CORNER.search(line) or _BOTTOM.search(line))


def _cells(line: str, bar: re.Pattern[str]) -> tuple[str, ...]:
    """Return the texts between the bars; what stands before the first and after the last is none."""
    parts = bar.split(line)[1:-1]
    return tuple(part.strip() for part in parts if re.search(r"[A-Za-z]", part))


def _names(body: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return each box's name: its first line, with those that continue it."""
    if not body:
        return ()

    names = list(body[0])
    for cells in body[1:]:
        if len(cells) != len(names) or not all(map(_NAME_PART.match, cells)):
            break
        names = [f"{name} {cell}" for name, cell in zip(names, cells, strict=True)]
    return tuple(names)
