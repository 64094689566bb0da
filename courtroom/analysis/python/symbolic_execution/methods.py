"""What lists, dicts, strings and a few builtins do, applied to values that are known."""

from __future__ import annotations

from collections.abc import Callable

from courtroom.analysis.python.symbolic_execution import expressions
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    Items,
    Outside,
    Table,
    Template,
    Value,
    join,
)

MAX_RANGE = 64


def is_builtin(dotted: str) -> bool:
    return dotted in _BUILTINS or dotted in {"range", "dict", "isinstance"}


def builtin(dotted: str, positional: list[Value], keywords: dict[str, Value]) -> Value:
    if dotted == "range":
        return _range(positional)
    if dotted == "dict":
        return _made_dict(positional, keywords)
    if dotted == "isinstance":
        return UNKNOWN
    if not positional:
        return Items([]) if dotted in {"list", "tuple", "set", "frozenset"} else UNKNOWN
    return _BUILTINS[dotted](positional)


def of_list(owner: Items, name: str, positional: list[Value]) -> Value:
    if name in {"append", "add", "insert", "extend", "update"} and not owner.members:
        owner.is_sure = False
    if name in {"append", "add"} and positional:
        owner.members.append(positional[0])
    elif name == "insert" and len(positional) == 2:
        owner.members.insert(0 if positional[0] == 0 else len(owner.members), positional[1])
    elif name in {"extend", "update"} and positional:
        expressions.extend(owner, positional[0])
    elif name == "copy":
        return Items(list(owner.members), owner.is_open)
    else:
        return UNKNOWN
    return None


def of_dict(owner: Table, name: str, positional: list[Value]) -> Value:
    if name == "keys":
        return Items(list(owner.entries), owner.is_open)
    if name == "values":
        return Items(list(owner.entries.values()), owner.is_open)
    if name == "items":
        return Items([Items([key, value]) for key, value in owner.entries.items()], owner.is_open)
    if name in {"get", "pop", "setdefault"} and positional:
        return _get(owner, positional)
    if name == "update" and positional:
        expressions.merge(owner, positional[0])
        return None
    return Table(dict(owner.entries), owner.is_open) if name == "copy" else UNKNOWN


def _get(owner: Table, positional: list[Value]) -> Value:
    key, default = positional[0], positional[1] if len(positional) > 1 else None
    if isinstance(key, str | int | Outside):
        return owner.entries.get(key, UNKNOWN if owner.is_open else default)
    return join([*owner.entries.values(), default])


def of_text(
    owner: str | Template, name: str, positional: list[Value], keywords: dict[str, Value]
) -> Value:
    if name == "format":
        return Template(_formatted(expressions.as_text(owner), keywords))
    if isinstance(owner, Template):
        return owner if name in {"strip", "lstrip", "rstrip"} else UNKNOWN
    if name in _PLAIN_TEXT_METHODS and all(isinstance(value, str) for value in positional):
        result: Value = getattr(owner, name)(*positional)
        return result
    if name == "join" and positional and isinstance(positional[0], Items):
        parts = positional[0]
        joined = owner.join(expressions.as_text(part) for part in parts.members) + (
            HOLE if parts.is_open else ""
        )
        return expressions.made_text(joined, exact=HOLE not in joined)
    if name == "split" and len(positional) == 1 and isinstance(positional[0], str):
        return Items([*owner.split(positional[0] or None)])
    return UNKNOWN


def _formatted(text: str, keywords: dict[str, Value]) -> str:
    for name, value in keywords.items():
        text = text.replace("{" + name + "}", expressions.as_text(value))
    return text


def _made_dict(positional: list[Value], keywords: dict[str, Value]) -> Value:
    table = Table()
    if positional:
        expressions.merge(table, positional[0])
    table.entries.update(keywords)
    return table


def _range(positional: list[Value]) -> Value:
    numbers = [value for value in positional if isinstance(value, int)]
    if not numbers or len(numbers) != len(positional) or len(numbers) > 2:
        return UNKNOWN
    members: list[Value] = list(range(*numbers)[:MAX_RANGE])
    return Items(members)


def _as_items(positional: list[Value]) -> Value:
    items = Items([])
    expressions.extend(items, positional[0])
    return items


def _reversed(positional: list[Value]) -> Value:
    items = positional[0]
    return (
        Items(list(reversed(items.members)), items.is_open) if isinstance(items, Items) else UNKNOWN
    )


def _enumerated(positional: list[Value]) -> Value:
    members = expressions.turns(positional[0])
    return Items([Items([number, member]) for number, member in enumerate(members)])


def _zipped(positional: list[Value]) -> Value:
    columns = [expressions.turns(value) for value in positional]
    return Items([Items(list(row)) for row in zip(*columns, strict=False)])


def _text(positional: list[Value]) -> Value:
    value = positional[0]
    return value if isinstance(value, str | Template) else UNKNOWN


def _cast(positional: list[Value]) -> Value:
    return positional[-1]


_PLAIN_TEXT_METHODS = frozenset(
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
_BUILTINS: dict[str, Callable[[list[Value]], Value]] = {
    "list": _as_items,
    "tuple": _as_items,
    "set": _as_items,
    "sorted": _as_items,
    "frozenset": _as_items,
    "reversed": _reversed,
    "enumerate": _enumerated,
    "zip": _zipped,
    "str": _text,
    "typing.cast": _cast,
    "textwrap.dedent": _text,
    "inspect.cleandoc": _text,
    "copy.deepcopy": _cast,
    "copy.copy": _cast,
}
