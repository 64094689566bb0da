"""What was read of a graph and of those inside it, as facts, and the lines behind every departure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.langgraph.graph_shape import shape_of
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbolic_execution.values import Builder, Route


@dataclass(frozen=True, slots=True)
class Departure:
    """An edge or a route and the line that makes it; `routed_after` is "" for an edge."""

    path: str
    line: int
    words: str
    routed_after: str = ""


def graph_fact(reading: GraphReading, builder: Builder) -> dict[str, Any]:
    """The fields of courtroom.models.facts.GraphFact."""
    inner = [
        _wired(one.builder, one.routes)
        | {"at": list(one.at), "shape": shape_fact(one.builder, one.routes)}
        for one in reading.subgraphs
    ]
    return _wired(builder, reading.routes) | {"subgraphs": inner}


def shape_fact(builder: Builder, routes: Sequence[Route]) -> dict[str, object]:
    return shape_of(builder.edges, {route.start: route.outcomes for route in routes})


def graph_lines(reading: GraphReading, builder: Builder) -> Iterator[Departure]:
    """The main graph's departures, then those of the graphs inside it."""
    yield from _departures(builder, reading.routes, "")
    for one in reading.subgraphs:
        yield from _departures(one.builder, one.routes, f"inside {' / '.join(one.at)}: ")


def _wired(builder: Builder, routes: Sequence[Route]) -> dict[str, Any]:
    return {
        "path": builder.path,
        "state_graph_line": builder.line,
        "nodes": list(builder.nodes),
        "edges": [list(edge) for edge in builder.edges],
        "edge_paths": [path for path, _ in builder.edges.values()],
        "edge_lines": [line for _, line in builder.edges.values()],
        "conditional": [
            {"from": route.start, "to": route.targets, "line": route.line, "path": route.path}
            for route in routes
        ],
        "unresolved": builder.unresolved,
    }


def _departures(builder: Builder, routes: Sequence[Route], inside: str) -> Iterator[Departure]:
    for (start, end), (path, line) in builder.edges.items():
        yield Departure(path, line, f"{inside}{start} -> {end}")
    for route in routes:
        words = f"{inside}{route.start} -> one of {', '.join(route.targets)}"
        yield Departure(route.path, route.line, words, route.start)
