"""Routers on a loop that decide the same in each round: no node of the loop changes what they test."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from courtroom.analysis.graph_run.stub_graph import StubGraph
from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse
from courtroom.analysis.python.symbolic_execution.values import Function
from courtroom.analysis.python.tree_walk import called_name, walk

# Calls whose result follows from their arguments. A router with another one may read a clock.
PLAIN_CALLS = frozenset(
    {"len", "any", "all", "bool", "str", "int", "float", "sum", "max", "min", "set", "list", "dict"}
    | {"tuple", "sorted", "isinstance", "getattr", "get", "items", "keys", "values", "Send"}
    | {"strip", "lower", "upper", "startswith", "endswith"}
)


def with_fixed_routes(graph: StubGraph, routes: Sequence[Route], access: StateAccess) -> StubGraph:
    """Return the graph with the keys that the routers on its loops test in vain."""
    starts = [route.start for route in routes]
    fixed = {
        route.start: _fixed_keys(graph, route, access)
        for route in routes
        if starts.count(route.start) == 1
    }
    stub_routes = (replace(route, fixed=fixed.get(route.start, ())) for route in graph.routes)
    return replace(graph, routes=tuple(stub_routes))


def _fixed_keys(graph: StubGraph, route: Route, access: StateAccess) -> tuple[str, ...]:
    """Return the keys that a router on a loop tests, if no node of the loop changes one; else ()."""
    use = next((u for u in access.routers if u.name == f"the router after {route.start}"), None)
    loop = _reached(graph, route.start)
    loop = {name for name in loop if route.start in _reached(graph, name)}
    if use is None or not loop or use.reads_gap or not _is_plain(route):
        return ()
    uses = [access.nodes[name] for name in loop if name in access.nodes]
    if len(uses) < len(loop) or any(node.writes_gap for node in uses):
        return ()
    changed = {key for node in uses for key in _changed(node)}
    return () if changed & use.read_keys else tuple(sorted(use.read_keys))


def _changed(use: StateUse) -> set[str]:
    return {change.key for change in use.changes} | {
        write.key for update in use.updates for write in update.writes if not write.is_unchanged
    }


def _is_plain(route: Route) -> bool:
    """Return whether nothing but the state decides, as far as the router's own code shows."""
    if not isinstance(route.router, Function):
        return False
    nodes = list(walk(route.router.node))
    return all(
        called_name(node) in PLAIN_CALLS for node in nodes if isinstance(node, ast.Call)
    ) and not any(isinstance(node, ast.Global | ast.Nonlocal) for node in nodes)


def _reached(graph: StubGraph, start: str) -> set[str]:
    """Return the nodes after `start`, which is one of them where it lies on a loop."""
    reached: set[str] = set()
    queue = [start]
    for name in queue:  # the list grows while it is read
        ends = {edge.end for edge in graph.edges if name in edge.starts}
        ends |= {n for r in graph.routes if r.start == name for o in r.outcomes for n in o}
        new = ends & {*graph.nodes} - reached
        reached |= new
        queue += sorted(new)
    return reached
