"""Scores that a judge's code chooses for its opinion itself, from numbers that are written in it."""

from __future__ import annotations

import ast

from courtroom.analysis.langgraph.judging.score_changes import assignments_in
from courtroom.analysis.langgraph.judging.written_numbers import written_numbers
from courtroom.analysis.python.tree_walk import keyword_of, walk


def chosen_score(statement: ast.stmt, function: ast.AST) -> tuple[float, float, int] | None:
    """Return lowest and highest score of the opinion that a statement makes, and a line.

    None where the score may be anything but numbers in the function, such as a model's.
    """
    score = _score_in(statement)
    numbers = written_numbers(score, function) if score is not None else None
    if score is None or not numbers:
        return None
    return min(numbers), max(numbers), assignments_in(function)[score.id][0].lineno


def _score_in(statement: ast.stmt) -> ast.Name | None:
    """Return the `points` of JudicialOpinion(judge="Prosecutor", score=points)."""
    for call in walk(statement):
        if isinstance(call, ast.Call) and keyword_of(call, "judge") is not None:
            score = keyword_of(call, "score")
            if isinstance(score, ast.Name):
                return score
    return None
