"""Numbers that an expression in a function can be by the code alone, as in `min(score, 3)`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from courtroom.analysis.langgraph.judging.score_changes import assignments_in
from courtroom.analysis.python.tree_walk import walk

# Calls that keep a number within bounds.
LIMITING: dict[str, Callable[[Sequence[float]], float]] = {
    "max": max,
    "min": min,
    "int": lambda numbers: int(numbers[0]),
    "round": lambda numbers: round(numbers[0]),
}
MOST_NUMBERS = 8
Assigned = Mapping[str, Sequence[ast.expr]]


def written_numbers(value: ast.expr, function: ast.AST) -> frozenset[float] | None:
    """Return the numbers that a value can be; None where it may be anything else."""
    return _numbers(value, _plainly_assigned(function), frozenset())


def _plainly_assigned(function: ast.AST) -> Assigned:
    """Return the values by name, without names that a caller, a loop or an addition sets, too."""
    bindings: Counter[str] = Counter()
    for node in walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bindings[node.id] += 1
        elif isinstance(node, ast.arg):
            bindings[node.arg] += 1
    assigned = assignments_in(function)
    return {name: values for name, values in assigned.items() if len(values) == bindings[name]}


def _numbers(value: ast.expr, assigned: Assigned, names: frozenset[str]) -> frozenset[float] | None:
    """Return the numbers, `names` being those that are followed now."""
    if isinstance(value, ast.Constant):
        number = value.value
        if isinstance(number, int | float) and not isinstance(number, bool):
            return frozenset([number])
        return None
    if isinstance(value, ast.Name):
        parts = assigned.get(value.id, ())
        return _any_of(parts, assigned, names | {value.id}) if value.id not in names else None
    if isinstance(value, ast.IfExp):
        return _any_of([value.body, value.orelse], assigned, names)
    return _limited(value, assigned, names) if isinstance(value, ast.Call) else None


def _limited(call: ast.Call, assigned: Assigned, names: frozenset[str]) -> frozenset[float] | None:
    limit = LIMITING.get(call.func.id) if isinstance(call.func, ast.Name) else None
    if limit is None or call.keywords:
        return None
    # min(score, 3) as a value of `score` is 3, or one of its other values.
    arguments = [a for a in call.args if not (isinstance(a, ast.Name) and a.id in names)]
    choices = [_numbers(argument, assigned, names) for argument in arguments]
    if not choices or any(choice is None or len(choice) > MOST_NUMBERS for choice in choices):
        return None
    return frozenset(limit(numbers) for numbers in product(*filter(None, choices)))


def _any_of(
    parts: Sequence[ast.expr], assigned: Assigned, names: frozenset[str]
) -> frozenset[float] | None:
    choices = [_numbers(part, assigned, names) for part in parts]
    return None if not choices or None in choices else frozenset().union(*filter(None, choices))
