"""Effects of a graph's nodes on its state, from the reader's uses of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from courtroom.analysis.graph_run.stub_graph import ROOT, Location, StubState
from courtroom.analysis.langgraph.own_reducers import appends
from courtroom.analysis.langgraph.rebuilt_entries import rebuilt_keys
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, site_of
from courtroom.analysis.langgraph.state_class import declared_keys, reducers_of
from courtroom.analysis.langgraph.state_flow.input_routes import FAILURES
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import words_of

ROUTER_AFTER = "the router after "
ADDING = frozenset({"operator.add", "operator.iadd", "operator.concat", "op.add"})
CHECKPOINTS, IN_MEMORY = "langgraph.checkpoint.", "langgraph.checkpoint.memory"

Keys = dict[str, Location]


def stub_state(symbols: SymbolTable, access: StateAccess) -> StubState | str:
    """Return the state of a graph, or the reason why its keys are not known."""
    fact = access.state.fact
    is_dict = fact is not None and fact["kind"] == "dict" and access.state.site is None
    keys = frozenset({ROOT}) if is_dict else declared_keys(symbols, access.state.site)
    if keys is None:
        return access.reason or "the keys of the graph's state are not known"

    reducers = {row["field"]: row for row in reducers_of(symbols, access.state.site)}
    kept = {key: _kept(symbols, reducers.get(key)) for key in sorted(keys)}
    uses = access.nodes.items()
    gap = next((use.writes_gap for use in access.nodes.values() if use.writes_gap), "")
    rebuilt: dict[str, Keys] = {}
    for name, use in uses:
        try:
            rebuilt[name] = _rebuilt(symbols, use, kept)
        except RecursionError:
            rebuilt[name] = {}
            gap = gap or f"expressions of {name} are nested too deeply to be followed"
    return StubState(
        kept=kept,
        sure={name: _root(use) if is_dict else _sure(use, kept) for name, use in uses},
        fresh={name: _fresh(use, kept) for name, use in uses},
        returned={name: _returned(use, kept) | rebuilt[name] for name, use in uses},
        handed=_handed(access),
        looked_at={name: _looked_at(use) for name, use in uses},
        rebuilt={name: tuple(keys) for name, keys in rebuilt.items()},
        guarded={name: own for name, use in uses if (own := _guarded(use, kept))},
        gap=gap,
        is_stored=any(
            dotted.startswith(CHECKPOINTS) and not dotted.startswith(IN_MEMORY)
            for source in symbols.codebase.production
            for dotted in source.imports.values()
        ),
        in_place={name: own for name, use in uses if (own := _in_place(use, kept))},
    )


def _handed(access: StateAccess) -> dict[str, tuple[str, ...]]:
    """Return the nodes to which all Sends of a router hand the graph's own state."""
    handed: dict[str, tuple[str, ...]] = {}
    for use in access.routers:
        others = {payload.node for payload in use.payloads if not payload.is_state}
        names = {payload.node for payload in use.payloads} - others
        if names and "" not in others:
            handed[use.name.removeprefix(ROUTER_AFTER)] = tuple(sorted(names))
    return handed


def _kept(symbols: SymbolTable, row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "last"
    reducer = row["reducer"]
    is_add = reducer in ADDING or (reducer == "add" and "add" not in symbols.functions_by_name)
    return "add" if is_add or appends(row.get("applies", "")) else "merge"


def _sure(use: StateUse, kept: dict[str, str]) -> Keys:
    """Return the keys of every update; none where some update is not known."""
    if not _is_sure(use):
        return {}
    names = set.intersection(*({write.key for write in update.writes} for update in use.updates))
    return {
        write.key: _place(use, write.path, write.line)
        for write in use.writes
        if write.key in names & kept.keys()
    }


def _is_sure(use: StateUse) -> bool:
    is_open = use.writes_gap or use.is_optional or not use.updates
    return not is_open and not any(update.is_doubtful for update in use.updates)


def _root(use: StateUse) -> Keys:
    return {ROOT: (use.path, use.line)} if _is_sure(use) else {}


def _fresh(use: StateUse, kept: dict[str, str]) -> Keys:
    """Return the keys that get a new value: in the update, or in place.

    An empty list adds nothing to one.
    """
    changed = {change.key for change in use.changes}
    return {
        write.key: _place(use, write.path, write.line)
        for update in use.updates
        for write in update.writes
        if write.key in kept and (not write.is_unchanged or write.key in changed)
        if not (write.is_empty and kept[write.key] == "add")
    }


def _returned(use: StateUse, kept: dict[str, str]) -> Keys:
    """Return the keys under which a node returns what it got, with more or without."""
    return {
        write.key: _place(use, write.path, write.line)
        for update in use.updates
        for write in update.writes
        if (write.is_unchanged or write.is_extended) and write.key in kept
    }


def _in_place(use: StateUse, kept: dict[str, str]) -> tuple[str, ...]:
    """Return the lists that every update which has them returns as the node got and changed them."""
    changed = {change.key for change in use.changes}
    writes = [write for update in use.updates for write in update.writes if write.key in changed]
    open_ones = {write.key for write in writes if not write.is_unchanged}
    return tuple(sorted({w.key for w in writes if kept.get(w.key) == "add"} - open_ones))


def _rebuilt(symbols: SymbolTable, use: StateUse, kept: dict[str, str]) -> Keys:
    """Return the keys of appending reducers under which a node makes what it got anew."""
    site = site_of(symbols, use)
    keys = rebuilt_keys(site) if site is not None else frozenset()
    return {
        write.key: _place(use, write.path, write.line)
        for write in use.writes
        if write.key in keys and kept.get(write.key) == "add"
        if not (write.is_unchanged or write.is_extended)
    }


def _looked_at(use: StateUse) -> tuple[str, ...]:
    """Return the keys that a node reads and writes: it may find there that it has run before."""
    return tuple(sorted(use.read_keys.intersection(write.key for write in use.writes)))


def _guarded(use: StateUse, kept: dict[str, str]) -> tuple[str, ...]:
    """Return the lists that a node reads and leaves out of an update that has less than another.

    It returns early where it finds what it added. What fails adds to a record of failures.
    """
    updates = [frozenset(write.key for write in update.writes) for update in use.updates]
    return tuple(
        key
        for key in _looked_at(use)
        if kept.get(key) == "add" and not FAILURES & {*words_of(key)}
        if any(
            key in more and key not in less and less < more for less in updates for more in updates
        )
    )


def _place(use: StateUse, path: str, line: int) -> Location:
    return (path, line) if path and line else (use.path, use.line)
