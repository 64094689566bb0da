"""Nodes of a function's body that are evaluated whenever it runs, however its tests turn out.

A loop is taken to run, and a test that returns early to let the run pass: the rest is about runs that
do the work.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.python.tree_walk import last_name, push_children

_TESTED = (ast.If, ast.While, ast.IfExp, ast.Assert)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# What is defined runs later.
LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
# Handlers that catch any failing line.
_WIDE = frozenset({"Exception", "BaseException", "NameError"})

# Line, column and class of a node: nodes that begin together differ in class.
NodeMark = tuple[int, int, str]


def mark_of(node: ast.expr) -> NodeMark:
    return node.lineno, node.col_offset, type(node).__name__


def certain_nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of these statements, of nested functions none."""
    stack: list[ast.AST] = list(reversed(_until_end(body)))
    while stack:
        node = stack.pop()
        yield node
        parts = _certain_parts(node)
        if parts is None:
            push_children(node, stack)
        else:
            stack += reversed(parts)


def returns_before(function: ast.FunctionDef | ast.AsyncFunctionDef, line: int) -> list[int]:
    """Return the lines of the function's own returns above a line that is certain but for them."""
    lines, stack = set[int](), list[ast.AST](function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return) and node.lineno < line:
            lines.add(node.lineno)
        if not isinstance(node, (ast.expr, *LATER)):
            push_children(node, stack)
    return sorted(lines)


def _until_end(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    ends = (place for place, part in enumerate(body, start=1) if isinstance(part, _ENDS))
    return list(body[: next(ends, len(body))])


def _certain_parts(node: ast.AST) -> Sequence[ast.AST] | None:
    """Return the parts that are evaluated whenever the node is; None for all of them."""
    if isinstance(node, _TESTED):
        return [node.test]
    if isinstance(node, ast.For | ast.AsyncFor):
        return [node.iter, *_until_end(node.body)]
    if isinstance(node, ast.With | ast.AsyncWith):
        return [*node.items, *_until_end(node.body)]
    if isinstance(node, ast.Try | ast.TryStar):
        tried = [] if any(map(_is_wide, node.handlers)) else _until_end(node.body)
        return [*tried, *_until_end(node.finalbody)]
    if isinstance(node, _COMPREHENSIONS):
        return [node.generators[0].iter, *_elements(node)]
    return _first_part(node)


def _elements(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> list[ast.expr]:
    """Return what a comprehension makes; a condition may drop it, a generator make nothing."""
    if len(node.generators) > 1 or node.generators[0].ifs or isinstance(node, ast.GeneratorExp):
        return []
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def _first_part(node: ast.AST) -> list[ast.expr] | None:
    if isinstance(node, LATER):
        return []
    if isinstance(node, ast.Match):
        return [node.subject]
    if isinstance(node, ast.BoolOp):
        return [node.values[0]]
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value else []
    return None


def _is_wide(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or last_name(kind) in _WIDE for kind in kinds)
