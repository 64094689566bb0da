"""What a guard may ask, by name and CEL type: the criterion, its judges, its evidence, and every fact of the dossier.

The facts' names and types are read off the model, so that a new fact can be asked at once. What may be missing in a
case (a judge who gave no opinion, a fact that could not be established) has a companion `known.<name>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from courtroom.models.facts import Facts

Variables = dict[str, Any]
Path = tuple[str, ...]

# Beside the facts; True where it may be missing.
OF_A_CRITERION: Mapping[str, tuple[str, bool]] = MappingProxyType(
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
SCALARS = {bool: "bool", int: "int", float: "double", str: "string"}


@cache
def vocabulary() -> Mapping[str, str]:
    """Every name a guard may use, with its CEL type."""
    asked = dict(OF_A_CRITERION) | {".".join(path): typed for path, typed in _fact_types().items()}
    known = {
        f"known.{name}": "bool" for name, (_, may_be_missing) in asked.items() if may_be_missing
    }
    named = {name: signature for name, (signature, _) in asked.items() if signature}
    return MappingProxyType(named | known)


def facts_in(dossier: Mapping[str, Any]) -> Variables:
    """The facts of a dossier's JSON by their names; one that is null has no value, and is not known."""
    bound: Variables = {}
    for path, (signature, may_be_missing) in _fact_types().items():
        value = _at(dossier, path)
        if signature and value is not None:
            bound[".".join(path)] = value
        if may_be_missing:
            bound[".".join(("known", *path))] = value is not None
    return bound


def known_or_not(said: Mapping[str, Any]) -> Variables:
    """What is said of a criterion, None for what is missing, as variables."""
    bound = {name: value for name, value in said.items() if value is not None}
    flags = {f"known.{name}": said[name] is not None for name in said if OF_A_CRITERION[name][1]}
    return bound | flags


def _at(dossier: Mapping[str, Any], path: Path) -> Any:
    """The facts' own names begin with `facts`."""
    value: Any = dossier
    for step in path[1:]:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


@cache
def _fact_types() -> Mapping[Path, tuple[str, bool]]:
    """The CEL type of each fact by its path, empty for a group of facts, and whether it may be null."""
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
    (one,) = [part for part in get_args(annotation) if part is not type(None)]
    return one, True


def _signature(annotation: Any) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is tuple:
        return f"list({_signature(parts[0])})"
    if origin is dict:
        return f"map(string, {_signature(parts[1])})"
    if origin is Literal:
        return "string"
    return SCALARS.get(annotation, "map(string, dyn)")
