"""Sums of weighted scores in which an absent opinion counts as 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.judging.score_changes import constant_number, is_score_name
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, last_name, walk

Place = tuple[FunctionRef, int]


def lost_shares(functions: Sequence[FunctionRef]) -> Iterator[Place]:
    """Yield `sum(weighted)` where a loop that passes over absent opinions appends `score * 0.25`.

    Not where the sum, or what it is kept as, is divided, or the number of shares is asked for.
    """
    for function in functions:
        nodes = [*walk(function.site.node)]
        for name in sorted({name for node in nodes for name in _shares_in(node)}):
            counted = any(
                _calls(node, "len", name) for node in nodes if isinstance(node, ast.Compare)
            )
            divided = [
                part
                for node in nodes
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
                for part in walk(node.left)
            ]
            sums = [n for n in nodes if _calls(n, "sum", name) and not any(n is d for d in divided)]
            kept = {
                last_name(target)
                for node in nodes
                if isinstance(node, ast.Assign) and any(s is p for p in walk(node) for s in sums)
                for target in node.targets
            }
            is_divided_later = any(last_name(part) in kept for part in divided if last_name(part))
            if sums and not counted and not is_divided_later:
                yield function, min(node.lineno for node in sums if isinstance(node, ast.Call))


def _shares_in(loop: ast.AST) -> Iterator[str]:
    """Yield the lists to which a loop over opinions appends a part of a score."""
    if not isinstance(loop, ast.For):
        return
    skips = [n for n in loop.body if isinstance(n, ast.If) and isinstance(n.body[-1], ast.Continue)]
    if not any(_is_absence(node.test) for node in skips):
        return
    for node in walk(loop):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"),
                args=[ast.BinOp(left=score, op=ast.Mult(), right=weight)],
            ):
                number = constant_number(weight)
                if number is not None and 0 < number < 1 and is_score_name(score):
                    yield name


def _is_absence(test: ast.expr) -> bool:
    """Return true for `opinion is None` and `not opinion`."""
    match test:
        case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return True
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _calls(node: ast.AST, builtin: str, name: str) -> bool:
    """Return whether a call is `builtin(name)`; of a comparison, whether it holds one."""
    return any(
        isinstance(part, ast.Call)
        and called_name(part) == builtin
        and [last_name(argument) for argument in part.args] == [name]
        for part in (walk(node) if isinstance(node, ast.Compare) else [node])
    )
