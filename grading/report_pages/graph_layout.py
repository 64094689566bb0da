"""Layout of a graph in rows from START downwards; a node with a graph inside is a frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

# Larger drawings are harder to read than the list of edges, which is always shown.
MAX_NODES, MAX_PER_ROW = 24, 6
# Units of the SVG view box; a character of the monospace font is 7.4 wide.
CHARACTER, PADDING, GAP_X, BOX, GAP_Y = 7.4, 22, 16, 32, 44
MARGIN = BOX / 2
LOOP_MARGIN = 40
# Room for the head of an arrow, and distance from a box of a path that runs beside its row.
HEAD, LANE = 3, 12


@dataclass(frozen=True, slots=True)
class Mark:
    """Words behind a node's name: the steps in which it runs, and whether that is a fault."""

    words: str = ""
    is_fault: bool = False


NO_MARK = Mark()


@dataclass(frozen=True, slots=True)
class Node:
    """Box with its centre and size. `is_end` marks START and END."""

    name: str
    x: float
    y: float
    width: float
    is_end: bool
    height: float = BOX
    mark: Mark = NO_MARK

    @property
    def left(self) -> float:
        return round(self.x - self.width / 2, 1)

    @property
    def right(self) -> float:
        return round(self.x + self.width / 2, 1)

    @property
    def top(self) -> float:
        return round(self.y - self.height / 2, 1)

    @property
    def bottom(self) -> float:
        return round(self.y + self.height / 2, 1)

    @property
    def title_y(self) -> float:
        """Position of a frame's name."""
        return self.top + MARGIN


@dataclass(frozen=True, slots=True)
class Edge:
    """Edge of a graph; `path` and `line` make it, "" and None when not known."""

    source: str
    target: str
    conditional: bool
    path: str = field(default="", compare=False)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Finished drawing: `frames` around inner graphs, outer ones first, `curves` on top of them."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    curves: tuple[tuple[str, bool], ...]
    frames: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Sketch:
    """Graph with rows and size but no position yet; `inner` has the graphs inside its nodes."""

    rows: tuple[tuple[str, ...], ...]
    edges: tuple[Edge, ...]
    inner: Mapping[str, Sequence[Sketch]]
    marks: Mapping[str, Mark] = field(default_factory=dict)

    @property
    def width(self) -> float:
        """Width with a margin on the right, where backward edges run."""
        return max(self.row_width(row) for row in self.rows) + 2 * GAP_X + LOOP_MARGIN

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
        mark = self.marks.get(name, NO_MARK).words
        characters = len(name) + (len(mark) + 1 if mark else 0)
        return max(characters * CHARACTER + PADDING, inside)

    def box_height(self, name: str) -> float:
        return BOX + max((sketch.height for sketch in self.inner.get(name, ())), default=0)


def sketch_of(
    edges: tuple[Edge, ...],
    inner: Mapping[str, Sequence[Sketch]],
    marks: Mapping[str, Mark],
) -> Sketch | None:
    """Return None when there is nothing to draw or a row is too long to read."""
    names = list(dict.fromkeys(name for edge in edges for name in (edge.source, edge.target)))
    rows = _rows(names, edges)
    if not names or max(map(len, rows)) > MAX_PER_ROW:
        return None
    return Sketch(tuple(map(tuple, rows)), edges, inner, marks)


def drawing_of(sketch: Sketch | None) -> Drawing | None:
    """Return None when the graph, with its inner graphs, is too large to draw well."""
    if sketch is None or sketch.node_count > MAX_NODES:
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
    """Return each box with an is-frame flag, and all curves, for a sketch at this corner."""
    own = {node.name: node for node in _own_nodes(sketch, left, top)}
    boxes = [(node, node.name in sketch.inner) for node in own.values()]
    curves = [
        (_curve(own[edge.source], own[edge.target], own.values()), edge.conditional)
        for edge in sketch.edges
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
    # Rows are centred in the width that the loop margin leaves.
    middle = left + (sketch.width - LOOP_MARGIN) / 2
    y = top + MARGIN

    for row in sketch.rows:
        height = sketch.row_height(row)
        x = middle - sketch.row_width(row) / 2
        for name in row:
            box = sketch.box_width(name)
            is_end = name in {"START", "END"}
            at = (round(x + box / 2, 1), round(y + height / 2, 1))
            tall, mark = round(sketch.box_height(name), 1), sketch.marks.get(name, NO_MARK)
            yield Node(name, *at, round(box, 1), is_end, tall, mark)
            x += box + GAP_X
        y += height + GAP_Y


def _rows(names: list[str], edges: tuple[Edge, ...]) -> list[list[str]]:
    """Put each node one row below its lowest source; edges that close a loop do not count."""
    depth = dict.fromkeys(names, 0)
    forward = _without_loops(names, edges)
    # Without loops no path has more nodes than there are names: the depths are final then.
    for _ in names:
        for source, target in forward:
            depth[target] = max(depth[target], depth[source] + 1)

    rows: defaultdict[int, list[str]] = defaultdict(list)
    for name in names:
        rows[depth[name]].append(name)
    return [rows[level] for level in sorted(rows)]


def _without_loops(names: list[str], edges: tuple[Edge, ...]) -> list[tuple[str, str]]:
    """Return the edges without those that close a loop, found depth first from START."""
    targets: defaultdict[str, list[str]] = defaultdict(list)
    for edge in edges:
        targets[edge.source].append(edge.target)
    forward: list[tuple[str, str]] = []
    visited: set[str] = set()
    # START comes first; the sort is stable, so the others keep their order.
    for root in sorted(names, key=lambda name: name != "START"):
        if root not in visited:
            _walk(root, targets, visited, forward)
    return forward


def _walk(
    root: str, targets: Mapping[str, list[str]], visited: set[str], forward: list[tuple[str, str]]
) -> None:
    """Walk from `root` and collect the forward edges; `walking` is the path from the root."""
    # Iterative: a hostile repository may nest its graph deeper than Python's stack.
    walking = {root: iter(targets.get(root, ()))}
    visited.add(root)
    while walking:
        node = next(reversed(walking))
        target = next(walking[node], None)
        if target is None:
            del walking[node]
        elif target not in walking:
            forward.append((node, target))
            if target not in visited:
                visited.add(target)
                walking[target] = iter(targets.get(target, ()))


def _curve(source: Node, target: Node, nodes: Collection[Node]) -> str:
    """Return the SVG path of an edge: straight down, or around the right side if backward.

    A backward edge runs behind none of `nodes`.
    """
    if target.top > source.bottom:
        end = target.top - HEAD
        middle = (source.bottom + end) / 2
        return (
            f"M{source.x} {source.bottom} C{source.x} {middle} {target.x} {middle} {target.x} {end}"
        )

    if source is target:
        return _loop(source, is_last=_is_last(source, nodes))

    # Less than LOOP_MARGIN, so that the path stays inside the drawing.
    bend = 30 + max(node.right for node in nodes if target.top < node.y < source.bottom)
    if source.right == target.right == bend - 30:
        return (
            f"M{source.right} {source.y} C{bend} {source.y} {bend} {target.y}"
            f" {target.right + HEAD} {target.y}"
        )
    leave = f"M{source.x} {source.bottom} v{LANE}"
    enter = f"V{target.top - LANE} H{target.x} V{target.top - HEAD}"
    if _is_last(source, nodes):
        leave = f"M{source.right} {source.y}"
    if _is_last(target, nodes):
        enter = f"V{target.y} H{target.right + HEAD}"
    return f"{leave} H{bend} {enter}"


def _loop(node: Node, *, is_last: bool) -> str:
    """Return the path of an edge of a node to itself: at its side if nothing is there."""
    if is_last:
        out, back, bend = node.y - 8, node.y + 8, node.right + 30
        return f"M{node.right} {out} C{bend} {out} {bend} {back} {node.right + HEAD} {back}"
    out, back, below = node.x - 8, node.x + 8, node.bottom + 20
    return f"M{out} {node.bottom} C{out} {below} {back} {below} {back} {node.bottom + HEAD}"


def _is_last(node: Node, nodes: Collection[Node]) -> bool:
    return not any(beside.y == node.y and beside.x > node.x for beside in nodes)
