"""Costs of a guard with loops: refused are operations that take longer the larger a value is.

The library counts turns, not the work of a turn, so that adding or comparing whole lists 10,000
times filled gigabytes. It serializes a compiled guard as cel.expr.CheckedExpr, from which the types
of operands are read here; the numbers below are those of cel/expr/syntax.proto and checked.proto.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from courtroom.synthesis.guard_errors import GuardError

MOST_LOOPS = 3
MOST_FUNCTIONS = 8
SELECT, CALL, LIST, STRUCT, COMPREHENSION = 5, 6, 7, 8, 9
# Kind of an expression -> fields that hold expressions.
CHILDREN = {SELECT: (1,), CALL: (1, 3), LIST: (1,), STRUCT: (), COMPREHENSION: (2, 4, 5, 6, 7)}
ANY_VALUE = 2
VARINT, FIXED_SIZES = 0, {1: 8, 5: 4}
DYN, PRIMITIVE, LIST_TYPE, MAP_TYPE = 1, 3, 6, 7
INT64, UINT64, DOUBLE = 2, 3, 4
# The list or number that a loop itself makes; no text of a guard can name it.
RESULT = "@result"
COMPARISONS = ("_==_", "_!=_", "@in")
FUNCTION = re.compile(r"[a-zA-Z]\w*")

Fields = Mapping[int, list[Any]]


@dataclass(frozen=True, slots=True)
class _Call:
    """Call in a guard with its character and the fields of its operands' types."""

    offset: int
    function: str
    operands: tuple[Fields, ...]
    is_of_loop: bool


def refuse_costly_loops(serialized: bytes) -> GuardError | None:
    """Return the first error of a compiled guard with loops; None without loops."""
    (checked,) = _fields(serialized)[ANY_VALUE]
    guard = _fields(checked)
    kinds = [kind for _, kind, _ in _expressions(guard[4][0])]
    loops = kinds.count(COMPREHENSION)
    if not loops:
        return None

    calls = [call for call in _calls(guard) if not call.is_of_loop]
    for call in calls:
        if message := _fault_of(call):
            return GuardError(call.offset, message)
    if loops + sum(call.function == "@in" for call in calls) > MOST_LOOPS:
        return GuardError(0, f"A guard with a loop has at most {MOST_LOOPS} loops, “in” included.")
    if sum(FUNCTION.fullmatch(call.function) is not None for call in calls) > MOST_FUNCTIONS:
        return GuardError(0, f"A guard with a loop has at most {MOST_FUNCTIONS} functions.")
    return None


def _fault_of(call: _Call) -> str:
    if call.function == "_+_" and not all(map(_is_number, call.operands)):
        return (
            "A guard with a loop adds numbers only. Write int(…) or double(…) around a field of a "
            "record."
        )
    if call.function in COMPARISONS and not any(map(_is_cheap, _compared_types(call))):
        return (
            "A guard with a loop compares single values, not lists or records. Write string(…) or "
            "int(…) around a field of a record."
        )
    return ""


def _compared_types(call: _Call) -> tuple[Fields, ...]:
    """Return the types of the values compared; `in` compares the items of a list or keys of a map."""
    if call.function != "@in":
        return call.operands
    left, right = call.operands
    if MAP_TYPE in right:
        return left, _fields(_fields(right[MAP_TYPE][0])[1][0])
    return (left, _fields(_fields(right[LIST_TYPE][0])[1][0])) if LIST_TYPE in right else (left,)


def _is_number(type_fields: Fields) -> bool:
    return type_fields.get(PRIMITIVE, [None])[0] in (INT64, UINT64, DOUBLE)


def _is_cheap(type_fields: Fields) -> bool:
    """Return whether the type is a single value. An unknown type is none."""
    return bool(type_fields) and not type_fields.keys() & {DYN, LIST_TYPE, MAP_TYPE}


def _calls(guard: Fields) -> Iterator[_Call]:
    types = _entries(guard.get(3, []))
    positions = _entries(_fields(guard[5][0]).get(4, []))
    for number, kind, body in _expressions(guard[4][0]):
        if kind != CALL:
            continue
        operands = [_fields(operand) for operand in (*body.get(1, []), *body.get(3, []))]
        yield _Call(
            offset=positions.get(number, 0),
            function=body[2][0].decode(),
            operands=tuple(_type_of(operand, types) for operand in operands),
            is_of_loop=any(_name_of(operand) == RESULT for operand in operands),
        )


def _type_of(operand: Fields, types: Mapping[int, Any]) -> Fields:
    number = operand.get(2, [0])[0]
    return _fields(types[number]) if number in types else {}


def _name_of(operand: Fields) -> str:
    """Return the name, if the operand is one."""
    return _fields(operand[4][0])[1][0].decode() if 4 in operand else ""


def _expressions(expression: bytes) -> Iterator[tuple[int, int, Fields]]:
    """Return number, kind and fields of an expression and of all within it."""
    fields = _fields(expression)
    for kind, children in CHILDREN.items():
        for body in map(_fields, fields.get(kind, [])):
            yield fields.get(2, [0])[0], kind, body
            entries = [_fields(entry) for entry in body.get(2, [])] if kind == STRUCT else []
            inner = [part for entry in entries for key in (3, 4) for part in entry.get(key, [])]
            inner += [part for child in children for part in body.get(child, [])]
            for part in inner:
                yield from _expressions(part)


def _entries(rows: list[bytes]) -> dict[int, Any]:
    """Return a map field; a missing value is 0."""
    entries = map(_fields, rows)
    return {entry.get(1, [0])[0]: entry.get(2, [0])[0] for entry in entries}


def _fields(message: bytes) -> Fields:
    """Return the values of a protobuf message by field number, in their order."""
    fields: dict[int, list[Any]] = {}
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, wire_type = key >> 3, key & 7
        if wire_type == VARINT:
            value, place = _varint(message, place)
            fields.setdefault(number, []).append(value)
            continue

        size = FIXED_SIZES.get(wire_type)
        if size is None:
            size, place = _varint(message, place)
        fields.setdefault(number, []).append(message[place : place + size])
        place += size
    return fields


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
