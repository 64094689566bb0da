"""Scores of an answer that the judges' code forces into the scale before a schema could refuse them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from courtroom.analysis.langgraph.judging.bound_fields import bound_fields
from courtroom.analysis.langgraph.judging.score_changes import assignments_in
from courtroom.analysis.langgraph.judging.score_defaults import (
    OF_OPINION,
    SCORE,
    behind,
    reads_score,
)
from courtroom.analysis.locations import shown
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, fields_of, walk


def bent_scores(judges: Sequence[FunctionRef]) -> list[dict[str, Any]]:
    """Return as facts where `max(1, min(5, answer["score"]))` becomes the score of an opinion.

    It changes nothing where a bound model has held each answer to its range.
    """
    fields = bound_fields(judges)
    if fields and all(field.is_ranged for field in fields):
        return []
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for function in judges:
        for line in _lines(function.site.node):
            text = (
                f"{function.shown_name} forces the score of an answer into the scale, so that no"
                " schema refuses it."
            )
            rows.setdefault((function.source.path, line), shown(text, (function.source.path, line)))
    return [*rows.values()]


def _lines(function: ast.AST) -> Iterator[int]:
    values = assignments_in(function)
    for node in walk(function):
        fields = fields_of(node)
        if SCORE not in fields or OF_OPINION.isdisjoint(fields):
            continue
        parts = list(behind(fields[SCORE], values))
        # A field of a model was held to its schema already.
        is_raw = any(reads_score(part) and not isinstance(part, ast.Attribute) for part in parts)
        yield from (part.lineno for part in parts if is_raw and _is_clip(part))


def _is_clip(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return true for `max(1, min(5, score))` and `min(5, max(1, score))`."""
    names = ("max", "min")
    if not isinstance(node, ast.Call) or called_name(node) not in names or len(node.args) != 2:
        return False
    inner = [a for a in node.args if isinstance(a, ast.Call) and called_name(a) in names]
    is_bound = any(isinstance(argument, ast.Constant) for argument in node.args)
    return is_bound and any(
        called_name(call) != called_name(node)
        and any(isinstance(argument, ast.Constant) for argument in call.args)
        for call in inner
    )
