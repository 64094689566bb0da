"""Effects of class statements: members of enums, and registration by __init_subclass__."""

from __future__ import annotations

import ast

from courtroom.analysis.python.symbolic_execution.attributes import attribute_of, linearized
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    CallResult,
    Class,
    DictValue,
    EnumText,
    External,
    Function,
    Instance,
    ListValue,
    Value,
)
from courtroom.analysis.python.tree_walk import last_name

# Enums of which an f-string writes the value; of others it writes Class.MEMBER.
TEXT_ENUMS = frozenset({"StrEnum"})


def make_enum(own_class: Class) -> None:
    """Replace the plain values in an enum's body by its members."""
    bases = {last_name(base) for base in own_class.node.bases}
    if not any(base.endswith("Enum") for base in bases):
        return

    is_text = bool(bases & TEXT_ENUMS)
    names = own_class.scope.names
    for number, (name, value) in enumerate(list(names.items()), start=1):
        if name.startswith("_") or isinstance(value, Function | Class):
            continue
        if isinstance(value, CallResult) and value.dotted == "enum.auto":
            value = name.lower() if is_text else number
        if isinstance(value, str):
            names[name] = EnumText(value, name, is_text=is_text)
        else:
            names[name] = Instance(own_class, {"value": value, "name": name})


def enum_members(own_class: Class) -> list[Value]:
    """Return the members of an enum in order; none for another class."""
    return [
        value
        for value in own_class.scope.names.values()
        if isinstance(value, EnumText)
        or (isinstance(value, Instance) and value.kind is own_class and "value" in value.attributes)
    ]


def register_subclass(evaluator: Evaluator, own_class: Class) -> None:
    """Run the __init_subclass__ that a class inherits, which may keep a list of subclasses."""
    for parent in linearized(evaluator, own_class)[1:]:
        hook = parent.scope.names.get("__init_subclass__")
        if isinstance(hook, Function):
            evaluator.call(hook, [own_class], {})
            return


def field_names(evaluator: Evaluator, own_class: Class) -> list[str]:
    """Return the annotated fields of a dataclass or named tuple, inherited ones first."""
    names: dict[str, None] = {}
    for home in reversed(linearized(evaluator, own_class)):
        for statement in home.node.body:
            if (
                isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and last_name(statement.annotation) != "ClassVar"
            ):
                names.setdefault(statement.target.id)
    return list(names)


def field_default(evaluator: Evaluator, own_class: Class, name: str) -> Value:
    """Return the value of a field that was not passed: its default, or what its factory makes."""
    bases = evaluator.symbols.base_names(own_class.source, own_class.node)
    if any(base.endswith("BaseSettings") for base in bases):
        return UNKNOWN  # read from the environment
    value = attribute_of(evaluator, own_class, name)
    if not isinstance(value, CallResult) or value.dotted.rpartition(".")[2] not in {
        "field",
        "Field",
    }:
        return value
    factory = value.keyword("default_factory")
    if isinstance(factory, Function):
        return evaluator.call(factory, [], {})
    if isinstance(factory, External) and factory.dotted in {"list", "tuple", "set"}:
        return ListValue([], made_under=evaluator.doubts)
    if isinstance(factory, External) and factory.dotted == "dict":
        return DictValue(made_under=evaluator.doubts)
    if factory is not None:
        return UNKNOWN
    default = value.first("default")
    return UNKNOWN if isinstance(default, External) else default
