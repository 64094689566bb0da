"""Loops of a graph that a router may leave, by the ways that some run takes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route
from courtroom.analysis.langgraph.state_flow.dead_routes import DeadWay


@dataclass
class Wiring:
    """Edges and routes of a graph, without the ways that no run takes."""

    builder: GraphBuilder
    routes: Sequence[Route]
    dead: Sequence[DeadWay]

    def live(self, route: Route, outcomes: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        never = {way.outcomes for way in self.dead if way.route is route}
        gone = {outcome for outcomes in never for outcome in outcomes}
        return [outcome for outcome in outcomes if outcome not in gone]

    @cached_property
    def after(self) -> dict[str, set[str]]:
        after: dict[str, set[str]] = {}
        for start, end in self.builder.edges:
            after.setdefault(start, set()).add(end)
        for route in self.routes:
            for outcome in self.live(route, route.outcomes):
                after.setdefault(route.start, set()).update(outcome)
        return after

    def reached(self, start: str) -> set[str]:
        reached: set[str] = set()
        queue = [start]
        for node in queue:  # the list grows while it is read
            new = self.after.get(node, set()) - reached
            reached |= new
            queue += sorted(new)
        return reached

    def loops(self) -> list[tuple[str, ...]]:
        """Return the nodes of each loop that a router may leave, and that it may go round again."""
        reached = {name: self.reached(name) for name in self.builder.nodes}
        loops = {
            tuple(n for n in reached if n in reached[name] and name in reached[n])
            for name in reached
            if name in reached[name]
        }
        return [loop for loop in sorted(loops) if self.leaving(loop)]

    def leaving(self, loop: Collection[str]) -> list[Route]:
        """Return the routers that may lead round a loop or out of it."""
        rows = [(r, self.live(r, r.outcomes)) for r in self.routes if r.start in loop]
        return [
            route
            for route, outcomes in rows
            if any(not {*loop}.isdisjoint(o) for o in outcomes)
            and any({*loop}.isdisjoint(o) for o in outcomes)
        ]
