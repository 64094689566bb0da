"""Wiring of a graph without its code, as plain JSON between the reader and the stub run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.tree_walk import words_of

Location = tuple[str, int]
# The key of a state that is a plain dict.
ROOT = "__root__"
# LangGraph adds the nodes of error handlers by itself; no edge leads to them.
HANDLERS = ("__error_handler__", "__default_error_handler__")


@dataclass(frozen=True, slots=True)
class StubEdge:
    """Edge of one start, or a join that waits for all its starts."""

    starts: tuple[str, ...]
    end: str
    path: str
    line: int

    @property
    def is_join(self) -> bool:
        return len(self.starts) > 1


@dataclass(frozen=True, slots=True)
class StubRoute:
    """Router with its outcomes: sets of nodes that run together. `sends` are started by Send.

    `named` are further nodes that its words name: it may lead there, where a test was misread. With
    `fixed` it decides the same in all its calls: no node on its loop changes these keys, all that
    it tests. `empty` holds for each outcome the keys that are empty whenever it is taken; () for none.
    `never` are nodes to which it leads only by ways that no run takes.
    """

    start: str
    outcomes: tuple[tuple[str, ...], ...]
    sends: tuple[str, ...]
    is_mapped: bool
    path: str
    line: int
    named: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    empty: tuple[tuple[str, ...], ...] = ()
    never: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StubState:
    """State of a graph: how each key is kept, and what each node does to it.

    `kept` maps a key of the state's class to "last" (one write per step), "add" (operator.add) or
    "merge" (another reducer); a plain dict has the one key `__root__`. `sure` are the keys that a
    node writes in every update, `fresh` those that some update gives a new value, `returned` those
    under which one holds what the node got, all with the places. `handed` maps the start of a router
    to the nodes that its Sends hand the whole state. `looked_at` are the keys that a node reads
    and writes: a second run of it may add nothing. `rebuilt` are keys of `returned` under which it
    makes the entries that it got anew, `guarded` those for which it looks before it adds: a second
    run of it may do nothing. `gap` says why writes may be missing. `is_stored`: the work imports a
    checkpointer that keeps states on a disk or a server, from one run to the next. `in_place` are
    keys of `returned` whose list the node adds to as it got it.
    """

    kept: Mapping[str, str]
    sure: Mapping[str, Mapping[str, Location]]
    fresh: Mapping[str, Mapping[str, Location]]
    returned: Mapping[str, Mapping[str, Location]]
    handed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    looked_at: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rebuilt: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    guarded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gap: str = ""
    is_stored: bool = False
    in_place: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StubGraph:
    """Graph of stub nodes; `at` is the path to it from the main graph.

    `places` are those of the nodes. `refusals` say why LangGraph refuses it, as far as the reader
    has seen that; `gap` why the graph of a run may be another one, "" where all of it is known.
    `state` is null, for the reason in `state_gap`, where its keys are not known.
    """

    at: tuple[str, ...]
    nodes: tuple[str, ...]
    deferred: tuple[str, ...]
    edges: tuple[StubEdge, ...]
    routes: tuple[StubRoute, ...]
    places: Mapping[str, Location]
    refusals: tuple[str, ...] = ()
    gap: str = ""
    state: StubState | None = None
    state_gap: str = ""

    def is_handed(self, route: StubRoute, node: str) -> bool:
        """Return whether the router's Send hands the node the graph's own state."""
        return self.state is not None and node in self.state.handed.get(route.start, ())

    def sent_apart(self) -> set[str]:
        """Return the nodes that a Send starts with a state of their own."""
        return {n for r in self.routes for n in r.sends if not self.is_handed(r, n)}


def stub_graphs(reading: GraphReading, states: Sequence[StubState | str] = ()) -> list[StubGraph]:
    """Return the main graph, then those inside its nodes; none where there is no graph.

    `states` are those of the same graphs, each or the reason why it is not known.
    """
    if reading.builder is None:
        return []
    graphs = [
        _stub_graph((), reading.builder, reading.routes),
        *(_stub_graph(inner.at, inner.builder, inner.routes) for inner in reading.subgraphs),
    ]
    if not states:
        return graphs
    return [
        replace(graph, state_gap=state) if isinstance(state, str) else replace(graph, state=state)
        for graph, state in zip(graphs, states, strict=True)
    ]


def _stub_graph(at: tuple[str, ...], builder: GraphBuilder, routes: list[Route]) -> StubGraph:
    nodes = tuple(name for name in builder.nodes if not name.startswith(HANDLERS))
    joins = dict.fromkeys((starts, end) for starts, end in builder.joins)
    edges = [
        StubEdge((start,), end, *place)
        for (start, end), place in builder.edges.items()
        if (start, end) in builder.plain_edges
    ]
    edges += [StubEdge(starts, end, *builder.edges[starts[0], end]) for starts, end in joins]
    return StubGraph(
        at=at,
        nodes=nodes,
        deferred=tuple(name for name in nodes if name in builder.deferred),
        edges=tuple(edges),
        routes=tuple(_stub_route(route, nodes) for route in routes if route.outcomes),
        places={name: place for name, place in builder.node_places.items() if name in nodes},
        refusals=tuple(builder.refusals),
        gap=_gap(builder, routes),
    )


def _stub_route(route: Route, nodes: Sequence[str]) -> StubRoute:
    outcomes = list(route.outcomes)
    taken = {name for outcome in outcomes for name in outcome}
    never = {*route.unreturned.values()} - taken
    if route.is_mapped:
        # The map says where it may lead, whatever became of the tests inside the router.
        outcomes += [(name,) for name in route.targets if name not in taken | never]
    return StubRoute(
        route.start,
        tuple(outcomes),
        tuple(route.sends),
        route.is_mapped,
        route.path,
        route.line,
        () if route.is_mapped else tuple(n for n in nodes if route.words.issuperset(words_of(n))),
        never=tuple(sorted(never)),
    )


def _gap(builder: GraphBuilder, routes: list[Route]) -> str:
    """Return the first reason why a run may have another graph; what is inside a node is none."""
    ambiguous = [
        f"a node is called {name}, which this audit calls LangGraph's own as well: it did not run"
        " the graph"
        for name in ("START", "END")
        if name in builder.nodes
    ]
    open_routes = [
        f"{route.path}:{route.line}: which nodes the router after {route.start} starts together is"
        " not known before the program runs"
        for route in routes
        if not route.is_complete
    ]
    doubts = [
        f"{doubt.path}:{doubt.line}: which nodes and edges are added here depends on the run"
        for doubt in builder.doubts()
    ]
    return next(iter([*builder.unresolved, *doubts, *ambiguous, *open_routes]), "")


def read_stub_graph(document: Mapping[str, Any]) -> StubGraph:
    """Return the graph that `dataclasses.asdict` wrote down."""
    return StubGraph(
        at=tuple(document["at"]),
        nodes=tuple(document["nodes"]),
        deferred=tuple(document["deferred"]),
        edges=tuple(
            StubEdge(tuple(edge["starts"]), edge["end"], edge["path"], edge["line"])
            for edge in document["edges"]
        ),
        routes=tuple(
            StubRoute(
                route["start"],
                tuple(map(tuple, route["outcomes"])),
                tuple(route["sends"]),
                route["is_mapped"],
                route["path"],
                route["line"],
                tuple(route["named"]),
                tuple(route["fixed"]),
                tuple(map(tuple, route["empty"])),
                tuple(route["never"]),
            )
            for route in document["routes"]
        ),
        places={name: (path, line) for name, (path, line) in document["places"].items()},
        refusals=tuple(document["refusals"]),
        gap=document["gap"],
        state=_read_state(document["state"]) if document["state"] else None,
        state_gap=document["state_gap"],
    )


def _read_state(document: Mapping[str, Any]) -> StubState:
    def table(name: str) -> dict[str, dict[str, Location]]:
        return {
            node: {key: (path, line) for key, (path, line) in keys.items()}
            for node, keys in document[name].items()
        }

    def names(field_name: str) -> dict[str, tuple[str, ...]]:
        return {name: tuple(members) for name, members in document[field_name].items()}

    return StubState(
        document["kept"],
        table("sure"),
        table("fresh"),
        table("returned"),
        names("handed"),
        names("looked_at"),
        names("rebuilt"),
        names("guarded"),
        document["gap"],
        document["is_stored"],
        names("in_place"),
    )
