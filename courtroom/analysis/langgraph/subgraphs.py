"""Graphs that run at the nodes of another graph.

Such a graph is added as a node, returned by a node's function, or called in it. LangGraph runs a
graph that a node's function returns in the same way as one that is the node itself. What cannot be
followed is named in the enclosing graph's `unresolved`; nesting and number are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.langgraph import routers
from courtroom.analysis.langgraph.graph_evaluator import GraphEvaluator
from courtroom.analysis.langgraph.graph_values import (
    RUN_METHODS,
    CompiledGraph,
    GraphBuilder,
    Route,
    graph_in,
)
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import (
    CallResult,
    Function,
    Instance,
    Method,
    Value,
    choices_of,
)

LIBRARIES = ("langgraph", "langchain", "deepagents")
# Graphs inside graphs; real projects nest two deep.
MAX_NESTING = 4
MAX_SUBGRAPHS = 24
# Functions that return a finished graph, whose nodes are in a library.
PREBUILT_GRAPHS = frozenset(
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
    """Graph at a node; `at` is the path to that node from the main graph, node by node."""

    at: tuple[str, ...]
    builder: GraphBuilder
    routes: list[Route]


def conditional_routes(evaluator: GraphEvaluator, builder: GraphBuilder) -> list[Route]:
    """Return the routes of a graph's routers and of nodes that return Command(goto=...)."""
    routes = list(builder.routes)
    for name, action in builder.nodes.items():
        routing = _read_commands(evaluator, action)
        destinations = builder.destinations.get(name)
        if destinations and (routing is None or not routing.is_complete):
            routing = routing or routers.Routing()
            routing.outcomes = [(destination,) for destination in destinations]
            routing.is_complete = True
        if routing is None:
            continue
        if not routing.is_complete:
            builder.add_unresolved(
                f"where Command(goto=...) of {name} leads is not known before the program runs"
            )
        routes += _routes_from(name, action, routing)

    return routes


def _read_commands(
    evaluator: GraphEvaluator, action: Value, *, to_parent: bool = False
) -> routers.Routing | None:
    try:
        return routers.read_commands(evaluator, action, to_parent=to_parent)
    except (OutOfFuel, RecursionError):
        return routers.Routing(is_complete=False)


def _routes_from(start: str, action: Value, routing: routers.Routing) -> Iterator[Route]:
    targets = list(dict.fromkeys(target for outcome in routing.outcomes for target in outcome))
    if targets and isinstance(action, Function):
        path, line = action.source.path, action.node.lineno
        sends = tuple(routing.sends)
        yield Route(start, routing.outcomes, targets, path, line, routing.words, sends)


def subgraphs_of(
    evaluator: GraphEvaluator, builder: GraphBuilder, routes: list[Route], *, enters_functions: bool
) -> list[Subgraph]:
    """Return all graphs inside a graph, outermost first.

    `routes` gains the commands of inner nodes to it (Command.PARENT). `enters_functions`: node
    functions are followed too, for graphs that they return or call.
    """
    descent = _Descent(evaluator, enters_functions)
    descent.collect(builder, routes, (), (builder,))
    return descent.subgraphs


class _Descent:
    def __init__(self, evaluator: GraphEvaluator, enters_functions: bool) -> None:
        self.evaluator = evaluator
        self.enters_functions = enters_functions
        self.subgraphs: list[Subgraph] = []

    def collect(
        self,
        builder: GraphBuilder,
        routes: list[Route],
        at: tuple[str, ...],
        enclosing: tuple[object, ...],
    ) -> None:
        """Collect the graphs inside one; `enclosing` are the graphs and functions around it."""
        collected: list[tuple[Subgraph, tuple[object, ...]]] = []
        for name, action in builder.nodes.items():
            function = _function_of(self.evaluator, action)
            for inner in self._graphs_at(builder, name, action, function):
                is_circular = _is_any(inner, enclosing) or (
                    function is not None and _is_any(function.node, enclosing)
                )
                if is_circular:
                    builder.add_unresolved(f"the graph at node {name} contains itself")
                elif self._is_within_bounds(builder, name, at):
                    inner_routes = conditional_routes(self.evaluator, inner)
                    subgraph = Subgraph((*at, name), inner, inner_routes)
                    self.subgraphs.append(subgraph)
                    function_nodes = [function.node] if function else []
                    collected.append((subgraph, (*enclosing, inner, *function_nodes)))

        # After the loop, so that the outer graphs come first in the list.
        for subgraph, path in collected:
            self.collect(subgraph.builder, subgraph.routes, subgraph.at, path)
            routes += self._routes_to_parent(subgraph)

    def _is_within_bounds(self, builder: GraphBuilder, name: str, at: tuple[str, ...]) -> bool:
        if len(at) < MAX_NESTING and len(self.subgraphs) < MAX_SUBGRAPHS:
            return True
        builder.add_unresolved(
            f"the graph at node {name} is nested too deep, or is one of too many, to be followed"
        )
        return False

    def _graphs_at(
        self, builder: GraphBuilder, name: str, action: Value, function: Function | None
    ) -> list[GraphBuilder]:
        choices = choices_of(action)
        graphs = [graph for choice in choices if (graph := _graph_of(choice)) is not None]
        if self.enters_functions and function is not None:
            graphs += self._graphs_in_function(builder, name, function)

        for choice in choices:
            if isinstance(choice, CallResult) and is_prebuilt(choice.dotted):
                builder.ready_made.append(
                    f"node {name} is a ready-made graph ({choice.dotted}), which is not followed"
                )
        return list({graph.site: graph for graph in graphs}.values())

    def _graphs_in_function(
        self, builder: GraphBuilder, name: str, function: Function
    ) -> list[GraphBuilder]:
        """Return the graphs that a node's function returns or calls."""
        invoked_before = len(self.evaluator.invoked)
        bound = [] if function.bound is None else [function.bound]
        returned: list[Value] = []
        try:
            returned = self.evaluator.enter(function, bound, {}).returned
        except (OutOfFuel, RecursionError):
            builder.add_unresolved(
                f"the function of node {name} is too long to be followed to its end"
            )

        invoked = self.evaluator.invoked[invoked_before:]
        del self.evaluator.invoked[invoked_before:]
        choices = (choice for value in returned for choice in choices_of(value))
        compiled = (choice for choice in choices if isinstance(choice, CompiledGraph))
        return [*invoked, *(graph.builder for graph in compiled)]

    def _routes_to_parent(self, subgraph: Subgraph) -> Iterator[Route]:
        for action in subgraph.builder.nodes.values():
            routing = _read_commands(self.evaluator, action, to_parent=True)
            if routing is not None:
                yield from _routes_from(subgraph.at[-1], action, routing)


def is_prebuilt(dotted: str) -> bool:
    return dotted.startswith(LIBRARIES) and dotted.rpartition(".")[2] in PREBUILT_GRAPHS


def _graph_of(action: Value) -> GraphBuilder | None:
    # The bound method of a graph runs it as the graph itself does.
    if isinstance(action, Method) and action.name in RUN_METHODS:
        return graph_in(action.owner)
    return graph_in(action)


def _function_of(evaluator: GraphEvaluator, action: Value) -> Function | None:
    """Return the function a node runs, if it is written in the repository."""
    if isinstance(action, CallResult) and action.positional:
        return _function_of(evaluator, action.positional[0])
    if isinstance(action, Instance):
        return _function_of(evaluator, attribute_of(evaluator, action, "__call__"))
    return action if isinstance(action, Function) else None


def _is_any(item: object, items: tuple[object, ...]) -> bool:
    # By identity: two graphs with the same nodes are equal, and comparing them is slow.
    return any(item is other for other in items)
