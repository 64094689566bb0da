"""Boxes, labels and connecting lines made out of a page's painted paths and text. Standard library only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from courtroom.analysis.pdf.canvas import Path, Point
from courtroom.analysis.pdf.page_text import Line, Piece, line_of, lines_of
from courtroom.analysis.pdf.pdf_content import Drawing, DrawnBox
from courtroom.analysis.pdf.plain_text import plain

Bounds = tuple[float, float, float, float]

# Sizes in points. A line stops short of the box it points at by the length of its arrow head.
_SMALLEST_BOX = (14.0, 7.0)
_LARGEST_BOX = (500.0, 400.0)
_REACH = 14.0
_SMALLEST_HEAD, _LARGEST_HEAD = 3.0, 14.0
_SHORTEST_LINK = 6.0
_MOST_BOXES = 150
_LONGEST_LABEL = 160
_FEWEST_LINKS = 2
_SAME = 5.0
_SHADOW = 5.0
_APART = 2.0
_GAP = 1.2  # of the font's size


def drawing_of(page: int, paths: Sequence[Path], pieces: Iterable[Piece]) -> Drawing | None:
    """The boxes of a page, what is written in them, and which of them a line joins.

    Null when fewer than two lines join boxes: then it is a table, a frame or a rule, not a drawing.
    """
    boxes = _boxes(paths)
    joined = [(pair, path) for path in _links(paths) if (pair := _joined(boxes, path)) is not None]
    links = tuple(sorted({(min(pair), max(pair)) for pair, _ in joined}))
    if len(links) < _FEWEST_LINKS:
        return None
    labels, heads = _labels(boxes, pieces), _heads(paths)
    drawn = tuple(DrawnBox(labels.get(box, ""), *_centre(box)) for box in boxes)
    arrows = {arrow for pair, path in joined if (arrow := _directed(pair, path, heads)) is not None}
    return Drawing(page=page, boxes=drawn, links=links, arrows=tuple(sorted(arrows)))


def _boxes(paths: Sequence[Path]) -> list[Bounds]:
    """Closed shapes of a box's size; a shape painted twice, or with its shadow, is one."""
    found: list[Bounds] = []
    for path in paths:
        closed = path.closed or path.filled or path.points[0] == path.points[-1]
        bounds = path.bounds
        if closed and _fits(bounds) and not any(_is_same(bounds, box) for box in found):
            found.append(bounds)
        if len(found) == _MOST_BOXES:
            break
    return found


def _is_same(one: Bounds, other: Bounds) -> bool:
    return (
        abs(one[0] - other[0]) <= _SHADOW
        and abs(one[1] - other[1]) <= _SHADOW
        and abs(one[2] - other[2]) <= _SHADOW
        and abs(one[3] - other[3]) <= _SHADOW
    )


def _fits(box: Bounds) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    return (
        _SMALLEST_BOX[0] <= width <= _LARGEST_BOX[0]
        and _SMALLEST_BOX[1] <= height <= _LARGEST_BOX[1]
    )


def _links(paths: Sequence[Path]) -> list[Path]:
    """Open stroked lines and curves."""
    return [
        path
        for path in paths
        if path.stroked
        and not path.closed
        and len(path.points) >= 2
        and math.dist(path.points[0], path.points[-1]) >= _SHORTEST_LINK
    ]


def _heads(paths: Sequence[Path]) -> list[Point]:
    """Where arrow heads are: the centres of filled corners too small for a box."""
    return [
        _centre(path.bounds)
        for path in paths
        if path.filled
        and len(path.points) >= 3
        and not _fits(path.bounds)
        and _SMALLEST_HEAD <= max(_sides(path.bounds)) <= _LARGEST_HEAD
    ]


def _sides(box: Bounds) -> Point:
    return box[2] - box[0], box[3] - box[1]


def _directed(pair: tuple[int, int], path: Path, heads: Sequence[Point]) -> tuple[int, int] | None:
    """The pair turned the way the one head on the line points; null with none, or one at either end."""
    start, end = (
        any(math.dist(point, head) <= _LARGEST_HEAD for head in heads) for point in _ends(path)
    )
    if start == end:
        return None
    return pair if end else pair[::-1]


def _ends(path: Path) -> tuple[Point, Point]:
    return path.points[0], path.points[-1]


def _labels(boxes: Sequence[Bounds], pieces: Iterable[Piece]) -> dict[Bounds, str]:
    """What is written in each box: every stretch of text goes to the smallest box around its middle."""
    written: dict[Bounds, list[str]] = {}
    for line in lines_of(pieces):
        for stretch in _stretches(line):
            middle = _middle(stretch)
            around = [box for box in boxes if _holds(box, middle)]
            if around:
                written.setdefault(min(around, key=_area), []).append(_said(stretch))
    labels = {box: " ".join(texts) for box, texts in written.items()}
    return {box: label for box, label in labels.items() if len(label) <= _LONGEST_LABEL}


def _said(pieces: Sequence[Piece]) -> str:
    """The stretch's text; some drawing tools leave the two characters of an escaped line break in it."""
    return plain(line_of(pieces).text.replace("\\n", " "))


def _stretches(line: Line) -> Iterator[list[Piece]]:
    """The line's pieces, parted where a gap is too wide for a space: neighbouring boxes share a baseline."""
    stretch: list[Piece] = []
    for piece in line.pieces:
        if stretch and piece.x - stretch[-1].end > _GAP * piece.size:
            yield stretch
            stretch = []
        stretch.append(piece)
    yield stretch


def _middle(pieces: Sequence[Piece]) -> Point:
    return (pieces[0].x + pieces[-1].end) / 2, pieces[0].y + pieces[0].size * 0.3


def _holds(box: Bounds, point: Point) -> bool:
    left, bottom, right, top = box
    return left <= point[0] <= right and bottom <= point[1] <= top


def _area(box: Bounds) -> float:
    left, bottom, right, top = box
    return (right - left) * (top - bottom)


def _centre(box: Bounds) -> Point:
    left, bottom, right, top = box
    return round((left + right) / 2, 1), round((bottom + top) / 2, 1)


def _joined(boxes: Sequence[Bounds], path: Path) -> tuple[int, int] | None:
    """The box a line leaves and the one it comes to; a frame around other boxes only when it reaches no other."""
    start, end = _ends(path)
    one, other = _nearest(boxes, start), _nearest(boxes, end)
    if one is None or other is None or one == other or _touch(boxes[one], boxes[other]):
        return None
    if any(_runs_along(boxes[index], start, end) for index in (one, other)):
        return None
    return one, other


def _touch(one: Bounds, other: Bounds) -> bool:
    """Whether the boxes lie against each other, as cells and the rows of a listing do."""
    aside = max(one[0], other[0]) - min(one[2], other[2])
    above = max(one[1], other[1]) - min(one[3], other[3])
    return aside < _APART and above < _APART


def _runs_along(box: Bounds, start: Point, end: Point) -> bool:
    """Whether the line continues a side of the box, as the borders of a table do."""
    left, bottom, right, top = box
    level = (
        abs(start[1] - end[1]) <= _SAME
        and min(abs(start[1] - bottom), abs(start[1] - top)) <= _SAME
    )
    upright = (
        abs(start[0] - end[0]) <= _SAME
        and min(abs(start[0] - left), abs(start[0] - right)) <= _SAME
    )
    return level or upright


def _nearest(boxes: Sequence[Bounds], point: Point) -> int | None:
    """The box whose border is nearest to the point, within reach; frames around boxes come last."""
    x, y = point
    reached = [
        index
        for index, (left, bottom, right, top) in enumerate(boxes)
        if left - _REACH <= x <= right + _REACH
        and bottom - _REACH <= y <= top + _REACH
        and _to_border(boxes[index], point) <= _REACH
    ]
    if not reached:
        return None
    return min(
        reached, key=lambda index: (_is_frame(boxes, index), _to_border(boxes[index], point))
    )


def _is_frame(boxes: Sequence[Bounds], index: int) -> bool:
    frame = boxes[index]
    return any(
        box != frame and _area(box) < _area(frame) and _holds(frame, _centre(box)) for box in boxes
    )


def _to_border(box: Bounds, point: Point) -> float:
    left, bottom, right, top = box
    if _holds(box, point):
        return min(point[0] - left, right - point[0], point[1] - bottom, top - point[1])
    aside = max(left - point[0], 0, point[0] - right)
    above = max(bottom - point[1], 0, point[1] - top)
    return math.hypot(aside, above)
