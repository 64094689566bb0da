"""Routes for errors, and the edges without a condition that lead on beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.checks.phrases import listed

Place = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class OpenRoute:
    """Route after `start`, and the `nodes` to which edges without a condition lead from there.

    `is_idle`: it may choose END or one of these nodes and nothing else, so it changes no run.
    `verdict` are the nodes that give one, where they run all the same on each of the route's
    `ways` that leads past them.
    """

    start: str
    nodes: tuple[str, ...]
    place: Place
    is_idle: bool
    ways: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()

    @property
    def stops_nothing(self) -> bool:
        return self.is_idle or bool(self.verdict)

    @property
    def sentence(self) -> str:
        """Sentence on the nodes that run whatever the route chooses."""
        them = "it" if len(self.nodes) == 1 else "them"
        sentence = (
            f"Whatever the route after `{self.start}` chooses, {_names(self.nodes)}"
            f" {_run(self.nodes)}: edges without a condition lead to {them}."
        )
        if self.is_idle or not self.verdict:
            return sentence
        return (
            f"{sentence} Where it chooses {_names(self.ways)}, {_names(self.verdict)}"
            f" {_run(self.verdict)} after {them} all the same."
        )


def open_routes(facts: Mapping[str, Any], places: Collection[Place]) -> list[OpenRoute] | None:
    """Return those of the routes at these places with edges beside them; None where not all have.

    LangGraph follows all edges of a node: a route stops nothing to which another edge leads.
    """
    graph = facts.get("graph") or {}
    rows = [row for row in graph.get("conditional", ()) if (row["path"], row["line"]) in places]
    routes = [route for row in rows if (route := _open_route(row, facts)) is not None]
    return routes if routes and len(routes) == len(rows) else None


def routes_that_stop_nothing(facts: Mapping[str, Any]) -> list[OpenRoute]:
    """Return the routes that change no run, and those whose ways past the verdict do not keep it
    from being given.
    """
    rows = (facts.get("graph") or {}).get("conditional", ())
    routes = (_open_route(row, facts) for row in rows)
    return [route for route in routes if route is not None and route.stops_nothing]


def _open_route(row: Mapping[str, Any], facts: Mapping[str, Any]) -> OpenRoute | None:
    graph = facts.get("graph") or {}
    nodes = tuple(dict.fromkeys(_followers(row["from"], graph)))
    if not nodes:
        return None
    is_idle = {*row["to"]} <= {"END", *nodes}
    ways, verdict = _ways_past_the_verdict(row["from"], facts)
    return OpenRoute(row["from"], nodes, (row["path"], row["line"]), is_idle, ways, verdict)


def _ways_past_the_verdict(
    start: str, facts: Mapping[str, Any]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ways of a route that lead past every node of a verdict, and the nodes of a verdict
    that run all the same whichever of these ways is chosen.
    """
    graph, runs = facts.get("graph") or {}, facts.get("graph_run") or {}
    court = [node for node in graph.get("nodes", ()) if role_by_name(node) == "justice"]
    ways: dict[str, None] = {}
    verdict = set(court if runs.get("is_complete") else ())
    for run in runs.get("runs", ()):
        way = next((choice["to"] for choice in run["choices"] if choice["from"] == start), None)
        if way is None or not _reached(way, graph).isdisjoint(court):
            continue
        ways |= dict.fromkeys(way)
        verdict &= {node for step in run["steps"] for node in step}
    return tuple(ways), tuple(node for node in court if node in verdict and ways)


def _reached(starts: Collection[str], graph: Mapping[str, Any]) -> set[str]:
    reached = list(starts)
    for node in reached:  # the list grows while it is read
        ends = [*_followers(node, graph)]
        ends += [end for r in graph.get("conditional", ()) if r["from"] == node for end in r["to"]]
        reached += [end for end in dict.fromkeys(ends) if end not in reached]
    return set(reached)


def _names(nodes: Collection[str]) -> str:
    return listed(node if node == "END" else f"`{node}`" for node in nodes)


def _run(nodes: Collection[str]) -> str:
    return "runs" if len(nodes) == 1 else "run"


def _followers(start: str, graph: Mapping[str, Any]) -> Iterator[str]:
    for first, end in graph.get("edges", ()):
        if first == start and end != "END":
            yield end
