"""Detectives that do nothing: every way through the node returns an empty update of the state."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from courtroom.analysis.diagrams.parallel_branches import is_exit
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.node_roles import is_single
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import called_name

# Calls from a wrapper to the function that does the work.
MAX_DEPTH = 4
# Calls that read a value and hand it on to nobody.
READING = frozenset({"len", "print", "str", "bool", "repr", "get", "keys", "items", "values"})
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def empty_detectives(call_graph: CallGraph, layers: Layers) -> list[dict[str, Any]]:
    """Return node, path and line of each node of one detective that never returns anything."""
    return [
        {"name": name, "path": worker.source.path, "line": worker.site.node.lineno}
        for name, function in layers.nodes.items()
        if layers.roles[name] == "detective" and is_single(name, "detective") and not is_exit(name)
        if (worker := _worker(call_graph, function, MAX_DEPTH))
    ]


def _worker(call_graph: CallGraph, function: FunctionRef, depth: int) -> FunctionRef | None:
    """Return the function that does nothing: this one, or the one whose result it returns."""
    nodes = list(_own_nodes(function.site.node))
    names = {argument.arg for argument in function.site.node.args.args}
    if not depth or any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
        return None
    if any(_changes(node, names) for node in nodes) or not _ends(function.site.node.body):
        return None
    returns = [node.value for node in nodes if isinstance(node, ast.Return)]
    results = [result for value in returns or [None] for result in _values(value, nodes)]
    if any(_hands_on(call_graph, function, node, names) for node in nodes if node not in results):
        return None
    workers = [_worker_of(call_graph, function, result, depth) for result in results]
    return workers[-1] if all(workers) else None


def _worker_of(
    call_graph: CallGraph, function: FunctionRef, result: ast.expr | None, depth: int
) -> FunctionRef | None:
    if _is_empty(result):
        return function
    called = call_graph.called_by(function.source, result) if isinstance(result, ast.Call) else []
    return _worker(call_graph, called[0], depth - 1) if len(called) == 1 else None


def _hands_on(call_graph: CallGraph, function: FunctionRef, node: ast.AST, names: set[str]) -> bool:
    """Return whether a function of the work gets the state, and may fill it."""
    if not isinstance(node, ast.Call) or not _gets(node, names):
        return False
    return bool(call_graph.called_by(function.source, node))


def _gets(node: ast.AST, names: set[str]) -> bool:
    """Return whether a call that may change its arguments gets one of the names."""
    return (
        isinstance(node, ast.Call)
        and called_name(node) not in READING
        and any(isinstance(argument, ast.Name) and argument.id in names for argument in node.args)
    )


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of functions inside it."""
    for node in ast.iter_child_nodes(function):
        yield node
        if not isinstance(node, SCOPES):
            yield from _own_nodes(node)


def _ends(body: list[ast.stmt]) -> bool:
    """Return false for a function that only raises, or is not written yet."""
    return any(not isinstance(s, ast.Raise | ast.Pass) for s in body)


def _values(value: ast.expr | None, nodes: list[ast.AST]) -> list[ast.expr | None]:
    """Return what a returned name may hold, or the expression itself."""
    if not isinstance(value, ast.Name):
        return [value]
    if any(_changes(node, {value.id}) or _gets(node, {value.id}) for node in nodes):
        return [value]
    assigned = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and any(_is_stored(target, value.id) for target in _targets(node))
    ]
    stored = sum(_is_stored(node, value.id) for node in nodes)
    return [*assigned] if assigned and stored == len(assigned) else [value]


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _is_stored(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _changes(node: ast.AST, names: set[str]) -> bool:
    """Return whether a statement or call may change what one of the names holds."""
    if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return _root(node) in names
    if isinstance(node, ast.AugAssign):
        return _root(node.target) in names
    if not isinstance(node, ast.Call) or called_name(node) in READING:
        return False
    return isinstance(node.func, ast.Attribute) and _root(node.func) in names


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_empty(value: ast.expr | None) -> bool:
    if value is None or (isinstance(value, ast.Constant) and value.value in (None, "")):
        return True
    if isinstance(value, ast.Dict):
        return all(map(_is_empty, value.values))
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return not value.elts
    return ast.unparse(value) in {"dict()", "list()"}
