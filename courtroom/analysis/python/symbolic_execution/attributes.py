"""Attributes of modules, instances, classes and external names."""

from __future__ import annotations

import ast

from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Class,
    EnumText,
    External,
    Function,
    Instance,
    LibraryObject,
    ListValue,
    Method,
    Module,
    OneOf,
    Super,
    Unknown,
    Value,
    join,
)

# No written class has so many ancestors.
MAX_ANCESTORS = 30
PROPERTIES = frozenset({"property", "cached_property"})


def attribute_of(evaluator: Evaluator, owner: Value, name: str) -> Value:
    if isinstance(owner, External):
        return _external_attribute(evaluator, owner, name)
    if isinstance(owner, Module):
        return _module_attribute(evaluator, owner, name)
    if isinstance(owner, Instance):
        return _instance_attribute(evaluator, owner, name, owner)
    if isinstance(owner, Class):
        return _class_attribute(evaluator, owner, name)
    if isinstance(owner, Super):
        return _super_attribute(evaluator, owner, name)
    if isinstance(owner, LibraryObject) and owner.instance is not None:
        own = _instance_attribute(evaluator, owner.instance, name, owner)
        return Method(owner, name) if own is UNKNOWN else own
    if isinstance(owner, OneOf):
        return join([attribute_of(evaluator, choice, name) for choice in owner.choices])
    if isinstance(owner, Unknown):
        return UNKNOWN
    return _attribute_of_plain_value(owner, name)


def _attribute_of_plain_value(owner: Value, name: str) -> Value:
    if isinstance(owner, Function) and name == "__name__":
        return owner.name or UNKNOWN
    if isinstance(owner, EnumText) and name == "name":
        return owner.name
    if isinstance(owner, str) and name == "value":
        # The member of an enum; a plain string has no such attribute.
        return str(owner)
    if isinstance(owner, ListValue) and name in owner.names:
        return owner.members[owner.names.index(name)]
    return Method(owner, name)


def _external_attribute(evaluator: Evaluator, owner: External, name: str) -> Value:
    # `import a.b` binds `a`: the attribute may still be a module of the repository.
    dotted = f"{owner.dotted}.{name}"
    source = evaluator.symbols.by_module.get(dotted)
    if source is not None:
        return evaluator.load_module(source)

    package = evaluator.symbols.by_module.get(owner.dotted)
    if package is not None and name in evaluator.load_module(package).scope.names:
        return attribute_of(evaluator, evaluator.load_module(package), name)
    return evaluator.constant(dotted)


def _module_attribute(evaluator: Evaluator, owner: Module, name: str) -> Value:
    if name in owner.scope.names:
        return evaluator.resolve(owner.scope.names[name])
    inner = evaluator.symbols.by_module.get(f"{owner.source.module}.{name}")
    return evaluator.load_module(inner) if inner is not None else UNKNOWN


def _instance_attribute(evaluator: Evaluator, owner: Instance, name: str, bound: Value) -> Value:
    """Return an attribute; methods are bound to `bound`, which may be a library's object."""
    if name in owner.attributes:
        return owner.attributes[name]
    value = _in_ancestors(evaluator, linearized(evaluator, owner.kind), name)
    if value is UNKNOWN and not name.startswith("__"):
        fallback = _in_ancestors(evaluator, linearized(evaluator, owner.kind), "__getattr__")
        if isinstance(fallback, Function):
            return evaluator.call(fallback, [bound, name], {})
    return _bind(evaluator, value, bound, owner.kind)


def _class_attribute(evaluator: Evaluator, owner: Class, name: str) -> Value:
    if name == "__name__":
        return owner.node.name
    value = _in_ancestors(evaluator, linearized(evaluator, owner), name)
    if isinstance(value, Function) and "classmethod" in _decorators(value):
        return Function(value.node, value.source, value.scope, owner)
    return value


def _super_attribute(evaluator: Evaluator, owner: Super, name: str) -> Value:
    instance = owner.owner
    kind = (
        instance.instance.kind
        if isinstance(instance, LibraryObject) and instance.instance
        else (instance.kind if isinstance(instance, Instance) else instance)
    )
    if not isinstance(kind, Class):
        return UNKNOWN
    order = linearized(evaluator, kind)
    places = [number for number, parent in enumerate(order) if parent.node is owner.kind.node]
    value = _in_ancestors(evaluator, order[places[0] + 1 :] if places else [], name)
    if value is UNKNOWN and isinstance(instance, LibraryObject):
        return Method(instance, name)
    return _bind(evaluator, value, instance, kind)


def _bind(evaluator: Evaluator, value: Value, bound: Value, kind: Class) -> Value:
    if not isinstance(value, Function) or isinstance(value.node, ast.Lambda):
        return value
    decorators = _decorators(value)
    if "staticmethod" in decorators:
        return value
    owner = kind if "classmethod" in decorators else bound
    method = Function(value.node, value.source, value.scope, owner, value.own_name)
    if not decorators & PROPERTIES:
        return method
    result = evaluator.call(method, [bound], {})
    if "cached_property" in decorators:
        instance = bound.instance if isinstance(bound, LibraryObject) else bound
        if isinstance(instance, Instance):
            instance.attributes[value.name] = result
    return result


def _decorators(function: Function) -> set[str]:
    decorators = getattr(function.node, "decorator_list", [])
    return {d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "") for d in decorators}


def _in_ancestors(evaluator: Evaluator, order: list[Class], name: str) -> Value:
    for parent in order:
        if name in parent.scope.names:
            return evaluator.resolve(parent.scope.names[name])
    return UNKNOWN


def linearized(evaluator: Evaluator, owner: Class) -> list[Class]:
    """Return a class and its ancestors in the repository, in the order in which names are found."""
    order: list[Class] = []
    queue = [owner]
    while queue and len(order) < MAX_ANCESTORS:
        current = queue.pop(0)
        # A shared ancestor comes after all that inherit from it.
        order = [parent for parent in order if parent.node is not current.node]
        order.append(current)
        bases = [
            evaluator.evaluate(base, current.scope.parent or current.scope)
            for base in current.node.bases
        ]
        parents = [
            base for base in bases if isinstance(base, Class) and base.node is not owner.node
        ]
        queue = [*parents, *queue]
    return order
