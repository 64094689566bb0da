"""Routes for errors, and the edges without a condition that lead on beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from courtroom.checks.phrases import listed

Place = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class OpenRoute:
    """Route after `start`, and the `nodes` to which edges without a condition lead from there.

    `is_idle`: it may choose END or one of these nodes and nothing else, so it changes no run.
    """

    start: str
    nodes: tuple[str, ...]
    place: Place
    is_idle: bool

    @property
    def sentence(self) -> str:
        """Sentence on the nodes that run whatever the route chooses."""
        verb = "runs" if len(self.nodes) == 1 else "run"
        them = "it" if len(self.nodes) == 1 else "them"
        names = listed(f"`{node}`" for node in self.nodes)
        return (
            f"Whatever the route after `{self.start}` chooses, {names} {verb}: edges without a"
            f" condition lead to {them}."
        )


def open_routes(graph: Mapping[str, Any], places: Collection[Place]) -> list[OpenRoute] | None:
    """Return those of the routes at these places with edges beside them; None where not all have.

    LangGraph follows all edges of a node: a route stops nothing to which another edge leads.
    """
    rows = [row for row in graph.get("conditional", ()) if (row["path"], row["line"]) in places]
    routes = [route for row in rows if (route := _open_route(row, graph)) is not None]
    return routes if routes and len(routes) == len(rows) else None


def idle_routes(graph: Mapping[str, Any]) -> list[OpenRoute]:
    """Return the routes that change no run."""
    routes = (_open_route(row, graph) for row in graph.get("conditional", ()))
    return [route for route in routes if route is not None and route.is_idle]


def _open_route(row: Mapping[str, Any], graph: Mapping[str, Any]) -> OpenRoute | None:
    nodes = tuple(dict.fromkeys(_followers(row["from"], graph)))
    if not nodes:
        return None
    is_idle = {*row["to"]} <= {"END", *nodes}
    return OpenRoute(row["from"], nodes, (row["path"], row["line"]), is_idle)


def _followers(start: str, graph: Mapping[str, Any]) -> Iterator[str]:
    for first, end in graph.get("edges", ()):
        if first == start and end != "END":
            yield end
