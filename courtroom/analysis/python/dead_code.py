"""Code that can never run is no evidence of anything: it is taken out before anybody reads the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_BLOCKS = ("body", "orelse", "finalbody")
_PARTS = ("handlers", "cases")
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def take_out_dead_code(tree: ast.Module) -> None:
    """Remove, in place, what stands behind a condition that is written as false, or after a block has ended."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                live = list(_live(block))
                nothing = [ast.copy_location(ast.Pass(), block[0])] if name == "body" else []
                setattr(node, name, live or nothing)
                waiting += live
        for name in _PARTS:
            waiting += getattr(node, name, ())


def _live(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in block:
        if isinstance(statement, (ast.If, ast.While)) and _is_false(statement.test):
            yield from _live(statement.orelse)
        else:
            yield statement
        if isinstance(statement, _ENDS):
            return


def _is_false(test: ast.expr) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and bool(test.operand.value)
    return isinstance(test, ast.Constant) and not test.value
