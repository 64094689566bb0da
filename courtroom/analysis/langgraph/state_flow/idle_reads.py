"""Reads of a local name that use nothing: a test for its own default, a parameter nobody reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, walk

# What a branch does beside giving a name its default.
STEPS = (ast.Expr, ast.Return, ast.Raise, ast.Continue, ast.Break)
# Words of what becomes of a value that another function takes and never reads.
HANDED_ON = "hands it to "
Parameters = Mapping[str, tuple[FunctionRef, frozenset[str]]]


def unread_parameters(
    functions: Iterable[FunctionRef],
) -> dict[str, tuple[FunctionRef, frozenset[str]]]:
    """Return by the function's name the parameters that it never reads.

    A function that is handed on, or may be overridden, takes what others take.
    """
    by_name: dict[str, list[FunctionRef]] = {}
    for function in functions:
        by_name.setdefault(function.name, []).append(function)
    handed_on = {name for rows in by_name.values() for row in rows for name in _handed_on(row)}
    unread = {}
    for name, (function, *others) in by_name.items():
        is_free = bool(others or function.site.owner or function.site.node.decorator_list)
        if not is_free and name not in handed_on:
            names = _names(function.site.node)
            left = set(parameter_names(function)) - names
            unread[name] = function, frozenset(n for n in left if not n.startswith("_"))
    return {name: row for name, row in unread.items() if row[1]}


def _handed_on(function: FunctionRef) -> Iterator[str]:
    """Yield the names that a function reads other than to call them."""
    called = {id(node.func) for node in walk(function.site.node) if isinstance(node, ast.Call)}
    for node in walk(function.site.node):
        if isinstance(node, ast.Name) and id(node) not in called:
            yield node.id


def _names(function: ast.AST) -> set[str]:
    return {node.id for node in walk(function) if isinstance(node, ast.Name)}


def idle_reads(function: ast.AST, unread: Parameters) -> dict[str, str]:
    """Return by name what becomes of a value whose reads all use nothing."""
    idle: dict[int, str] = {}
    for node in walk(function):
        if isinstance(node, ast.If):
            idle |= dict.fromkeys(map(id, _own_default(node)), "")
        elif isinstance(node, ast.Call) and called_name(node) in unread:
            idle |= _handed_over(node, *unread[called_name(node)])
    ends: dict[str, list[str | None]] = {}
    for node in walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            ends.setdefault(node.id, []).append(idle.get(id(node)))
    return {
        name: max(filter(None, rows), default="never uses it")
        for name, rows in ends.items()
        if None not in rows
    }


def _own_default(branch: ast.If) -> Iterator[ast.Name]:
    """Yield the name in `if not rules: rules = {...}`."""
    test = branch.test
    name = test.operand if isinstance(test, ast.UnaryOp) else test
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is):
        name = test.left
    stored = (
        n.id for n in walk(branch) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
    has_steps = branch.orelse or any(isinstance(node, STEPS) for node in walk(branch))
    if isinstance(name, ast.Name) and name.id in stored and not has_steps:
        yield name


def _handed_over(
    call: ast.Call, function: FunctionRef, parameters: frozenset[str]
) -> dict[int, str]:
    given = ((name, argument_of(call, name, function)) for name in parameters)
    return {
        id(value): f"{HANDED_ON}{function.name}(), which never reads it"
        for _, value in given
        if isinstance(value, ast.Name)
    }
