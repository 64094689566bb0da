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
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        for name in _BLOCKS[node.__class__]:
            block = getattr(node, name)
            if isinstance(block, list) and block:
                live = list(_live_statements(block))
                # A body must hold a statement; an else or finally may be empty.
                empty = [ast.copy_location(ast.Pass(), block[0])] if name == "body" else []
                setattr(node, name, live or empty)
                stack += live
        for name in _PARTS[node.__class__]:
            stack += getattr(node, name)


def _live_statements(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in block:
        if isinstance(statement, (ast.If, ast.While)) and _is_false(statement.test):
            yield from _live_statements(statement.orelse)
        else:
            yield statement
        if isinstance(statement, BLOCK_ENDS):
            return


def _is_false(test: ast.expr) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and bool(test.operand.value)
    return isinstance(test, ast.Constant) and not test.value
