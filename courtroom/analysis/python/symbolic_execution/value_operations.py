"""Operations on abstract values that need no evaluator: truth, iteration, text, items."""

from __future__ import annotations

from typing import Any

from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    KEYS,
    UNKNOWN,
    Class,
    DictValue,
    EnumText,
    Function,
    LibraryObject,
    ListValue,
    OneOf,
    Positive,
    Template,
    Value,
    join,
)

# Text longer than this is unknown: repeated concatenation would fill the memory.
MAX_TEXT = 60_000
# Members of a list that grows by another one, and values inside a value that are looked at: a list
# that is made of two of itself doubles with each line.
MAX_MEMBERS = 10_000
# Bits of a number that is written into a text; Python refuses to write far larger ones.
MAX_BITS = 1_000


def truth_of(value: Value) -> bool | None:
    """Return the truth of a tested value; None when it depends on the run."""
    if value is None or isinstance(value, str | int | float | bool):
        return bool(value)
    if isinstance(value, ListValue):
        if value.members:
            return True if value.is_certain and value.doubt is None else None
        return None if value.is_open or value.doubt else False
    if isinstance(value, DictValue):
        if value.entries:
            return True if value.doubt is None else None
        return None if value.is_open or value.doubt else False
    if isinstance(value, LibraryObject):
        return value.is_truthy
    return True if isinstance(value, Function | Class | Positive) else None


def is_known(value: Value) -> bool:
    """Return true for a plain value, or a list of plain values of which nothing is open."""
    left = [value]
    for _ in range(MAX_MEMBERS):
        if not left:
            return True
        part = left.pop()
        if isinstance(part, ListValue) and part.is_closed:
            left += part.members
        elif part is not None and not isinstance(part, str | int | float | bool):
            return False
    return False


def plain(value: Value) -> Any:
    """Return a known value as Python's own, lists as tuples."""
    return tuple(map(plain, value.members)) if isinstance(value, ListValue) else value


def iterated_values(value: Value) -> list[Value]:
    """Return the values that a loop sees; one unknown value stands for those that are not known."""
    if isinstance(value, ListValue):
        return [*value.members, *([UNKNOWN] if value.is_open else [])]
    if isinstance(value, DictValue) and not value.is_open:
        return list(value.entries)
    if isinstance(value, OneOf):
        return [member for choice in value.choices for member in iterated_values(choice)]
    if isinstance(value, Class):
        # A class that is looped over is an enum: its members are its string attributes.
        return [member for member in value.scope.names.values() if isinstance(member, str)]
    return [UNKNOWN]


def as_text(value: Value) -> str:
    """Return the value as it stands in an f-string, a HOLE when it is not known."""
    if isinstance(value, Template):
        return value.text
    if isinstance(value, EnumText):
        return str.__str__(value) if value.is_text else HOLE
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return HOLE
    return str(value) if isinstance(value, str | int | float) else HOLE


def text_value(text: str, *, is_exact: bool) -> Value:
    if len(text) > MAX_TEXT:
        return UNKNOWN
    return text if is_exact else Template(text)


def extend_list(target: ListValue, value: Value) -> None:
    if len(target.members) + _length(value) > MAX_MEMBERS:
        target.is_open = True
    elif isinstance(value, ListValue):
        if target.doubt is None and value.doubt is not None:
            target.doubt, target.settled = value.doubt, len(target.members) + value.settled
        target.members.extend(value.members)
        target.is_open = target.is_open or value.is_open
    elif isinstance(value, str):
        target.members.extend(value)
    elif isinstance(value, DictValue) and not value.is_open:
        target.members.extend(value.entries)
    else:
        target.is_open = True


def _length(value: Value) -> int:
    if isinstance(value, str):
        return len(value)
    return len(value.members) if isinstance(value, ListValue) else 0


def set_item(target: DictValue, key: Value, value: Value) -> None:
    if isinstance(key, KEYS):
        target.entries[key] = value
    else:
        target.is_open = True


def merge_dict(target: DictValue, value: Value) -> None:
    if isinstance(value, DictValue):
        target.entries.update(value.entries)
        target.is_open = target.is_open or value.is_open
        target.doubt = target.doubt or value.doubt
    elif isinstance(value, ListValue) and not value.is_open:
        # Pairs, as dict() takes them.
        for pair in value.members:
            if isinstance(pair, ListValue) and len(pair.members) == 2:
                set_item(target, *pair.members)
            else:
                target.is_open = True
    else:
        target.is_open = True


def item_of(owner: Value, key: Value) -> Value:
    """Return the member with a known key, or any of the members for an unknown key."""
    if isinstance(owner, DictValue):
        if isinstance(key, KEYS):
            return owner.entries.get(key, UNKNOWN)
        is_partial = owner.is_open or not owner.entries
        return join([*owner.entries.values(), *([UNKNOWN] if is_partial else [])])
    if isinstance(owner, ListValue | str) and isinstance(key, int):
        members: Any = owner if isinstance(owner, str) else owner.members
        if isinstance(owner, ListValue) and not owner.is_ordered and len(members) > 1:
            return UNKNOWN
        # Where members may be missing, only the first ones have a known place.
        is_settled = isinstance(owner, str) or owner.is_closed
        is_inside = -len(members) <= key < len(members) and (is_settled or key >= 0)
        return members[key] if is_inside else UNKNOWN
    if isinstance(owner, ListValue) and owner.members and not owner.is_open:
        return join(owner.members)
    return UNKNOWN


def sliced(owner: Value, first: Value, last: Value, step: Value) -> Value:
    """Return `owner[first:last:step]`."""
    bounds = [bound for bound in (first, last, step) if bound is None or isinstance(bound, int)]
    if len(bounds) < len((first, last, step)) or step == 0:
        return UNKNOWN
    part = slice(*bounds)
    if isinstance(owner, str):
        return owner[part]
    if isinstance(owner, ListValue) and owner.is_ordered and not owner.is_open and not owner.doubt:
        return ListValue(owner.members[part], made_under=owner.made_under)
    return UNKNOWN
