"""What each call on a LangGraph builder adds to the graph.

A name that is not known is put on record in words (`unresolved`) and adds nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from courtroom.analysis.langgraph import routers
from courtroom.analysis.python.symbolic_execution.values import (
    Builder,
    Called,
    Class,
    Compiled,
    Function,
    Instance,
    Items,
    Method,
    Outside,
    Route,
    Scope,
    Table,
    Value,
    graph_in,
)

if TYPE_CHECKING:
    from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter

GRAPH_CLASSES = frozenset({"StateGraph", "MessageGraph", "Graph"})
ENDS = {"__start__": "START", "__end__": "END"}


def is_graph_class(dotted_names: Iterable[str]) -> bool:
    return any(
        name.startswith("langgraph.") and name.rpartition(".")[2] in GRAPH_CLASSES
        for name in dotted_names
    )


def begin(
    run: Interpreter,
    positional: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    scope: Scope,
) -> Builder:
    """A new graph; one call site that is reached again (a loop, a second caller) begins another."""
    state = positional[0] if positional else keywords.get("state_schema", keywords.get("schema"))
    given = [*node.args, *(k.value for k in node.keywords if k.arg in {"state_schema", "schema"})]
    builder = Builder(scope.source.path, node.lineno, state, given[0] if given else None)
    run.builders.append(builder)
    return builder


def node_name(value: Value) -> str | None:
    """START and END by these names, whatever they are imported as; None when the name is not known."""
    if isinstance(value, str):
        return ENDS.get(value, value)
    if isinstance(value, Outside):
        last = value.dotted.rpartition(".")[2]
        return last if last in {"START", "END"} else None
    return None


def apply(
    run: Interpreter,
    builder: Builder,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    scope: Scope,
) -> Value:
    """Apply one builder method; every one but compile() returns the builder, so that calls can be chained."""
    if name == "compile":
        return Compiled(builder)
    call = BuilderCall(run, builder, positional, keywords, node, scope)
    step = _STEPS.get(name)
    if step is None:
        return builder if name.startswith(("add_", "set_")) else Method(builder, name)
    step(call)
    return builder


class BuilderCall:
    """One call on a builder: its arguments by position or name, and how to say where it stands."""

    def __init__(
        self,
        run: Interpreter,
        builder: Builder,
        positional: list[Value],
        keywords: dict[str, Value],
        node: ast.Call,
        scope: Scope,
    ) -> None:
        self.run = run
        self.builder = builder
        self.positional = positional
        self.keywords = keywords
        self.node = node
        self.path = scope.source.path

    def argument(self, position: int, *names: str) -> Value:
        if position < len(self.positional):
            return self.positional[position]
        return next((self.keywords[name] for name in names if name in self.keywords), None)

    @property
    def line(self) -> int:
        return self.node.func.end_lineno or self.node.lineno

    def unresolved(self, what: str) -> None:
        self.builder.note(f"{self.path}:{self.line}: {what} is not known before the program runs")


def _names(value: Value) -> list[str] | None:
    """The node names a value stands for: one name, or the members of a list; None when not known."""
    if isinstance(value, Items) and not value.is_open:
        names = [node_name(member) for member in value.members]
        return None if None in names else [name for name in names if name is not None]
    name = node_name(value)
    return None if name is None else [name]


def _add_node(call: BuilderCall) -> None:
    first, action = call.argument(0, "node"), call.argument(1, "action")
    name = first if isinstance(first, str) else action_name(first)
    if name is None:
        call.unresolved("the name of a node")
        return
    action = first if action is None and not isinstance(first, str) else action
    inner = graph_in(action)
    if inner is not None:
        inner.is_subgraph = True
    call.builder.nodes[name] = action


def action_name(value: Value) -> str | None:
    """The name LangGraph gives a node added without one: its function's."""
    if isinstance(value, Function):
        return value.name or None
    if isinstance(value, Class):
        return value.node.name
    if isinstance(value, Instance):
        return value.kind.node.name
    if isinstance(value, Called) and value.dotted == "functools.partial" and value.positional:
        return action_name(value.positional[0])
    return value.dotted.rpartition(".")[2] if isinstance(value, Outside) else None


def _add_sequence(call: BuilderCall) -> None:
    steps = call.argument(0, "nodes")
    previous: str | None = None
    for step in steps.members if isinstance(steps, Items) else []:
        pair = (
            step.members
            if isinstance(step, Items) and len(step.members) == 2
            else [action_name(step), step]
        )
        name = pair[0]
        if not isinstance(name, str):
            call.unresolved("a step of a sequence")
            return
        call.builder.nodes[name] = pair[1]
        if previous is not None:
            call.builder.edges.setdefault((previous, name), (call.path, call.line))
        previous = name


def _add_edge(call: BuilderCall) -> None:
    starts, ends = _names(call.argument(0, "start_key")), _names(call.argument(1, "end_key"))
    if starts is None or ends is None:
        call.unresolved("an end of an edge")
        return
    for start in starts:
        for end in ends:
            call.builder.edges.setdefault((start, end), (call.path, call.line))


def _set_entry(call: BuilderCall) -> None:
    _add_fixed(call, lambda name: ("START", name))


def _set_finish(call: BuilderCall) -> None:
    _add_fixed(call, lambda name: (name, "END"))


def _add_fixed(call: BuilderCall, edge: Callable[[str], tuple[str, str]]) -> None:
    names = _names(call.argument(0, "key"))
    if names is None:
        call.unresolved("the entry or finish point")
        return
    for name in names:
        call.builder.edges.setdefault(edge(name), (call.path, call.line))


def _add_conditional(call: BuilderCall) -> None:
    start = node_name(call.argument(0, "source"))
    if start is None:
        call.unresolved("the start of a conditional edge")
        return
    _add_route(call, start, call.argument(1, "path"), call.argument(2, "path_map"))


def _set_conditional_entry(call: BuilderCall) -> None:
    _add_route(call, "START", call.argument(0, "path"), call.argument(1, "path_map"))


def _add_route(call: BuilderCall, start: str, router: Value, path_map: Value) -> None:
    reading = routers.read_router(call.run, router)
    outcomes = reading.outcomes
    targets = [target for outcome in outcomes for target in outcome]
    if isinstance(path_map, Table):
        outcomes = routers.through_map(outcomes, path_map)
        targets = [*filter(None, map(node_name, path_map.entries.values())), *reading.sends]
    elif isinstance(path_map, Items):
        targets = [*filter(None, map(node_name, path_map.members)), *reading.sends]
    elif not reading.is_complete:
        call.unresolved(f"where the router after {start} leads")
    if not outcomes:
        outcomes = [(target,) for target in targets]
    words = reading.words | routers.words_in_map(path_map)
    unique = list(dict.fromkeys(targets))
    call.builder.routes.append(
        Route(start, outcomes, unique, call.path, call.line, words, tuple(reading.sends))
    )


_STEPS: dict[str, Callable[[BuilderCall], None]] = {
    "add_node": _add_node,
    "add_edge": _add_edge,
    "add_sequence": _add_sequence,
    "set_entry_point": _set_entry,
    "set_finish_point": _set_finish,
    "add_conditional_edges": _add_conditional,
    "set_conditional_entry_point": _set_conditional_entry,
}
