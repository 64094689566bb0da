"""The connected stretches of one colour in an image, and which of them are boxes. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from courtroom.analysis.pdf.pixels import Cells

_RUN = re.compile(rb"([^\x00])\1*", re.DOTALL)
# Text breaks an image into many runs; a photograph into more than is worth following.
MOST_RUNS = 400_000

# A box in cells and in shares of the image: larger than a letter, smaller than a frame.
_NARROWEST, _LOWEST = 12, 5
_WIDEST, _HIGHEST = 0.6, 0.3
_UPRIGHT = 0.6
# Shares of the bounding box: a rectangle fills it, an ellipse 0.79 of it, a diamond half.
_RECTANGLE, _DIAMOND = 0.85, 0.42


@dataclass(frozen=True, slots=True)
class Box:
    """Bounds in cells, y grows downwards; right and bottom are outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    def holds_middle_of(self, other: Box) -> bool:
        x, y = (other.left + other.right) / 2, (other.top + other.bottom) / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom


@dataclass(slots=True)
class _Region:
    """A region's leftmost and rightmost cell in each of its rows."""

    extents: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, y: int, start: int, end: int) -> None:
        left, right = self.extents.get(y, (start, end))
        self.extents[y] = min(left, start), max(right, end)

    @property
    def bounds(self) -> Box:
        sides = self.extents.values()
        left, right = min(side[0] for side in sides), max(side[1] for side in sides)
        return Box(left, min(self.extents), right, max(self.extents) + 1)


def boxes_in(cells: Cells) -> list[Box]:
    """Rectangles, ellipses and diamonds of one colour, whatever is written in them; frames around others are not."""
    found = [region.bounds for region in _regions(cells) if _is_box(region, cells)]
    return [
        box
        for box in found
        if not any(_is_larger(box, other) and box.holds_middle_of(other) for other in found)
    ]


def _is_larger(box: Box, other: Box) -> bool:
    return box.width * box.height > other.width * other.height


def _regions(cells: Cells) -> list[_Region]:
    """Runs of one colour that touch in neighbouring rows are one region; none when there are too many runs."""
    parents: list[int] = []
    rows: list[list[tuple[int, int, int, int]]] = []
    for y in range(cells.height):
        row = [
            (start, end, colour, len(parents) + index)
            for index, (start, end, colour) in enumerate(_runs(cells.row(y)))
        ]
        parents.extend(range(len(parents), len(parents) + len(row)))
        if len(parents) > MOST_RUNS:
            return []
        _join(parents, rows[-1] if rows else [], row)
        rows.append(row)
    regions: dict[int, _Region] = {}
    for y, row in enumerate(rows):
        for start, end, _, index in row:
            regions.setdefault(_root(parents, index), _Region()).add(y, start, end)
    return list(regions.values())


def _runs(row: bytes) -> Iterator[tuple[int, int, int]]:
    for run in _RUN.finditer(row):
        yield run.start(), run.end(), row[run.start()]


def _join(
    parents: list[int],
    above: Sequence[tuple[int, int, int, int]],
    row: Sequence[tuple[int, int, int, int]],
) -> None:
    one = other = 0
    while one < len(above) and other < len(row):
        upper, lower = above[one], row[other]
        if upper[0] < lower[1] and lower[0] < upper[1] and upper[2] == lower[2]:
            roots = sorted((_root(parents, upper[3]), _root(parents, lower[3])))
            parents[roots[1]] = roots[0]
        if upper[1] <= lower[1]:
            one += 1
        else:
            other += 1


def _root(parents: list[int], index: int) -> int:
    while parents[index] != index:
        parents[index] = parents[parents[index]]
        index = parents[index]
    return index


def _is_box(region: _Region, cells: Cells) -> bool:
    if len(region.extents) < _LOWEST:
        return False
    bounds = region.bounds
    fits = (
        _NARROWEST <= bounds.width <= _WIDEST * cells.width
        and bounds.height <= _HIGHEST * cells.height
    )
    if not fits or bounds.width < _UPRIGHT * bounds.height:
        return False
    widths = [region.extents[y][1] - region.extents[y][0] for y in range(bounds.top, bounds.bottom)]
    filled = sum(widths) / (bounds.width * bounds.height)
    return filled >= _RECTANGLE or (filled >= _DIAMOND and _bulges(region, bounds, widths))


def _bulges(region: _Region, bounds: Box, widths: Sequence[int]) -> bool:
    """Widest near its middle, narrower to both ends, the same on both sides: an ellipse or a diamond."""
    middle = (bounds.left + bounds.right) / 2
    slack = max(2.0, 0.06 * bounds.width)
    level = sum(
        abs((left + right) / 2 - middle) <= slack for left, right in region.extents.values()
    )
    widest = widths.index(max(widths))
    grows = all(one <= two + 2 for one, two in pairwise(widths[: widest + 1]))
    shrinks = all(one + 2 >= two for one, two in pairwise(widths[widest:]))
    central = 0.25 < widest / len(widths) < 0.75
    return central and grows and shrinks and level > 0.9 * len(widths)
