"""Limits of what the lines of a rule do to a score: they lift it, or take a little off."""

from __future__ import annotations

import ast

from courtroom.analysis.langgraph.judging.score_changes import ScoreChange, is_lift
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, walk

Lines = list[tuple[FunctionRef, int]]


def take_highest(lines: Lines, changes: list[ScoreChange]) -> bool:
    """Return whether lines set a score to `max(scores)`, and the others only hand a name on."""
    keys = {(function.key, line) for function, line in lines}
    values = [c.value for c in changes if (c.function.key, c.line) in keys]
    rest = [value for value in values if not _is_highest(value)]
    return len(rest) < len(values) and all(isinstance(value, ast.Name) for value in rest)


def only_lift(lines: Lines, changes: list[ScoreChange]) -> bool:
    keys = {(function.key, line) for function, line in lines}
    return bool(lines) and all(is_lift(c) for c in changes if (c.function.key, c.line) in keys)


def penalties(lines: Lines) -> tuple[str, ...]:
    """Return the numbers that lines such as `score -= 0.5` take off; () where one does more."""
    numbers = [
        next(
            (
                str(node.value.value)
                for node in walk(function.site.node)
                if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub)
                if node.lineno == line and isinstance(node.value, ast.Constant)
            ),
            "",
        )
        for function, line in lines
    ]
    return tuple(dict.fromkeys(numbers)) if all(numbers) else ()


def without_extremes(lines: Lines, changes: list[ScoreChange]) -> Lines:
    """Return the lines but for those that take the highest or the lowest score, whoever gave it.

    A line that only hands a name on goes with them.
    """
    keys = {(function.key, line) for function, line in lines}
    values = {(change.function.key, change.line): change.value for change in changes}
    extremes = {key for key in keys & values.keys() if _is_extreme(values[key])}
    names = {key for key in keys & values.keys() if isinstance(values[key], ast.Name)}
    dropped = extremes | names if extremes else extremes
    return [(function, line) for function, line in lines if (function.key, line) not in dropped]


def _is_extreme(value: ast.expr) -> bool:
    is_one = isinstance(value, ast.Call) and called_name(value) in {"max", "min"}
    return is_one and isinstance(value, ast.Call) and len(value.args) == 1


def _is_highest(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and called_name(value) == "max" and len(value.args) == 1
