"""Outcomes of routers that no run takes: a stub run does not take them either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from courtroom.analysis.graph_run.stub_graph import StubGraph, StubRoute
from courtroom.analysis.langgraph.state_flow.dead_routes import DeadWay


def without_dead_ways(graph: StubGraph, ways: Sequence[DeadWay]) -> StubGraph:
    """Return the graph whose routes have only outcomes that some run takes."""
    return replace(graph, routes=tuple(_live(route, ways) for route in graph.routes))


def untaken(ways: Sequence[DeadWay], start: str, path: str, line: int) -> list[str]:
    """Return the nodes to which no run takes the route of a node at this place."""
    place = (start, path, line)
    own = [way for way in ways if (way.route.start, way.route.path, way.route.line) == place]
    names = {name for way in own for outcome in way.outcomes for name in outcome}
    return sorted(names - {name for way in own for outcome in way.remaining for name in outcome})


def _live(route: StubRoute, ways: Sequence[DeadWay]) -> StubRoute:
    place = (route.start, route.path, route.line)
    own = [way for way in ways if (way.route.start, way.route.path, way.route.line) == place]
    dead = {outcome for way in own for outcome in way.outcomes}
    # Of nodes that start together, those of the dead way alone are missing.
    cut = [o for way in own for o in way.remaining if all(o in other.remaining for other in own)]
    possible = dict.fromkeys([*route.outcomes, *cut])
    remaining = tuple(outcome for outcome in possible if outcome not in dead)
    taken = {name for outcome in remaining for name in outcome}
    never = {name for outcome in dead for name in outcome if name not in taken}
    if not dead or not remaining:
        # A route without any outcome was misread.
        return route
    named = tuple(name for name in route.named if name not in never)
    never |= {*route.never} - taken
    return replace(route, outcomes=remaining, named=named, never=tuple(sorted(never)))
