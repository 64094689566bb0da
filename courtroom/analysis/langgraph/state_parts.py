"""State of a graph as an abstract value: its keys and what lies under them keep their origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    Class,
    DictValue,
    External,
    Instance,
    ListValue,
    OneOf,
    Value,
    choices_of,
)

# Keys inside keys that keep their origin: state["evidences"]["repo"].
MAX_PARTS = 3
# Methods of a model that give all its fields.
DUMPS = frozenset({"model_dump", "dict", "_asdict", "model_dump_json", "json"})
COPIES = frozenset({"model_copy", "copy", "_replace"})


@dataclass(slots=True, eq=False)
class StatePart(DictValue):
    """The state, or what lies under a key of it; `path` holds the keys, () is the state."""

    path: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class StateModel(Instance):
    """The state as an instance of its Pydantic model or dataclass."""

    path: tuple[str, ...] = ()


class _Parts(dict[Any, Value]):
    """Members of a part, made when they are read; `changed` are the keys that code assigned."""

    def __init__(self, path: tuple[str, ...], keys: Iterable[str] = ()) -> None:
        super().__init__({key: part_under((*path, key)) for key in keys})
        self.path = path
        self.changed: set[str] = set()

    def get(self, key: Any, default: Any = None) -> Any:
        if key not in self and isinstance(key, str) and len(self.path) < MAX_PARTS:
            super().__setitem__(key, part_under((*self.path, str(key))))
        return super().get(key, default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if isinstance(key, str):
            self.changed.add(str(key))
        return self.get(key, default)

    def __setitem__(self, key: Any, value: Value) -> None:
        if isinstance(key, str):
            self.changed.add(str(key))
        super().__setitem__(key, value)

    def update(self, *mappings: Any, **more: Any) -> None:
        for key, value in dict(*mappings, **more).items():
            self[key] = value


class _Fields(_Parts):
    """The same for a model: every name that its class does not define is a field."""

    def __init__(self, keys: Iterable[str], own_names: frozenset[str]) -> None:
        super().__init__((), keys)
        self.own_names = own_names

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        is_field = isinstance(name, str) and name not in self.own_names | DUMPS | COPIES
        return is_field and not str(name).startswith(("_", "model_"))

    def __getitem__(self, name: Any) -> Value:
        if not super().__contains__(name):
            dict.__setitem__(self, name, part_under((str(name),)))
        return super().__getitem__(name)


def part_under(path: tuple[str, ...]) -> Value:
    """Return the value under a path: a dict with parts of its own, or anything else."""
    part = StatePart(_Parts(path), is_open=True, path=path)
    # Without the second choice, a comparison with None or a number would seem decided.
    return OneOf([part, External(f"state{list(path)}")])


def whole_state(keys: frozenset[str] | None, model: Class | None) -> StatePart | StateModel:
    """Return the state that a node gets; `keys` are None where they are not known."""
    declared = sorted(keys or ())
    if model is not None:
        names = frozenset(name for name in model.scope.names if name not in declared)
        return StateModel(model, _Fields(declared, names))
    return StatePart(_Parts((), declared), is_open=keys is None)


def path_of(value: Value) -> tuple[str, ...] | None:
    """Return the path of a part of the state, the longest of several; None for another value."""
    paths = [c.path for c in choices_of(value) if isinstance(c, StatePart | StateModel)]
    return max(paths, key=len) if paths else None


def is_unchanged(value: Value, path: tuple[str, ...]) -> bool:
    """Return true for what lay under the path when the node began, and nothing else."""
    own = External(f"state{list(path)}")
    choices = choices_of(value)
    return path_of(value) == path and all(
        choice == own or isinstance(choice, StatePart) for choice in choices
    )


def members_of(value: StatePart | StateModel) -> Mapping[str, Value]:
    return value.attributes if isinstance(value, StateModel) else value.entries


def changed_keys(value: StatePart | StateModel) -> set[str]:
    members = members_of(value)
    return members.changed if isinstance(members, _Parts) else set()


def sure_keys(value: Value) -> frozenset[str] | None:
    """Return the keys of a dict in any run, none of a list; None where it may be empty."""
    choices = choices_of(value)
    if not all(isinstance(c, DictValue | ListValue) and truth_of(c) for c in choices):
        return None
    dicts = [c.entries if isinstance(c, DictValue) else {} for c in choices]
    return frozenset.intersection(*(frozenset(map(str, entries)) for entries in dicts))


def is_empty(value: Value) -> bool:
    """Return whether the value is a list or a dict that holds nothing in any run."""
    return all(
        isinstance(choice, DictValue | ListValue) and truth_of(choice) is False
        for choice in choices_of(value)
    )
