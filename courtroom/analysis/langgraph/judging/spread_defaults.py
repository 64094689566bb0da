"""Scores for absent opinions that set off a rule on scores far apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.absent_opinions import absent_default
from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.judging.score_changes import (
    Assignments,
    ScoreChange,
    assignments_in,
    constant_number,
    is_conjunction,
)
from courtroom.analysis.langgraph.judging.text_values import constants_of
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, walk, words_of

LOWEST, HIGHEST = 1, 5
# Calls that keep a score within its scale.
CLAMPS = frozenset({"min", "max", "int", "float", "round"})


@dataclass(frozen=True, slots=True)
class SpreadDefault:
    """Number at `line` of `function` for an absent opinion; `ruling` has the rule in line `rule`.

    `farthest` is a score of another judge with which the rule applies.
    """

    function: FunctionRef
    line: int
    name: str
    number: float
    ruling: FunctionRef
    rule: int
    farthest: int


def spread_defaults(
    functions: Sequence[FunctionRef], changes: Sequence[ScoreChange]
) -> Iterator[SpreadDefault]:
    """Yield the defaults that lie so far from a score of the scale that a rule on the spread applies.

    The score may be passed to the function with the rule, and may be cut to the scale before.
    """
    for function in functions:
        assigned = assignments_in(function.site.node)
        for name, values in assigned.items():
            number = absent_default(values[0])
            if number is None or not all(_keeps(value, name, number) for value in values[1:]):
                continue
            for ruling, parameter in _readers(function, name, functions):
                farthest = max((HIGHEST, LOWEST), key=lambda score: abs(score - number))
                line = _rule_line(ruling, parameter, abs(farthest - number), changes)
                if line:
                    default = function, values[0].lineno, name, number
                    yield SpreadDefault(*default, ruling, line, farthest)
                    break


def _keeps(value: ast.expr, name: str, number: float) -> bool:
    """Return true for `max(1, min(5, int(score)))`, which leaves a number of the scale as it is."""
    is_own = any(isinstance(node, ast.Name) and node.id == name for node in walk(value))
    calls = [node for node in walk(value) if isinstance(node, ast.Call)]
    bounds = {
        (called_name(call), limit)
        for call in calls
        for argument in call.args
        if (limit := constant_number(argument)) is not None
    }
    is_kept = all(number <= limit if end == "min" else number >= limit for end, limit in bounds)
    return is_own and is_kept and all(called_name(call) in CLAMPS for call in calls)


def _readers(
    function: FunctionRef, name: str, functions: Sequence[FunctionRef]
) -> Iterator[tuple[FunctionRef, str]]:
    """Yield the function with its name of a score, and those to which it passes it."""
    yield function, name
    calls = [node for node in walk(function.site.node) if isinstance(node, ast.Call)]
    for other in functions:
        for call in calls:
            if called_name(call) != other.name or other.key == function.key:
                continue
            for parameter in parameter_names(other):
                argument = argument_of(call, parameter, other)
                if isinstance(argument, ast.Name) and argument.id == name:
                    yield other, parameter


def _rule_line(
    function: FunctionRef, name: str, widest: float, changes: Sequence[ScoreChange]
) -> int | None:
    """Return the line of a test that so wide a spread meets, and that a change of a score is under."""
    assigned = assignments_in(function.site.node)
    for node in walk(function.site.node):
        if not isinstance(node, ast.If):
            continue
        lines = range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
        is_change = any(c.function.key == function.key and c.line in lines for c in changes)
        is_score = isinstance(node.body[-1], ast.Return) and "score" in words_of(function.name)
        if not is_change and not is_score:
            continue
        for part in node.test.values if is_conjunction(node.test) else [node.test]:
            if _is_met(part, name, widest, assigned, function):
                return node.lineno
    return None


def _is_met(
    test: ast.expr, name: str, widest: float, assigned: Assignments, function: FunctionRef
) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    right = test.comparators[0]
    limits = constants_of(right.id, function) if isinstance(right, ast.Name) else [right]
    limit = constant_number(limits[0]) if len(limits) == 1 else None
    if limit is None or name not in _scores_apart(_value_of(test.left, assigned), assigned):
        return False
    if isinstance(test.ops[0], ast.Gt):
        return widest > limit
    return isinstance(test.ops[0], ast.GtE) and widest >= limit


def _scores_apart(node: ast.expr, assigned: Assignments) -> set[str]:
    """Return the names in `max(p, d, t) - min(p, d, t)`, also where they stand in a list."""
    match node:
        case ast.BinOp(
            left=ast.Call(func=ast.Name(id="max"), args=highest),
            op=ast.Sub(),
            right=ast.Call(func=ast.Name(id="min"), args=lowest),
        ):
            both = [_names_in(args, assigned) for args in (highest, lowest)]
            return both[0] & both[1]
    return set()


def _names_in(arguments: list[ast.expr], assigned: Assignments) -> set[str]:
    if len(arguments) == 1:
        members = _value_of(arguments[0], assigned)
        arguments = members.elts if isinstance(members, ast.List | ast.Tuple) else []
    return {argument.id for argument in arguments if isinstance(argument, ast.Name)}


def _value_of(node: ast.expr, assigned: Assignments) -> ast.expr:
    values = assigned.get(node.id, []) if isinstance(node, ast.Name) else []
    return values[0] if len(values) == 1 else node
