"""Assignment of a value to a target: a name, a tuple, an attribute or an item."""

from __future__ import annotations

import ast
from dataclasses import replace

from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import set_item
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    Frame,
    Function,
    Instance,
    LibraryObject,
    ListValue,
    Scope,
    Value,
    join,
)


def assign(evaluator: Evaluator, target: ast.expr, value: Value, frame: Frame) -> None:
    if isinstance(target, ast.Name):
        _assign_name(evaluator, target.id, value, frame)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(evaluator, target, value, frame)
    elif isinstance(target, ast.Attribute):
        _assign_attribute(evaluator, target, value, frame)
    elif isinstance(target, ast.Subscript):
        _assign_item(evaluator, target, value, frame)


def _assign_name(evaluator: Evaluator, name: str, value: Value, frame: Frame) -> None:
    scope = _binding_scope(evaluator, name, frame)
    if scope is not frame.scope and evaluator.doubts and name in scope.names:
        # Another scope's name keeps its earlier value where this code may not run.
        value = join([scope.names[name], value]) if _is_in_doubt(evaluator) else value
    scope.names[name] = value


def _is_in_doubt(evaluator: Evaluator) -> bool:
    entry = evaluator.entry_doubts[0] if evaluator.entry_doubts else ()
    return evaluator.doubts != entry


def _binding_scope(evaluator: Evaluator, name: str, frame: Frame) -> Scope:
    # `global name` binds in the module, whatever function runs.
    if name in frame.global_names:
        return evaluator.load_module(frame.scope.source).scope
    if name in frame.outer_names and frame.scope.parent is not None:
        return frame.scope.parent.find(name) or frame.scope
    return frame.scope


def _unpack(evaluator: Evaluator, target: ast.Tuple | ast.List, value: Value, frame: Frame) -> None:
    members = value.members if isinstance(value, ListValue) and not value.is_open else []
    if isinstance(value, str):
        members = list(value)
    starred = [n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    if starred and members:
        first, after = starred[0], len(target.elts) - starred[0] - 1
        rest = ListValue(members[first : len(members) - after], made_under=evaluator.doubts)
        members = [*members[:first], rest, *members[len(members) - after :]]

    # The target may have more parts than are known of the value.
    for position, part in enumerate(target.elts):
        member = members[position] if position < len(members) else UNKNOWN
        inner = part.value if isinstance(part, ast.Starred) else part
        evaluator.assign(inner, member, frame)


def _assign_attribute(
    evaluator: Evaluator, target: ast.Attribute, value: Value, frame: Frame
) -> None:
    owner = evaluator.evaluate(target.value, frame.scope)
    if isinstance(owner, Function) and target.attr == "__name__" and isinstance(value, str):
        evaluator.assign(target.value, replace(owner, own_name=value), frame)
        return
    instance = owner.instance if isinstance(owner, LibraryObject) else owner
    if isinstance(instance, Instance):
        is_doubtful = evaluator.doubt_since(instance.made_under) is not None
        if is_doubtful and target.attr in instance.attributes:
            value = join([instance.attributes[target.attr], value])
        instance.attributes[target.attr] = value


def _assign_item(evaluator: Evaluator, target: ast.Subscript, value: Value, frame: Frame) -> None:
    owner = evaluator.evaluate(target.value, frame.scope)
    key = evaluator.evaluate(target.slice, frame.scope)
    if isinstance(owner, DictValue):
        doubt = evaluator.doubt_since(owner.made_under)
        if doubt is not None:
            owner.doubt = doubt
            if isinstance(key, str | int) and key in owner.entries:
                value = join([owner.entries[key], value])
        set_item(owner, key, value)
    elif isinstance(owner, ListValue):
        is_inside = isinstance(key, int) and -len(owner.members) <= key < len(owner.members)
        if is_inside and isinstance(key, int) and not evaluator.doubts:
            owner.members[key] = value
        else:
            owner.is_open = True


def delete_item(evaluator: Evaluator, target: ast.Subscript, scope: Scope) -> None:
    """Apply `del owner[key]`; a list or dict from which something unknown goes is open."""
    owner = evaluator.evaluate(target.value, scope)
    key = evaluator.evaluate(target.slice, scope)
    if not isinstance(owner, ListValue | DictValue):
        return
    is_certain = evaluator.doubt_since(owner.made_under) is None
    if isinstance(owner, DictValue) and is_certain and isinstance(key, str | int):
        owner.entries.pop(key, None)
    elif isinstance(owner, ListValue) and is_certain and isinstance(key, int):
        if -len(owner.members) <= key < len(owner.members):
            del owner.members[key]
    else:
        owner.is_open = True
