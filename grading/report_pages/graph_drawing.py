"""Graph of the audited project, with the graphs inside its nodes, as drawing and list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grading.engine.report_facts import Graph, GraphRun, MainGraph, StubRuns, Subgraph
from grading.report_pages.graph_layout import Drawing, Edge, Mark, Sketch, drawing_of, sketch_of

# Steps of one node that a box has room for.
MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class InnerGraph:
    """Graph inside a node; `node` is its path, outermost first, and `path` and `line` its code."""

    node: str
    path: str
    line: int
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """Main graph of the project; `drawing` is None when it is too large to draw well.

    `has_steps`: its boxes say in which steps LangGraph runs their nodes.
    """

    path: str
    line: int
    edges: tuple[Edge, ...]
    unresolved: tuple[str, ...]
    drawing: Drawing | None
    inner: tuple[InnerGraph, ...] = ()
    has_steps: bool = False


def topology_of(graph: MainGraph, run: GraphRun | None = None) -> Topology:
    return Topology(
        path=graph.path,
        line=graph.state_graph_line,
        edges=_edges(graph),
        unresolved=graph.unresolved + _unresolved_inside(graph.subgraphs),
        drawing=drawing_of(_sketch(graph, (), graph.subgraphs, _marks(run))),
        has_steps=bool(run and run.steps),
        inner=tuple(
            InnerGraph(_node_path(inner), inner.path, inner.state_graph_line, _edges(inner))
            for inner in graph.subgraphs
        ),
    )


def _edges(graph: Graph) -> tuple[Edge, ...]:
    # Older reports do not say which line makes each edge.
    lines = graph.edge_lines or (None,) * len(graph.edges)
    paths = graph.edge_paths or (graph.path,) * len(graph.edges)

    straight = [
        Edge(source, target, False, path, line)
        for (source, target), path, line in zip(graph.edges, paths, lines, strict=True)
    ]
    routed = [
        Edge(route.source, target, True, route.path or graph.path, route.line)
        for route in graph.conditional
        for target in route.targets
    ]

    # Places are not compared: an edge that two lines make appears once.
    return tuple(dict.fromkeys([*straight, *routed]))


def _marks(run: GraphRun | None) -> dict[tuple[str, ...], dict[str, Mark]]:
    """Return the marks of the nodes, by the path to their graph."""
    if run is None:
        return {}
    inner = {runs.at: _marks_in(runs) for runs in run.inner}
    return {(): _marks_in(run), **inner}


def _marks_in(runs: StubRuns) -> dict[str, Mark]:
    repeated = {name for repeat in runs.repeated or () for name in (repeat.node, *repeat.followers)}
    endless = {name for loop in runs.endless or () for name in loop.nodes}
    # What never ends says more than that it comes again.
    faults = dict.fromkeys(repeated, " again") | dict.fromkeys(endless, " without end")
    marks = {}
    for name, steps in runs.steps.items():
        if steps:
            more = "…" if len(steps) > MOST_STEPS else ""
            words = ", ".join(map(str, steps[:MOST_STEPS])) + more
            marks[name] = Mark(words + faults.get(name, ""), is_fault=name in faults)
    marks.update({idle.node: Mark("never", is_fault=True) for idle in runs.idle or ()})
    return marks


def _sketch(
    graph: Graph,
    at: tuple[str, ...],
    subgraphs: Sequence[Subgraph],
    marks: Mapping[tuple[str, ...], Mapping[str, Mark]],
) -> Sketch | None:
    """Return the graph with those inside its nodes that can be drawn, or None if it cannot be.

    The facts bound how deep graphs are nested.
    """
    edges = _edges(graph)
    inner: dict[str, list[Sketch]] = {}

    for name in dict.fromkeys(name for edge in edges for name in (edge.source, edge.target)):
        path = (*at, name)
        sketches = [
            _sketch(graph, path, subgraphs, marks) for graph in subgraphs if graph.at == path
        ]
        # A node whose inner graphs cannot be drawn stays a plain box.
        if any(sketches):
            inner[name] = [sketch for sketch in sketches if sketch is not None]
    return sketch_of(edges, inner, marks.get(at, {}))


def _unresolved_inside(subgraphs: Sequence[Subgraph]) -> tuple[str, ...]:
    return tuple(
        f"inside {_node_path(graph)}, {words}" for graph in subgraphs for words in graph.unresolved
    )


def _node_path(subgraph: Subgraph) -> str:
    return " / ".join(subgraph.at)
