"""Find boxes, labels and connecting lines among a page's painted paths and text.

Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from courtroom.analysis.pdf.canvas import Path, Point
from courtroom.analysis.pdf.page_text import Line, Piece, line_of, lines_of
from courtroom.analysis.pdf.pdf_content import Drawing, DrawnBox
from courtroom.analysis.pdf.plain_text import plain

Bounds = tuple[float, float, float, float]

# Sizes in points. A line ends before the box it points at by the length of its arrow head.
_MIN_BOX = (14.0, 7.0)
_MAX_BOX = (500.0, 400.0)
_REACH = 14.0
_MIN_ARROW_HEAD, _MAX_ARROW_HEAD = 3.0, 14.0
_MIN_LINK = 6.0
_MAX_BOXES = 150
_MAX_LABEL = 160  # characters
_MAX_NODE_NAME = 60  # characters
_MIN_LINKS = 2
_MIN_JOINED = 3
_SAME_LINE = 5.0
_SHADOW = 5.0
_TOUCHING = 2.0
_GAP = 1.2  # of the font's size


def drawing_of(page: int, paths: Sequence[Path], pieces: Iterable[Piece]) -> Drawing | None:
    """Return the boxes of a page, their labels, and the lines that join them.

    None when fewer than _MIN_LINKS lines join boxes, or join no three of them: then it is a table,
    a frame or a rule.
    """
    boxes = _find_boxes(paths)
    lines = _open_lines(paths)
    joined = [(pair, path) for path in lines if (pair := _joined(boxes, path)) is not None]
    links = tuple(sorted({(min(pair), max(pair)) for pair, _ in joined}))
    if len(links) < _MIN_LINKS:
        return None

    labels, heads = _labels(boxes, pieces), _arrow_heads(paths)
    drawn = tuple(DrawnBox(labels.get(box, ""), *_centre(box)) for box in boxes)
    arrows = {arrow for pair, path in joined if (arrow := _directed(pair, path, heads)) is not None}
    if not arrows and _is_table(links, drawn):
        return None
    is_loose = any(_ends_nowhere(boxes, path) for path in lines)
    return Drawing(page, drawn, links, tuple(sorted(arrows)), has_loose_lines=is_loose)


def _is_table(links: Sequence[tuple[int, int]], boxes: Sequence[DrawnBox]) -> bool:
    """Return whether lines without heads join cells: pairs of them, sentences or blanks."""
    linked = {index for link in links for index in link}
    named = [
        index
        for index in linked
        if 0 < len(boxes[index].label) <= _MAX_NODE_NAME
        and len(_reached(links, index)) >= _MIN_JOINED
    ]
    return 2 * len(named) <= len(linked)


def _reached(links: Sequence[tuple[int, int]], start: int) -> set[int]:
    """Return this box and those that at most two lines join with it: three, where there are."""
    reached = {start}
    for _ in range(_MIN_JOINED - 1):
        reached |= {index for link in links if reached.intersection(link) for index in link}
    return reached


def _find_boxes(paths: Sequence[Path]) -> list[Bounds]:
    """Return closed shapes of a box's size. A shape painted twice or with a shadow counts once."""
    boxes: list[Bounds] = []
    for path in paths:
        is_closed = path.closed or path.filled or path.points[0] == path.points[-1]
        bounds = path.bounds
        if is_closed and _fits(bounds) and not any(_is_same(bounds, box) for box in boxes):
            boxes.append(bounds)
        if len(boxes) == _MAX_BOXES:
            break
    return boxes


def _is_same(box: Bounds, other: Bounds) -> bool:
    return all(abs(a - b) <= _SHADOW for a, b in zip(box, other, strict=True))


def _fits(box: Bounds) -> bool:
    width, height = _sides(box)
    return _MIN_BOX[0] <= width <= _MAX_BOX[0] and _MIN_BOX[1] <= height <= _MAX_BOX[1]


def _open_lines(paths: Sequence[Path]) -> list[Path]:
    return [
        path
        for path in paths
        if path.stroked
        and not path.closed
        and len(path.points) >= 2
        and math.dist(path.points[0], path.points[-1]) >= _MIN_LINK
    ]


def _arrow_heads(paths: Sequence[Path]) -> list[Point]:
    """Return the centres of filled shapes that are too small for a box."""
    return [
        _centre(path.bounds)
        for path in paths
        if path.filled
        and len(path.points) >= 3
        and not _fits(path.bounds)
        and _MIN_ARROW_HEAD <= max(_sides(path.bounds)) <= _MAX_ARROW_HEAD
    ]


def _sides(box: Bounds) -> Point:
    return box[2] - box[0], box[3] - box[1]


def _directed(pair: tuple[int, int], path: Path, heads: Sequence[Point]) -> tuple[int, int] | None:
    """Return the pair in the arrow's direction; None without a head or with one at both ends."""
    start, end = (
        any(math.dist(point, head) <= _MAX_ARROW_HEAD for head in heads) for point in _ends(path)
    )
    if start == end:
        return None
    return pair if end else pair[::-1]


def _ends(path: Path) -> tuple[Point, Point]:
    return path.points[0], path.points[-1]


def _labels(boxes: Sequence[Bounds], pieces: Iterable[Piece]) -> dict[Bounds, str]:
    """Return box to label: a stretch of text goes to the smallest box around its middle."""
    texts: dict[Bounds, list[str]] = {}
    for line in lines_of(pieces):
        for stretch in _stretches(line):
            middle = _middle(stretch)
            around = [box for box in boxes if _contains(box, middle)]
            if around:
                texts.setdefault(min(around, key=_area), []).append(_text_of(stretch))

    labels = {box: " ".join(parts) for box, parts in texts.items()}
    return {box: label for box, label in labels.items() if len(label) <= _MAX_LABEL}


def _text_of(pieces: Sequence[Piece]) -> str:
    # Some drawing tools leave the two characters of an escaped line break in the text.
    return plain(line_of(pieces).text.replace("\\n", " "))


def _stretches(line: Line) -> Iterator[list[Piece]]:
    """Split a line where a gap is too wide for a space: boxes side by side share a baseline."""
    stretch: list[Piece] = []
    for piece in line.pieces:
        if stretch and piece.x - stretch[-1].end > _GAP * piece.size:
            yield stretch
            stretch = []
        stretch.append(piece)
    yield stretch


def _middle(pieces: Sequence[Piece]) -> Point:
    return (pieces[0].x + pieces[-1].end) / 2, pieces[0].y + pieces[0].size * 0.3


def _contains(box: Bounds, point: Point) -> bool:
    left, bottom, right, top = box
    return left <= point[0] <= right and bottom <= point[1] <= top


def _area(box: Bounds) -> float:
    left, bottom, right, top = box
    return (right - left) * (top - bottom)


def _centre(box: Bounds) -> Point:
    left, bottom, right, top = box
    return round((left + right) / 2, 1), round((bottom + top) / 2, 1)


def _joined(boxes: Sequence[Bounds], path: Path) -> tuple[int, int] | None:
    """Return the indexes of the boxes at both ends of a line, or None when it joins none.

    A frame around other boxes counts only when the line reaches no other box.
    """
    start, end = _ends(path)
    source, target = _nearest(boxes, start), _nearest(boxes, end)
    if source is None or target is None or source == target:
        return None
    if _touch(boxes[source], boxes[target]):
        return None
    if any(_runs_along(boxes[index], start, end) for index in (source, target)):
        return None

    return source, target


def _ends_nowhere(boxes: Sequence[Bounds], path: Path) -> bool:
    """Return whether only one end of the line is at a box, and it continues none of its sides."""
    ends = _ends(path)
    at_boxes = [index for end in ends if (index := _nearest(boxes, end)) is not None]
    return len(at_boxes) == 1 and not _runs_along(boxes[at_boxes[0]], *ends)


def _touch(box: Bounds, other: Bounds) -> bool:
    """Return whether the boxes touch, as table cells and the rows of a listing do."""
    horizontal = max(box[0], other[0]) - min(box[2], other[2])
    vertical = max(box[1], other[1]) - min(box[3], other[3])
    return horizontal < _TOUCHING and vertical < _TOUCHING


def _runs_along(box: Bounds, start: Point, end: Point) -> bool:
    """Return whether the line continues a side of the box, as the borders of a table do."""
    left, bottom, right, top = box
    is_horizontal = (
        abs(start[1] - end[1]) <= _SAME_LINE
        and min(abs(start[1] - bottom), abs(start[1] - top)) <= _SAME_LINE
    )
    is_vertical = (
        abs(start[0] - end[0]) <= _SAME_LINE
        and min(abs(start[0] - left), abs(start[0] - right)) <= _SAME_LINE
    )
    return is_horizontal or is_vertical


def _nearest(boxes: Sequence[Bounds], point: Point) -> int | None:
    """Return the box whose border is nearest to the point, within reach. Frames come last."""
    x, y = point
    within_reach = [
        index
        for index, (left, bottom, right, top) in enumerate(boxes)
        if left - _REACH <= x <= right + _REACH
        and bottom - _REACH <= y <= top + _REACH
        and _border_distance(boxes[index], point) <= _REACH
    ]
    if not within_reach:
        return None

    return min(
        within_reach,
        key=lambda index: (_is_frame(boxes, index), _border_distance(boxes[index], point)),
    )


def _is_frame(boxes: Sequence[Bounds], index: int) -> bool:
    frame = boxes[index]
    return any(
        box != frame and _area(box) < _area(frame) and _contains(frame, _centre(box))
        for box in boxes
    )


def _border_distance(box: Bounds, point: Point) -> float:
    left, bottom, right, top = box
    if _contains(box, point):
        return min(point[0] - left, right - point[0], point[1] - bottom, top - point[1])
    horizontal = max(left - point[0], 0, point[0] - right)
    vertical = max(bottom - point[1], 0, point[1] - top)
    return math.hypot(horizontal, vertical)
