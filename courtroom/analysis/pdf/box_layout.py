"""Layout of the boxes in a picture: their levels, and which boxes a line reaches.

No text of a picture is read: the analysis rests on the number of boxes on a level. Standard library
only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from courtroom.analysis.pdf.image_regions import Box, boxes_in
from courtroom.analysis.pdf.pdf_content import Layout, Level
from courtroom.analysis.pdf.pixels import Cells, cells_of, outlines_of

# Share of the smaller height that two boxes must overlap to be on the same level.
_OVERLAP = 0.5
# Distances in cells from a box's side where only a line that reaches it can be: past its border
# and its shadow.
_JUST_OUTSIDE = (4, 5)
# Cells of a line between two boxes, at least.
_SHORTEST_LINE = 3
# Splits of an agent graph: of its detectives, and of its judges.
_SPLITS = 2
# Share of the width left out on both sides: corners belong to borders and to neighbours.
_CORNER = 0.1


def layout_of(page: int, samples: bytes, width: int, height: int) -> Layout | None:
    """Return the picture's levels, from the top; from the left where only columns are splits.

    None where the samples are not as many as the picture has. Outlines count where areas of one
    colour show no splits, and what looks like the piece of a frame where there are none without it.
    """
    cells = cells_of(samples, width, height)
    if cells is None:
        return None

    by_colour = _layout(page, cells)
    if _count_splits(by_colour.levels) >= _SPLITS:
        return by_colour
    by_outline = _layout(page, outlines_of(samples, width, height))
    return max(by_colour, by_outline, key=_certainty)


def _certainty(layout: Layout) -> tuple[bool, int]:
    linked = [level for level in layout.levels if level.is_linked]
    return _count_splits(layout.levels) >= _SPLITS, len(linked)


def _layout(page: int, cells: Cells) -> Layout:
    readings = boxes_in(cells)
    rows = [_read(cells, boxes) for boxes in readings]
    for levels in rows:
        if _count_splits(levels) >= _SPLITS:
            return Layout(page, levels)
    for boxes in readings:
        columns = _columns(cells, boxes)
        if _count_splits(columns) >= _SPLITS:
            return Layout(page, columns, from_left=True)
    return Layout(page, rows[-1])


def _read(cells: Cells, boxes: Sequence[Box]) -> tuple[Level, ...]:
    return tuple(_level(cells, row) for row in _levels(boxes))


def _columns(cells: Cells, boxes: Sequence[Box]) -> tuple[Level, ...]:
    """Return the levels of the picture that is turned, so that its left side is the top."""
    turned = [Box(box.top, box.left, box.bottom, box.right) for box in boxes]
    if sum(len(row) > 1 for row in _levels(turned)) < _SPLITS:
        return ()
    data = b"".join(cells.data[x :: cells.width] for x in range(cells.width))
    return _read(Cells(data, cells.height, cells.width), turned)


def _count_splits(levels: Sequence[Level]) -> int:
    """Count the rows that lines enter and leave at several boxes; rows that touch are one."""
    marks = "".join(_mark(level) for level in levels)
    return sum("2" in run for run in marks.split(" "))


def _mark(level: Level) -> str:
    if level.is_split:
        return "2"
    return "1" if level.linked > 1 else " "


def _levels(boxes: Sequence[Box]) -> list[list[Box]]:
    levels: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: (box.top + box.bottom, box.left)):
        row = next((level for level in levels if _is_beside(level[0], box)), None)
        if row is None:
            levels.append([box])
        else:
            row.append(box)
    return levels


def _is_beside(box: Box, other: Box) -> bool:
    overlap = min(box.bottom, other.bottom) - max(box.top, other.top)
    return overlap >= _OVERLAP * min(box.height, other.height)


def _level(cells: Cells, boxes: Sequence[Box]) -> Level:
    from_above = [
        _is_reached(cells, box, [box.top - 1 - far for far in _JUST_OUTSIDE]) for box in boxes
    ]
    from_below = [
        _is_reached(cells, box, [box.bottom + far for far in _JUST_OUTSIDE]) for box in boxes
    ]
    pairs = list(zip(from_above, from_below, strict=True))
    return Level(
        boxes=len(boxes),
        linked=sum(above or below for above, below in pairs),
        above=sum(from_above),
        below=sum(from_below),
        through=sum(above and below for above, below in pairs),
        in_chain=_longest_chain(cells, boxes),
    )


def _longest_chain(cells: Cells, boxes: Sequence[Box]) -> int:
    """Return the number of boxes that a line joins with the next on their right, on end."""
    row: list[Box] = []
    for box in sorted(boxes, key=lambda box: box.left):
        # What begins within a box is a piece of the paper between its lines.
        if not row or box.left >= row[-1].right:
            row.append(box)
    joined = (_is_joined(cells, box, after) for box, after in pairwise(row))
    chains = (len(list(run)) + 1 for is_joined, run in groupby(joined) if is_joined)
    return max(chains, default=0)


def _is_joined(cells: Cells, box: Box, after: Box) -> bool:
    """Return whether a level line fills the gap between two boxes, past their borders."""
    left, right = box.right + _JUST_OUTSIDE[0], after.left - _JUST_OUTSIDE[0]
    top, bottom = max(box.top, after.top), min(box.bottom, after.bottom)
    if right - left < _SHORTEST_LINE or bottom <= top:
        return False
    columns = [*zip(*(cells.row(y)[left:right] for y in range(top, bottom)), strict=True)]
    papers = [max(set(column), key=column.count) for column in columns]
    return any(
        all(
            any(cell != paper for cell in column[max(0, y - 1) : y + 2])
            for column, paper in zip(columns, papers, strict=True)
        )
        for y in range(1, bottom - top - 1)
    )


def _is_reached(cells: Cells, box: Box, rows: Sequence[int]) -> bool:
    """Return whether something crosses every one of the rows within the box's width."""
    corner = int(_CORNER * box.width)
    strips = [
        cells.row(y)[box.left + corner : box.right - corner] for y in rows if 0 <= y < cells.height
    ]
    return len(strips) == len(rows) and all(len(set(strip)) > 1 for strip in strips)
