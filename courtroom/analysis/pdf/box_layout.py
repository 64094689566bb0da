"""Layout of the boxes in a picture: their levels, and which boxes a line reaches.

No text of a picture is read: the analysis rests on the number of boxes on a level. Standard library
only.
"""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.analysis.pdf.image_regions import Box, boxes_in
from courtroom.analysis.pdf.pdf_content import Layout, Level
from courtroom.analysis.pdf.pixels import Cells

# Share of the smaller height that two boxes must overlap to be on the same level.
_OVERLAP = 0.5
# Distances in cells from a box's side where only a line that reaches it can be: past its border
# and its shadow.
_JUST_OUTSIDE = (4, 5)
# Share of the width left out on both sides: corners belong to borders and to neighbours.
_CORNER = 0.1


def layout_of(page: int, cells: Cells) -> Layout:
    """Return the picture's levels, from the top."""
    levels = _levels(boxes_in(cells))
    return Layout(page, tuple(_level(cells, boxes) for boxes in levels))


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
    )


def _is_reached(cells: Cells, box: Box, rows: Sequence[int]) -> bool:
    """Return whether something crosses every one of the rows within the box's width."""
    corner = int(_CORNER * box.width)
    strips = [
        cells.row(y)[box.left + corner : box.right - corner] for y in rows if 0 <= y < cells.height
    ]
    return len(strips) == len(rows) and all(len(set(strip)) > 1 for strip in strips)
