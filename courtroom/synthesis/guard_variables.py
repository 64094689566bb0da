"""Variables of guards with their CEL types: criterion, scores, evidence, and every fact.

Names and types of facts come from the model, so a new fact is a variable at once. A variable that
may be missing (a judge without an opinion, a fact that was not established) has a flag
`known.<name>`. A value beyond the bounds below is not given to guards, and neither is its flag: a
guard that tests `known.<name>` first must not answer as if nothing was established.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from courtroom.models.facts import Facts

Variables = dict[str, Any]
Path = tuple[str, ...]

# Name -> CEL type, and whether the variable may be missing. Facts are added from their model.
CRITERION_VARIABLES: Mapping[str, tuple[str, bool]] = MappingProxyType(
    {
        "criterion.id": ("string", False),
        "criterion.weight": ("double", False),
        "criterion.architecture": ("bool", False),
        "criterion.target": ("string", False),
        "scores.prosecutor": ("int", True),
        "scores.defense": ("int", True),
        "scores.tech_lead": ("int", True),
        "spread": ("int", False),
        "mean_confidence": ("double", True),
        "tags": ("list(string)", False),
    }
)
# Guards take longer the more they are given. Of 15 real reports the longest list has 49 items, the
# longest text 160 characters, and the largest fact 499 values.
MOST_ITEMS, MOST_TEXT, MOST_VALUES = 500, 1_000, 10_000
TOO_LARGE = object()
SCALARS = {bool: "bool", int: "int", float: "double", str: "string"}


@cache
def variable_types() -> Mapping[str, str]:
    """Return every name that a guard may use, with its CEL type."""
    variables = dict(CRITERION_VARIABLES) | {
        ".".join(path): typed for path, typed in _fact_types().items()
    }
    flags = {
        f"known.{name}": "bool" for name, (_, may_be_missing) in variables.items() if may_be_missing
    }
    types = {name: signature for name, (signature, _) in variables.items() if signature}
    return MappingProxyType(types | flags)


def fact_variables(dossier: Mapping[str, Any]) -> Variables:
    """Return the facts of a dossier's JSON as variables; a null fact has a flag only.

    A fact beyond the bounds is TOO_LARGE, and so is its flag.
    """
    bound: Variables = {}
    for path, (signature, may_be_missing) in _fact_types().items():
        value = _at(dossier, path)
        # A group of facts has no type of its own; only its members are variables.
        is_too_large = bool(signature) and _is_too_large(value)
        if signature and value is not None:
            bound[".".join(path)] = TOO_LARGE if is_too_large else value
        if may_be_missing:
            bound[".".join(("known", *path))] = TOO_LARGE if is_too_large else value is not None
    return bound


def criterion_variables(values: Mapping[str, Any]) -> Variables:
    """Return values about a criterion as variables; None marks a missing one."""
    bound = {name: value for name, value in values.items() if value is not None}
    flags = {
        f"known.{name}": value is not None
        for name, value in values.items()
        if CRITERION_VARIABLES[name][1]
    }
    return bound | flags


def _is_too_large(fact: Any) -> bool:
    """Return whether a list or map, also within others, a text or the whole is too large."""
    values, waiting = 0, [fact]
    while waiting:
        value = waiting.pop()
        values += 1
        if isinstance(value, str):
            limit = MOST_TEXT
        elif isinstance(value, Mapping | Sequence):
            limit = MOST_ITEMS
            waiting += (*value.keys(), *value.values()) if isinstance(value, Mapping) else value
        else:
            continue
        if len(value) > limit or values + len(waiting) > MOST_VALUES:
            return True
    return False


def _at(dossier: Mapping[str, Any], path: Path) -> Any:
    """Return the value at a path whose first part is `facts`."""
    value: Any = dossier
    for step in path[1:]:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


@cache
def _fact_types() -> Mapping[Path, tuple[str, bool]]:
    """Return path -> CEL type ("" for a group of facts) and whether the fact may be null."""
    return MappingProxyType(dict(_fields(Facts, ("facts",))))


def _fields(model: type[BaseModel], place: Path) -> Iterator[tuple[Path, tuple[str, bool]]]:
    for name, field in model.model_fields.items():
        if (path := (*place, field.alias or name)) == ("facts", "unknown"):
            continue
        annotation, may_be_null = _without_null(field.annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield path, ("", may_be_null)
            yield from _fields(annotation, path)
        else:
            yield path, (_signature(annotation), may_be_null)


def _without_null(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    (inner,) = [part for part in get_args(annotation) if part is not type(None)]
    return inner, True


def _signature(annotation: Any) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is tuple:
        return f"list({_signature(parts[0])})"
    if origin is dict:
        return f"map(string, {_signature(parts[1])})"
    if origin is Literal:
        return "string"
    return SCALARS.get(annotation, "map(string, dyn)")
