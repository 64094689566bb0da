"""Effects of the methods of a LangGraph builder on the graph.

A name that is not known is recorded in words (`unresolved`) and adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from courtroom.analysis.langgraph import routers
from courtroom.analysis.langgraph.graph_values import (
    CompiledGraph,
    GraphBuilder,
    Route,
    graph_in,
    node_name,
)
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.values import (
    Call,
    CallResult,
    Class,
    DictValue,
    External,
    Function,
    Instance,
    ListValue,
    Method,
    Value,
)
from courtroom.analysis.python.tree_walk import line_of_call


def apply_builder_method(
    evaluator: Evaluator, builder: GraphBuilder, name: str, call: Call
) -> Value:
    """Apply one method; every one but compile() returns the builder, so that calls chain."""
    if name == "compile":
        return CompiledGraph(builder)

    step = _BUILDER_STEPS.get(name)
    if step is None:
        return builder if name.startswith(("add_", "set_")) else Method(builder, name)
    step(_BuilderCall(evaluator, builder, call))
    return builder


@dataclass(frozen=True, slots=True)
class _BuilderCall:
    evaluator: Evaluator
    builder: GraphBuilder
    call: Call

    def argument(self, position: int, *names: str) -> Value:
        return self.call.argument(position, *names)

    @property
    def location(self) -> tuple[str, int]:
        return self.call.scope.source.path, line_of_call(self.call.node)

    def add_unresolved(self, subject: str) -> None:
        path, line = self.location
        self.builder.add_unresolved(
            f"{path}:{line}: {subject} is not known before the program runs"
        )

    def add_edge(self, start: str, end: str) -> None:
        # The first call that makes an edge is the one that the report shows.
        self.builder.edges.setdefault((start, end), self.location)


def _node_names(value: Value) -> list[str] | None:
    """Return the nodes that a value names: one, or the members of a list; None when not known."""
    members = value.members if isinstance(value, ListValue) and not value.is_open else [value]
    names = [node_name(member) for member in members]
    return None if None in names else [name for name in names if name is not None]


def _add_node(step: _BuilderCall) -> None:
    first, action = step.argument(0, "node"), step.argument(1, "action")
    name = first if isinstance(first, str) else _action_name(first)
    if name is None:
        step.add_unresolved("the name of a node")
        return

    # add_node(function) names the node after the function.
    action = first if action is None and not isinstance(first, str) else action
    inner = graph_in(action)
    if inner is not None:
        inner.is_subgraph = True
    step.builder.nodes[name] = action


def _action_name(value: Value) -> str | None:
    """Return the name that LangGraph gives a node added without one: its function's."""
    if isinstance(value, Function):
        return value.name or None
    if isinstance(value, Class):
        return value.node.name
    if isinstance(value, Instance):
        return value.kind.node.name
    if isinstance(value, CallResult) and value.dotted == "functools.partial" and value.positional:
        return _action_name(value.positional[0])
    return value.dotted.rpartition(".")[2] if isinstance(value, External) else None


def _add_sequence(step: _BuilderCall) -> None:
    nodes = step.argument(0, "nodes")
    previous: str | None = None
    for node in nodes.members if isinstance(nodes, ListValue) else []:
        name: Value
        if isinstance(node, ListValue) and len(node.members) == 2:
            name, action = node.members
        else:
            name, action = _action_name(node), node
        if not isinstance(name, str):
            step.add_unresolved("a step of a sequence")
            return

        step.builder.nodes[name] = action
        if previous is not None:
            step.add_edge(previous, name)
        previous = name


def _add_edge(step: _BuilderCall) -> None:
    starts = _node_names(step.argument(0, "start_key"))
    ends = _node_names(step.argument(1, "end_key"))
    if starts is None or ends is None:
        step.add_unresolved("an end of an edge")
        return
    for start in starts:
        for end in ends:
            step.add_edge(start, end)


def _set_entry_point(step: _BuilderCall) -> None:
    for name in _named_point(step):
        step.add_edge("START", name)


def _set_finish_point(step: _BuilderCall) -> None:
    for name in _named_point(step):
        step.add_edge(name, "END")


def _named_point(step: _BuilderCall) -> list[str]:
    names = _node_names(step.argument(0, "key"))
    if names is None:
        step.add_unresolved("the entry or finish point")
    return names or []


def _add_conditional_edges(step: _BuilderCall) -> None:
    start = node_name(step.argument(0, "source"))
    if start is None:
        step.add_unresolved("the start of a conditional edge")
        return
    _add_route(step, start, step.argument(1, "path"), step.argument(2, "path_map"))


def _set_conditional_entry_point(step: _BuilderCall) -> None:
    _add_route(step, "START", step.argument(0, "path"), step.argument(1, "path_map"))


def _add_route(step: _BuilderCall, start: str, router: Value, path_map: Value) -> None:
    routing = routers.read_router(step.evaluator, router)
    outcomes = routing.outcomes
    targets = [target for outcome in outcomes for target in outcome]
    # A map names every target by itself; only what Send starts is outside it.
    if isinstance(path_map, DictValue):
        outcomes = routers.map_outcomes(outcomes, path_map)
        targets = [*filter(None, map(node_name, path_map.entries.values())), *routing.sends]
    elif isinstance(path_map, ListValue):
        targets = [*filter(None, map(node_name, path_map.members)), *routing.sends]
    elif not routing.is_complete:
        step.add_unresolved(f"where the router after {start} leads")

    if not outcomes:
        outcomes = [(target,) for target in targets]
    words = routing.words | routers.words_in_map(path_map)
    unique_targets = list(dict.fromkeys(targets))
    path, line = step.location
    step.builder.routes.append(
        Route(start, outcomes, unique_targets, path, line, words, tuple(routing.sends))
    )


_BUILDER_STEPS: dict[str, Callable[[_BuilderCall], None]] = {
    "add_node": _add_node,
    "add_edge": _add_edge,
    "add_sequence": _add_sequence,
    "set_entry_point": _set_entry_point,
    "set_finish_point": _set_finish_point,
    "add_conditional_edges": _add_conditional_edges,
    "set_conditional_entry_point": _set_conditional_entry_point,
}
