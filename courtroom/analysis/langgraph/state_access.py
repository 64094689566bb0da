"""State keys that the nodes and routers of a graph read and write, each with its places.

`read_state_access` follows the function of every node with the state as an abstract value: through
wrappers, partials, methods, lambdas, closures, and helpers that get the state. Where it cannot
follow, `reads_gap` or `writes_gap` says so, and a key that is missing proves nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route, graph_in, is_missing
from courtroom.analysis.langgraph.node_roles import unwrapped
from courtroom.analysis.langgraph.state_class import StateReading, declared_keys, read_state
from courtroom.analysis.langgraph.state_evaluator import KeyLookup, KeyPlace, StateEvaluator
from courtroom.analysis.langgraph.state_parts import (
    StateModel,
    StatePart,
    changed_keys,
    is_empty,
    is_unchanged,
    members_of,
    path_of,
    sure_keys,
    whole_state,
)
from courtroom.analysis.langgraph.subgraphs import Subgraph
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.calls import apply
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    CallResult,
    Class,
    DictValue,
    Function,
    Instance,
    ListValue,
    Scope,
    Unknown,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import constant_text

# Statements and expressions that are followed for one node, and for all nodes of a repository.
FUEL_PER_NODE = 40_000
TOTAL_FUEL = 160_000
# Objects around a function that leave it the node: RunnableLambda(node), RetryPolicy wrappers.
MAX_WRAPPERS = 4
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class KeyWrite:
    """Key of an update that a node returns.

    `is_unchanged`: the node returns what it got under the key. `is_extended`: it returns that and
    more. `inner` are the keys of the dict that is written, complete unless `is_inner_open`.
    `sure` are the keys of it in any run, None where it may be empty; a list that never is has none.
    `is_empty`: it is a list or a dict that holds nothing in any run. `is_constant`: it is that, or
    the one value that the code writes out. `held` is what is known of the value.
    """

    key: str
    path: str
    line: int
    is_unchanged: bool = False
    is_extended: bool = False
    inner: tuple[str, ...] = ()
    is_inner_open: bool = True
    sure: frozenset[str] | None = None
    is_empty: bool = False
    is_constant: bool = False
    held: Value = field(default=UNKNOWN, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Update:
    """One value that a node may return.

    `is_whole_state`: it is the state itself, or a copy with every declared key. `is_open`: it may
    have more keys than `writes`. `is_doubtful`: some of `writes` are there in some runs only.
    `model` is the class of which it is an instance, if any.
    """

    writes: tuple[KeyWrite, ...]
    is_whole_state: bool = False
    is_open: bool = False
    is_doubtful: bool = False
    model: str = ""


@dataclass(frozen=True, slots=True)
class Payload:
    """State that Send(node, ...) hands to a node, "" where that is not known.

    It is the graph's own where `is_state`.
    """

    node: str
    keys: frozenset[str]
    is_open: bool
    is_state: bool


@dataclass(frozen=True, slots=True)
class StateUse:
    """Reads and writes of one node, or of one router.

    `path` and `line` are those of its function, "" and 0 where it is not known. `lookups` are reads
    under a key (`state["evidences"]["repo"]`), `wholes` the places that use all that lies under a
    key, `changes` the keys that are changed in place. `data_lookups` are lookups in data of other
    origin, under the keys that the reader was told to watch. `reads_gap` and `writes_gap` say why
    the list is not complete, "" where it is. `is_optional`: it may return nothing. `default_keys`
    are those that setdefault() gives the state.
    """

    name: str
    path: str
    line: int
    reads: tuple[KeyPlace, ...] = ()
    lookups: tuple[KeyLookup, ...] = ()
    data_lookups: tuple[KeyLookup, ...] = ()
    wholes: tuple[KeyPlace, ...] = ()
    changes: tuple[KeyPlace, ...] = ()
    updates: tuple[Update, ...] = ()
    payloads: tuple[Payload, ...] = ()
    reads_gap: str = ""
    writes_gap: str = ""
    is_optional: bool = False
    default_keys: frozenset[str] = frozenset()

    @property
    def is_complete(self) -> bool:
        return not self.reads_gap and not self.writes_gap

    @property
    def writes(self) -> tuple[KeyWrite, ...]:
        """Return the written keys of all updates, each with its first place."""
        first: dict[str, KeyWrite] = {}
        for update in self.updates:
            for write in update.writes:
                first.setdefault(write.key, write)
        return tuple(first.values())

    @property
    def read_keys(self) -> frozenset[str]:
        return frozenset(place.key for place in self.reads)


@dataclass(frozen=True, slots=True)
class StateAccess:
    """State of one graph with the uses of its nodes and routers.

    `declared` are the keys of the state class, None with the `reason`. Nodes that annotate their
    parameter with another class add its keys, as LangGraph does. `at` is the path to a subgraph.
    `sent` are the nodes that Send starts. `model` is the class of a state with attributes.
    """

    declared: frozenset[str] | None
    reason: str
    state: StateReading
    nodes: Mapping[str, StateUse]
    routers: tuple[StateUse, ...]
    at: tuple[str, ...] = ()
    sent: frozenset[str] = frozenset()
    model: Class | None = None

    def holding(self, held: DictValue) -> Value:
        """Return the state as its nodes get it, with what is known under its keys."""
        if self.model is None:
            return held
        fields = dict.fromkeys(sorted(self.declared or ()), UNKNOWN) | held.entries
        return Instance(self.model, fields)


def site_of(symbols: SymbolTable, use: StateUse) -> FunctionSite | None:
    """Return where the function of a node or router is written."""
    source = symbols.codebase.files.get(use.path)
    sites = source.functions if source is not None else []
    return next((site for site in sites if site.node.lineno == use.line), None)


def read_state_access(
    symbols: SymbolTable, graph: GraphReading, watched: frozenset[str] = frozenset()
) -> list[StateAccess]:
    """Return the use of the state in the main graph, then in each of its subgraphs.

    `watched` are keys of other data: what is looked up under them is recorded as well.
    """
    if graph.builder is None:
        return []
    evaluator = StateEvaluator(symbols, lambda _: False, FUEL_PER_NODE, modules=graph.modules)
    evaluator.watched = watched
    reader = _AccessReader(symbols, evaluator)
    inner: list[Subgraph] = graph.subgraphs
    return [
        reader.read_graph(graph.builder, graph.routes, ()),
        *(reader.read_graph(part.builder, part.routes, part.at) for part in inner),
    ]


@dataclass
class _AccessReader:
    symbols: SymbolTable
    evaluator: StateEvaluator
    fuel: int = TOTAL_FUEL
    # The same function at several nodes is followed once.
    uses: dict[tuple[int, int], StateUse] = field(default_factory=dict)

    def read_graph(
        self, builder: GraphBuilder, routes: Sequence[Route], at: tuple[str, ...]
    ) -> StateAccess:
        state = read_state(self.symbols, builder)
        declared, reason = self._declared(builder, state)
        model = builder.state if isinstance(builder.state, Class) else None
        is_model = state.fact is not None and state.fact["kind"] in {"BaseModel", "dataclass"}
        state_model = model if is_model else None
        nodes = {
            name: self.use_of(name, action, declared, state_model)
            for name, action in builder.nodes.items()
        }
        routers = [
            # A router writes nothing: what it returns are names of nodes.
            replace(
                self.use_of(f"the router after {route.start}", route.router, declared, state_model),
                updates=(),
                writes_gap="",
            )
            for route in routes
            if route.router is not None
        ]
        sent = frozenset(name for route in routes for name in route.sends)
        return StateAccess(declared, reason, state, nodes, tuple(routers), at, sent, state_model)

    def _declared(
        self, builder: GraphBuilder, state: StateReading
    ) -> tuple[frozenset[str] | None, str]:
        keys = declared_keys(self.symbols, state.site)
        if keys is None:
            return None, state.reason or "the keys of the graph's state are not known"
        actions = [choice for action in builder.nodes.values() for choice in choices_of(action)]
        for schema in [*builder.schemas, *map(self._own_schema, actions)]:
            for choice in choices_of(schema):
                if choice is None:
                    continue
                if not isinstance(choice, Class):
                    return None, "the graph has a second schema that is not known"
                more = declared_keys(self.symbols, ClassSite(choice.source, choice.node))
                if more is None:
                    return None, f"the keys of {choice.node.name} are not known"
                keys |= more
        return keys, ""

    def _own_schema(self, action: Value) -> Value:
        """Return the class of the repository with which a node annotates its parameter."""
        function = self.function_of(action)
        if function is None:
            return None
        arguments = function.node.args
        parameters = [*arguments.posonlyargs, *arguments.args]
        if function.bound is not None:
            parameters = parameters[1:]
        annotation = parameters[0].annotation if parameters else None
        text = constant_text(annotation)
        if text is not None and text.isidentifier():
            annotation = ast.Name(text, ast.Load())
        if not isinstance(annotation, ast.Name | ast.Attribute):
            return None
        try:
            value = self.evaluator.evaluate(annotation, function.scope)
        except (OutOfFuel, RecursionError):
            return None
        return value if isinstance(value, Class) else None

    def function_of(self, action: Value) -> Function | None:
        """Return the function that a node runs, inside its wrappers."""
        for _ in range(MAX_WRAPPERS):
            if isinstance(action, CallResult) and action.positional:
                action = action.positional[0]
            elif isinstance(action, Instance):
                action = attribute_of(self.evaluator, action, "__call__")
        return unwrapped(action) if isinstance(action, Function) else None

    def use_of(
        self, name: str, action: Value, declared: frozenset[str] | None, model: Class | None
    ) -> StateUse:
        if len(choices_of(action)) > 1:
            choices = choices_of(action)
            return _either([self.use_of(name, choice, declared, model) for choice in choices])
        function = self.function_of(action)
        path = function.source.path if function else ""
        line = function.node.lineno if function else 0
        if function is None:
            gap = _gap_of(name, action, self.symbols.missing_modules)
            return StateUse(name, path, line, reads_gap=gap, writes_gap=gap)
        key = (id(action), id(model))
        if key not in self.uses:
            self.uses[key] = self._follow(name, action, function, declared, model)
        return replace(self.uses[key], name=name)

    def _follow(
        self,
        name: str,
        action: Value,
        function: Function,
        declared: frozenset[str] | None,
        model: Class | None,
    ) -> StateUse:
        evaluator = self.evaluator
        # First into functions that get the state; where the result is open, into every one.
        for is_eager in (False, True):
            evaluator.begin(is_eager=is_eager)
            fuel = min(FUEL_PER_NODE, self.fuel)
            evaluator.fuel = fuel
            result: Value = UNKNOWN
            gap = ""
            try:
                result = run_node(evaluator, action, function.source, whole_state(declared, model))
            except (OutOfFuel, RecursionError):
                gap = f"the code of {name} is too long to be followed to its end"
            self.fuel -= fuel - max(evaluator.fuel, 0)
            if gap or not any(_is_open(choice) for choice in choices_of(result)):
                break

        updates = [
            update
            for choice in choices_of(result)
            for update in _updates(evaluator, choice, declared)
        ]
        place = f"{function.source.path}:{function.node.lineno}"
        too_long = gap
        open_result = any(_is_open(choice) for choice in choices_of(result))
        if not gap and (open_result or any(update.is_open for update in updates)):
            gap = f"{place}: what {name} returns is not all known before a run"
        return StateUse(
            name,
            function.source.path,
            function.node.lineno,
            tuple(evaluator.reads),
            tuple(evaluator.lookups),
            tuple(evaluator.data_lookups),
            tuple(evaluator.whole_uses()),
            tuple(evaluator.changes),
            tuple(updates),
            tuple(dict.fromkeys(_payloads(result))),
            reads_gap=too_long or next(iter(evaluator.read_gaps), ""),
            writes_gap=gap,
            is_optional=id(function.node) in evaluator.returning_nothing,
            default_keys=frozenset(evaluator.default_keys),
        )


def _either(uses: Sequence[StateUse]) -> StateUse:
    """Return the use of a node that is one of several functions, such as a plain or async wrapper.

    It shows the place of the first; what one of them leaves open is open.
    """
    return replace(
        uses[0],
        reads=_joined(use.reads for use in uses),
        lookups=_joined(use.lookups for use in uses),
        data_lookups=_joined(use.data_lookups for use in uses),
        wholes=_joined(use.wholes for use in uses),
        changes=_joined(use.changes for use in uses),
        updates=_joined(use.updates for use in uses),
        payloads=_joined(use.payloads for use in uses),
        reads_gap=next((use.reads_gap for use in uses if use.reads_gap), ""),
        writes_gap=next((use.writes_gap for use in uses if use.writes_gap), ""),
        is_optional=any(use.is_optional for use in uses),
        default_keys=frozenset().union(*(use.default_keys for use in uses)),
    )


def _joined(rows: Iterable[Sequence[Row]]) -> tuple[Row, ...]:
    return tuple(dict.fromkeys(row for part in rows for row in part))


def _gap_of(name: str, action: Value, missing_modules: frozenset[str]) -> str:
    if is_missing(action, missing_modules):
        return f"the function of {name} stands in a module that does not exist"
    if any(graph_in(choice) is not None for choice in choices_of(action)):
        return f"{name} is a graph of its own"
    return f"the function of {name} is not known"


def run_node(evaluator: StateEvaluator, action: Value, source: SourceFile, state: Value) -> Value:
    """Return what a node returns when it gets the state."""
    wrapped = action
    # Runnables around a function; partials hold arguments, which `apply` passes on.
    for _ in range(MAX_WRAPPERS):
        if not isinstance(wrapped, CallResult) or wrapped.dotted == "functools.partial":
            break
        wrapped = wrapped.positional[0] if wrapped.positional else UNKNOWN
    node = ast.Call(ast.Name("node", ast.Load(), lineno=0, end_lineno=0), [], [], lineno=0)
    return apply(evaluator, wrapped, Call([state], {}, node, Scope(source)))


def _is_open(value: Value) -> bool:
    if isinstance(value, ListValue):
        return value.is_open or any(_is_open(member) for member in value.members)
    if isinstance(value, CallResult):
        return not value.dotted.endswith((".Command", ".Send"))
    return isinstance(value, Unknown) or (
        not isinstance(value, DictValue | Instance | str | bool) and value is not None
    )


def _updates(
    evaluator: StateEvaluator, value: Value, declared: frozenset[str] | None
) -> Iterator[Update]:
    if isinstance(value, ListValue):
        for member in value.members:
            yield from _updates(evaluator, member, declared)
    elif isinstance(value, CallResult) and value.dotted.endswith(".Command"):
        for choice in choices_of(value.keyword("update")):
            if _is_open(choice):
                yield Update((), is_open=True)
            yield from _updates(evaluator, choice, declared)
    elif isinstance(value, StatePart | StateModel) and value.path:
        yield Update((), is_open=True)
    elif isinstance(value, StatePart | StateModel):
        changed = changed_keys(value)
        members = members_of(value)
        writes = [
            _write(evaluator, value, key, members[key])
            for key in members
            if key in (declared or ()) or key in changed
        ]
        is_doubtful = isinstance(value, StatePart) and value.doubt is not None
        yield Update(tuple(writes), is_whole_state=True, is_doubtful=is_doubtful)
    elif isinstance(value, DictValue | Instance):
        yield _update_of(evaluator, value, declared)


def _update_of(
    evaluator: StateEvaluator, value: DictValue | Instance, declared: frozenset[str] | None
) -> Update:
    entries = value.entries if isinstance(value, DictValue) else value.attributes
    if isinstance(value, Instance):
        # Only what was passed counts as set.
        passed = evaluator.places_of(value)
        entries = {key: item for key, item in entries.items() if key in passed} or entries
    writes = [
        _write(evaluator, value, str(key), item)
        for key, item in entries.items()
        if isinstance(key, str)
    ]
    return Update(
        tuple(writes),
        is_whole_state=bool(declared) and {write.key for write in writes} >= (declared or set()),
        is_open=isinstance(value, DictValue) and value.is_open,
        is_doubtful=isinstance(value, DictValue) and value.doubt is not None,
        model="" if isinstance(value, DictValue) else value.kind.node.name,
    )


def _write(evaluator: StateEvaluator, holder: Value, key: str, value: Value) -> KeyWrite:
    path, line = evaluator.place_of(holder, key)
    dicts = [choice for choice in choices_of(value) if isinstance(choice, DictValue)]
    inner = tuple(
        dict.fromkeys(
            str(name)
            for choice in dicts
            if not isinstance(choice, StatePart)
            for name in choice.entries
            if isinstance(name, str)
        )
    )
    is_inner_open = len(dicts) != len(choices_of(value)) or any(c.is_open for c in dicts)
    return KeyWrite(
        key,
        path,
        line,
        is_unchanged(value, (key,)),
        evaluator.extends(value) == key,
        inner,
        is_inner_open,
        sure_keys(value),
        is_empty(value),
        is_empty(value) or value is None or isinstance(value, str | int | float | bool),
        value,
    )


def _payloads(result: Value) -> Iterator[Payload]:
    members = [
        member
        for choice in choices_of(result)
        for member in (choice.members if isinstance(choice, ListValue) else [choice])
    ]
    for member in members:
        for goto in _sends(member):
            target = goto.first("node")
            given = goto.positional[1] if len(goto.positional) > 1 else goto.keyword("arg")
            yield _payload(str(target) if isinstance(target, str) else "", given)


def _sends(value: Value) -> Iterator[CallResult]:
    for choice in choices_of(value):
        if isinstance(choice, CallResult) and choice.dotted.endswith(".Send"):
            yield choice
        elif isinstance(choice, CallResult) and choice.dotted.endswith(".Command"):
            goto = choice.keyword("goto")
            for member in goto.members if isinstance(goto, ListValue) else [goto]:
                yield from _sends(member)


def _payload(node: str, given: Value) -> Payload:
    if path_of(given) == ():
        return Payload(node, frozenset(), is_open=False, is_state=True)
    entries = given.entries if isinstance(given, DictValue) else {}
    is_open = not isinstance(given, DictValue) or given.is_open
    keys = frozenset(str(key) for key in entries if isinstance(key, str))
    return Payload(node, keys, is_open=is_open, is_state=False)
