"""Code that runs where a function that asks the judges' model has no answer and returns None."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from courtroom.analysis.langgraph.judging.structured_calls import MODEL_METHODS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import BLOCK_ENDS, called_name, last_name, walk


def without_answer(function: ast.AST, functions: Mapping[str, FunctionRef]) -> Iterator[ast.AST]:
    """Yield what a function does where such an answer is None: `else`, `or`, after a `return`."""
    names = {
        last_name(target)
        for node in walk(function)
        if isinstance(node, ast.Assign) and _may_be_none(node.value, functions)
        for target in node.targets
    } - {""}
    for node in walk(function):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            first, *others = node.values
            if last_name(first) in names or _may_be_none(first, functions):
                yield from others
        elif isinstance(node, ast.IfExp) and (absent := _absent(node.test, names)) is not None:
            yield node.body if absent else node.orelse
        yield from _in_block(node, names)


def _in_block(node: ast.AST, names: set[str]) -> Iterator[ast.stmt]:
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        block = statements if isinstance(statements, list) else []
        for position, part in enumerate(block):
            absent = _absent(part.test, names) if isinstance(part, ast.If) else None
            if absent is None:
                continue
            yield from part.body if absent else part.orelse
            if not (absent or part.orelse) and isinstance(part.body[-1], BLOCK_ENDS):
                yield from block[position + 1 :]


def _absent(test: ast.expr, names: set[str]) -> bool | None:
    """Return whether the test holds where the answer is missing; None where it tests another."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _absent(test.operand, names)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
        is_none = test.comparators[0].value is None and last_name(test.left) in names
        operator = test.ops[0]
        is_test = is_none and isinstance(operator, ast.Is | ast.IsNot)
        return isinstance(operator, ast.Is) if is_test else None
    return False if last_name(test) in names else None


def _may_be_none(value: ast.expr, functions: Mapping[str, FunctionRef]) -> bool:
    """Return true for a call of a function that returns None after its request failed."""
    call = value.value if isinstance(value, ast.Await) else value
    called = functions.get(called_name(call)) if isinstance(call, ast.Call) else None
    if called is None or MODEL_METHODS.isdisjoint(called.site.mentions):
        return False
    nodes = list(walk(called.site.node))
    tries = [node.lineno for node in nodes if isinstance(node, ast.Try)]
    return any(
        isinstance(node, ast.Return)
        and (node.value is None or (isinstance(node.value, ast.Constant) and not node.value.value))
        and node.lineno > min(tries, default=node.lineno)
        for node in nodes
    )
