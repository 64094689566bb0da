"""A graph laid out in rows from START downwards; a node with a graph inside is a box around it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

# Beyond these a drawing is harder to read than the list of edges, which is always there.
MOST_NODES, MOST_PER_ROW = 24, 6
CHARACTER, PADDING, GAP_X, BOX, GAP_Y = 7.4, 22, 16, 32, 44
MARGIN = BOX / 2
ROOM_FOR_LOOPS = 40


@dataclass(frozen=True, slots=True)
class Node:
    """A box: its middle and its size, in units of the drawing. `is_end` marks START and END."""

    name: str
    x: float
    y: float
    width: float
    is_end: bool
    height: float = BOX

    @property
    def left(self) -> float:
        return round(self.x - self.width / 2, 1)

    @property
    def top(self) -> float:
        return round(self.y - self.height / 2, 1)

    @property
    def bottom(self) -> float:
        return round(self.y + self.height / 2, 1)

    @property
    def title_y(self) -> float:
        """Where the name of a box around others stands."""
        return self.top + MARGIN


@dataclass(frozen=True, slots=True)
class Edge:
    """`place` is the path and line that made it, "" when the report does not say."""

    source: str
    target: str
    conditional: bool
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Drawing:
    """`frames` are the boxes around inner graphs, the outer ones first; `curves` are drawn over them."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    curves: tuple[tuple[str, bool], ...]
    frames: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Sketch:
    """A graph with its rows and size known, and not yet where it stands. `inner`: what is inside its nodes."""

    rows: tuple[tuple[str, ...], ...]
    edges: tuple[Edge, ...]
    inner: Mapping[str, Sequence[Sketch]]

    @property
    def width(self) -> float:
        """Edges that go back run through the room on the right."""
        return max(self.row_width(row) for row in self.rows) + 2 * GAP_X + ROOM_FOR_LOOPS

    @property
    def height(self) -> float:
        boxes = sum(self.row_height(row) for row in self.rows)
        return boxes + GAP_Y * (len(self.rows) - 1) + 2 * MARGIN

    @property
    def node_count(self) -> int:
        inside = sum(sketch.node_count for sketches in self.inner.values() for sketch in sketches)
        return sum(map(len, self.rows)) + inside

    def row_width(self, row: Iterable[str]) -> float:
        widths = [self.box_width(name) for name in row]
        return sum(widths) + GAP_X * (len(widths) - 1)

    def row_height(self, row: Iterable[str]) -> float:
        return max(self.box_height(name) for name in row)

    def box_width(self, name: str) -> float:
        inside = sum(sketch.width for sketch in self.inner.get(name, ()))
        return max(len(name) * CHARACTER + PADDING, inside)

    def box_height(self, name: str) -> float:
        return BOX + max((sketch.height for sketch in self.inner.get(name, ())), default=0)


def sketch_of(edges: tuple[Edge, ...], inner: Mapping[str, Sequence[Sketch]]) -> Sketch | None:
    """Null when there is nothing to draw, or a row is too long to be read."""
    names = list(dict.fromkeys(name for edge in edges for name in (edge.source, edge.target)))
    rows = _rows(names, edges)
    if not names or max(map(len, rows)) > MOST_PER_ROW:
        return None
    return Sketch(tuple(map(tuple, rows)), edges, inner)


def drawing_of(sketch: Sketch | None) -> Drawing | None:
    """Null when the graph, with all that is inside it, is too large to be drawn well."""
    if sketch is None or sketch.node_count > MOST_NODES:
        return None
    boxes, curves = _placed(sketch, 0, 0)
    return Drawing(
        sketch.width,
        sketch.height,
        tuple(node for node, is_frame in boxes if not is_frame),
        tuple(curves),
        tuple(node for node, is_frame in boxes if is_frame),
    )


def _placed(
    sketch: Sketch, left: float, top: float
) -> tuple[list[tuple[Node, bool]], list[tuple[str, bool]]]:
    """Every box, with whether it is around others, and every curve, of a sketch whose corner stands here."""
    own = {node.name: node for node in _own_nodes(sketch, left, top)}
    boxes = [(node, node.name in sketch.inner) for node in own.values()]
    curves = [
        (_curve(own[edge.source], own[edge.target]), edge.conditional) for edge in sketch.edges
    ]
    for name, sketches in sketch.inner.items():
        corner = own[name].x - sum(inside.width for inside in sketches) / 2
        for inside in sketches:
            inner_boxes, inner_curves = _placed(inside, corner, own[name].top + BOX)
            boxes += inner_boxes
            curves += inner_curves
            corner += inside.width
    return boxes, curves


def _own_nodes(sketch: Sketch, left: float, top: float) -> Iterator[Node]:
    middle = left + (sketch.width - ROOM_FOR_LOOPS) / 2
    y = top + MARGIN
    for row in sketch.rows:
        height = sketch.row_height(row)
        x = middle - sketch.row_width(row) / 2
        for name in row:
            box = sketch.box_width(name)
            is_end = name in {"START", "END"}
            at = (round(x + box / 2, 1), round(y + height / 2, 1))
            yield Node(name, *at, round(box, 1), is_end, round(sketch.box_height(name), 1))
            x += box + GAP_X
        y += height + GAP_Y


def _rows(names: list[str], edges: tuple[Edge, ...]) -> list[list[str]]:
    """Each node one row below the lowest of those that lead to it; edges that close a loop do not count."""
    depth = dict.fromkeys(names, 0)
    forward = _without_loops(names, edges)
    for _ in names:
        for source, target in forward:
            depth[target] = max(depth[target], depth[source] + 1)
    rows: defaultdict[int, list[str]] = defaultdict(list)
    for name in names:
        rows[depth[name]].append(name)
    return [rows[level] for level in sorted(rows)]


def _without_loops(names: list[str], edges: tuple[Edge, ...]) -> list[tuple[str, str]]:
    """Depth first from START, leaving out each edge that returns to a node still being walked."""
    targets: defaultdict[str, list[str]] = defaultdict(list)
    for edge in edges:
        targets[edge.source].append(edge.target)
    forward: list[tuple[str, str]] = []
    seen: set[str] = set()
    for root in sorted(names, key=lambda name: name != "START"):
        if root not in seen:
            _walk(root, targets, seen, forward)
    return forward


def _walk(
    root: str, targets: Mapping[str, list[str]], seen: set[str], forward: list[tuple[str, str]]
) -> None:
    """Iterative, because a graph from a repository may be deep; `walking` is the way from the root."""
    walking = {root: iter(targets.get(root, ()))}
    seen.add(root)
    while walking:
        node = next(reversed(walking))
        target = next(walking[node], None)
        if target is None:
            del walking[node]
        elif target not in walking:
            forward.append((node, target))
            if target not in seen:
                seen.add(target)
                walking[target] = iter(targets.get(target, ()))


def _curve(source: Node, target: Node) -> str:
    """Downwards from bottom to top; sideways or back, out of the right side and round."""
    if target.top > source.bottom:
        start, end = source.bottom, target.top - 3
        middle = (start + end) / 2
        return f"M{source.x} {start} C{source.x} {middle} {target.x} {middle} {target.x} {end}"
    right = max(source.x + source.width / 2, target.x + target.width / 2)
    return (
        f"M{source.x + source.width / 2} {source.y} C{right + 30} {source.y} {right + 30} {target.y} "
        f"{target.x + target.width / 2 + 3} {target.y}"
    )
