"""Attributes of modules, instances, classes and external names."""

from __future__ import annotations

import ast

from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Class,
    External,
    Function,
    Instance,
    Method,
    Module,
    OneOf,
    Unknown,
    Value,
    join,
)


def attribute_of(evaluator: Evaluator, owner: Value, name: str) -> Value:
    if isinstance(owner, External):
        return _external_attribute(evaluator, owner, name)
    if isinstance(owner, Module):
        return evaluator.resolve(owner.scope.names.get(name, UNKNOWN))
    if isinstance(owner, Instance):
        return _instance_attribute(evaluator, owner, name)
    if isinstance(owner, Class):
        value = owner.scope.names.get(name, UNKNOWN)
        return value if value is not UNKNOWN else _inherited(evaluator, owner, name)
    if isinstance(owner, OneOf):
        return join([attribute_of(evaluator, choice, name) for choice in owner.choices])
    if isinstance(owner, Unknown):
        return UNKNOWN
    if isinstance(owner, Function) and name == "__name__":
        return owner.name or UNKNOWN
    if isinstance(owner, str) and name == "value":
        # The member of an enum; a plain string has no such attribute.
        return owner
    return Method(owner, name)


def _external_attribute(evaluator: Evaluator, owner: External, name: str) -> Value:
    # `import a.b` binds `a`: the attribute may still be a module of the repository.
    dotted = f"{owner.dotted}.{name}"
    source = evaluator.symbols.by_module.get(dotted)
    if source is not None:
        return evaluator.load_module(source)

    package = evaluator.symbols.by_module.get(owner.dotted)
    if package is not None:
        return attribute_of(evaluator, evaluator.load_module(package), name)
    return External(dotted)


def _instance_attribute(evaluator: Evaluator, owner: Instance, name: str) -> Value:
    if name in owner.attributes:
        return owner.attributes[name]
    value = attribute_of(evaluator, owner.kind, name)
    if not isinstance(value, Function) or isinstance(value.node, ast.Lambda):
        return value

    decorators = {d.id for d in value.node.decorator_list if isinstance(d, ast.Name)}
    if "staticmethod" in decorators:
        return value
    bound = Function(value.node, value.source, value.scope, owner)
    is_property = decorators & {"property", "cached_property"}
    return evaluator.call(bound, [], {}) if is_property else bound


def _inherited(evaluator: Evaluator, owner: Class, name: str) -> Value:
    for base in owner.node.bases:
        parent = evaluator.evaluate(base, owner.scope.parent or owner.scope)
        if isinstance(parent, Class) and parent.node is not owner.node:
            value = attribute_of(evaluator, parent, name)
            if value is not UNKNOWN:
                return value
    return UNKNOWN
