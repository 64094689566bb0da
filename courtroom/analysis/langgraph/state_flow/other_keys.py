"""Lookups under a key of the state, or of the rubric, that nothing is stored under."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from courtroom.analysis.langgraph.judging.prompt_inputs import EVIDENCE
from courtroom.analysis.langgraph.state_access import KeyWrite, StateAccess, StateUse
from courtroom.analysis.langgraph.state_evaluator import KeyLookup
from courtroom.analysis.langgraph.state_flow.flow_fault import (
    FlowFault,
    FlowReading,
    listed,
    squashed,
)
from courtroom.analysis.python.tree_walk import words_of

# Words of an expression that gives the id of a criterion.
CRITERION_WORDS = frozenset({"criterion", "criteria", "dimension", "dim", "crit", "id"})
# Entries of a JSON file that are looked at.
MOST_ENTRIES = 20_000


def lookups_in_vain(
    access: StateAccess, data: Mapping[str, str], roles: Mapping[str, str], reading: FlowReading
) -> None:
    """Add readers that look up nothing but keys that no node stores anything under.

    `roles` of the nodes: where no judge sees any evidence for it, the faults are blinding.
    """
    vain: list[_Vain] = []
    for key in sorted(access.declared or ()):
        writes = [
            (use, write)
            for use in access.nodes.values()
            for write in use.writes
            if write.key == key and not write.is_unchanged
        ]
        readers = [use for use in (*access.nodes.values(), *access.routers) if _looks_up(use, key)]
        if not readers or not writes:
            continue
        gap = _gap(access, key)
        if gap:
            reading.leave_open(["other_key"], gap)
            continue
        vain += _vain(key, writes, readers, criterion_ids(data))
    judges = [use for name, use in access.nodes.items() if roles.get(name) == "judge"]
    blind = [row for row in vain if any(row.use is use for use in judges) and row.is_of_evidence]
    are_blind = bool(judges) and all(map(partial(_is_blind, blind), judges))
    reading.add(replace(row.fault, is_blinding=are_blind and row in blind) for row in vain)


@dataclass(frozen=True, slots=True)
class _Vain:
    """Reader that sees nothing of a key of the state."""

    use: StateUse
    key: str
    fault: FlowFault

    @property
    def is_of_evidence(self) -> bool:
        return not EVIDENCE.isdisjoint(words_of(self.key))


def _is_blind(vain: list[_Vain], judge: StateUse) -> bool:
    """Return true for a judge that sees nothing of each key with evidence that it reads."""
    unseen = {row.key for row in vain if row.use is judge}
    read = {key for key in judge.read_keys if not EVIDENCE.isdisjoint(words_of(key))}
    return bool(unseen) and read <= unseen


def _looks_up(use: StateUse, key: str) -> bool:
    return any(lookup.key == key for lookup in use.lookups) and not any(
        place.key == key for place in use.wholes
    )


def _gap(access: StateAccess, key: str) -> str:
    uses = access.nodes.values()
    gap = next((use.writes_gap for use in uses if use.writes_gap), "")
    if gap:
        return gap
    changed = next((p for use in uses for p in use.changes if p.key == key), None)
    if changed is not None:
        return f"{changed.path}:{changed.line}: `{key}` is changed in place"
    returned = (write for use in uses for update in use.updates for write in update.writes)
    open_writes = (w for w in returned if w.key == key and w.is_inner_open and not w.is_unchanged)
    # An early return gives the mapping before it is filled, the last one with all keys.
    is_open = max(open_writes, default=None, key=_place_of)
    if is_open is not None:
        return f"{is_open.path}:{is_open.line}: the keys in `{key}` are not known before a run"
    return ""


def _place_of(write: KeyWrite) -> tuple[str, int]:
    return write.path, write.line


def _vain(
    key: str,
    writes: list[tuple[StateUse, KeyWrite]],
    readers: list[StateUse],
    criteria: frozenset[str],
) -> Iterator[_Vain]:
    stored = list(dict.fromkeys(inner for _, write in writes for inner in write.inner))
    if not stored:
        return
    for use in readers:
        lookups = [lookup for lookup in use.lookups if lookup.key == key]
        if all(_misses(lookup, stored, criteria) for lookup in lookups):
            _, first = writes[0]
            wanted = listed(dict.fromkeys(lookup.inner or lookup.written for lookup in lookups))
            sentence = (
                f"{use.name} looks up `{key}` by {wanted}; nodes store it under {listed(stored)}:"
                f" {use.name} sees none of it"
            )
            place = lookups[0]
            other = first.path, first.line
            fault = FlowFault("other_key", sentence, place.path, place.line, other)
            yield _Vain(use, key, fault)


def _misses(lookup: KeyLookup, stored: list[str], criteria: frozenset[str]) -> bool:
    if lookup.inner is not None:
        return lookup.inner not in stored
    is_criterion = bool(set(words_of(lookup.written)) & CRITERION_WORDS)
    return is_criterion and bool(criteria) and not criteria & set(stored)


def criterion_ids(data: Mapping[str, str]) -> frozenset[str]:
    """Return every `id` in lists of the JSON files that the code may load."""
    return frozenset(
        entry["id"] for _, entry in objects_in(data) if isinstance(entry.get("id"), str)
    )


def persona_lookups(access: StateAccess, data: Mapping[str, str], reading: FlowReading) -> None:
    """Add lookups of a persona's part of the rubric by a key that is spelled otherwise there."""
    for use in access.nodes.values():
        holders = {lookup.key: _keys_under(data, lookup.key) for lookup in use.data_lookups}
        # A second try in another spelling may find it.
        met = {
            squashed(lookup.written)
            for lookup in use.data_lookups
            if lookup.inner in holders[lookup.key][0]
        }
        for lookup in use.data_lookups:
            keys, path = holders[lookup.key]
            twins = [name for name in keys if squashed(name) == squashed(lookup.written)]
            if not twins or squashed(lookup.written) in met:
                continue
            met.add(squashed(lookup.written))
            sentence = (
                f"{use.name} looks up `{lookup.key}` by `{lookup.inner}`; {path} holds"
                f" `{twins[0]}`: it never gets that part"
            )
            other = path, _line_of(data[path], twins[0])
            fault = FlowFault("other_key", sentence, lookup.path, lookup.line, other)
            reading.add([fault])


def _keys_under(data: Mapping[str, str], name: str) -> tuple[list[str], str]:
    for path, entry in objects_in(data):
        inner = entry.get(name)
        if isinstance(inner, dict) and inner:
            return [str(key) for key in inner], path
    return [], ""


def _line_of(text: str, key: str) -> int:
    return text[: max(0, text.find(f'"{key}"'))].count("\n") + 1


def objects_in(data: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object of the JSON files, with the path of its file."""
    for path, text in sorted(data.items()):
        try:
            stack: list[Any] = [json.loads(text)]
        except (ValueError, RecursionError):
            continue
        for _ in range(MOST_ENTRIES):
            if not stack:
                break
            entry = stack.pop()
            if isinstance(entry, dict):
                yield path, entry
                stack += entry.values()
            elif isinstance(entry, list):
                stack += entry
