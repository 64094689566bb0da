"""Graph of the audited project, with the graphs inside its nodes, as drawing and list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.engine.report import Graph, MainGraph, Subgraph
from grading.report_pages.graph_layout import Drawing, Edge, Sketch, drawing_of, sketch_of


@dataclass(frozen=True, slots=True)
class InnerGraph:
    """Graph inside a node; `path` names the node, outermost first, and `location` the code."""

    path: str
    location: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """Main graph of the project; `drawing` is None when it is too large to draw well."""

    path: str
    line: int
    edges: tuple[Edge, ...]
    unresolved: tuple[str, ...]
    drawing: Drawing | None
    inner: tuple[InnerGraph, ...] = ()


def topology_of(graph: MainGraph) -> Topology:
    return Topology(
        path=graph.path,
        line=graph.state_graph_line,
        edges=_edges(graph),
        unresolved=graph.unresolved + _unresolved_inside(graph.subgraphs),
        drawing=drawing_of(_sketch(graph, (), graph.subgraphs)),
        inner=tuple(
            InnerGraph(_node_path(inner), f"{inner.path}:{inner.state_graph_line}", _edges(inner))
            for inner in graph.subgraphs
        ),
    )


def _edges(graph: Graph) -> tuple[Edge, ...]:
    # Older reports do not say which line makes each edge.
    lines = graph.edge_lines or (None,) * len(graph.edges)
    paths = graph.edge_paths or (graph.path,) * len(graph.edges)

    straight = [
        Edge(source, target, False, _location(path, line))
        for (source, target), path, line in zip(graph.edges, paths, lines, strict=True)
    ]
    routed = [
        Edge(route.source, target, True, _location(route.path or graph.path, route.line))
        for route in graph.conditional
        for target in route.targets
    ]

    # `place` is not compared: an edge that two lines make appears once.
    return tuple(dict.fromkeys([*straight, *routed]))


def _sketch(graph: Graph, at: tuple[str, ...], subgraphs: Sequence[Subgraph]) -> Sketch | None:
    """Return the graph with those inside its nodes that can be drawn, or None if it cannot be.

    The facts bound how deep graphs are nested.
    """
    edges = _edges(graph)
    inner: dict[str, list[Sketch]] = {}

    for name in dict.fromkeys(name for edge in edges for name in (edge.source, edge.target)):
        path = (*at, name)
        sketches = [_sketch(graph, path, subgraphs) for graph in subgraphs if graph.at == path]
        # A node whose inner graphs cannot be drawn stays a plain box.
        if any(sketches):
            inner[name] = [sketch for sketch in sketches if sketch is not None]
    return sketch_of(edges, inner)


def _unresolved_inside(subgraphs: Sequence[Subgraph]) -> tuple[str, ...]:
    return tuple(
        f"inside {_node_path(graph)}, {words}" for graph in subgraphs for words in graph.unresolved
    )


def _node_path(subgraph: Subgraph) -> str:
    return " / ".join(subgraph.at)


def _location(path: str, line: int | None) -> str:
    return f"{path}:{line}" if line else ""
