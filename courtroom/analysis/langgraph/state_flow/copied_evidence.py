"""Nodes that put the evidence they get under a second key, beside the keys where it stays."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from courtroom.analysis.langgraph.own_reducers import MERGES_BY_KEY
from courtroom.analysis.langgraph.state_access import StateAccess
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, walk

KEEPING = ("ior", "or_", *MERGES_BY_KEY)
# Calls that give one or all of their first argument's members.
MEMBERS = frozenset({"list", "sorted", "tuple", "max", "min", "next", "reversed"})
COPIES = frozenset({"model_copy", "copy", "get", "values", "items"})
FILLING = frozenset({"append", "extend", "insert"})
# Rounds in which names come to hold what others hold.
MOST_ROUNDS = 8


def copied_evidence(
    symbols: SymbolTable,
    access: StateAccess,
    nodes: Mapping[str, FunctionRef],
    roles: Mapping[str, str],
) -> Iterator[FlowFault]:
    """Yield the keys under which a node puts what it takes from all keys of a field of the state."""
    rows = reducers_of(symbols, access.state.site)
    fields = [
        row["field"] for row in rows if (row.get("applies") or row["reducer"]).endswith(KEEPING)
    ]
    for field in fields:
        readers = [
            name
            for name, use in access.nodes.items()
            if roles.get(name) == "judge" and any(place.key == field for place in use.wholes)
        ]
        for name, node in nodes.items() if readers else ():
            if roles.get(name) in {"judge", "justice"} or field not in node.source.text:
                continue
            for key, line in _copies(node.site.node, field):
                sentence = (
                    f"{name} puts what lies under the keys of `{field}` under `{key}` as well; all keys"
                    f" are read by {joined(readers)}, so that the same evidence is there twice"
                )
                yield FlowFault("copied_evidence", sentence, node.source.path, line)


def _copies(function: ast.AST, field: str) -> Iterator[tuple[str, int]]:
    """Yield key and line where a returned update holds members of the field under a written key."""
    nodes = list(walk(function))
    holders = _holders(nodes, field)
    for node in nodes:
        if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Dict):
            continue
        for name, value in zip(node.value.keys, node.value.values, strict=True):
            if constant_text(name) != field or not isinstance(value, ast.Dict):
                continue
            for inner, member in zip(value.keys, value.values, strict=True):
                key = constant_text(inner)
                if key is not None and _holds(member, holders):
                    yield key, node.lineno


def _holders(nodes: list[ast.AST], field: str) -> set[str]:
    """Return the names of loops over all of the field, and of what is filled with their members."""
    whole = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        if _reads(node.value, field)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    holders: set[str] = set()
    for _ in range(MOST_ROUNDS):
        before = len(holders)
        for node in nodes:
            holders |= _held_by(node, holders, whole)
        if len(holders) == before:
            break
    return holders


def _reads(value: ast.expr, field: str) -> bool:
    """Return true for `state["evidences"]`, or `state.get("evidences") or {}`."""
    first = value.values[0] if isinstance(value, ast.BoolOp) else value
    if isinstance(first, ast.Subscript):
        return constant_text(first.slice) == field
    is_get = isinstance(first, ast.Call) and called_name(first) == "get" and bool(first.args)
    return is_get and isinstance(first, ast.Call) and constant_text(first.args[0]) == field


def _held_by(node: ast.AST, holders: set[str], whole: set[str]) -> set[str]:
    """Return the names that hold members behind this node."""
    if isinstance(node, ast.For | ast.comprehension):
        over = node.iter
        is_whole = (
            isinstance(over, ast.Call)
            and called_name(over) in {"items", "values"}
            and isinstance(over.func, ast.Attribute)
            and isinstance(over.func.value, ast.Name)
            and over.func.value.id in whole
        )
        # Of a pair of key and value, the value holds the members.
        target = node.target
        if isinstance(target, ast.Tuple) and target.elts:
            target = target.elts[-1]
        return _names(target) if is_whole or _holds(over, holders) else set()
    if isinstance(node, ast.Assign):
        return set().union(*map(_names, node.targets)) if _holds(node.value, holders) else set()
    if isinstance(node, ast.Call) and called_name(node) in FILLING and node.args:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        return _names(owner) if _holds(node.args[-1], holders) else set()
    return set()


def _names(target: ast.expr) -> set[str]:
    """Return the name itself, or the name whose item is set: `rows` of `rows[key]`."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return {target.id} if isinstance(target, ast.Name) else set()


def _holds(value: ast.expr, holders: set[str]) -> bool:
    """Return whether a value is members, or one of them, also as a copy."""
    if isinstance(value, ast.Name):
        return value.id in holders
    if isinstance(value, ast.Subscript | ast.Starred):
        return _holds(value.value, holders)
    if isinstance(value, ast.BoolOp):
        return any(_holds(part, holders) for part in value.values)
    if isinstance(value, ast.List | ast.Tuple):
        return any(_holds(part, holders) for part in value.elts)
    if isinstance(value, ast.IfExp):
        return _holds(value.body, holders) or _holds(value.orelse, holders)
    if isinstance(value, ast.ListComp | ast.GeneratorExp):
        return _holds(value.elt, holders)
    if isinstance(value, ast.Call):
        name = called_name(value)
        if name in MEMBERS and value.args:
            return _holds(value.args[0], holders)
        is_copy = name in COPIES and isinstance(value.func, ast.Attribute)
        return (
            is_copy and isinstance(value.func, ast.Attribute) and _holds(value.func.value, holders)
        )
    return False
