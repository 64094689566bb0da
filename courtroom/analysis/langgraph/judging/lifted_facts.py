"""Rules by which facts lower a score, and after which another rule can lift it again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.judging.dead_conditions import parameter_names
from courtroom.analysis.langgraph.judging.later_settings import (
    MAX_STEPS,
    USUAL_LIMIT,
    Setting,
    Settings,
)
from courtroom.analysis.langgraph.judging.loose_rules import LooseRule
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, last_name, walk

Place = tuple[FunctionRef, int]


def lifted_facts(functions: Sequence[FunctionRef], facts: Sequence[Place]) -> Iterator[LooseRule]:
    """Yield the line of each function that can lift a score above what `facts`, the rule's lines, set.

    A function may apply both rules itself or by calls one after the other.
    """
    by_name = {function.name: function for function in functions}
    lowering = {home.name for home, _ in facts}
    for function in functions:
        settings = Settings(function.site.node)
        lines = {line for home, line in facts if home.key == function.key}
        rows = [row for row in settings.rows if row.line in lines and not _takes_off(row)]
        undone = ((row, later) for row in rows if (later := settings.undoing(row, rows)))
        for row, later in list(undone)[:1]:
            yield _rule(function, row.name, row.line, later.line)
        for name, first, second in list(_by_calls(function, lowering, by_name))[-1:]:
            yield _rule(function, name, first, second)


def _rule(function: FunctionRef, name: str, first: int, second: int) -> LooseRule:
    sentence = (
        f"{function.shown_name}() lets facts decide on `{name}` in line {first}, and line {second} can"
        " lift it above that again"
    )
    return LooseRule(function, second, sentence)


def _takes_off(row: Setting) -> bool:
    """Return true for `score - 1`: a score that others are mixed with later is still lower by it."""
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and last_name(node.left) == row.name
        for node in walk(row.value)
    ) or isinstance(row.operator, ast.Sub)


def _by_calls(
    function: FunctionRef, lowering: set[str], by_name: Mapping[str, FunctionRef]
) -> Iterator[tuple[str, int, int]]:
    """Yield name and lines of `score = by_facts(score)`, and of `score = by_weight(score)` behind it."""
    calls = [
        (target.id, statement, statement.value)
        for statement in function.site.node.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        if isinstance(target := _first(statement.targets[0]), ast.Name)
    ]
    for place, (name, first, by_facts) in enumerate(calls):
        if called_name(by_facts) not in lowering or called_name(by_facts) not in by_name:
            continue
        for _, second, call in (row for row in calls[place + 1 :] if row[0] == name):
            called = by_name.get(called_name(call))
            if called is not None and _can_lift(called, call, name):
                yield name, first.lineno, second.lineno


def _first(node: ast.expr) -> ast.expr:
    return node.elts[0] if isinstance(node, ast.Tuple) and node.elts else node


def _can_lift(function: FunctionRef, call: ast.Call, name: str) -> bool:
    """Return whether a function returns a higher score than it is handed under this name."""
    names = parameter_names(function)
    if function.site.owner is not None:
        names = names[1:]
    handed = [*zip(names, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
    given = next((key for key, value in handed if key and last_name(value) == name), None)
    if given is None:
        return False
    settings = Settings(function.site.node)
    returned = (
        _first(node.value)
        for node in walk(function.site.node)
        if isinstance(node, ast.Return) and node.value is not None
    )
    return any(settings.is_above(value, given, USUAL_LIMIT, MAX_STEPS) for value in returned)
