"""Methods of dicts and strings and a few builtins, applied to known values."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable

from courtroom.analysis.python.symbolic_execution.evaluator import MAX_ITERATIONS, Evaluator
from courtroom.analysis.python.symbolic_execution.list_methods import list_of
from courtroom.analysis.python.symbolic_execution.text_format import format_text
from courtroom.analysis.python.symbolic_execution.value_operations import (
    MAX_TEXT,
    as_text,
    extend_list,
    is_known,
    iterated_values,
    merge_dict,
    plain,
    set_item,
    text_value,
    truth_of,
)
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    KEYS,
    POSITIVE,
    UNKNOWN,
    Call,
    Class,
    DictValue,
    Doubt,
    EnumText,
    ListValue,
    Template,
    Value,
    join,
)

# Members of a combination, and characters that zfill() or center() may add.
MAX_SIZE = 4
MAX_WIDTH = 200
# Characters of a text that is read as a number, and places that one is rounded to.
MAX_DIGITS = 20
# A list that was made from something whose length is not known.
UNKNOWN_LENGTH = Doubt("", 0)
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
        "zfill",
        "casefold",
        "swapcase",
        "split",
        "rsplit",
        "splitlines",
        "partition",
        "rpartition",
        "startswith",
        "endswith",
        "isupper",
        "islower",
        "isdigit",
        "count",
        "find",
    }
)


def is_builtin(dotted: str) -> bool:
    return dotted in _BUILTINS or dotted in {"range", "dict"}


def call_builtin(
    evaluator: Evaluator, dotted: str, positional: list[Value], keywords: dict[str, Value]
) -> Value:
    if dotted == "range":
        return _range(positional)
    if dotted == "dict":
        return _dict(evaluator, positional, keywords)
    if dotted == "enumerate" and "start" in keywords:
        positional = [*positional, keywords["start"]]
    if not positional:
        is_empty_list = dotted in {"list", "tuple", "set", "frozenset"}
        return ListValue([], made_under=evaluator.doubts) if is_empty_list else UNKNOWN
    result = _BUILTINS[dotted](positional)
    if isinstance(result, ListValue) and result is not positional[0]:
        result.made_under = evaluator.doubts
    return result


def call_dict_method(evaluator: Evaluator, owner: DictValue, name: str, call: Call) -> Value:
    positional = call.positional
    if name in {"keys", "values", "items"}:
        return _dict_view(owner, name)
    if name == "get" and positional:
        return _dict_get(owner, positional)
    if name == "copy":
        return DictValue(dict(owner.entries), owner.is_open, owner.doubt)
    if name not in {"pop", "setdefault", "update", "clear", "popitem"}:
        return UNKNOWN

    doubt = evaluator.doubt_since(owner.made_under)
    owner.doubt = owner.doubt or doubt
    if name == "update":
        for value in positional:
            merge_dict(owner, value)
        owner.entries.update(call.keywords)
        return None
    if name == "setdefault":
        return _set_default(owner, positional)
    return _take_away(owner, name, positional, is_certain=doubt is None)


def _set_default(owner: DictValue, positional: list[Value]) -> Value:
    key = positional[0] if positional else UNKNOWN
    if not isinstance(key, KEYS):
        owner.is_open = True
        return UNKNOWN
    return owner.entries.setdefault(key, positional[1] if len(positional) > 1 else None)


def _take_away(owner: DictValue, name: str, positional: list[Value], *, is_certain: bool) -> Value:
    key = positional[0] if positional else UNKNOWN
    if name == "pop" and isinstance(key, KEYS) and is_certain:
        value = _dict_get(owner, positional)
        owner.entries.pop(key, None)
        return value
    if name == "clear" and is_certain:
        owner.entries.clear()
        owner.is_open = False
        return None
    owner.is_open = True
    return UNKNOWN


def _dict_view(owner: DictValue, name: str) -> Value:
    members: list[Value]
    if name == "keys":
        members = list(owner.entries)
    elif name == "values":
        members = list(owner.entries.values())
    else:
        members = [ListValue([key, value]) for key, value in owner.entries.items()]
    return ListValue(members, owner.is_open, doubt=owner.doubt)


def _dict_get(owner: DictValue, positional: list[Value]) -> Value:
    key, default = positional[0], positional[1] if len(positional) > 1 else None
    if isinstance(key, KEYS):
        return owner.entries.get(key, UNKNOWN if owner.is_open else default)
    return join([*owner.entries.values(), default])


def call_string_method(
    owner: str | Template, name: str, positional: list[Value], keywords: dict[str, Value]
) -> Value:
    if name == "format":
        return format_text(owner, positional, keywords)
    if isinstance(owner, Template):
        return owner if name in {"strip", "lstrip", "rstrip"} else UNKNOWN
    if name in _STRING_METHODS and all(
        isinstance(value, str | int) and (isinstance(value, str) or abs(value) <= MAX_WIDTH)
        for value in positional
    ):
        if name == "replace" and _is_long_replaced(owner, positional):
            return UNKNOWN
        try:
            result = getattr(str(owner), name)(*positional)
        except (TypeError, ValueError):
            return UNKNOWN
        if isinstance(result, list | tuple):
            return ListValue([*result])
        return result if isinstance(result, bool | int) else text_value(result, is_exact=True)
    if name == "join" and positional and isinstance(positional[0], ListValue):
        return _join_text(owner, positional[0])
    return UNKNOWN


def _is_long_replaced(text: str, positional: list[Value]) -> bool:
    texts = [value for value in positional if isinstance(value, str)]
    return len(texts) > 1 and text.count(texts[0]) * len(texts[1]) > MAX_TEXT


def _join_text(separator: str, parts: ListValue) -> Value:
    texts = [as_text(part) for part in parts.members]
    if sum(map(len, texts)) + len(separator) * (len(texts) - 1) > MAX_TEXT:
        return UNKNOWN
    text = separator.join(texts)
    text += HOLE if parts.is_open else ""
    return text_value(text, is_exact=HOLE not in text)


def _dict(evaluator: Evaluator, positional: list[Value], keywords: dict[str, Value]) -> Value:
    result = DictValue(made_under=evaluator.doubts)
    if positional:
        merge_dict(result, positional[0])
    result.entries.update(keywords)
    return result


def _range(positional: list[Value]) -> Value:
    numbers = [value for value in positional if isinstance(value, int)]
    is_complete = len(numbers) == len(positional) and 1 <= len(numbers) <= 3
    if not is_complete or numbers[2:] == [0]:
        return UNKNOWN
    # One more than a loop follows, so that it is noticed.
    members: list[Value] = list(range(*numbers)[: MAX_ITERATIONS + 1])
    return ListValue(members)


def _set(positional: list[Value]) -> Value:
    result = list_of(positional)
    if isinstance(result, ListValue) and is_known(result):
        result.members = list({plain(m): m for m in result.members}.values())
    if isinstance(result, ListValue):
        result.is_ordered = False
    return result


def _reversed(positional: list[Value]) -> Value:
    value = positional[0]
    if not isinstance(value, ListValue):
        return UNKNOWN
    return ListValue(list(reversed(value.members)), value.is_open, doubt=value.doubt)


def _enumerate(positional: list[Value]) -> Value:
    start = positional[1] if len(positional) > 1 else 0
    value = positional[0]
    first = start if isinstance(start, int) else None
    members: list[Value] = [
        ListValue([UNKNOWN if first is None else first + number, member])
        for number, member in enumerate(iterated_values(value))
    ]
    return _like(value, members)


def _like(value: Value, members: list[Value]) -> ListValue:
    """Return a list of as many members as another one, which are as certain."""
    result = ListValue(members)
    if isinstance(value, ListValue):
        result.doubt, result.is_certain = value.doubt, value.is_certain
    elif not isinstance(value, DictValue | Class | str):
        result.is_certain = False
        result.doubt = UNKNOWN_LENGTH
    return result


def _rows(columns: list[Value], rows: list[tuple[Value, ...]]) -> Value:
    """Return lists made of several columns; the order of sets is not known."""
    if not all(isinstance(c, ListValue | DictValue | str) for c in columns):
        return ListValue([UNKNOWN], doubt=UNKNOWN_LENGTH)
    doubts = [c.doubt for c in columns if isinstance(c, ListValue | DictValue) and c.doubt]
    is_ordered = all(c.is_ordered for c in columns if isinstance(c, ListValue))
    if not is_ordered or any(c.is_open for c in columns if isinstance(c, ListValue | DictValue)):
        return UNKNOWN
    return ListValue([ListValue(list(row)) for row in rows], doubt=doubts[0] if doubts else None)


def _zip(positional: list[Value]) -> Value:
    columns = [_members(value) for value in positional]
    return _rows(positional, list(zip(*columns, strict=False)))


def _pairwise(positional: list[Value]) -> Value:
    return _rows(positional[:1], list(itertools.pairwise(_members(positional[0]))))


def _product(positional: list[Value]) -> Value:
    columns = [_members(value) for value in positional]
    rows = itertools.islice(itertools.product(*columns), MAX_ITERATIONS + 1)
    if all(is_known(value) for value in positional):
        # Every pair comes once, in whatever order.
        return ListValue([ListValue(list(row)) for row in rows])
    return _rows(positional, list(rows))


def _combinations(positional: list[Value]) -> Value:
    size = positional[1] if len(positional) > 1 else None
    if not isinstance(size, int) or not 0 <= size <= MAX_SIZE:
        return UNKNOWN
    rows = itertools.islice(
        itertools.combinations(_members(positional[0]), size), MAX_ITERATIONS + 1
    )
    return _rows(positional[:1], list(rows))


def _chain(positional: list[Value]) -> Value:
    result = ListValue([])
    for value in positional:
        extend_list(result, value)
    return result


def _members(value: Value) -> list[Value]:
    return list(value) if isinstance(value, str) else iterated_values(value)


def _text(positional: list[Value]) -> Value:
    value = positional[0]
    if isinstance(value, EnumText):
        return str.__str__(value) if value.is_text else UNKNOWN
    if isinstance(value, int | float):
        return text_value(as_text(value), is_exact=as_text(value) != HOLE)
    return value if isinstance(value, str | Template) else UNKNOWN


def _calculated(function: Callable[..., Value], positional: list[Value]) -> Value:
    """Return what a function makes of a number, or of a text that may be one."""
    is_long = any(isinstance(value, str) and len(value) > MAX_DIGITS for value in positional)
    if is_long or not all(isinstance(value, str | int | float) for value in positional):
        return UNKNOWN
    try:
        return function(*positional)
    except (ValueError, OverflowError, TypeError):
        return UNKNOWN


def _rounded(value: float, places: int = 0) -> Value:
    return round(value, places) if 0 < places < MAX_DIGITS else round(value)


def of_numbers(function: Callable[..., Value], value: Value) -> Value:
    """Return what a function makes of a list of numbers: its sum, its average."""
    if not isinstance(value, ListValue) or not value.is_closed:
        return UNKNOWN
    if not all(isinstance(member, int | float) for member in value.members):
        return UNKNOWN
    try:
        return function(value.members)
    except (ValueError, OverflowError):
        return UNKNOWN


def _length(positional: list[Value]) -> Value:
    value = positional[0]
    if isinstance(value, str):
        return len(value)
    if isinstance(value, ListValue) and value.is_closed:
        is_settled = value.is_certain and (value.is_ordered or is_known(value))
        if is_settled:
            return len(value.members)
    elif isinstance(value, DictValue) and value.is_closed:
        return len(value.entries)
    is_held = isinstance(value, ListValue | DictValue) and truth_of(value) is True
    return POSITIVE if is_held else UNKNOWN


def _any(positional: list[Value]) -> Value:
    truths = _truths(positional[0])
    return True if True in truths else UNKNOWN if None in truths else False


def _all(positional: list[Value]) -> Value:
    truths = _truths(positional[0])
    return False if False in truths else UNKNOWN if None in truths else True


def _truths(value: Value) -> list[bool | None]:
    """Return the truth of the members that are there in any run; None stands for further ones."""
    if not isinstance(value, ListValue):
        return [None]
    members = value.members if value.doubt is None else value.members[: value.settled]
    return [*map(truth_of, members), *([] if value.is_closed else [None])]


def _truth(positional: list[Value]) -> Value:
    truth = truth_of(positional[0])
    return UNKNOWN if truth is None else truth


def _last_argument(positional: list[Value]) -> Value:
    return positional[-1]


def _first_argument(positional: list[Value]) -> Value:
    return positional[0]


def _from_keys(positional: list[Value]) -> Value:
    result = DictValue()
    value = positional[1] if len(positional) > 1 else None
    for key in iterated_values(positional[0]):
        set_item(result, key, value)
    return result


_BUILTINS: dict[str, Callable[[list[Value]], Value]] = {
    "list": list_of,
    "tuple": list_of,
    "set": _set,
    "frozenset": _set,
    "collections.deque": list_of,
    "reversed": _reversed,
    "enumerate": _enumerate,
    "zip": _zip,
    "itertools.pairwise": _pairwise,
    "itertools.product": _product,
    "itertools.combinations": _combinations,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": lambda positional: _chain(_members(positional[0])),
    "len": _length,
    "any": _any,
    "all": _all,
    "bool": _truth,
    "int": lambda positional: _calculated(int, positional),
    "float": lambda positional: _calculated(float, positional),
    "round": lambda positional: _calculated(_rounded, positional),
    "abs": lambda positional: _calculated(abs, positional),
    "statistics.mean": lambda positional: of_numbers(statistics.mean, positional[0]),
    "statistics.fmean": lambda positional: of_numbers(statistics.fmean, positional[0]),
    "statistics.median": lambda positional: of_numbers(statistics.median, positional[0]),
    "str": _text,
    "dict.fromkeys": _from_keys,
    "iter": _first_argument,
    "typing.cast": _last_argument,
    "textwrap.dedent": _text,
    "inspect.cleandoc": _text,
    "copy.deepcopy": _last_argument,
    "copy.copy": _last_argument,
    # A coroutine is evaluated when it is called.
    "asyncio.run": _first_argument,
    "anyio.run": _first_argument,
}
