"""Assignment of a value to a target: a name, a tuple, an attribute or an item."""

from __future__ import annotations

import ast

from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import set_item
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    Frame,
    Instance,
    ListValue,
    Scope,
    Value,
)


def assign(evaluator: Evaluator, target: ast.expr, value: Value, frame: Frame) -> None:
    if isinstance(target, ast.Name):
        _binding_scope(evaluator, target.id, frame).names[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        members = value.members if isinstance(value, ListValue) else []
        # The target may have more parts than are known of the value.
        for position, part in enumerate(target.elts):
            member = members[position] if position < len(members) else UNKNOWN
            assign(evaluator, part, member, frame)
    elif isinstance(target, ast.Attribute):
        owner = evaluator.evaluate(target.value, frame.scope)
        if isinstance(owner, Instance):
            owner.attributes[target.attr] = value
    elif isinstance(target, ast.Subscript):
        mapping = evaluator.evaluate(target.value, frame.scope)
        key = evaluator.evaluate(target.slice, frame.scope)
        if isinstance(mapping, DictValue):
            set_item(mapping, key, value)


def _binding_scope(evaluator: Evaluator, name: str, frame: Frame) -> Scope:
    # `global name` binds in the module, whatever function runs.
    if name in frame.global_names:
        return evaluator.load_module(frame.scope.source).scope
    return frame.scope
