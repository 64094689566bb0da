"""Lists that the nodes before another one have put under the keys of the state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from courtroom.analysis.langgraph.own_reducers import JOINED_BY_KEY, MERGES_BY_KEY
from courtroom.analysis.langgraph.state_access import KeyWrite, StateUse
from courtroom.analysis.langgraph.state_flow.always_filled import Filled
from courtroom.analysis.langgraph.state_flow.flow_fault import Place
from courtroom.analysis.langgraph.state_parts import StatePart
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    ListValue,
    OneOf,
    Value,
    choices_of,
)

# Reducers that keep what is there.
KEEPING = ("ior", "or_", "add", *MERGES_BY_KEY)
# Stands for the key of a list that lies under no key of its own.
NO_KEY = ""
# Members that a list holds in any run, by the key under which it lies.
Lists = Mapping[str, tuple[Value, ...]]


@dataclass(slots=True, eq=False)
class Entries(DictValue):
    """Dict of which all entries are there in any run."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """Content of a key: `lists`, each by one of the `fillers`, a node with its place.

    Where `others` is not None, these keys may be there besides, and no more.
    """

    lists: Lists = field(default_factory=dict)
    fillers: Mapping[str, tuple[str, Place]] = field(default_factory=dict)
    others: frozenset[str] | None = None

    def value(self) -> Value:
        """Return the value, made anew: code that is followed may change it."""
        entries: dict[str, Value] = {
            key: ListValue([*members], is_open=True) for key, members in self.lists.items()
        }
        if NO_KEY in entries:
            return entries[NO_KEY]
        if self.others is None:
            return Entries(entries, is_open=True)
        every = dict.fromkeys(sorted(self.others), UNKNOWN) | entries
        return OneOf([Entries({**entries}), Entries(every)]) if self.others else Entries(entries)

    def without(self, inner: str) -> Earlier:
        """Return the same with a list that may be empty, or not be there."""
        lists = {key: members for key, members in self.lists.items() if key != inner}
        others = None if self.others is None else self.others | {inner}
        return replace(self, lists=lists, others=others)


def earlier_writes(
    key: str,
    reducer: str,
    uses: Sequence[StateUse],
    done: Mapping[str, Filled],
    given: Value,
) -> Earlier | None:
    """Return what has come under a key, None where nothing is known of it.

    No nodes but those of `uses` may have run, those of `done` have; `given` is what inputs hold.
    """
    writers = [use for use in uses if may_write(use, key)]
    if any(place.key == key for use in writers for place in use.changes):
        return None
    rows = [
        (inner, members, (use.name, _place(use, key)))
        for use in writers
        if use.name in done
        for inner, members in _lists(use, key, done[use.name]).items()
    ]
    is_list = reducer.endswith("add") or not reducer
    if not reducer and not all(NO_KEY in _lists(use, key, {}) for use in writers):
        return None
    if reducer and not reducer.endswith(KEEPING):
        return None
    lists: dict[str, tuple[Value, ...]] = {}
    fillers: dict[str, tuple[str, Place]] = {}
    for inner, members, filler in rows:
        keeps = is_list or reducer == JOINED_BY_KEY or _is_alone(filler[0], inner, key, writers)
        if keeps and (inner == NO_KEY) is is_list:
            lists[inner] = lists.get(inner, ()) + (members if reducer else (UNKNOWN,))
            fillers.setdefault(inner, filler)
    is_known = isinstance(given, DictValue) and truth_of(given) is False
    others = _inner_keys(key, writers) if is_known and not is_list else None
    return Earlier(lists, fillers, others) if lists or others is not None else None


def may_write(use: StateUse, key: str) -> bool:
    """Return whether a node writes to the key, or what it writes is not all known."""
    changes = any(place.key == key for place in use.changes)
    writes = any(write.key == key and not write.is_unchanged for write in _every(use))
    return bool(use.writes_gap) or changes or writes


def _every(use: StateUse) -> Iterator[KeyWrite]:
    return (write for update in use.updates for write in update.writes)


def _place(use: StateUse, key: str) -> Place:
    write = next((write for write in use.writes if write.key == key), None)
    return (write.path, write.line) if write else (use.path, use.line)


def _inner_keys(key: str, writers: Sequence[StateUse]) -> frozenset[str] | None:
    """Return all keys that nodes may put under a key; None where they may be any."""
    writes = [write for use in writers for write in _every(use) if write.key == key]
    if any(use.writes_gap for use in writers) or any(write.is_inner_open for write in writes):
        return None
    return frozenset(inner for write in writes for inner in write.inner)


def _is_alone(name: str, inner: str, key: str, writers: Sequence[StateUse]) -> bool:
    others = _inner_keys(key, [use for use in writers if use.name != name])
    return others is not None and inner not in others


def _lists(use: StateUse, key: str, always: Filled) -> dict[str, tuple[Value, ...]]:
    """Return the lists that hold something in each update of a node."""
    start = f"{key}['"
    inner = [name[len(start) : -len("']")] for name in always if name.startswith(start)]
    filled: dict[str, tuple[Value, ...]] = dict.fromkeys(inner, (UNKNOWN,))
    if use.is_optional or use.writes_gap or any(update.is_doubtful for update in use.updates):
        return filled
    held = [
        choice
        for update in use.updates
        for write in [next((write for write in update.writes if write.key == key), None)]
        for choice in (choices_of(write.held) if write else [UNKNOWN])
    ]
    if held and all(isinstance(choice, DictValue) for choice in held):
        dicts = [c for c in held if isinstance(c, DictValue) and not isinstance(c, StatePart)]
        rows = [row.entries if row.doubt is None else {} for row in dicts]
        names = set.intersection(*map(set, rows)) if len(rows) == len(held) else set()
        lists = {str(name): _members([row[name] for row in rows]) for name in sorted(names)}
    else:
        lists = {NO_KEY: _members(held)}
    return filled | {name: members for name, members in lists.items() if members}


def _members(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return what one of these lists holds in any run, nothing where it may be empty."""
    choices = [choice for value in values for choice in choices_of(value)]
    if not choices or any(not certain_members(choice) for choice in choices):
        return ()
    return tuple(certain_members(choices[0])) if len(choices) == 1 else (UNKNOWN,)


def certain_members(value: Value) -> list[Value]:
    """Return the members of a list that are there in any run."""
    if not isinstance(value, ListValue) or not value.is_certain:
        return []
    return value.members if value.doubt is None else value.members[: value.settled]
