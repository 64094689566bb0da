"""The graphs that run at the nodes of another: added as a node, returned by a node's function, or called in it.

LangGraph runs a graph that a node's function returns, as it runs one that is the node itself. What cannot be
followed is named in the enclosing graph's `unresolved`; nesting and number are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.langgraph import routers
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter, OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import (
    RUNNING,
    Builder,
    Called,
    Compiled,
    Function,
    Instance,
    Method,
    Route,
    Value,
    choices_of,
    graph_in,
)

LIBRARIES = ("langgraph", "langchain", "deepagents")
MAX_NESTING = 4
MAX_SUBGRAPHS = 24
# What gives a finished graph whose nodes stand in a library.
READY_MADE = frozenset(
    {
        "create_react_agent",
        "create_agent",
        "create_deep_agent",
        "create_supervisor",
        "create_swarm",
        "RemoteGraph",
    }
)


@dataclass(slots=True)
class Subgraph:
    """`at`: the way to it, node by node from the main graph; `routes` as in topology.GraphReading."""

    at: tuple[str, ...]
    builder: Builder
    routes: list[Route]


def departures(run: Interpreter, builder: Builder) -> list[Route]:
    """Every conditional departure of a graph: its routers', and those its nodes choose by Command(goto=...)."""
    routes = list(builder.routes)
    for name, action in builder.nodes.items():
        reading = _commands(run, action)
        if reading is None:
            continue
        if not reading.is_complete:
            builder.note(
                f"where Command(goto=...) of {name} leads is not known before the program runs"
            )
        routes += _as_route(name, action, reading)
    return routes


def _commands(
    run: Interpreter, action: Value, *, to_parent: bool = False
) -> routers.RouterReading | None:
    try:
        return routers.read_commands(run, action, to_parent=to_parent)
    except (OutOfFuel, RecursionError):
        return routers.RouterReading(is_complete=False)


def _as_route(start: str, action: Value, reading: routers.RouterReading) -> Iterator[Route]:
    targets = list(dict.fromkeys(target for outcome in reading.outcomes for target in outcome))
    if targets and isinstance(action, Function):
        path, line = action.source.path, action.node.lineno
        yield Route(
            start, reading.outcomes, targets, path, line, reading.words, tuple(reading.sends)
        )


def subgraphs_of(
    run: Interpreter, builder: Builder, routes: list[Route], *, enters: bool
) -> list[Subgraph]:
    """All graphs inside a graph, outermost first. `routes` gains what inner nodes send to it (Command.PARENT).

    `enters`: node functions are followed too, for graphs that they return or call.
    """
    descent = _Descent(run, enters)
    descent.go(builder, routes, (), (builder,))
    return descent.found


class _Descent:
    def __init__(self, run: Interpreter, enters: bool) -> None:
        self.run = run
        self.enters = enters
        self.found: list[Subgraph] = []

    def go(
        self, builder: Builder, routes: list[Route], at: tuple[str, ...], around: tuple[object, ...]
    ) -> None:
        """`around`: the graphs and node functions that this one stands in."""
        here: list[tuple[Subgraph, tuple[object, ...]]] = []
        for name, action in builder.nodes.items():
            function = _function_of(self.run, action)
            for inner in self._inside(builder, name, action, function):
                if _is_one_of(inner, around) or (function and _is_one_of(function.node, around)):
                    builder.note(f"the graph at node {name} is one that it stands in itself")
                elif self._has_room(builder, name, at):
                    subgraph = Subgraph((*at, name), inner, departures(self.run, inner))
                    self.found.append(subgraph)
                    here.append(
                        (subgraph, (*around, inner, *([function.node] if function else [])))
                    )
        for subgraph, way in here:
            self.go(subgraph.builder, subgraph.routes, subgraph.at, way)
            routes += self._to_parent(subgraph)

    def _has_room(self, builder: Builder, name: str, at: tuple[str, ...]) -> bool:
        if len(at) < MAX_NESTING and len(self.found) < MAX_SUBGRAPHS:
            return True
        builder.note(
            f"the graph at node {name} is nested too deep, or is one of too many, to be followed"
        )
        return False

    def _inside(
        self, builder: Builder, name: str, action: Value, function: Function | None
    ) -> list[Builder]:
        found = [graph for choice in choices_of(action) if (graph := _graph_of(choice)) is not None]
        found += (
            self._entered(builder, name, function) if self.enters and function is not None else []
        )
        for choice in choices_of(action):
            if isinstance(choice, Called) and _is_ready_made(choice.dotted):
                builder.note(
                    f"node {name} is a ready-made graph ({choice.dotted}), which is not followed"
                )
        return list({graph.site: graph for graph in found}.values())

    def _entered(self, builder: Builder, name: str, function: Function) -> list[Builder]:
        """What a node's function returns or calls, if that is a graph."""
        already = len(self.run.called)
        bound = [] if function.bound is None else [function.bound]
        returned: list[Value] = []
        try:
            returned = self.run.enter(function, bound, {}).returned
        except (OutOfFuel, RecursionError):
            builder.note(f"the function of node {name} is too long to be followed to its end")
        called, self.run.called = self.run.called[already:], self.run.called[:already]
        choices = (choice for value in returned for choice in choices_of(value))
        return [*called, *(choice.builder for choice in choices if isinstance(choice, Compiled))]

    def _to_parent(self, subgraph: Subgraph) -> Iterator[Route]:
        for action in subgraph.builder.nodes.values():
            reading = _commands(self.run, action, to_parent=True)
            if reading is not None:
                yield from _as_route(subgraph.at[-1], action, reading)


def _is_ready_made(dotted: str) -> bool:
    return dotted.startswith(LIBRARIES) and dotted.rpartition(".")[2] in READY_MADE


def _graph_of(action: Value) -> Builder | None:
    if isinstance(action, Method) and action.name in RUNNING:
        return graph_in(action.owner)
    return graph_in(action)


def _function_of(run: Interpreter, action: Value) -> Function | None:
    """The function a node runs, if it is written in the repository."""
    if isinstance(action, Called) and action.positional:
        return _function_of(run, action.positional[0])
    if isinstance(action, Instance):
        return _function_of(run, attribute_of(run, action, "__call__"))
    return action if isinstance(action, Function) else None


def _is_one_of(one: object, others: tuple[object, ...]) -> bool:
    return any(one is other for other in others)
