"""Evaluator that records which parts of a graph's state the code reads, changes and hands on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.graph_evaluator import HARMLESS, GraphEvaluator
from courtroom.analysis.langgraph.state_parts import (
    COPIES,
    DUMPS,
    StateModel,
    StatePart,
    members_of,
    path_of,
)
from courtroom.analysis.python.compact_nodes import with_compact
from courtroom.analysis.python.symbolic_execution.evaluator import MAX_DEPTH
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    DictValue,
    External,
    Frame,
    Function,
    Instance,
    ListValue,
    OneOf,
    Recursion,
    Scope,
    Value,
    choices_of,
    join,
)
from courtroom.analysis.python.tree_walk import constant_text, last_name, line_of_key, walk

FILLING = frozenset(
    {"append", "extend", "add", "update", "setdefault", "insert", "pop", "clear", "remove"}
)
GETTERS = frozenset({"get", "pop", "setdefault"})
# Builtins that look at a value without using what is in it.
LOOKING = frozenset({"bool", "isinstance", "type", "len"})
COPYING = frozenset({"list", "dict", "copy", "deepcopy", "sorted", "set", "tuple"})
# Methods of loggers: what they are handed is printed. Send and Command are read elsewhere.
LOGGING = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log"})
# Calls of one function that are followed for a node: without a part of the state, and with one.
MOST_CALLS = 6
MOST_CALLS_WITH_STATE = 18
# Calls of a function inside itself that are followed: with its arguments, and with unknown ones.
MOST_RECURSIONS = 2
Arguments = tuple[Sequence[Value], dict[str, Value]]
# Mark of a value that lies under a watched key.
DATA = "data:"
# Characters of an expression that a sentence shows.
MAX_WRITTEN = 60
MODEL_METHODS = DUMPS | COPIES


@dataclass(frozen=True, slots=True)
class KeyPlace:
    key: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class KeyLookup:
    """Read under a key of the state: `inner` is null where it is known in a run only.

    `written` is the expression that gives the inner key, as it stands in the source.
    """

    key: str
    inner: str | None
    written: str
    path: str
    line: int


@dataclass
class StateEvaluator(GraphEvaluator):
    """Recorder for one node at a time.

    `reads`, `lookups`, `changes` and `read_gaps` are of the node that is followed since begin().
    """

    reads: dict[KeyPlace, None] = field(default_factory=dict)
    lookups: dict[KeyLookup, None] = field(default_factory=dict)
    changes: dict[KeyPlace, None] = field(default_factory=dict)
    # Keys that setdefault() gives the state.
    default_keys: set[str] = field(default_factory=set)
    read_gaps: dict[str, None] = field(default_factory=dict)
    is_eager: bool = True
    # Paths of the expressions that are parts of the state, by the identity of their nodes.
    parts: dict[int, tuple[str, ...]] = field(default_factory=dict)
    # Expressions that use all that lies under a key, unless they are consumed.
    uses: dict[int, KeyPlace] = field(default_factory=dict)
    consumed: set[int] = field(default_factory=set)
    stores: set[int] = field(default_factory=set)
    scanned: set[int] = field(default_factory=set)
    # Values that are kept, so that their identities stay theirs, with the places of their keys.
    places: dict[int, tuple[Value, dict[str, tuple[str, int]]]] = field(default_factory=dict)
    extended: dict[int, tuple[Value, str]] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    # Number of calls of each function by the node, and what those beyond the limit return.
    calls: dict[int, int] = field(default_factory=dict)
    later_results: dict[tuple[object, ...], Value] = field(default_factory=dict)
    # Arguments of the calls that are followed now, by function, innermost last.
    arguments: dict[int, list[Arguments]] = field(default_factory=dict)
    # Lookups under keys of other data, and the values that lie under these keys.
    watched: frozenset[str] = frozenset()
    data_lookups: dict[KeyLookup, None] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)
    # Functions, by the identity of their nodes, that may return None.
    returning_nothing: set[int] = field(default_factory=set)

    def begin(self, *, is_eager: bool = True) -> None:
        self.is_eager, self.follows_changes = is_eager, not is_eager
        self.reads.clear()
        self.lookups.clear()
        self.data_lookups.clear()
        self.holders.clear()
        self.changes.clear()
        self.default_keys.clear()
        self.read_gaps.clear()
        self.parts.clear()
        self.uses.clear()
        self.places.clear()
        self.extended.clear()
        self.functions.clear()
        self.calls.clear()
        self.later_results.clear()

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        value = super().evaluate(node, scope)
        watch = _WATCHES.get(node.__class__)
        return value if watch is None else watch(self, node, value, scope)

    def enter(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Frame:
        self.functions.append(function)
        if id(function.node) not in self.scanned:
            self.scanned.add(id(function.node))
            self._scan(function.node)
        self.arguments.setdefault(id(function.node), []).append((positional, keywords))
        try:
            frame = super().enter(function, positional, keywords)
        finally:
            self.arguments[id(function.node)].pop()
        choices = [choice for value in frame.returned for choice in choices_of(value)]
        if any(_is_recursion(choice, function) for choice in choices):
            frame.returned = [c for c in choices if not _is_recursion(c, function)]
        if any(value is None for value in frame.returned):
            self.returning_nothing.add(id(function.node))
        return frame

    def call(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        values = [*positional, *keywords.values()]
        if function.node in self.active and not self._is_followable(function):
            return self._call_again(function, positional, keywords)
        calls = self.calls.get(id(function.node), 0)
        self.calls[id(function.node)] = calls + 1
        has_part = any(path_of(value) is not None for value in values)
        if calls >= (MOST_CALLS_WITH_STATE if has_part else MOST_CALLS):
            return self._call_later(function, positional, keywords) if has_part else UNKNOWN
        if has_part and not self._is_followable(function):
            self._note_handed(values, function.name, function.scope, function.node.lineno)
        return super().call(function, positional, keywords)

    def _call_later(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        """Follow all further calls with the same parts of the state at once, the rest unknown."""
        widened = [_part_or_unknown(value) for value in positional]
        named = {name: _part_or_unknown(value) for name, value in keywords.items()}
        paths = [path_of(value) for value in (*widened, *named.values())]
        key = (id(function.node), len(widened), *named, *paths)
        if key not in self.later_results:
            # A call inside itself returns nothing more.
            self.later_results[key] = UNKNOWN
            self.later_results[key] = super().call(function, widened, named)
        return self.later_results[key]

    def _call_again(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        """Follow recursion once more, with what differs from the running call unknown."""
        earlier, named = self.arguments[id(function.node)][-1]
        widened = [
            value if n < len(earlier) and _is_within(value, earlier[n]) else UNKNOWN
            for n, value in enumerate(positional)
        ]
        more = {
            name: value if name in named and _is_within(value, named[name]) else UNKNOWN
            for name, value in keywords.items()
        }
        pairs = [*zip(widened, earlier, strict=False), *((more[n], named.get(n)) for n in more)]
        is_alike = len(widened) == len(earlier) and more.keys() == named.keys()
        if is_alike and all(_is_within(value, other) for value, other in pairs):
            return Recursion(function.node)
        if self.active.count(function.node) > MOST_RECURSIONS or len(self.active) >= MAX_DEPTH:
            values = [*positional, *keywords.values()]
            self._note_handed(values, function.name, function.scope, function.node.lineno)
            return UNKNOWN
        returned = self.enter(function, widened, more).returned
        return join(returned) if returned else Recursion(function.node)

    def _is_worth_entering(self, function: Function, arguments: Sequence[Value]) -> bool:
        if any(path_of(argument) is not None for argument in arguments):
            return self._is_followable(function)
        return super()._is_worth_entering(function, arguments)

    def hand_over(self, call: Call) -> None:
        super().hand_over(call)
        name = last_name(call.node.func)
        values = [*call.positional, *call.keywords.values()]
        if name not in HARMLESS | LOGGING | GETTERS | {"Send", "Command"}:
            self._note_handed(values, name or "a function", call.scope, call.node.lineno)

    def _note_handed(self, values: Sequence[Value], name: str, scope: Scope, line: int) -> None:
        for value in [*values, *(m for v in values for m in _members(v))]:
            path = path_of(value)
            if path == ():
                # The call of the node itself stands on no line.
                place = f"{scope.source.path}:{line}" if line else scope.source.path
                self.read_gaps[
                    f"{place}: the state is handed to {name}(), which is not followed"
                ] = None

    def note_call(self, node: ast.Call, target: Value) -> None:
        super().note_call(node, target)
        is_followed = any(isinstance(choice, Function) for choice in choices_of(target))
        if is_followed or last_name(node.func) in LOGGING:
            self.consumed.update(id(argument) for argument in node.args)
            self.consumed.update(id(keyword.value) for keyword in node.keywords)

    def _scan(self, function: ast.AST) -> None:
        """Take note of expressions whose value is only kept, looked at or changed."""
        for node in walk(function):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Return):
                self._consume(node.value)
            elif isinstance(node, ast.If | ast.While | ast.IfExp):
                self._consume(node.test)
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                self.stores.add(id(node.value))
                self.consumed.add(id(node.value))
            elif isinstance(node, ast.Call):
                self._scan_call(node)

    def _scan_call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in FILLING:
            self.stores.add(id(node.func.value))
            self.consumed.add(id(node.func.value))
        if isinstance(node.func, ast.Name) and node.func.id in LOOKING:
            self.consumed.update(id(argument) for argument in node.args)

    def _consume(self, node: ast.expr | None) -> None:
        if node is None:
            return
        self.consumed.add(id(node))
        if isinstance(node, ast.BoolOp):
            for operand in node.values:
                self._consume(operand)
        elif isinstance(node, ast.IfExp):
            self._consume(node.body)
            self._consume(node.orelse)
        elif isinstance(node, ast.UnaryOp | ast.Await):
            self._consume(getattr(node, "operand", None) or getattr(node, "value", None))

    def whole_uses(self) -> Iterator[KeyPlace]:
        yield from dict.fromkeys(
            place for node, place in self.uses.items() if node not in self.consumed
        )

    def note_part(self, node: ast.expr, path: tuple[str, ...], scope: Scope) -> None:
        """Take note of an expression that is a part of the state."""
        self.parts[id(node)] = path
        if not path:
            return
        place = KeyPlace(path[0], scope.source.path, line_of_key(node))
        if not isinstance(node, ast.Name):
            self.reads.setdefault(place)
        if id(node) in self.stores:
            self.changes.setdefault(place)
        if len(path) == 1:
            self.uses[id(node)] = place

    def has_known_key(self, node: ast.expr, owner: ast.expr, key: ast.expr, scope: Scope) -> bool:
        """Take note of owner[key] or owner.get(key); return whether the key is known."""
        path = self.parts[id(owner)]
        value = super().evaluate(key, scope)
        inner = str(value) if isinstance(value, str) else None
        self.consumed.add(id(owner))
        place = scope.source.path, line_of_key(node)
        if path == () and inner is None:
            reason = f"{place[0]}:{place[1]}: the key that is read is known in a run only"
            self.read_gaps[reason] = None
        if len(path) == 1:
            text = constant_text(key) or ast.unparse(key)
            self.lookups.setdefault(KeyLookup(path[0], inner, text[:MAX_WRITTEN], *place))
        return inner is not None

    def note_data(
        self, node: ast.expr, owner: ast.expr, key: ast.expr, value: Value, scope: Scope
    ) -> Value:
        """Take note of a lookup in other data; return the value that lies under a watched key."""
        held = self.holders.get(id(owner), "")
        if held:
            inner = super().evaluate(key, scope)
            if isinstance(inner, str):
                place = scope.source.path, line_of_key(node)
                self.data_lookups.setdefault(KeyLookup(held, str(inner), str(inner), *place))
        name = constant_text(key)
        return External(f"{DATA}{name}") if name in self.watched else value

    def keep(self, value: Value, places: dict[str, tuple[str, int]]) -> None:
        self.places[id(value)] = (value, places)

    def places_of(self, value: Value) -> dict[str, tuple[str, int]]:
        return self.places[id(value)][1] if id(value) in self.places else {}

    def extends(self, value: Value) -> str:
        """Return the key of which a value holds what it was and more; "" for another value."""
        entry = self.extended.get(id(value))
        return entry[1] if entry else ""

    def place_of(self, holder: Value, key: str) -> tuple[str, int]:
        """Return where a key of a returned dict is written: in a literal, else in the code."""
        places = self.places_of(holder)
        if key in places:
            return places[key]
        for function in self.functions:
            for node in walk(function.node):
                if _writes_key(node, key):
                    return function.source.path, getattr(node, "lineno", function.node.lineno)
        function = self.functions[0]
        return function.source.path, function.node.lineno


def _is_within(value: Value, other: Value) -> bool:
    """Return true for a value that the other one may be, or the same part of the state."""
    if path_of(value) is not None:
        return path_of(value) == path_of(other)
    return len(choices_of(join([other, value]))) == len(choices_of(other))


def _is_recursion(value: Value, function: Function) -> bool:
    return isinstance(value, Recursion) and value.function is function.node


def _members(value: Value) -> list[Value]:
    if isinstance(value, ListValue):
        return value.members
    if isinstance(value, DictValue) and not isinstance(value, StatePart):
        return list(value.entries.values())
    return []


def _writes_key(node: ast.AST, key: str) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store) and constant_text(node.slice) == key
    if isinstance(node, ast.Dict):
        return any(constant_text(name) == key for name in node.keys)
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Store) and node.attr == key
    return isinstance(node, ast.keyword) and node.arg == key


def _watch_name(evaluator: StateEvaluator, node: ast.expr, value: Value, scope: Scope) -> Value:
    if evaluator.watched:
        evaluator.holders[id(node)] = _held(value)
    path = path_of(value) if isinstance(value, StatePart | StateModel | OneOf) else None
    if path is not None:
        evaluator.note_part(node, path, scope)
    elif evaluator.parts:
        # The same expression may have been a part in an earlier call.
        evaluator.parts.pop(id(node), None)
    return value


def _held(value: Value) -> str:
    """Return the watched key that a value lies under."""
    names = [c.dotted for c in choices_of(value) if isinstance(c, External)]
    return next((name.removeprefix(DATA) for name in names if name.startswith(DATA)), "")


def _watch_attribute(
    evaluator: StateEvaluator, node: ast.Attribute, value: Value, scope: Scope
) -> Value:
    if node.attr in evaluator.watched:
        value = External(f"{DATA}{node.attr}")
    return _watch_name(evaluator, node, value, scope)


def _watch_subscript(
    evaluator: StateEvaluator, node: ast.Subscript, value: Value, scope: Scope
) -> Value:
    if evaluator.watched:
        value = evaluator.note_data(node, node.value, node.slice, value, scope)
    is_lookup = id(node.value) in evaluator.parts and not isinstance(node.slice, ast.Slice)
    if is_lookup and not evaluator.has_known_key(node, node.value, node.slice, scope):
        return value
    return _watch_name(evaluator, node, value, scope)


def _watch_call(evaluator: StateEvaluator, node: ast.Call, value: Value, scope: Scope) -> Value:
    func = node.func
    if evaluator.watched and isinstance(func, ast.Attribute) and func.attr == "get" and node.args:
        value = evaluator.note_data(node, func.value, node.args[0], value, scope)
    if isinstance(func, ast.Attribute) and id(func.value) in evaluator.parts:
        if func.attr in GETTERS and node.args:
            if func.attr == "setdefault" and evaluator.parts[id(func.value)] == ():
                evaluator.default_keys.add(constant_text(node.args[0]) or "")
            if not evaluator.has_known_key(node, func.value, node.args[0], scope):
                return value
        elif evaluator.parts[id(func.value)] == ():
            value = _whole(evaluator, node, func, value, scope)
    if (
        isinstance(value, DictValue | Instance)
        and node.keywords
        and id(value) not in evaluator.places
    ):
        places = {
            keyword.arg: (scope.source.path, keyword.value.lineno)
            for keyword in node.keywords
            if keyword.arg
        }
        evaluator.keep(value, places)
    if last_name(func) in COPYING:
        copied = node.args[0] if node.args else getattr(func, "value", None)
        _extend(evaluator, value, copied)
    return _watch_name(evaluator, node, value, scope)


def _whole(
    evaluator: StateEvaluator, node: ast.Call, func: ast.Attribute, value: Value, scope: Scope
) -> Value:
    """Apply a method of the whole state: a copy, a dump, or a view of all keys."""
    place = f"{scope.source.path}:{node.lineno}"
    owners = choices_of(evaluator.evaluate(func.value, scope))
    state = next((o for o in owners if isinstance(o, StatePart | StateModel)), None)
    if func.attr in {"items", "values"}:
        evaluator.read_gaps[f"{place}: every key of the state is read"] = None
    if not isinstance(state, StateModel) or func.attr not in MODEL_METHODS:
        return value
    copied = DictValue(dict(members_of(state)))
    for keyword in node.keywords:
        update = evaluator.evaluate(keyword.value, scope) if keyword.arg == "update" else None
        if isinstance(update, DictValue):
            copied.entries.update(update.entries)
            evaluator.keep(copied, evaluator.places_of(update))
    return copied


def _extend(evaluator: StateEvaluator, value: Value, node: ast.expr | None) -> None:
    path = evaluator.parts.get(id(node), ())
    if len(path) == 1 and isinstance(value, ListValue | DictValue):
        evaluator.extended[id(value)] = (value, path[0])


def _watch_dict(evaluator: StateEvaluator, node: ast.Dict, value: Value, scope: Scope) -> Value:
    places: dict[str, tuple[str, int]] = {}
    for key in node.keys:
        text = constant_text(key)
        if key is not None and text is not None:
            places[text] = (scope.source.path, key.lineno)
    evaluator.keep(value, places)
    for key, inner in zip(node.keys, node.values, strict=True):
        if key is None:
            _extend(evaluator, value, inner)
    return value


def _watch_list(evaluator: StateEvaluator, node: ast.List, value: Value, _scope: Scope) -> Value:
    for member in node.elts:
        if isinstance(member, ast.Starred):
            _extend(evaluator, value, member.value)
    return value


def _watch_sum(evaluator: StateEvaluator, node: ast.BinOp, value: Value, _scope: Scope) -> Value:
    is_count = isinstance(node.right, ast.Constant)
    if is_count or not isinstance(node.op, ast.Add | ast.BitOr):
        return value
    for side in (node.left, node.right):
        if len(evaluator.parts.get(id(side), ())) == 1:
            # A value of its own, so that its identity tells that it was extended.
            is_list = isinstance(node.op, ast.Add)
            value = ListValue([], is_open=True) if is_list else DictValue(is_open=True)
            _extend(evaluator, value, side)
    return value


_WATCHES: dict[type, Callable[..., Value]] = with_compact(
    {
        ast.Name: _watch_name,
        ast.Attribute: _watch_attribute,
        ast.BoolOp: _watch_name,
        ast.IfExp: _watch_name,
        ast.Await: _watch_name,
        ast.Subscript: _watch_subscript,
        ast.Call: _watch_call,
        ast.Dict: _watch_dict,
        ast.List: _watch_list,
        ast.BinOp: _watch_sum,
    }
)


def _part_or_unknown(value: Value) -> Value:
    return value if path_of(value) is not None else UNKNOWN
