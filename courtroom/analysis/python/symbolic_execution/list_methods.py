"""Methods of lists and sets, applied to known members."""

from __future__ import annotations

import operator
from collections.abc import Callable

from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import (
    extend_list,
    is_known,
    iterated_values,
    plain,
)
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    Class,
    ListValue,
    Value,
)

# Whether a member is kept, by whether it is in the left set and in the right one.
SET_METHODS: dict[str, Callable[[bool, bool], bool]] = {
    "union": operator.or_,
    "difference": operator.gt,
    "intersection": operator.and_,
}


def call_list_method(evaluator: Evaluator, owner: ListValue, name: str, call: Call) -> Value:
    if name == "copy":
        return ListValue(list(owner.members), owner.is_open, doubt=owner.doubt)
    if name in {"index", "count"}:
        return _place(owner, name, call.positional)
    if name in SET_METHODS:
        return _set_method(owner, name, call.positional)
    change = _LIST_CHANGES.get(name)
    if change is None:
        return UNKNOWN

    # Items added to an empty list may come from a branch or loop that never runs.
    doubt = evaluator.doubt_since(owner.made_under)
    is_growing = name in {"append", "add", "extend", "update"}
    if doubt is not None and owner.doubt is None:
        owner.doubt, owner.settled = doubt, len(owner.members)
    if doubt is not None and not owner.members:
        owner.is_certain = False
    if not is_growing:
        owner.settled = 0
    if doubt is not None and not is_growing:
        owner.is_open = True
        return UNKNOWN
    return change(owner, call)


def _place(owner: ListValue, name: str, positional: list[Value]) -> Value:
    is_settled = is_known(owner) and owner.is_ordered and len(positional) == 1
    if not is_settled or positional[0] not in owner.members:
        return UNKNOWN
    number: Value = getattr(owner.members, name)(positional[0])
    return number


def _append(owner: ListValue, call: Call) -> Value:
    owner.members.append(call.argument(0))
    return None


def _append_left(owner: ListValue, call: Call) -> Value:
    owner.members.insert(0, call.argument(0))
    return None


def _add(owner: ListValue, call: Call) -> Value:
    value = call.argument(0)
    if not is_known(value) or value not in owner.members:
        owner.members.append(value)
    return None


def _extend(owner: ListValue, call: Call) -> Value:
    for value in call.positional:
        extend_list(owner, value)
    return None


def _insert(owner: ListValue, call: Call) -> Value:
    position = call.argument(0)
    if isinstance(position, int):
        owner.members.insert(position, call.argument(1))
        return None
    return _lose(owner)


def _pop_last(owner: ListValue, call: Call) -> Value:
    return _pop(owner, call.positional[0] if call.positional else -1)


def _pop_first(owner: ListValue, _call: Call) -> Value:
    return _pop(owner, 0)


def _remove(owner: ListValue, call: Call) -> Value:
    value = call.argument(0)
    if not is_known(owner) or not is_known(value):
        return _lose(owner)
    if value in owner.members:
        owner.members.remove(value)
    return None


def _clear(owner: ListValue, _call: Call) -> Value:
    owner.members.clear()
    owner.is_open = False
    return None


def _reverse(owner: ListValue, _call: Call) -> Value:
    if not owner.is_ordered or owner.is_open:
        return _lose(owner)
    owner.members.reverse()
    return None


def _sort_in_place(owner: ListValue, call: Call) -> Value:
    is_sortable = "key" not in call.keywords and is_known(owner)
    members = _sort(owner.members, call.keywords.get("reverse")) if is_sortable else None
    owner.is_ordered = members is not None
    owner.members[:] = owner.members if members is None else members
    return None


def _lose(owner: ListValue) -> Value:
    """Take note that it is not known any more what the list holds."""
    owner.is_open = True
    return UNKNOWN


def _pop(owner: ListValue, position: Value) -> Value:
    members = owner.members
    is_settled = owner.is_ordered and owner.is_closed
    if is_settled and isinstance(position, int) and -len(members) <= position < len(members):
        return members.pop(position)
    return _lose(owner)


_LIST_CHANGES: dict[str, Callable[[ListValue, Call], Value]] = {
    "append": _append,
    "appendleft": _append_left,
    "add": _add,
    "extend": _extend,
    "update": _extend,
    "insert": _insert,
    "pop": _pop_last,
    "popleft": _pop_first,
    "remove": _remove,
    "discard": _remove,
    "clear": _clear,
    "reverse": _reverse,
    "sort": _sort_in_place,
}


def _set_method(owner: ListValue, name: str, positional: list[Value]) -> Value:
    result: Value = owner
    for operand in positional:
        result = combined_sets(SET_METHODS[name], result, operand)
    return result


def combined_sets(is_kept: Callable[[bool, bool], bool], left: Value, right: Value) -> Value:
    """Return the members of two sets that are kept for being in the left one, and in the right."""
    if not (isinstance(left, ListValue) and isinstance(right, ListValue)):
        return UNKNOWN
    if not is_known(left) or not is_known(right):
        return UNKNOWN
    mine, others = ({plain(m): m for m in side.members} for side in (left, right))
    members = [m for key, m in {**mine, **others}.items() if is_kept(key in mine, key in others)]
    return ListValue(members, is_ordered=False)


def sorted_list(value: Value, reverse: Value) -> Value:
    """Return sorted(value), without an order where it is not known."""
    result = list_of([value])
    if not isinstance(result, ListValue):
        return UNKNOWN
    members = _sort(result.members, reverse) if is_known(result) else None
    if members is None:
        result.is_ordered = False
    else:
        result.members, result.is_ordered = members, True
    return result


def _sort(members: list[Value], reverse: Value) -> list[Value] | None:
    if reverse is not None and not isinstance(reverse, bool):
        return None
    try:
        return sorted(members, key=plain, reverse=bool(reverse))
    except TypeError:
        return None


def list_of(positional: list[Value]) -> Value:
    value = positional[0]
    result = ListValue([])
    if isinstance(value, Class):
        result.members = iterated_values(value)
    else:
        extend_list(result, value)
    if isinstance(value, ListValue):
        result.is_ordered = value.is_ordered
    return result
