"""Removal of code that can never run: it is no evidence of anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.python.tree_walk import BLOCK_ENDS

# By class, the fields that hold statements, and those that hold parts with statements.
_BLOCKS, _PARTS = (
    {
        kind: tuple(name for name in names if name in kind._fields)
        for kind in vars(ast).values()
        if isinstance(kind, type) and issubclass(kind, ast.AST)
    }
    for names in (("body", "orelse", "finalbody"), ("handlers", "cases"))
)


def remove_dead_code(tree: ast.Module) -> None:
    """Remove, in place, code behind a constant false condition or after the end of a block."""
    off = _switches_off(tree)
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        for name in _BLOCKS[node.__class__]:
            block = getattr(node, name)
            if isinstance(block, list) and block:
                live = list(_live_statements(block, off))
                # A body must hold a statement; an else or finally may be empty.
                empty = [ast.copy_location(ast.Pass(), block[0])] if name == "body" else []
                setattr(node, name, live or empty)
                stack += live
        for name in _PARTS[node.__class__]:
            stack += getattr(node, name)


def _switches_off(tree: ast.Module) -> frozenset[str]:
    """Return the constants of the module that are False and that nothing in it sets again."""
    names = {
        target.id
        for statement in tree.body
        for target in _targets_of_false(statement)
        if isinstance(target, ast.Name) and target.id.isupper()
    }
    stores = [
        node.id
        for node in (ast.walk(tree) if names else ())
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return frozenset(name for name in names if stores.count(name) == 1)


def _targets_of_false(statement: ast.stmt) -> list[ast.expr]:
    """Return what `SWITCH = False` sets, with or without a type."""
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets, value = [statement.target], statement.value
    else:
        return []
    return targets if isinstance(value, ast.Constant) and value.value is False else []


def _live_statements(block: list[ast.stmt], off: frozenset[str]) -> Iterator[ast.stmt]:
    for statement in block:
        if isinstance(statement, (ast.If, ast.While)) and _is_false(statement.test, off):
            yield from _live_statements(statement.orelse, off)
        else:
            yield statement
        if isinstance(statement, BLOCK_ENDS):
            return


def _is_false(test: ast.expr, off: frozenset[str]) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_is_false(part, off) for part in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and bool(test.operand.value)
    if isinstance(test, ast.Name):
        return test.id in off
    return isinstance(test, ast.Constant) and not test.value
