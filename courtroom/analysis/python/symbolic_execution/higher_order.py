"""Builtins that call what they are given, or look at the kind of it: map, reduce, getattr."""

from __future__ import annotations

import ast
from collections.abc import Callable

from courtroom.analysis.python.symbolic_execution import builtin_methods, list_methods
from courtroom.analysis.python.symbolic_execution.attributes import linearized
from courtroom.analysis.python.symbolic_execution.evaluator import MAX_ITERATIONS, Evaluator
from courtroom.analysis.python.symbolic_execution.loops import looped_values
from courtroom.analysis.python.symbolic_execution.value_operations import (
    is_known,
    plain,
    truth_of,
)
from courtroom.analysis.python.symbolic_execution.values import (
    POSITIVE,
    UNKNOWN,
    Call,
    CallResult,
    Class,
    DictValue,
    Doubt,
    External,
    Function,
    Instance,
    LibraryObject,
    ListValue,
    Positive,
    Value,
)
from courtroom.analysis.python.tree_walk import called_name

Apply = Callable[[Evaluator, Value, Call], Value]


def _map(evaluator: Evaluator, call: Call, apply: Apply) -> Value:
    if len(call.positional) < 2:
        return UNKNOWN
    function, *columns = call.positional
    rows, doubt = _rows(evaluator, call, columns)
    doubts = evaluator.doubts
    evaluator.doubts = (*doubts, doubt) if doubt else doubts
    members = [apply(evaluator, function, _call(call, list(row))) for row in rows]
    evaluator.doubts = doubts
    return ListValue(members, doubt=doubt, made_under=doubts)


def _rows(
    evaluator: Evaluator, call: Call, columns: list[Value]
) -> tuple[list[tuple[Value, ...]], Doubt | None]:
    looped = [looped_values(evaluator, column) for column in columns]
    is_doubtful = any(settled < len(values) for values, settled in looped)
    rows = list(zip(*(values for values, _ in looped), strict=False))[:MAX_ITERATIONS]
    return rows, _doubt(call) if is_doubtful else None


def _doubt(call: Call) -> Doubt:
    return Doubt(call.scope.source.path, call.node.lineno)


def _call(call: Call, positional: list[Value]) -> Call:
    return Call(positional, {}, call.node, call.scope)


def _filter(evaluator: Evaluator, call: Call, apply: Apply) -> Value:
    if len(call.positional) != 2:
        return UNKNOWN
    function, values = call.positional
    rows, doubt = _rows(evaluator, call, [values])
    kept = ListValue([], doubt=doubt, made_under=evaluator.doubts)
    for (value,) in rows:
        result = value if function is None else apply(evaluator, function, _call(call, [value]))
        truth = truth_of(result)
        if truth is not False:
            kept.members.append(value)
        if truth is None:
            kept.doubt = kept.doubt or _doubt(call)
    return kept


def _reduce(evaluator: Evaluator, call: Call, apply: Apply) -> Value:
    if len(call.positional) < 2:
        return UNKNOWN
    function, values, *rest = call.positional
    rows, doubt = _rows(evaluator, call, [values])
    members = [*rest, *(value for (value,) in rows)]
    if doubt is not None or not members:
        evaluator.hand_over(call)
        return UNKNOWN
    total = members[0]
    for value in members[1:]:
        total = apply(evaluator, function, _call(call, [total, value]))
    return total


def _sorted(evaluator: Evaluator, call: Call, apply: Apply) -> Value:
    if not call.positional:
        return UNKNOWN
    value, reverse = call.positional[0], call.keywords.get("reverse")
    if call.keywords.get("key") is None:
        return list_methods.sorted_list(value, reverse)
    values, settled = looped_values(evaluator, value)
    is_doubtful = settled < len(values)
    keys = [apply(evaluator, call.keywords["key"], _call(call, [member])) for member in values]
    result = ListValue(values, doubt=_doubt(call) if is_doubtful else None, is_ordered=False)
    result.made_under = evaluator.doubts
    if all(is_known(key) for key in keys) and (reverse is None or isinstance(reverse, bool)):
        try:
            order = sorted(range(len(values)), key=lambda n: plain(keys[n]), reverse=bool(reverse))
        except TypeError:
            return result
        result.members, result.is_ordered = [values[n] for n in order], True
    return result


def _extreme(evaluator: Evaluator, call: Call, apply: Apply) -> Value:
    key = call.keywords.get("key")
    values = call.argument(0) if len(call.positional) == 1 else ListValue(call.positional)
    if not isinstance(values, ListValue) or not values.is_closed:
        return UNKNOWN
    if not values.members:
        return call.keywords.get("default", UNKNOWN)
    ranks = values.members
    if key is not None:
        ranks = [apply(evaluator, key, _call(call, [member])) for member in ranks]
    if not all(map(is_known, ranks)):
        return UNKNOWN
    find = min if getattr(call.node.func, "id", "") == "min" else max
    try:
        return values.members[find(range(len(ranks)), key=lambda n: plain(ranks[n]))]
    except TypeError:
        return UNKNOWN


def _sum(evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    value = call.argument(0)
    if isinstance(value, ListValue) and not is_known(value):
        return POSITIVE if _holds_a_length(call, value) else UNKNOWN
    members = value.members if isinstance(value, ListValue) else []
    if members and all(isinstance(member, ListValue) for member in members):
        return builtin_methods.call_builtin(evaluator, "itertools.chain", members, {})
    return UNKNOWN if len(call.positional) > 1 else builtin_methods.of_numbers(sum, value)


def _holds_a_length(call: Call, lengths: ListValue) -> bool:
    """Return whether one of the lengths that are added up is at least one in any run."""
    rows = call.node.args[0]
    if not isinstance(rows, ast.GeneratorExp | ast.ListComp) or not isinstance(rows.elt, ast.Call):
        return False
    if called_name(rows.elt) != "len":
        return False
    sure = lengths.members if lengths.doubt is None else lengths.members[: lengths.settled]
    return any(isinstance(member, Positive | int) and truth_of(member) for member in sure)


def _getattr(evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    owner, name = call.argument(0), call.argument(1)
    if not isinstance(name, str):
        evaluator.hand_over(call)
        return UNKNOWN
    value = evaluator.attribute(owner, name)
    if value is UNKNOWN and len(call.positional) > 2:
        is_missing = isinstance(owner, Instance) and name not in owner.attributes
        return call.positional[2] if is_missing else UNKNOWN
    return value


def _setattr(_evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    owner, name = call.argument(0), call.argument(1)
    instance = owner.instance if isinstance(owner, LibraryObject) else owner
    if isinstance(instance, Instance) and isinstance(name, str):
        instance.attributes[name] = call.argument(2)
    return None


def _isinstance(evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    value, kinds = call.argument(0), call.argument(1)
    members = kinds.members if isinstance(kinds, ListValue) else [kinds]
    truths = [_is_kind(evaluator, value, kind) for kind in members]
    return True if True in truths else UNKNOWN if None in truths else False


def _is_kind(evaluator: Evaluator, value: Value, kind: Value) -> bool | None:
    if isinstance(kind, Class) and isinstance(value, Instance):
        return any(parent.node is kind.node for parent in linearized(evaluator, value.kind))
    if not isinstance(kind, External):
        return None
    for python_kind, names in _KINDS:
        if isinstance(value, python_kind):
            # A list stands for tuples and sets as well.
            is_ambiguous = isinstance(value, ListValue) and kind.dotted in names
            return (
                (True if kind.dotted == "list" else None) if is_ambiguous else kind.dotted in names
            )
    return None


_KINDS: tuple[tuple[type, frozenset[str]], ...] = (
    (bool, frozenset({"bool", "int"})),
    (str, frozenset({"str"})),
    (int, frozenset({"int"})),
    (float, frozenset({"float"})),
    (ListValue, frozenset({"list", "tuple", "set", "frozenset"})),
    (DictValue, frozenset({"dict"})),
)


def _import_module(evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    name = call.argument(0)
    if not isinstance(name, str) or name.startswith("."):
        evaluator.hand_over(call)
        return UNKNOWN
    source = evaluator.symbols.find_module(name, call.scope.source)
    is_own = source is not None and source is not call.scope.source
    return evaluator.load_module(source) if is_own and source else External(name)


def _get_args(_evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    literal = call.argument(0)
    if isinstance(literal, CallResult) and literal.dotted.endswith("Literal"):
        return ListValue(list(literal.positional))
    return UNKNOWN


def _next(_evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    value = call.argument(0)
    if isinstance(value, ListValue) and value.is_closed and value.is_ordered:
        if value.members:
            return value.members[0]
        return call.positional[1] if len(call.positional) > 1 else UNKNOWN
    return UNKNOWN


def _run_in_thread(evaluator: Evaluator, call: Call, apply: Apply) -> Value:
    function, *arguments = call.positional or [UNKNOWN]
    inner = Call(arguments, call.keywords, call.node, call.scope)
    return apply(evaluator, function, inner)


def _awaited_value(_evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    """Return what an awaitable gives: a coroutine is followed where it is made."""
    return call.argument(0)


def _callable(_evaluator: Evaluator, call: Call, _apply: Apply) -> Value:
    value = call.argument(0)
    if isinstance(value, Function | Class):
        return True
    return False if is_known(value) or isinstance(value, DictValue) else UNKNOWN


FUNCTIONS: dict[str, Callable[[Evaluator, Call, Apply], Value]] = {
    "map": _map,
    "filter": _filter,
    "functools.reduce": _reduce,
    "sorted": _sorted,
    "min": _extreme,
    "max": _extreme,
    "sum": _sum,
    "getattr": _getattr,
    "setattr": _setattr,
    "isinstance": _isinstance,
    "callable": _callable,
    "asyncio.to_thread": _run_in_thread,
    "asyncio.wait_for": _awaited_value,
    "asyncio.shield": _awaited_value,
    "importlib.import_module": _import_module,
    "typing.get_args": _get_args,
    "typing_extensions.get_args": _get_args,
    "next": _next,
}
