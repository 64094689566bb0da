"""Evidence under keys that no judge looks up, beside keys that they do."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from courtroom.analysis.langgraph.judging.prompt_inputs import EVIDENCE
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse
from courtroom.analysis.langgraph.state_flow.condition_values import key_of
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, listed
from courtroom.analysis.langgraph.state_flow.other_keys import CRITERION_WORDS, criterion_ids
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, walk, words_of

HEARING = frozenset({"judge", "justice"})


def unheard_keys(
    symbols: SymbolTable, access: StateAccess, roles: Mapping[str, str]
) -> Iterator[FlowFault]:
    """Yield the keys of evidence that judges and Chief Justice pass over, by the node that stores it.

    They look up the criteria of the rubric, and the key is the id of none. What another node looks
    up is passed on.
    """
    readers = [use for name, use in access.nodes.items() if roles.get(name) in HEARING]
    judges = [use for use in readers if roles.get(use.name) == "judge"]
    criteria = criterion_ids({**symbols.codebase.rubrics, **symbols.codebase.data})
    for key in sorted(access.declared or ()):
        if EVIDENCE.isdisjoint(words_of(key)):
            continue
        read = _keys_read(readers, key, criteria)
        heard = _keys_read(judges, key, criteria)
        stored = _stored(access, roles, key)
        if read is None or heard is None or heard.isdisjoint(stored):
            continue
        elsewhere = {
            lookup.inner
            for use in (*access.nodes.values(), *access.routers)
            for lookup in use.lookups
            if lookup.key == key
        }
        unheard = [inner for inner in stored if inner not in read | elsewhere]
        tested = _tested(symbols, {*unheard}) if unheard else set()
        unheard = [inner for inner in unheard if inner not in tested]
        for node in dict.fromkeys(stored[inner][0] for inner in unheard):
            names = [inner for inner in unheard if stored[inner][0] == node]
            _, path, line = stored[names[0]]
            is_id = "which is the id" if len(names) == 1 else "each the id"
            sentence = (
                f"{node} stores evidence under {listed(names)}, {is_id} of no criterion of the work's"
                " rubric: no judge looks it up"
            )
            yield FlowFault("unread_write", sentence, path, line, is_minor=True)


def _keys_read(
    readers: list[StateUse], key: str, criteria: frozenset[str]
) -> frozenset[str | None] | None:
    """Return the keys under which evidence is looked up; None where it may be any."""
    lookups = [lookup for use in readers for lookup in use.lookups if lookup.key == key]
    is_by_criteria = [_is_criterion_id(row.written) for row in lookups]
    if any(use.reads_gap or any(p.key == key for p in use.wholes) for use in readers):
        return None
    if not criteria or not any(is_by_criteria):
        return None
    if any(row.inner is None and not so for row, so in zip(lookups, is_by_criteria, strict=True)):
        return None
    return criteria | {row.inner for row in lookups}


def _is_criterion_id(written: str) -> bool:
    """Return true for `dim_id`, `dim["id"]`, `criterion.id` and `dim.get("id")`, and no mapping of it."""
    try:
        node = ast.parse(written, mode="eval").body
    except SyntaxError:
        return False
    key, owner = key_of(node) or ("", node)
    if not isinstance(owner, ast.Name):
        return False
    words = words_of(key or owner.id)
    return bool(words) and words[-1] in CRITERION_WORDS


def _stored(
    access: StateAccess, roles: Mapping[str, str], key: str
) -> dict[str, tuple[str, str, int]]:
    """Return the keys that detectives and the nodes between store, each with node and place."""
    stored: dict[str, tuple[str, str, int]] = {}
    for name, use in access.nodes.items():
        for update in use.updates if roles.get(name) not in HEARING else ():
            for write in update.writes:
                if write.key == key and not write.is_unchanged:
                    for inner in write.inner:
                        stored.setdefault(inner, (use.name, write.path, write.line))
    return stored


def _tested(symbols: SymbolTable, keys: set[str]) -> set[str]:
    """Return the keys of which code asks whether they are there: `"repo" in evidences`."""
    return {
        text
        for source in symbols.codebase.production
        for node in walk(source.tree)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
        if (text := constant_text(node.left)) in keys and text is not None
    }
