"""A graph with the graphs inside it laid open, so that one walk sees every split and join where it happens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from courtroom.analysis.langgraph.node_roles import is_single, role_of
from courtroom.analysis.langgraph.subgraphs import Subgraph
from courtroom.analysis.python.symbolic_execution.values import Builder, Route

# Between the names of a node and of one inside it; no name in source code holds it.
INSIDE = "\0"


@dataclass(slots=True)
class FlatGraph:
    """Names are those of the main graph, or a node's and an inner node's with INSIDE between.

    A node with a graph in it is where that graph is entered; the node's name, INSIDE and END is where it is left.
    `sent`: what Send starts, which may be several times.
    """

    roles: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)


def flattened(
    builder: Builder, routes: Iterable[Route], subgraphs: Sequence[Subgraph]
) -> FlatGraph:
    opened = _Opening(subgraphs)
    opened.lay("", (), builder, routes, gives_roles=True)
    flat = opened.flat
    flat.sent |= {
        name for name in flat.roles for sent in tuple(flat.sent) if name.startswith(sent + INSIDE)
    }
    return flat


def own_name(name: str) -> str:
    return name.rpartition(INSIDE)[2]


class _Opening:
    def __init__(self, subgraphs: Sequence[Subgraph]) -> None:
        self.flat = FlatGraph()
        self.inner: dict[tuple[str, ...], list[Subgraph]] = {}
        for subgraph in subgraphs:
            if _begins(subgraph):
                self.inner.setdefault(subgraph.at, []).append(subgraph)

    def lay(
        self,
        prefix: str,
        at: tuple[str, ...],
        builder: Builder,
        routes: Iterable[Route],
        *,
        gives_roles: bool,
    ) -> None:
        """`gives_roles`: nodes play their own parts here, not steps of the one detective or judge around them."""
        open_nodes = {name for name in builder.nodes if (*at, name) in self.inner}
        self._lay_edges(prefix, at, builder, routes)
        for name, action in builder.nodes.items():
            role = role_of(name, action) if gives_roles else ""
            is_layer = (
                name in open_nodes and not is_single(name, role) and self._has_roles((*at, name))
            )
            self.flat.roles[prefix + name] = "" if is_layer else role
            if name in open_nodes:
                self._open(prefix + name, (*at, name), gives_roles=gives_roles and is_layer)

    def _leaving(self, way: tuple[str, ...]) -> str:
        return way[-1] + INSIDE + "END" if way in self.inner else way[-1]

    def _lay_edges(
        self, prefix: str, at: tuple[str, ...], builder: Builder, routes: Iterable[Route]
    ) -> None:
        self.flat.edges += [
            (prefix + self._leaving((*at, start)), prefix + end) for start, end in builder.edges
        ]
        for route in routes:
            named = replace(
                route,
                start=prefix + self._leaving((*at, route.start)),
                outcomes=[tuple(prefix + name for name in outcome) for outcome in route.outcomes],
                targets=[prefix + name for name in route.targets],
                sends=tuple(prefix + name for name in route.sends),
            )
            self.flat.routes.append(named)
            self.flat.sent.update(named.sends)

    def _open(self, node: str, at: tuple[str, ...], *, gives_roles: bool) -> None:
        """Where one of several graphs runs, they are alternatives."""
        starts: list[str] = []
        for number, subgraph in enumerate(self.inner[at]):
            prefix = node + INSIDE + (f"{number}{INSIDE}" if number else "")
            starts.append(prefix + "START")
            self.lay(prefix, at, subgraph.builder, subgraph.routes, gives_roles=gives_roles)
            ends = [prefix + self._leaving((*at, name)) for name in _without_departure(subgraph)]
            ends += [prefix + "END"] if number else []
            self.flat.edges += [(end, node + INSIDE + "END") for end in ends]
        self.flat.routes.append(Route(node, [(start,) for start in starts], starts, "", 0))

    def _has_roles(self, at: tuple[str, ...]) -> bool:
        return any(
            role_of(name, action) in {"detective", "judge", "justice"}
            or self._has_roles((*at, name))
            for subgraph in self.inner.get(at, ())
            for name, action in subgraph.builder.nodes.items()
        )


def _begins(subgraph: Subgraph) -> bool:
    starts = {start for start, _ in subgraph.builder.edges} | {
        route.start for route in subgraph.routes
    }
    return "START" in starts


def _without_departure(subgraph: Subgraph) -> list[str]:
    """LangGraph ends a graph after a node that nothing leaves."""
    left = {start for start, _ in subgraph.builder.edges} | {
        route.start for route in subgraph.routes
    }
    return [name for name in subgraph.builder.nodes if name not in left]
