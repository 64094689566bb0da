"""What stands behind a dot or between brackets: modules, instances, classes, members."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Class,
    Function,
    Instance,
    Items,
    Method,
    Module,
    OneOf,
    Outside,
    Pending,
    Table,
    Unknown,
    Value,
    join,
)

if TYPE_CHECKING:
    from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter


def module_of(run: Interpreter, value: Pending) -> Value:
    return run.module(value.module) if not value.name else run.resolve(value)


def attribute_of(run: Interpreter, owner: Value, name: str) -> Value:
    if isinstance(owner, Outside):
        return _outside_attribute(run, owner, name)
    if isinstance(owner, Module):
        value = owner.scope.names.get(name, UNKNOWN)
        return module_of(run, value) if isinstance(value, Pending) else value
    if isinstance(owner, Instance):
        return _instance_attribute(run, owner, name)
    if isinstance(owner, Class):
        value = owner.scope.names.get(name, UNKNOWN)
        return value if value is not UNKNOWN else _inherited(run, owner, name)
    if isinstance(owner, OneOf):
        return join([attribute_of(run, choice, name) for choice in owner.choices])
    if isinstance(owner, Unknown):
        return UNKNOWN
    if isinstance(owner, Function) and name == "__name__":
        return owner.name or UNKNOWN
    if isinstance(owner, str) and name == "value":
        return owner  # a member of an enum; a plain string has no such attribute
    return Method(owner, name)


def _outside_attribute(run: Interpreter, owner: Outside, name: str) -> Value:
    dotted = f"{owner.dotted}.{name}"
    source = run.names.by_module.get(dotted)
    if source is not None:
        return run.module(source)
    home = run.names.by_module.get(owner.dotted)
    if home is not None:
        return attribute_of(run, run.module(home), name)
    return Outside(dotted)


def _instance_attribute(run: Interpreter, owner: Instance, name: str) -> Value:
    if name in owner.attributes:
        return owner.attributes[name]
    value = attribute_of(run, owner.kind, name)
    if not isinstance(value, Function) or isinstance(value.node, ast.Lambda):
        return value
    decorators = {d.id for d in value.node.decorator_list if isinstance(d, ast.Name)}
    if "staticmethod" in decorators:
        return value
    bound = Function(value.node, value.source, value.scope, owner)
    return run.call(bound, [], {}) if decorators & {"property", "cached_property"} else bound


def _inherited(run: Interpreter, owner: Class, name: str) -> Value:
    for base in owner.node.bases:
        parent = run.evaluate(base, owner.scope.parent or owner.scope)
        if isinstance(parent, Class) and parent.node is not owner.node:
            found = attribute_of(run, parent, name)
            if found is not UNKNOWN:
                return found
    return UNKNOWN


def item_of(owner: Value, key: Value) -> Value:
    """One member by a known key, or any of the members by an unknown one."""
    if isinstance(owner, Table):
        if isinstance(key, str | int | Outside):
            return owner.entries.get(key, UNKNOWN)
        return join(
            [*owner.entries.values(), *([UNKNOWN] if owner.is_open or not owner.entries else [])]
        )
    if isinstance(owner, Items) and isinstance(key, int):
        return owner.members[key] if -len(owner.members) <= key < len(owner.members) else UNKNOWN
    if isinstance(owner, Items) and owner.members and not owner.is_open:
        return join(owner.members)
    return UNKNOWN
