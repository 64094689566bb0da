"""Scores that a judge's code chooses for its opinion itself, from numbers that are written in it."""

from __future__ import annotations

import ast

from courtroom.analysis.python.tree_walk import called_name, keyword_of, walk


def chosen_score(statement: ast.stmt, function: ast.AST) -> tuple[float, float, int] | None:
    """Return lowest and highest score of the opinion that a statement makes, and a line.

    None where the score may be anything but numbers in the function, such as a model's.
    """
    name = _name_of_score(statement)
    if name is None:
        return None
    numbers: list[float] = []
    lines: list[int] = []
    for node in walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(_is_name(target, name) for target in targets):
                chosen = _chosen_numbers(node.value, name)
                if not chosen:
                    return None
                numbers += chosen
                lines.append(node.lineno)
    if not numbers or len(lines) != _count_bindings(function, name):
        return None
    return min(numbers), max(numbers), lines[0]


def _name_of_score(statement: ast.stmt) -> str | None:
    """Return `score` of JudicialOpinion(judge="Prosecutor", score=score)."""
    for call in walk(statement):
        if isinstance(call, ast.Call) and keyword_of(call, "judge") is not None:
            score = keyword_of(call, "score")
            if isinstance(score, ast.Name):
                return score.id
    return None


def _chosen_numbers(value: ast.expr, name: str) -> list[float]:
    """Return the numbers that a value may be; none where it may be anything else.

    min(score, 3) is 3, or what the score was.
    """
    if isinstance(value, ast.Constant):
        number = value.value
        if isinstance(number, bool) or not isinstance(number, int | float):
            return []
        return [float(number)]
    if isinstance(value, ast.IfExp):
        parts = [_chosen_numbers(part, name) for part in (value.body, value.orelse)]
        return parts[0] + parts[1] if all(parts) else []
    if isinstance(value, ast.Call) and called_name(value) in {"min", "max"}:
        others = [argument for argument in value.args if not _is_name(argument, name)]
        parts = [_chosen_numbers(argument, name) for argument in others]
        return [number for part in parts for number in part] if all(parts) else []
    return []


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _count_bindings(function: ast.AST, name: str) -> int:
    """Return how often a name is bound: loops, arguments and additions count too."""
    return sum(
        (_is_name(node, name) and isinstance(getattr(node, "ctx", None), ast.Store))
        or (isinstance(node, ast.arg) and node.arg == name)
        for node in walk(function)
    )
