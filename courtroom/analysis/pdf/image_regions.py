"""Find the connected regions of one colour in an image, and the boxes among them.

Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from courtroom.analysis.pdf.pixels import Cells

_RUN = re.compile(rb"([^\x00])\1*", re.DOTALL)
# Text breaks an image into many runs. One with more is a photograph, not a diagram.
MOST_RUNS = 400_000

# Limits of a box's size in cells and in shares of the image: larger than a letter, smaller than a
# frame.
_MIN_WIDTH, _MIN_HEIGHT = 12, 5
_MAX_WIDTH, _MAX_HEIGHT = 0.6, 0.3
_MIN_ASPECT_RATIO = 0.6
# Cells of a line, and of a box's border and shadow: boxes of a diagram lie further apart.
_LINE, _MARGIN = 2, 6
# Shares of the bounding box: a rectangle fills it, an ellipse 0.79 of it, a diamond half.
_RECTANGLE, _DIAMOND = 0.85, 0.42


@dataclass(frozen=True, slots=True)
class Box:
    """Bounds in cells. y grows downwards; right and bottom are exclusive."""

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

    def contains_centre_of(self, other: Box) -> bool:
        x, y = (other.left + other.right) / 2, (other.top + other.bottom) / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom


@dataclass(slots=True)
class _Region:
    """Region's leftmost and rightmost cell, by row."""

    extents: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, y: int, start: int, end: int) -> None:
        left, right = self.extents.get(y, (start, end))
        self.extents[y] = min(left, start), max(right, end)

    @property
    def bounds(self) -> Box:
        sides = self.extents.values()
        left, right = min(side[0] for side in sides), max(side[1] for side in sides)
        return Box(left, min(self.extents), right, max(self.extents) + 1)


def boxes_in(cells: Cells) -> tuple[list[Box], list[Box]]:
    """Return the rectangles, ellipses and diamonds of one colour, without frames around others.

    Lines cut a frame, and the paper between two frames, into pieces that look like boxes: the first
    list is without them, the second with them.
    """
    regions = _regions(cells)
    boxes = [region.bounds for region in regions if _is_box(region, cells)]
    inner = [
        box
        for box in boxes
        if not any(_is_larger(box, other) and box.contains_centre_of(other) for other in boxes)
    ]
    large = (region.bounds for region in regions if len(region.extents) >= _MIN_HEIGHT)
    # A narrow region of another colour is a border or a shadow.
    strips = [bounds for bounds in large if bounds.width >= _MIN_WIDTH]
    whole = [
        box
        for box in inner
        if not any(_is_around(box, other) for other in boxes)
        and not any(_is_parted(box, other) for other in strips)
    ]
    return whole, inner


def _is_around(box: Box, other: Box) -> bool:
    """Return whether the box is close to the side of a lower one: a piece of its frame."""
    is_higher = box.top < other.top and other.bottom < box.bottom
    return is_higher and _gap(box, other) <= _MARGIN


def _is_parted(box: Box, other: Box) -> bool:
    """Return whether only a line parts the two, which have the same rows."""
    has_rows = abs(box.top - other.top) <= 1 and abs(box.bottom - other.bottom) <= 1
    return has_rows and abs(_gap(box, other)) <= _LINE


def _gap(box: Box, other: Box) -> int:
    return max(box.left, other.left) - min(box.right, other.right)


def _is_larger(box: Box, other: Box) -> bool:
    return box.width * box.height > other.width * other.height


def _regions(cells: Cells) -> list[_Region]:
    """Return the regions: runs of one colour that touch in adjacent rows belong together.

    Returns none for an image of more than MOST_RUNS runs.
    """
    # Union-find: `parents` maps a run's number to the number of a run of the same region.
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
    i = j = 0
    while i < len(above) and j < len(row):
        upper, lower = above[i], row[j]
        if upper[0] < lower[1] and lower[0] < upper[1] and upper[2] == lower[2]:
            roots = sorted((_root(parents, upper[3]), _root(parents, lower[3])))
            parents[roots[1]] = roots[0]
        if upper[1] <= lower[1]:
            i += 1
        else:
            j += 1


def _root(parents: list[int], index: int) -> int:
    while parents[index] != index:
        parents[index] = parents[parents[index]]
        index = parents[index]
    return index


def _is_box(region: _Region, cells: Cells) -> bool:
    if len(region.extents) < _MIN_HEIGHT:
        return False

    bounds = region.bounds
    fits = (
        _MIN_WIDTH <= bounds.width <= _MAX_WIDTH * cells.width
        and bounds.height <= _MAX_HEIGHT * cells.height
    )
    if not fits or bounds.width < _MIN_ASPECT_RATIO * bounds.height:
        return False

    widths = [region.extents[y][1] - region.extents[y][0] for y in range(bounds.top, bounds.bottom)]
    filled = sum(widths) / (bounds.width * bounds.height)
    return filled >= _RECTANGLE or (filled >= _DIAMOND and _bulges(region, bounds, widths))


def _bulges(region: _Region, bounds: Box, widths: Sequence[int]) -> bool:
    """Return whether the region is symmetric and widest in the middle: an ellipse or a diamond."""
    middle = (bounds.left + bounds.right) / 2
    slack = max(2.0, 0.06 * bounds.width)
    symmetric_rows = sum(
        abs((left + right) / 2 - middle) <= slack for left, right in region.extents.values()
    )
    widest = widths.index(max(widths))
    # Two cells of slack, because edges are uneven.
    grows = all(upper <= lower + 2 for upper, lower in pairwise(widths[: widest + 1]))
    shrinks = all(upper + 2 >= lower for upper, lower in pairwise(widths[widest:]))
    is_central = 0.25 < widest / len(widths) < 0.75
    return is_central and grows and shrinks and symmetric_rows > 0.9 * len(widths)
