"""Scores that a helper of the judges writes into an answer which it cannot read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.judging.score_changes import assignments_in
from courtroom.analysis.langgraph.judging.score_defaults import OF_OPINION, SCORE, written_number
from courtroom.analysis.langgraph.judging.structured_calls import MODEL_METHODS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, fields_of, walk

# Calls that read the text of an answer.
TEXT_READERS = frozenset({"loads", "raw_decode", "safe_load", "literal_eval"})


def read_defaults(judges: Sequence[FunctionRef]) -> Iterator[tuple[FunctionRef, int, float]]:
    """Yield function, line and number of `return {"score": 3, "argument": "No answer"}`.

    It stands in a function that asks no model, that reads the text of an answer, and that a function
    which asks one calls.
    """
    asking = [f for f in judges if not MODEL_METHODS.isdisjoint(f.site.mentions)]
    called = {
        called_name(node)
        for function in asking
        for node in walk(function.site.node)
        if isinstance(node, ast.Call)
    }
    for function in judges:
        tree = function.site.node
        if function.name not in called or function in asking or not _reads_text(tree):
            continue
        for node in walk(tree):
            if isinstance(node, ast.Return) and node.value is not None:
                yield from ((function, *score) for score in _scores(node.value, tree))


def _reads_text(function: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) and called_name(n) in TEXT_READERS for n in walk(function))


def _scores(value: ast.expr, function: ast.AST) -> Iterator[tuple[int, float]]:
    """Yield line and number of a written score, and of `score = int(text) if text else 3`."""
    fields = fields_of(value)
    score = fields.get(SCORE)
    if score is None or OF_OPINION.isdisjoint(fields):
        return
    parts = [score]
    if isinstance(score, ast.Name):
        parts = [*assignments_in(function).get(score.id, [])]
    for part in parts:
        for side in (part.body, part.orelse) if isinstance(part, ast.IfExp) else (part,):
            number = written_number(side)
            if number is not None:
                yield side.lineno, number
