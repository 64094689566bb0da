"""Methods of lists, dicts and strings and a few builtins, applied to known values."""

from __future__ import annotations

from collections.abc import Callable

from courtroom.analysis.python.symbolic_execution.value_operations import (
    as_text,
    extend_list,
    iterated_values,
    merge_dict,
    text_value,
)
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    DictValue,
    External,
    ListValue,
    Template,
    Value,
    join,
)

MAX_RANGE = 64
_LIST_MUTATORS = frozenset({"append", "add", "insert", "extend", "update"})
# String methods that are safe to call: their results are no longer than their inputs by much.
_STRING_METHODS = frozenset(
    {
        "lower",
        "upper",
        "title",
        "strip",
        "lstrip",
        "rstrip",
        "capitalize",
        "replace",
        "removeprefix",
        "removesuffix",
    }
)


def is_builtin(dotted: str) -> bool:
    return dotted in _BUILTINS or dotted in {"range", "dict", "isinstance"}


def call_builtin(dotted: str, positional: list[Value], keywords: dict[str, Value]) -> Value:
    if dotted == "range":
        return _range(positional)
    if dotted == "dict":
        return _dict(positional, keywords)
    if dotted == "isinstance":
        return UNKNOWN
    if not positional:
        is_empty_list = dotted in {"list", "tuple", "set", "frozenset"}
        return ListValue([]) if is_empty_list else UNKNOWN
    return _BUILTINS[dotted](positional)


def call_list_method(owner: ListValue, name: str, positional: list[Value]) -> Value:
    # Items added to an empty list may come from a branch or loop that never runs.
    if name in _LIST_MUTATORS and not owner.members:
        owner.is_certain = False

    if name in {"append", "add"} and positional:
        owner.members.append(positional[0])
    elif name == "insert" and len(positional) == 2:
        owner.members.insert(0 if positional[0] == 0 else len(owner.members), positional[1])
    elif name in {"extend", "update"} and positional:
        extend_list(owner, positional[0])
    elif name == "copy":
        return ListValue(list(owner.members), owner.is_open)
    else:
        return UNKNOWN
    return None


def call_dict_method(owner: DictValue, name: str, positional: list[Value]) -> Value:
    if name == "keys":
        return ListValue(list(owner.entries), owner.is_open)
    if name == "values":
        return ListValue(list(owner.entries.values()), owner.is_open)
    if name == "items":
        pairs: list[Value] = [ListValue([key, value]) for key, value in owner.entries.items()]
        return ListValue(pairs, owner.is_open)
    if name in {"get", "pop", "setdefault"} and positional:
        return _dict_get(owner, positional)
    if name == "update" and positional:
        merge_dict(owner, positional[0])
        return None
    return DictValue(dict(owner.entries), owner.is_open) if name == "copy" else UNKNOWN


def _dict_get(owner: DictValue, positional: list[Value]) -> Value:
    key, default = positional[0], positional[1] if len(positional) > 1 else None
    if isinstance(key, str | int | External):
        return owner.entries.get(key, UNKNOWN if owner.is_open else default)
    return join([*owner.entries.values(), default])


def call_string_method(
    owner: str | Template, name: str, positional: list[Value], keywords: dict[str, Value]
) -> Value:
    if name == "format":
        return Template(_format(as_text(owner), keywords))
    if isinstance(owner, Template):
        return owner if name in {"strip", "lstrip", "rstrip"} else UNKNOWN
    if name in _STRING_METHODS and all(isinstance(value, str) for value in positional):
        result: Value = getattr(owner, name)(*positional)
        return result
    if name == "join" and positional and isinstance(positional[0], ListValue):
        return _join_text(owner, positional[0])
    # Python refuses an empty separator; None splits at any space.
    if name == "split" and len(positional) == 1 and isinstance(positional[0], str):
        return ListValue([*owner.split(positional[0] or None)])
    return UNKNOWN


def _join_text(separator: str, parts: ListValue) -> Value:
    text = separator.join(as_text(part) for part in parts.members)
    text += HOLE if parts.is_open else ""
    return text_value(text, is_exact=HOLE not in text)


def _format(text: str, keywords: dict[str, Value]) -> str:
    for name, value in keywords.items():
        text = text.replace("{" + name + "}", as_text(value))
    return text


def _dict(positional: list[Value], keywords: dict[str, Value]) -> Value:
    result = DictValue()
    if positional:
        merge_dict(result, positional[0])
    result.entries.update(keywords)
    return result


def _range(positional: list[Value]) -> Value:
    numbers = [value for value in positional if isinstance(value, int)]
    if not numbers or len(numbers) != len(positional) or len(numbers) > 2:
        return UNKNOWN
    members: list[Value] = list(range(*numbers)[:MAX_RANGE])
    return ListValue(members)


def _list(positional: list[Value]) -> Value:
    result = ListValue([])
    extend_list(result, positional[0])
    return result


def _reversed(positional: list[Value]) -> Value:
    value = positional[0]
    if not isinstance(value, ListValue):
        return UNKNOWN
    return ListValue(list(reversed(value.members)), value.is_open)


def _enumerate(positional: list[Value]) -> Value:
    members = iterated_values(positional[0])
    return ListValue([ListValue([number, member]) for number, member in enumerate(members)])


def _zip(positional: list[Value]) -> Value:
    columns = [iterated_values(value) for value in positional]
    return ListValue([ListValue(list(row)) for row in zip(*columns, strict=False)])


def _text(positional: list[Value]) -> Value:
    value = positional[0]
    return value if isinstance(value, str | Template) else UNKNOWN


def _last_argument(positional: list[Value]) -> Value:
    return positional[-1]


_BUILTINS: dict[str, Callable[[list[Value]], Value]] = {
    "list": _list,
    "tuple": _list,
    "set": _list,
    "sorted": _list,
    "frozenset": _list,
    "reversed": _reversed,
    "enumerate": _enumerate,
    "zip": _zip,
    "str": _text,
    "typing.cast": _last_argument,
    "textwrap.dedent": _text,
    "inspect.cleandoc": _text,
    "copy.deepcopy": _last_argument,
    "copy.copy": _last_argument,
}
