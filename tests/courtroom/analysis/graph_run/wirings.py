"""Graphs of stub nodes, written as code and read as a submission's is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from courtroom.analysis.graph_run.run_facts import run_all
from courtroom.analysis.graph_run.stub_graph import StubEdge, StubGraph, StubRoute, stub_graphs
from tests.courtroom.sources import built, graph_of


def fact_of(body: str, nodes: Iterable[str]) -> dict[str, Any]:
    """Return the fact on a graph with these nodes; `body` adds the edges to `g`."""
    return run_all(stub_graphs(graph_of(built(body, nodes))))


def stub_graph(
    nodes: Iterable[str],
    edges: Iterable[tuple[str, str]],
    routes: Iterable[tuple[str, Sequence[tuple[str, ...]]]] = (),
) -> StubGraph:
    """Return a graph without places; START and END have these names."""
    return StubGraph(
        at=(),
        nodes=tuple(nodes),
        deferred=(),
        edges=tuple(StubEdge((start,), end, "g.py", 1) for start, end in edges),
        routes=tuple(
            StubRoute(start, tuple(outcomes), (), True, "g.py", 1) for start, outcomes in routes
        ),
        places={},
    )
