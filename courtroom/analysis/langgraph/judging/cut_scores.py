"""Means of the judges' scores that `int()` cuts to a whole number: 4.7 becomes 4."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.judging.averaged_scores import MEANS
from courtroom.analysis.langgraph.judging.score_changes import (
    Assignments,
    assignments_in,
    is_score_name,
    words_in,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, walk

BOUNDS = frozenset({"min", "max", "float"})
SCORES = frozenset({"score", "scores"})
# What is added before a cut so that it rounds.
HALF = 0.5


def cut_scores(functions: Iterable[FunctionRef]) -> Iterator[FlowFault]:
    """Yield each function that keeps a mean of scores by its whole part."""
    for function in functions:
        assigned = assignments_in(function.site.node)
        lines = [
            value.lineno
            for value in _scores_in(function.site.node)
            if isinstance(value, ast.Call) and called_name(value) == "int" and len(value.args) == 1
            if any(map(_is_mean, _values_of(value.args[0], assigned)))
        ]
        if lines:
            sentence = (
                f"{function.shown_name}() keeps the whole part of a mean of scores (`int()`): 4.7"
                " becomes 4"
            )
            path = function.source.path
            places = tuple((path, line) for line in lines[1:])
            yield FlowFault(
                "unused_verdict", sentence, path, lines[0], places=places, is_minor=True
            )


def _scores_in(function: ast.AST) -> Iterator[ast.expr]:
    """Yield what a name for a score or a field for one is set to."""
    for node in walk(function):
        if (isinstance(node, ast.Assign) and any(map(is_score_name, node.targets))) or (
            isinstance(node, ast.keyword) and is_score_name(ast.Name(node.arg or ""))
        ):
            yield node.value


def _values_of(value: ast.expr, assigned: Assignments) -> Iterator[ast.expr]:
    """Yield the values that a number is made of, also in the bounds of a scale and by names."""
    waiting, followed = [value], set[str]()
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name) and part.id not in followed:
            followed.add(part.id)
            waiting += assigned.get(part.id, ())
        elif isinstance(part, ast.Call) and called_name(part) in BOUNDS:
            waiting += part.args
        else:
            yield part


def _is_mean(value: ast.expr) -> bool:
    """Return true for a mean of scores, plain or weighted, that nothing rounds."""
    if not words_in(value) & SCORES:
        return False
    if isinstance(value, ast.Call):
        return called_name(value) in MEANS
    parts = list(walk(value))
    is_rounded = any(isinstance(n, ast.Call) and called_name(n) == "round" for n in parts)
    sums = [n for n in parts if isinstance(n, ast.BinOp)]
    is_lifted = any(_adds_half(n) for n in sums)
    is_whole = is_rounded or is_lifted or not isinstance(value, ast.BinOp)
    return not is_whole and any(map(_has_fraction, sums))


def _adds_half(node: ast.BinOp) -> bool:
    right = node.right
    return isinstance(node.op, ast.Add) and isinstance(right, ast.Constant) and right.value == HALF


def _has_fraction(node: ast.BinOp) -> bool:
    """Return true for a division, and for a share such as `score * 0.4`."""
    sides = (node.left, node.right)
    is_share = any(isinstance(s, ast.Constant) and isinstance(s.value, float) for s in sides)
    return isinstance(node.op, ast.Div) or (isinstance(node.op, ast.Mult) and is_share)
