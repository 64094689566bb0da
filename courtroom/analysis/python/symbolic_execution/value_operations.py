"""Operations on abstract values that need no evaluator: truth, iteration, text, items."""

from __future__ import annotations

from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    Class,
    DictValue,
    External,
    Function,
    LibraryObject,
    ListValue,
    OneOf,
    Template,
    Value,
    join,
)

# A loop over more members than this is followed for the first ones only.
MAX_ITERATIONS = 64
# Text longer than this is unknown: repeated concatenation would fill the memory.
MAX_TEXT = 60_000


def truth_of(value: Value) -> bool | None:
    """Return the truth of a tested value; None when it depends on the run."""
    if value is None or isinstance(value, str | int | float | bool):
        return bool(value)
    if isinstance(value, ListValue):
        if value.members:
            return True if value.is_certain else None
        return None if value.is_open else False
    if isinstance(value, DictValue):
        return True if value.entries else None if value.is_open else False
    if isinstance(value, LibraryObject):
        return value.is_truthy
    return True if isinstance(value, Function | Class) else None


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
    return str(value) if isinstance(value, str | int | float) else HOLE


def text_value(text: str, *, is_exact: bool) -> Value:
    if len(text) > MAX_TEXT:
        return UNKNOWN
    return text if is_exact else Template(text)


def extend_list(target: ListValue, value: Value) -> None:
    if isinstance(value, ListValue):
        target.members.extend(value.members)
        target.is_open = target.is_open or value.is_open
    elif isinstance(value, DictValue) and not value.is_open:
        target.members.extend(value.entries)
    else:
        target.is_open = True


def set_item(target: DictValue, key: Value, value: Value) -> None:
    if isinstance(key, str | int | External):
        target.entries[key] = value
    else:
        target.is_open = True


def merge_dict(target: DictValue, value: Value) -> None:
    if isinstance(value, DictValue):
        target.entries.update(value.entries)
        target.is_open = target.is_open or value.is_open
    else:
        target.is_open = True


def item_of(owner: Value, key: Value) -> Value:
    """Return the member with a known key, or any of the members for an unknown key."""
    if isinstance(owner, DictValue):
        if isinstance(key, str | int | External):
            return owner.entries.get(key, UNKNOWN)
        is_partial = owner.is_open or not owner.entries
        return join([*owner.entries.values(), *([UNKNOWN] if is_partial else [])])
    if isinstance(owner, ListValue) and isinstance(key, int):
        is_inside = -len(owner.members) <= key < len(owner.members)
        return owner.members[key] if is_inside else UNKNOWN
    if isinstance(owner, ListValue) and owner.members and not owner.is_open:
        return join(owner.members)
    return UNKNOWN
