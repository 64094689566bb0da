"""The graph of the audited project as a Mermaid flowchart for Markdown; a graph inside a node is a box.

Names of nodes are a student's words: each stands in quotes with everything escaped that Mermaid would read.
"""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.models.facts import GraphFact, Subgraph, WiredGraph

# Beyond these a chart is harder to read than the code.
MOST_EDGES = 120
LONGEST_NAME = 60


def chart_of(graph: GraphFact) -> str | None:
    """The lines of the flowchart; null when the graph has no edges or too many. Dashed: a conditional route."""
    wired = [graph, *graph.subgraphs]
    size = sum(len(one.edges) + sum(len(route.to) for route in one.conditional) for one in wired)
    if not 0 < size <= MOST_EDGES:
        return None
    return "\n".join(["flowchart TD", *_lines(graph, "n", (), graph.subgraphs)])


def _lines(
    graph: WiredGraph, prefix: str, at: tuple[str, ...], subgraphs: tuple[Subgraph, ...]
) -> Iterator[str]:
    """`prefix` begins the ids of this graph's nodes; nesting is bounded where the facts are made."""
    ids = {name: f"{prefix}{number}" for number, name in enumerate(_names(graph))}
    indent = "    " * (len(at) + 1)
    for name, key in ids.items():
        inner = [one for one in subgraphs if one.at == (*at, name)]
        if not inner:
            yield f'{indent}{key}["{_label(name)}"]'
            continue
        yield f'{indent}subgraph {key}["{_label(name)}"]'
        for number, one in enumerate(inner):
            yield from _lines(one, f"{key}_{number}_", one.at, subgraphs)
        yield f"{indent}end"
    yield from (f"{indent}{ids[start]} --> {ids[end]}" for start, end in graph.edges)
    yield from (
        f"{indent}{ids[route.from_]} -.-> {ids[end]}"
        for route in graph.conditional
        for end in route.to
    )


def _names(graph: WiredGraph) -> list[str]:
    ends = [name for edge in graph.edges for name in edge]
    routed = [name for route in graph.conditional for name in (route.from_, *route.to)]
    return list(dict.fromkeys([*ends, *routed, *graph.nodes]))


def _label(name: str) -> str:
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return "".join(one if one.isalnum() or one in " _.-…" else f"#{ord(one)};" for one in short)
