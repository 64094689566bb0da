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
    Doubt,
    External,
    Function,
    Instance,
    ListValue,
    Method,
    OneOf,
    Value,
)
from courtroom.analysis.python.tree_walk import last_name, line_of_call


def apply_builder_method(
    evaluator: Evaluator, builder: GraphBuilder, name: str, call: Call
) -> Value:
    """Apply one method; every one but compile() returns the builder, so that calls chain."""
    if name == "compile":
        builder.is_compiled = True
        graph_name = call.keywords.get("name")
        return CompiledGraph(builder, graph_name if isinstance(graph_name, str) else "LangGraph")

    if builder.home_made is not None:
        name = HOME_NAMES.get(name, name)
    step = _BUILDER_STEPS.get(name)
    if step is None:
        if name.startswith(("add_", "set_")):
            step_call = _BuilderCall(evaluator, builder, call, None)
            step_call.add_unresolved(f"what {name}() does to the graph")
            return builder
        return Method(builder, name)
    doubt = evaluator.doubt_since(builder.made_under)
    step(_BuilderCall(evaluator, builder, call, doubt))
    return None if name == "__init__" else builder


@dataclass(frozen=True, slots=True)
class _BuilderCall:
    """One call of a builder's method; `doubt` is why it may not be made."""

    evaluator: Evaluator
    builder: GraphBuilder
    call: Call
    doubt: Doubt | None

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

    def refuse(self, reason: str) -> None:
        """Take note of an error that LangGraph raises in any run."""
        path, line = self.location
        words = f"{reason} ({path}:{line})"
        if self.doubt is None and words not in self.builder.refusals:
            self.builder.refusals.append(words)

    def is_added(self, part: str | tuple[str, str], *, is_new: bool) -> bool:
        """Return whether a node or edge counts; take note when only some runs add it."""
        if self.doubt is None:
            self.builder.doubtful.pop(part, None)
        elif is_new or part in self.builder.doubtful:
            self.builder.doubtful.setdefault(part, []).append(self.doubt)
            # What is added only after an exception is no part of the usual graph.
            return not self.doubt.is_failure
        return True

    def add_node(self, name: str, action: Value) -> None:
        if name in self.builder.nodes and name not in self.builder.doubtful:
            self.refuse(f"node {name!r} is added twice")
        if self.is_added(name, is_new=name not in self.builder.nodes):
            self.builder.nodes[name] = action
            self.builder.node_places[name] = self.location

    def add_edge(self, start: str, end: str, *, is_join: bool = False) -> None:
        if start == "END" and "END" not in self.builder.nodes:
            self.refuse("an edge starts at END")
        if end == "START" and "START" not in self.builder.nodes:
            self.refuse("an edge ends at START")
        edge = (start, end)
        if self.is_added(edge, is_new=edge not in self.builder.edges):
            # The first call that makes an edge is the one that the report shows.
            self.builder.edges.setdefault(edge, self.location)
            if not is_join:
                self.builder.plain_edges.add(edge)


# Keywords of a node of the repository's own where its graph begins.
START_KEYS = ("start", "is_start", "entry")


def _node_names(value: Value) -> list[str] | None:
    """Return the nodes that a value names: one, or the members of a list; None when not known."""
    is_list = isinstance(value, ListValue) and not value.is_open and value.doubt is None
    members = value.members if is_list and isinstance(value, ListValue) else [value]
    names = [node_name(member) for member in members]
    return None if None in names else [name for name in names if name is not None]


def _add_home_made(step: _BuilderCall) -> None:
    """Add a node to a graph of the repository's own: by its name, or as `Node("judge", judge)`.

    `start=True` lets the graph begin there.
    """
    name, action = step.argument(0, "node", "name"), step.argument(1, "action", "func")
    if isinstance(name, Instance):
        values = name.attributes
        actions = [value for value in values.values() if isinstance(value, Function)]
        name, action = values.get("name"), actions[0] if len(actions) == 1 else None
    starts = [step.call.keywords.get(key, False) for key in START_KEYS]
    if (
        not isinstance(name, str)
        or action is None
        or any(not isinstance(start, bool) for start in starts)
    ):
        step.add_unresolved("a node")
        return
    step.add_node(name, action)
    if True in starts:
        step.add_edge("START", name)


def _add_node(step: _BuilderCall) -> None:
    if step.builder.home_made is not None:
        _add_home_made(step)
        return
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
    step.add_node(str(name), action)
    step.builder.schemas += schemas_in(step.call)
    _defer(step, str(name))
    _add_destinations(step, str(name))
    handler = step.call.keywords.get("error_handler")
    if handler is not None:
        # LangGraph runs a handler as a node of its own.
        step.add_node(f"__error_handler__{name}", handler)


def schemas_in(call: Call) -> list[Value]:
    """Return the schemas beside the state's own that a call names."""
    names = ("input_schema", "output_schema", "input", "output")
    return [call.keywords[name] for name in names if name in call.keywords]


def _defer(step: _BuilderCall, name: str) -> None:
    """Take note of defer=True: the node runs when no other has anything left to do."""
    is_deferred = step.call.keywords.get("defer", False)
    if is_deferred is True:
        step.builder.deferred.add(name)
    elif is_deferred is not False:
        step.add_unresolved(f"whether {name} is deferred")


def _add_destinations(step: _BuilderCall, name: str) -> None:
    """Take note of destinations=..., which says where a node's Command may lead."""
    destinations = step.call.keywords.get("destinations")
    if destinations is None:
        return
    values = (
        list(destinations.entries)
        if isinstance(destinations, DictValue)
        else destinations.members
        if isinstance(destinations, ListValue)
        else [destinations]
    )
    names = [node_name(value) for value in values]
    step.builder.destinations[name] = None if None in names else [n for n in names if n]


def _action_name(value: Value) -> str | None:
    """Return the name that LangGraph gives a node added without one: mostly its function's."""
    if isinstance(value, OneOf):
        names = {_action_name(choice) for choice in value.choices}
        return names.pop() if len(names) == 1 else None
    if isinstance(value, Function):
        return value.name or "<lambda>"
    if isinstance(value, Class):
        return value.node.name
    if isinstance(value, Instance):
        own_name = value.attributes.get("__name__", value.kind.node.name)
        # What inherits from a library's class may be a Runnable with a name of another kind.
        is_plain = all(last_name(base) in _PLAIN_BASES for base in value.kind.node.bases)
        return own_name if isinstance(own_name, str) and is_plain else None
    if isinstance(value, CompiledGraph):
        return value.name
    if isinstance(value, CallResult):
        return _library_name(value)
    # A builtin; what another library exports may be a function or an object.
    return value.dotted if isinstance(value, External) and "." not in value.dotted else None


_PLAIN_BASES = frozenset({"object", "ABC", "Protocol", "Generic"})


def _library_name(value: CallResult) -> str | None:
    given = value.keyword("name")
    if isinstance(given, str):
        return given
    kind = value.dotted.rpartition(".")[2]
    if given is not None:
        return None
    if kind == "ToolNode":
        return "tools"
    if kind in {"RunnableLambda", "RunnableCallable"} and value.positional:
        name = _action_name(value.positional[0])
        return kind if name == "<lambda>" else name
    if kind in {"create_react_agent", "create_agent"} and value.dotted.startswith("lang"):
        return "LangGraph"
    return "partial" if value.dotted == "functools.partial" else None


def _set_node_defaults(step: _BuilderCall) -> None:
    handler = step.call.keywords.get("error_handler")
    if handler is not None and step.doubt is None:
        step.builder.default_handler = handler
    elif handler is not None:
        step.add_unresolved("the handler of all nodes")


def _construct(step: _BuilderCall) -> None:
    """Apply super().__init__(State) of a class that inherits from StateGraph."""
    step.builder.state = step.argument(0, "state_schema", "schema")


def _add_sequence(step: _BuilderCall) -> None:
    nodes = step.argument(0, "nodes")
    if not isinstance(nodes, ListValue) or nodes.is_open or nodes.doubt is not None:
        step.add_unresolved("which steps a sequence has")
        return
    previous: str | None = None
    for node in nodes.members:
        name: Value
        if isinstance(node, ListValue) and len(node.members) == 2:
            name, action = node.members
        else:
            name, action = _action_name(node), node
        if not isinstance(name, str):
            step.add_unresolved("a step of a sequence")
            return

        step.add_node(str(name), action)
        if previous is not None:
            step.add_edge(previous, str(name))
        previous = str(name)


def _add_edge(step: _BuilderCall) -> None:
    first = step.argument(0, "start_key")
    starts, ends = _node_names(first), _node_names(step.argument(1, "end_key"))
    if starts is None or ends is None:
        step.add_unresolved("an end of an edge")
        return
    if isinstance(first, ListValue) and not step.builder.unresolved:
        for name in [*starts, *(end for end in ends if end != "END")]:
            if name not in step.builder.nodes:
                step.refuse(f"node {name!r} is joined before it is added")
    is_join = isinstance(first, ListValue)
    for end in ends:
        for start in starts:
            step.add_edge(start, end, is_join=is_join)
        if is_join and all((start, end) in step.builder.edges for start in starts):
            step.builder.joins.append((tuple(starts), end))


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
    _refuse_second_router(step, start, router)
    routing = routers.read_router(step.evaluator, router)
    if not isinstance(path_map, DictValue) and {*routers.TRUTHS} & {*routing.outcomes}:
        # Without a map, they name no node.
        routing.outcomes, routing.is_complete = [], False
    outcomes = routing.outcomes
    targets = [target for outcome in outcomes for target in outcome]
    # A map names every target by itself; only what Send starts is outside it.
    if isinstance(path_map, DictValue | ListValue):
        if isinstance(path_map, DictValue):
            outcomes = routers.map_outcomes(outcomes, path_map)
            ends = list(path_map.entries.values())
        else:
            ends = path_map.members
        names = [node_name(end) for end in ends]
        if None in names or path_map.is_open or path_map.doubt is not None:
            step.add_unresolved(f"where the map after {start} leads")
        targets = [*filter(None, names), *routing.sends]
        if routing.is_send_open:
            step.add_unresolved(f"which nodes the router after {start} starts together")
        if not routing.is_complete:
            taken = {name for outcome in outcomes for name in outcome}
            outcomes = [
                *outcomes,
                *((name,) for name in dict.fromkeys(targets) if name not in taken),
            ]
    elif path_map is not None or not routing.is_complete:
        step.add_unresolved(f"where the router after {start} leads")

    if not outcomes:
        outcomes = [(target,) for target in targets]
    unreturned = routers.unreturned_keys(routing, path_map)
    words = routing.words | routers.words_in_map(path_map, unreturned)
    unique_targets = list(dict.fromkeys(targets))
    path, line = step.location
    step.builder.routes.append(
        Route(
            start,
            outcomes,
            unique_targets,
            path,
            line,
            words,
            tuple(routing.sends),
            step.doubt,
            is_mapped=path_map is not None,
            router=router,
            path_map=path_map,
            is_complete=routing.is_complete or (path_map is not None and routing.is_single),
            unreturned=unreturned,
        )
    )


def _refuse_second_router(step: _BuilderCall, start: str, router: Value) -> None:
    """LangGraph names a route by its function and takes each name once after a node."""
    name = _action_name(router) if isinstance(router, Function) else None
    if name is None or name == "<lambda>" or step.doubt is not None:
        return
    if (start, name) in step.builder.routers:
        step.refuse(f"the router {name!r} is added twice after {start!r}")
    step.builder.routers.add((start, name))


_BUILDER_STEPS: dict[str, Callable[[_BuilderCall], None]] = {
    "add_node": _add_node,
    "add_edge": _add_edge,
    "add_sequence": _add_sequence,
    "set_entry_point": _set_entry_point,
    "set_finish_point": _set_finish_point,
    "add_conditional_edges": _add_conditional_edges,
    "set_conditional_entry_point": _set_conditional_entry_point,
    "set_node_defaults": _set_node_defaults,
    "__init__": _construct,
}
# Methods of a class of the repository's own that are called a little otherwise.
HOME_NAMES = {
    "add_conditional_edge": "add_conditional_edges",
    "set_start": "set_entry_point",
    "set_entry": "set_entry_point",
}
HOME_METHODS = frozenset({*_BUILDER_STEPS, *HOME_NAMES, "compile"})


def add_default_handler(builder: GraphBuilder) -> None:
    """Add the node that set_node_defaults(error_handler=...) makes when the graph is compiled."""
    if builder.default_handler is not None:
        builder.nodes.setdefault("__default_error_handler__", builder.default_handler)


def refusals_of(builder: GraphBuilder, routes: list[Route]) -> list[str]:
    """Return why LangGraph does not compile a graph, as far as all of it is known."""
    if not builder.is_compiled or builder.unresolved or builder.doubtful:
        return list(builder.refusals)
    names = set(builder.nodes)
    reasons = list(builder.refusals)
    for (start, end), (path, line) in builder.edges.items():
        if start not in names | {"START"}:
            reasons.append(f"an edge starts at {start!r}, which is no node ({path}:{line})")
        if end not in names | {"END"}:
            reasons.append(f"an edge ends at {end!r}, which is no node ({path}:{line})")
    for route in builder.routes:
        place = f"({route.path}:{route.line})"
        if route.start not in names | {"START"}:
            reasons.append(f"a router follows {route.start!r}, which is no node {place}")
        if route.is_mapped:
            missing = [t for t in route.targets if t not in names | {"END"}]
            reasons += [f"a router leads to {name!r}, which is no node {place}" for name in missing]
    starts = {start for start, _ in builder.edges} | {route.start for route in routes}
    if names and "START" not in starts:
        reasons.append("no edge leads from START to a node")
    return list(dict.fromkeys(reasons))
