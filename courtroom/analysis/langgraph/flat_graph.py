"""Graph with its subgraphs laid open, so that one walk sees every split and join."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route
from courtroom.analysis.langgraph.node_roles import is_single, role_by_home, role_of
from courtroom.analysis.langgraph.subgraphs import Subgraph

# Stands between the names of a node and of a node inside it; no name in source code holds it.
SEPARATOR = "\0"


@dataclass(slots=True)
class FlatGraph:
    """Graph whose names are those of the main graph, or paths with SEPARATOR between the names.

    A node with a graph in it is where that graph is entered; the node's name, SEPARATOR and END is
    where it is left. `sent` are the nodes that Send starts, which may be several times. `places`
    are file and line of the edges that the code adds.
    """

    roles: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)
    places: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)


def flatten(
    builder: GraphBuilder, routes: Iterable[Route], subgraphs: Sequence[Subgraph]
) -> FlatGraph:
    flattener = _Flattener(subgraphs)
    flattener.add_graph("", (), builder, routes, gives_roles=True)
    flat = flattener.flat
    _add_roles_by_home(flat, builder)
    # All that runs inside a node that Send starts runs as often.
    flat.sent |= {
        name
        for name in flat.roles
        for sent in tuple(flat.sent)
        if name.startswith(sent + SEPARATOR)
    }
    return flat


def _add_roles_by_home(flat: FlatGraph, builder: GraphBuilder) -> None:
    """Give roles to nodes of a layer that no name tells of: evaluate_criterion of judges.py."""
    missing = {"detective", "judge", "justice"} - set(flat.roles.values())
    for name, action in builder.nodes.items():
        if flat.roles.get(name) == "":
            role = role_by_home(action)
            flat.roles[name] = role if role in missing else ""


def own_name(name: str) -> str:
    return name.rpartition(SEPARATOR)[2]


class _Flattener:
    def __init__(self, subgraphs: Sequence[Subgraph]) -> None:
        self.flat = FlatGraph()
        self.inner: dict[tuple[str, ...], list[Subgraph]] = {}
        for subgraph in subgraphs:
            if "START" in _departing_nodes(subgraph):
                self.inner.setdefault(subgraph.at, []).append(subgraph)

    def add_graph(
        self,
        prefix: str,
        at: tuple[str, ...],
        builder: GraphBuilder,
        routes: Iterable[Route],
        *,
        gives_roles: bool,
    ) -> None:
        """Add a graph with all inside it.

        `gives_roles`: its nodes have roles of their own; otherwise they are steps of the one
        detective or judge around them.
        """
        self._add_edges(prefix, at, builder, routes)
        for name, action in builder.nodes.items():
            path = (*at, name)
            role = role_of(name, action) if gives_roles else ""
            has_graph = path in self.inner
            is_layer = has_graph and not is_single(name, role) and self._has_roles(path)
            self.flat.roles[prefix + name] = "" if is_layer else role
            if has_graph:
                self._add_inner_graphs(prefix + name, path, gives_roles=gives_roles and is_layer)

    def _exit_name(self, path: tuple[str, ...]) -> str:
        return path[-1] + SEPARATOR + "END" if path in self.inner else path[-1]

    def _add_edges(
        self, prefix: str, at: tuple[str, ...], builder: GraphBuilder, routes: Iterable[Route]
    ) -> None:
        for (start, end), place in builder.edges.items():
            edge = prefix + self._exit_name((*at, start)), prefix + end
            self.flat.edges.append(edge)
            self.flat.places[edge] = place

        for route in routes:
            flat_route = replace(
                route,
                start=prefix + self._exit_name((*at, route.start)),
                outcomes=[tuple(prefix + name for name in outcome) for outcome in route.outcomes],
                targets=[prefix + name for name in route.targets],
                sends=tuple(prefix + name for name in route.sends),
            )
            self.flat.routes.append(flat_route)
            self.flat.sent.update(flat_route.sends)

    def _add_inner_graphs(self, node: str, at: tuple[str, ...], *, gives_roles: bool) -> None:
        """Add the graphs at a node; several of them are alternatives."""
        starts: list[str] = []
        for number, subgraph in enumerate(self.inner[at]):
            # The first graph has the plain names; the number keeps the others apart.
            prefix = node + SEPARATOR + (f"{number}{SEPARATOR}" if number else "")
            starts.append(prefix + "START")
            self.add_graph(prefix, at, subgraph.builder, subgraph.routes, gives_roles=gives_roles)
            ends = [prefix + self._exit_name((*at, name)) for name in _final_nodes(subgraph)]
            ends += [prefix + "END"] if number else []
            self.flat.edges += [(end, node + SEPARATOR + "END") for end in ends]
        self.flat.routes.append(Route(node, [(start,) for start in starts], starts, "", 0))

    def _has_roles(self, at: tuple[str, ...]) -> bool:
        return any(
            role_of(name, action) in {"detective", "judge", "justice"}
            or self._has_roles((*at, name))
            for subgraph in self.inner.get(at, ())
            for name, action in subgraph.builder.nodes.items()
        )


def _departing_nodes(subgraph: Subgraph) -> set[str]:
    starts = {start for start, _ in subgraph.builder.edges}
    return starts | {route.start for route in subgraph.routes}


def _final_nodes(subgraph: Subgraph) -> list[str]:
    """Return the nodes that nothing leaves: LangGraph ends a graph after them."""
    departing = _departing_nodes(subgraph)
    return [name for name in subgraph.builder.nodes if name not in departing]
