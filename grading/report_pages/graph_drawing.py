"""The audited project's graph, and the graphs inside its nodes, as a drawing and as words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading.report_pages.graph_layout import Drawing, Edge, Sketch, drawing_of, sketch_of


@dataclass(frozen=True, slots=True)
class InnerGraph:
    """`way` is the node it runs at, after those around that node."""

    way: str
    place: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """`drawing` is null when the graph is too large to be drawn well."""

    path: str
    line: int
    edges: tuple[Edge, ...]
    unresolved: tuple[str, ...]
    drawing: Drawing | None
    inner: tuple[InnerGraph, ...] = ()


def topology_of(graph: Mapping[str, Any]) -> Topology:
    """The fact `graph` of a report (courtroom.models.facts.GraphFact as JSON)."""
    subgraphs = graph.get("subgraphs") or []
    return Topology(
        path=graph["path"],
        line=graph["state_graph_line"],
        edges=_edges(graph),
        unresolved=tuple(graph.get("unresolved", ())) + _unresolved_inside(subgraphs),
        drawing=drawing_of(_sketch(graph, (), subgraphs)),
        inner=tuple(
            InnerGraph(_way(inner), f"{inner['path']}:{inner['state_graph_line']}", _edges(inner))
            for inner in subgraphs
        ),
    )


def _edges(graph: Mapping[str, Any]) -> tuple[Edge, ...]:
    lines = graph.get("edge_lines") or [None] * len(graph["edges"])
    paths = graph.get("edge_paths") or [graph["path"]] * len(graph["edges"])
    straight = [
        Edge(source, target, False, _place(path, line))
        for (source, target), path, line in zip(graph["edges"], paths, lines, strict=True)
    ]
    routed = [
        Edge(
            route["from"],
            target,
            True,
            _place(route.get("path") or graph["path"], route.get("line")),
        )
        for route in graph["conditional"]
        for target in route["to"]
    ]
    return tuple(dict.fromkeys([*straight, *routed]))


def _sketch(
    graph: Mapping[str, Any], at: tuple[str, ...], subgraphs: Sequence[Mapping[str, Any]]
) -> Sketch | None:
    """With what is inside its nodes, where that can be drawn; nesting is bounded where the facts are made."""
    edges = _edges(graph)
    inner: dict[str, list[Sketch]] = {}
    for name in dict.fromkeys(name for edge in edges for name in (edge.source, edge.target)):
        here = [one for one in subgraphs if tuple(one["at"]) == (*at, name)]
        drawn = [_sketch(one, (*at, name), subgraphs) for one in here]
        if any(drawn):
            inner[name] = [sketch for sketch in drawn if sketch is not None]
    return sketch_of(edges, inner)


def _unresolved_inside(subgraphs: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(
        f"inside {_way(one)}, {words}" for one in subgraphs for words in one.get("unresolved", ())
    )


def _way(subgraph: Mapping[str, Any]) -> str:
    return " / ".join(subgraph["at"])


def _place(path: str, line: int | None) -> str:
    return f"{path}:{line}" if line else ""
