"""Facts about a graph and its subgraphs: wiring, shape, and the line behind every departure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbolic_execution.values import DictValue

Edge = tuple[str, str]
# A router that picks any of many nodes has a great many outcomes.
MOST_OUTCOMES = 6
# A chain of two nodes is a plain edge.
MIN_CHAIN = 3


@dataclass(frozen=True, slots=True)
class Departure:
    """Edge or route with the line that makes it."""

    path: str
    line: int
    words: str


def graph_fact(reading: GraphReading, builder: GraphBuilder) -> dict[str, Any]:
    """Return the fields of courtroom.models.facts.GraphFact."""
    inner = [
        _wiring(subgraph.builder, subgraph.routes)
        | {"at": list(subgraph.at), "shape": shape_fact(subgraph.builder, subgraph.routes)}
        for subgraph in reading.subgraphs
    ]
    return _wiring(builder, reading.routes) | {"subgraphs": inner}


def shape_fact(builder: GraphBuilder, routes: Sequence[Route]) -> dict[str, object]:
    unclear = {route.start for route in routes if not route.is_complete}
    return shape_of(builder.edges, {route.start: route.outcomes for route in routes}, unclear)


def shape_of(
    edges: Iterable[Edge],
    routed: Mapping[str, Iterable[Iterable[str]]],
    unclear: Container[str] = (),
) -> dict[str, object]:
    """Return the fields of courtroom.models.facts.GraphShape.

    `routed`: for each node with a router, the sets of nodes it may start together; those in
    `unclear` may start others. A node that can start two at once fans out; one that two plain edges
    reach is a join, but for those from nodes of which a router starts only one; a chain is a run of
    nodes with one way in and out.
    """
    after: dict[str, list[str]] = {}
    before: dict[str, list[str]] = {}
    for start, end in edges:
        after.setdefault(start, []).append(end)
        before.setdefault(end, []).append(start)

    # A router adds to the plain edges of its node, which are taken in any case.
    together = {start: list(ends) for start, ends in after.items()}
    choices = {start: [list(outcome) for outcome in outcomes] for start, outcomes in routed.items()}
    for start, outcomes in choices.items():
        widest = max(outcomes, key=len, default=[])
        together[start] = list(dict.fromkeys([*together.get(start, []), *widest]))

    return {
        "fan_outs": {start: ends for start, ends in together.items() if len(ends) > 1},
        # Every path ends in END: several that do are no join.
        "joins": {
            end: starts
            for end, starts in before.items()
            if len(starts) > 1 and end != "END"
            if any(start in before for start in starts)
            or not _are_alternatives(starts, choices, unclear)
        },
        "chains": _chains(after, before, set(routed)),
    }


def _merged(route: Route) -> list[str]:
    """Return the words of a router's map where several of them lead to one node, and none elsewhere."""
    ways = route.path_map
    if not isinstance(ways, DictValue) or ways.is_open or len(route.targets) != 1:
        return []
    words = [
        word for word in ways.entries if isinstance(word, str) and word not in route.unreturned
    ]
    return words if len(words) > 1 else []


def _are_alternatives(
    starts: Sequence[str], choices: Mapping[str, Sequence[Sequence[str]]], unclear: Container[str]
) -> bool:
    """Return true where a single router starts these nodes, never two of them at once."""
    routers = [
        router
        for router, outcomes in choices.items()
        if any(start in outcome for outcome in outcomes for start in starts)
    ]
    if len(routers) != 1 or routers[0] in unclear:
        return False
    outcomes = choices[routers[0]]
    is_from_there = {*starts} <= {start for outcome in outcomes for start in outcome}
    return is_from_there and all(len({*starts}.intersection(o)) < 2 for o in outcomes)


def _chains(
    after: Mapping[str, list[str]], before: Mapping[str, list[str]], routed: set[str]
) -> list[list[str]]:
    """Return runs of at least three nodes, START and END included, without splits and joins."""
    follows = {
        start: ends[0]
        for start, ends in after.items()
        if len(ends) == 1 and start not in routed and len(before[ends[0]]) == 1
    }
    heads = [node for node in follows if node not in follows.values()]

    chains = []
    for head in heads:
        chain = [head]
        while chain[-1] in follows:
            chain.append(follows[chain[-1]])
        chains.append(chain)
    return [chain for chain in chains if len(chain) >= MIN_CHAIN]


def departures(reading: GraphReading, builder: GraphBuilder) -> Iterator[Departure]:
    """Yield the main graph's departures, then those of the graphs inside it."""
    yield from _departures_of(builder, reading.routes, "")
    for subgraph in reading.subgraphs:
        prefix = f"inside {' / '.join(subgraph.at)}: "
        yield from _departures_of(subgraph.builder, subgraph.routes, prefix)


def _departures_of(
    builder: GraphBuilder, routes: Sequence[Route], prefix: str
) -> Iterator[Departure]:
    for (start, end), (path, line) in builder.edges.items():
        yield Departure(path, line, f"{prefix}{start} → {end}")
    for route in routes:
        yield Departure(route.path, route.line, prefix + route_words(route))


def route_words(route: Route) -> str:
    """Return `a → b + c or d`: nodes that start together, and alternatives."""
    outcomes = dict.fromkeys(route.outcomes) or [(target,) for target in route.targets]
    ends = [" + ".join(outcome) for outcome in outcomes if outcome]
    return f"{route.start} → {' or '.join(ends[:MOST_OUTCOMES])}"


def _wiring(builder: GraphBuilder, routes: Sequence[Route]) -> dict[str, Any]:
    path, line = builder.place
    optional = {n: d for n, d in builder.optional_parts().items() if n in builder.nodes}
    return {
        "path": path,
        "state_graph_line": line,
        "nodes": list(builder.nodes),
        "edges": [list(edge) for edge in builder.edges],
        "edge_paths": [path for path, _ in builder.edges.values()],
        "edge_lines": [line for _, line in builder.edges.values()],
        "conditional": [
            {
                "from": route.start,
                "to": route.targets,
                "line": route.line,
                "path": route.path,
                **({"merged": merged} if (merged := _merged(route)) else {}),
            }
            for route in routes
        ],
        "unresolved": builder.open_questions(),
        "optional_nodes": [
            {"path": doubt.path, "line": doubt.line, "node": node}
            for node, doubt in optional.items()
        ],
    }
