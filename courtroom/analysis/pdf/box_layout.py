"""How the boxes of a picture stand above each other, and which of them a line reaches. Standard library only.

No word of a picture is read: what is told from it follows from how many boxes stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.analysis.pdf.image_regions import Box, boxes_in
from courtroom.analysis.pdf.pdf_content import Layout, Level
from courtroom.analysis.pdf.pixels import Cells

# Share of the lower box's height that two boxes must overlap to stand on one level.
_OVERLAP = 0.5
# Cells beyond a box's side where only a line that reaches it can be: past its border and its shadow.
_JUST_OUTSIDE = (4, 5)
# The corners belong to borders and to neighbours.
_CORNER = 0.1


def layout_of(page: int, cells: Cells) -> Layout:
    """The picture's levels from the top."""
    levels = _levels(boxes_in(cells))
    return Layout(page, tuple(_level(cells, boxes) for boxes in levels))


def _levels(boxes: Sequence[Box]) -> list[list[Box]]:
    levels: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: (box.top + box.bottom, box.left)):
        own = next((level for level in levels if _stand_beside(level[0], box)), None)
        if own is None:
            levels.append([box])
        else:
            own.append(box)
    return levels


def _stand_beside(one: Box, other: Box) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared >= _OVERLAP * min(one.height, other.height)


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
    """Whether something crosses each of the rows within the box's width."""
    corner = int(_CORNER * box.width)
    strips = [
        cells.row(y)[box.left + corner : box.right - corner] for y in rows if 0 <= y < cells.height
    ]
    return len(strips) == len(rows) and all(len(set(strip)) > 1 for strip in strips)
