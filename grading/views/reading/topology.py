"""The audited project's graph, laid out in rows from START downwards, as a drawing and as words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

# Beyond these a drawing is harder to read than the list of edges, which is always there.
MOST_NODES, MOST_PER_ROW = 24, 6
CHARACTER, PADDING, GAP_X, ROW, BOX = 7.4, 22, 16, 76, 32
ROOM_FOR_LOOPS = 40


@dataclass(frozen=True, slots=True)
class Node:
    """A box: its middle and its width, in units of the drawing. `is_end` marks START and END."""

    name: str
    x: float
    y: float
    width: float
    is_end: bool
    height: int = BOX

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2


@dataclass(frozen=True, slots=True)
class Edge:
    """`place` is the path and line that made it, "" when the report does not say."""

    source: str
    target: str
    conditional: bool
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Drawing:
    width: float
    height: float
    nodes: tuple[Node, ...]
    curves: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """`drawing` is null when the graph is too large to be drawn well."""

    path: str
    line: int
    edges: tuple[Edge, ...]
    unresolved: tuple[str, ...]
    drawing: Drawing | None


def topology_of(graph: Mapping[str, Any]) -> Topology:
    """The fact `graph` of a report (courtroom.facts.GraphFact as JSON)."""
    lines = graph.get("edge_lines") or [None] * len(graph["edges"])
    paths = graph.get("edge_paths") or [graph["path"]] * len(graph["edges"])
    straight = [
        Edge(source, target, False, _place(path, line))
        for (source, target), path, line in zip(graph["edges"], paths, lines, strict=True)
    ]
    routed = [
        Edge(route["from"], target, True, _place(route.get("path") or graph["path"], route.get("line")))
        for route in graph["conditional"]
        for target in route["to"]
    ]
    edges = tuple(dict.fromkeys([*straight, *routed]))
    names = list(dict.fromkeys(name for edge in edges for name in (edge.source, edge.target)))
    return Topology(
        path=graph["path"],
        line=graph["state_graph_line"],
        edges=edges,
        unresolved=tuple(graph.get("unresolved", ())),
        drawing=_draw(names, edges),
    )


def _place(path: str, line: int | None) -> str:
    return f"{path}:{line}" if line else ""


def _draw(names: list[str], edges: tuple[Edge, ...]) -> Drawing | None:
    rows = _rows(names, edges)
    if not names or len(names) > MOST_NODES or max(map(len, rows)) > MOST_PER_ROW:
        return None
    width = max(_row_width(row) for row in rows) + 2 * GAP_X
    nodes = {node.name: node for index, row in enumerate(rows) for node in _placed(row, index, width)}
    curves = tuple((_curve(nodes[edge.source], nodes[edge.target]), edge.conditional) for edge in edges)
    return Drawing(width + ROOM_FOR_LOOPS, len(rows) * ROW - ROW + 2 * BOX, tuple(nodes.values()), curves)


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


def _row_width(row: Iterable[str]) -> float:
    widths = [_box_width(name) for name in row]
    return sum(widths) + GAP_X * (len(widths) - 1)


def _box_width(name: str) -> float:
    return len(name) * CHARACTER + PADDING


def _placed(row: list[str], index: int, width: float) -> list[Node]:
    left = (width - _row_width(row)) / 2
    nodes = []
    for name in row:
        box = _box_width(name)
        nodes.append(
            Node(name, round(left + box / 2, 1), BOX + index * ROW, round(box, 1), name in {"START", "END"})
        )
        left += box + GAP_X
    return nodes


def _curve(source: Node, target: Node) -> str:
    """Downwards from bottom to top; sideways or back, out of the right side and round."""
    if target.y > source.y:
        start, end = source.y + BOX / 2, target.y - BOX / 2 - 3
        middle = (start + end) / 2
        return f"M{source.x} {start} C{source.x} {middle} {target.x} {middle} {target.x} {end}"
    right = max(source.x + source.width / 2, target.x + target.width / 2)
    return (
        f"M{source.x + source.width / 2} {source.y} C{right + 30} {source.y} {right + 30} {target.y} "
        f"{target.x + target.width / 2 + 3} {target.y}"
    )
