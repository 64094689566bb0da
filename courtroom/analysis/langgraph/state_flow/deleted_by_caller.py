"""Clones whose path a node writes into the state while it lets their folder be deleted.

Python deletes a TemporaryDirectory with its last reference: a node that gets it beside its path, and
returns the path alone, has deleted the clone before another node reads it. So has one that removes
the folder itself on its way out, and one whose callback gets the path inside a `with` and returns it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.state_access import KeyWrite, StateAccess
from courtroom.analysis.langgraph.state_flow.deleted_clone import (
    clones,
    folders,
    is_path,
    other_uses,
    own_nodes,
    paths_from,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    walk,
)

# The node that reads a key of the state, and where.
Readers = Mapping[str, Sequence[tuple[str, tuple[str, int]]]]


@dataclass(frozen=True, slots=True)
class _Clone:
    """Local names for a clone's path and for the object that keeps its folder, "" for none."""

    path: str
    handle: str
    line: int


def deleted_by_caller(
    symbols: SymbolTable, in_use: Sequence[FunctionRef], accesses: Iterable[StateAccess]
) -> Iterator[FlowFault]:
    """Yield the nodes whose clone is gone when others read its path from the state."""
    pairs = {function.name: pair for function in in_use if (pair := _pair_of(symbols, function))}
    readers = _readers(accesses)
    for function in in_use:
        nodes = own_nodes(function.site.node)
        for clone in _clones_in(nodes, pairs):
            start = {clone.path} | ({f"{clone.handle}.name"} if clone.handle else set())
            paths = paths_from(nodes, start, clone.handle or clone.path)
            end = _end_of(function, clone, paths)
            for key, line in _written(nodes, paths) if end else ():
                node = _other_reader(readers.get(key, ()), function)
                if node:
                    yield FlowFault(
                        "lost_clone",
                        f"{function.name}() writes the path of its clone to `{key}` and deletes the"
                        f" folder {end}: {node}, which reads `{key}`, does not get the clone",
                        function.source.path,
                        clone.line,
                        (function.source.path, line),
                    )


def returned_by_callbacks(
    symbols: SymbolTable, in_use: Sequence[FunctionRef], accesses: Sequence[StateAccess]
) -> Iterator[FlowFault]:
    """Yield the nodes that write a path which a callback got inside the `with` that deletes it."""
    cloners = [row for function in in_use for row in _callbacks_of(symbols, function)]
    callbacks = {
        site.key: row for row in cloners for site in _given(in_use, row.function, row.parameter)
    }
    readers = _readers(accesses) if callbacks else {}
    uses = [use for access in accesses for use in access.nodes.values()] if callbacks else []
    for use in uses:
        for write in (write for update in use.updates for write in update.writes):
            row = next((r for f, r in callbacks.items() if _returns(in_use, f, write)), None)
            names = [
                name for name, home in readers.get(write.key, ()) if home != (use.path, use.line)
            ]
            if row and names:
                yield FlowFault(
                    "lost_clone",
                    f"{use.name} writes the path of its clone to `{write.key}`, and the folder is deleted"
                    f" when {row.function.name}() returns: {names[0]}, which reads `{write.key}`, does"
                    " not get the clone",
                    row.function.source.path,
                    row.line,
                    (write.path, write.line),
                )


@dataclass(frozen=True, slots=True)
class _Cloner:
    """Function that clones into a TemporaryDirectory and hands its path to a parameter that it calls."""

    function: FunctionRef
    parameter: str
    line: int


def _callbacks_of(symbols: SymbolTable, function: FunctionRef) -> Iterator[_Cloner]:
    nodes = own_nodes(function.site.node)
    arguments = function.site.node.args
    parameters = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for name, line, is_entered in (
        folders(symbols, function, nodes) if any(map(clones, nodes)) else ()
    ):
        calls = [node for node in nodes if isinstance(node, ast.Call)] if is_entered else []
        for call in calls:
            is_handed = len(call.args) == 1 and is_path(call.args[0], {name})
            if is_handed and called_name(call) in parameters:
                yield _Cloner(function, called_name(call), line)


def _given(
    in_use: Sequence[FunctionRef], cloner: FunctionRef, parameter: str
) -> Iterator[FunctionRef]:
    """Yield the functions that calls hand to a parameter by its name."""
    for caller in in_use:
        if cloner.name not in caller.site.mentions:
            continue
        for node in walk(caller.site.node):
            if isinstance(node, ast.Call) and called_name(node) == cloner.name:
                given = last_name(keyword_of(node, parameter) or ast.Pass())
                yield from (
                    f for f in in_use if given and f.name == given and f.source is caller.source
                )


def _returns(in_use: Sequence[FunctionRef], callback: tuple[str, int], write: KeyWrite) -> bool:
    """Return whether the value that is written is the path that the callback got."""
    function = next((f for f in in_use if f.key == callback), None)
    if function is None or write.path != function.source.path or not function.site.node.args.args:
        return False
    nodes = own_nodes(function.site.node)
    path = function.site.node.args.args[0].arg
    entries = (
        (key, value)
        for node in nodes
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
    )
    return any(
        key is not None
        and constant_text(key) == write.key
        and key.lineno == write.line
        and is_path(value, paths_from(nodes, {path}, ""))
        for key, value in entries
    )


def _pair_of(symbols: SymbolTable, function: FunctionRef) -> tuple[int, int] | None:
    """Return where a function that clones returns a TemporaryDirectory, and where its path."""
    nodes = own_nodes(function.site.node)
    if not any(map(clones, nodes)):
        return None
    for name, _, is_entered in folders(symbols, function, nodes):
        paths = paths_from(nodes, {f"{name}.name"}, name)
        returned = (node.value for node in nodes if isinstance(node, ast.Return))
        for members in (value.elts for value in returned if isinstance(value, ast.Tuple)):
            handles = [place for place, member in enumerate(members) if last_name(member) == name]
            places = [place for place, member in enumerate(members) if is_path(member, paths)]
            if handles and places and not is_entered:
                return handles[0], places[0]
    return None


def _clones_in(nodes: Sequence[ast.AST], pairs: Mapping[str, tuple[int, int]]) -> Iterator[_Clone]:
    """Yield the names under which a function gets a clone from another one."""
    for node in nodes:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        target, name = node.targets[0], called_name(node.value)
        names = [last_name(e) for e in target.elts] if isinstance(target, ast.Tuple) else []
        if name in pairs and len(names) > max(pairs[name]):
            handle, path = pairs[name]
            yield _Clone(names[path], names[handle], node.lineno)
        elif isinstance(target, ast.Name) and clones(node.value):
            yield _Clone(target.id, "", node.lineno)


def _end_of(function: FunctionRef, clone: _Clone, paths: frozenset[str]) -> str:
    """Return when the function deletes the folder in any run, "" where it may not."""
    for node in _last_steps(function.site.node):
        if isinstance(node, ast.Call) and _deletes(node, clone, paths):
            return f"itself (line {node.lineno})"
    every = list(walk(function.site.node))
    is_shared = any(
        isinstance(node, ast.Global | ast.Nonlocal) and clone.handle in node.names for node in every
    )
    is_kept = is_shared or not clone.handle or any(other_uses(every, clone.handle))
    return "" if is_kept else "when it returns, as nothing keeps it"


def _last_steps(function: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs whenever a function ends: its `finally`, and its own statements."""
    for statement in getattr(function, "body", []):
        parts = statement.finalbody if isinstance(statement, ast.Try) else [statement]
        for part in parts:
            # A test whether the folder is there changes nothing.
            inner = part.body if isinstance(part, ast.If) and statement is not part else [part]
            for step in inner:
                if isinstance(step, ast.Expr):
                    yield step.value


def _deletes(call: ast.Call, clone: _Clone, paths: frozenset[str]) -> bool:
    if called_name(call) == "cleanup" and isinstance(call.func, ast.Attribute):
        return bool(clone.handle) and last_name(call.func.value) == clone.handle
    return called_name(call) == "rmtree" and any(is_path(given, paths) for given in call.args[:1])


def _written(nodes: Sequence[ast.AST], paths: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Yield the keys under which a function returns a path, with their lines."""
    for node in nodes:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if is_path(value, paths) and (name := constant_text(key)):
                    yield name, node.lineno


def _readers(accesses: Iterable[StateAccess]) -> Readers:
    readers: dict[str, list[tuple[str, tuple[str, int]]]] = {}
    for access in accesses:
        for use in access.nodes.values():
            for place in use.reads:
                readers.setdefault(place.key, []).append((use.name, (use.path, use.line)))
    return readers


def _other_reader(readers: Sequence[tuple[str, tuple[str, int]]], function: FunctionRef) -> str:
    return next((name for name, home in readers if home != function.key), "")
