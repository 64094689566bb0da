"""Order of a graph's nodes: what runs in every run, in which step at the earliest, before, after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route


def certain_steps(builder: GraphBuilder) -> dict[str, int]:
    """Return the nodes that edges start in every run, each with the step in which it runs."""
    optional = builder.optional_parts()
    joins = [((start,), end) for start, end in builder.plain_edges] + builder.joins
    certain = [join for join in joins if not any((start, join[1]) in optional for start in join[0])]
    return {n: step for n, step in _steps(certain).items() if n not in builder.deferred}


def earliest_steps(builder: GraphBuilder, routes: Sequence[Route]) -> dict[str, int]:
    """Return the first step in which any way may start each node."""
    routed = [((route.start,), end) for route in routes for end in route.targets]
    return _steps([*(((start,), end) for start, end in builder.edges), *routed])


def _steps(joins: Iterable[tuple[Sequence[str], str]]) -> dict[str, int]:
    """Return the step of each node that its first edge starts; a join waits for all of its list."""
    after: dict[str, list[tuple[set[str], str]]] = {}
    for starts, end in joins:
        waiting = (set(starts), end)
        for start in waiting[0]:
            after.setdefault(start, []).append(waiting)
    steps, queue = {"START": 0}, ["START"]
    for node in queue:  # the list grows while it is read
        for left, end in after.get(node, ()):
            left.discard(node)
            if not left and end not in steps:
                steps[end] = steps[node] + 1
                queue.append(end)
    return steps


def later_nodes(
    builder: GraphBuilder, routes: Sequence[Route], start: str, never: AbstractSet[tuple[str, str]]
) -> set[str]:
    """Return the nodes that run only after the router of a node, which runs once.

    `never` are the ways of other routers that no run takes.
    """
    after = _ways(builder, routes, never)
    if start in _reached(after, after.get(start, ())):
        return set()
    return _reached(after, after.get(start, ())) - _reached(_without(after, start), ["START"])


def earlier_nodes(
    builder: GraphBuilder, routes: Sequence[Route], end: str, never: AbstractSet[tuple[str, str]]
) -> set[str]:
    """Return the nodes through which every way from START to a node leads."""
    if not all(route.is_complete for route in routes):
        return set()
    after = _ways(builder, routes, never)
    return {
        name
        for name in builder.nodes
        if name != end and end not in _reached(_without(after, name), ["START"])
    }


def comes_in_one_step(
    builder: GraphBuilder, routes: Sequence[Route], end: str, never: AbstractSet[tuple[str, str]]
) -> bool:
    """Return whether all ways from START to a node, which lies on no loop, are equally long."""
    after = _ways(builder, routes, never)
    step = {"START"}
    numbers = []
    for number in range(len(builder.nodes) + 2):
        if end in step:
            numbers.append(number)
        step = {name for begin in step for name in after.get(begin, ())}
    return len(numbers) == 1


def nodes_reached_from(
    builder: GraphBuilder, routes: Sequence[Route], starts: Iterable[str]
) -> set[str]:
    """Return these nodes and all to which a way leads from them."""
    return _reached(_ways(builder, routes, frozenset()), starts)


def loop_of(builder: GraphBuilder, routes: Sequence[Route], start: str) -> set[str]:
    """Return the nodes of the loops through a node."""
    after = _ways(builder, routes, frozenset())
    reached = _reached(after, after.get(start, ()))
    return {node for node in reached if start in _reached(after, after.get(node, ()))}


def _ways(
    builder: GraphBuilder, routes: Sequence[Route], never: AbstractSet[tuple[str, str]]
) -> dict[str, set[str]]:
    ways = {*builder.edges, *((route.start, end) for route in routes for end in route.targets)}
    after: dict[str, set[str]] = {}
    for begin, end in ways - never:
        after.setdefault(begin, set()).add(end)
    return after


def _without(after: Mapping[str, AbstractSet[str]], node: str) -> dict[str, AbstractSet[str]]:
    return {begin: ends - {node} for begin, ends in after.items()}


def _reached(after: Mapping[str, AbstractSet[str]], starts: Iterable[str]) -> set[str]:
    reached, queue = set(starts), list(starts)
    for node in queue:  # the list grows while it is read
        new = after.get(node, set()) - reached
        reached |= new
        queue += sorted(new)
    return reached
