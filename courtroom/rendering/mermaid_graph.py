"""Mermaid flowchart of the audited project's graph; a graph inside a node becomes a box.

Node names are untrusted: each is quoted, with every character escaped that Mermaid would read.
"""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.models.facts import GraphFact, Subgraph, WiredGraph

# Beyond these a chart is harder to read than the code.
MOST_EDGES = 120
LONGEST_NAME = 60


def mermaid_chart(graph: GraphFact) -> str | None:
    """Return the lines of the flowchart, or None when the graph has no edges or too many.

    Conditional routes are dashed.
    """
    graphs = [graph, *graph.subgraphs]
    size = sum(
        len(wired.edges) + sum(len(route.to) for route in wired.conditional) for wired in graphs
    )

    if not 0 < size <= MOST_EDGES:
        return None
    return "\n".join(["flowchart TD", *_lines(graph, "n", (), graph.subgraphs)])


def _lines(
    graph: WiredGraph, prefix: str, place: tuple[str, ...], subgraphs: tuple[Subgraph, ...]
) -> Iterator[str]:
    """Yield the nodes, then the edges. `prefix` begins the ids of this graph's nodes."""
    ids = {name: f"{prefix}{number}" for number, name in enumerate(_node_names(graph))}
    indent = "    " * (len(place) + 1)

    for name, node_id in ids.items():
        inner = [subgraph for subgraph in subgraphs if subgraph.at == (*place, name)]
        if not inner:
            yield f'{indent}{node_id}["{_label(name)}"]'
            continue

        yield f'{indent}subgraph {node_id}["{_label(name)}"]'
        # The recursion ends: nesting is bounded where the facts are made.
        for number, subgraph in enumerate(inner):
            yield from _lines(subgraph, f"{node_id}_{number}_", subgraph.at, subgraphs)
        yield f"{indent}end"

    yield from (f"{indent}{ids[start]} --> {ids[end]}" for start, end in graph.edges)
    yield from (
        f"{indent}{ids[route.from_]} -.-> {ids[end]}"
        for route in graph.conditional
        for end in route.to
    )


def _node_names(graph: WiredGraph) -> list[str]:
    """Every node once, in the order of the edges; START and END appear in edges alone."""
    ends = [name for edge in graph.edges for name in edge]
    routed = [name for route in graph.conditional for name in (route.from_, *route.to)]
    return list(dict.fromkeys([*ends, *routed, *graph.nodes]))


def _label(name: str) -> str:
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return "".join(
        char if char.isalnum() or char in " _.-…" else f"#{ord(char)};" for char in short
    )
