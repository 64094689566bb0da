"""Values that a loop goes over, one by one."""

from __future__ import annotations

from courtroom.analysis.python.symbolic_execution.class_bodies import enum_members
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import iterated_values
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Class,
    DictValue,
    ListValue,
    OneOf,
    Value,
)


def looped_values(evaluator: Evaluator, value: Value) -> tuple[list[Value], int]:
    """Return the values that a loop sees, and how many of them it sees in any run.

    A single unknown value stands for those that are not known.
    """
    if isinstance(value, Class):
        members = enum_members(value)
        return (members, len(members)) if members else (iterated_values(value), 0)
    if isinstance(value, OneOf):
        return iterated_values(value), 0
    if isinstance(value, ListValue):
        values = iterated_values(value)
        if value.doubt in (None, *evaluator.doubts):
            return values, len(value.members)
        return values, value.settled
    if isinstance(value, DictValue) and not value.is_open:
        values = iterated_values(value)
        return values, len(values) if value.doubt in (None, *evaluator.doubts) else 0
    if isinstance(value, str):
        return list(value), len(value)
    return [UNKNOWN], 0
