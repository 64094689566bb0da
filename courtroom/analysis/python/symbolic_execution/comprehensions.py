"""Comprehensions: one turn per known member, one unknown turn for what is not known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from courtroom.analysis.python.symbolic_execution import expressions
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Frame,
    Items,
    Outside,
    Scope,
    Table,
    Value,
)

if TYPE_CHECKING:
    from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter


def of_sequence(
    run: Interpreter, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
) -> Value:
    items = Items([])
    for inner in _inner_scopes(run, node.generators, Scope(scope.source, scope)):
        items.members.append(run.evaluate(node.elt, inner))
        items.is_sure = items.is_sure and _is_certain(inner, scope)
    return items


def _is_certain(inner: Scope | None, outside: Scope) -> bool:
    """Whether every loop around this turn went over known members."""
    while inner is not None and inner is not outside:
        if any(value is UNKNOWN for value in inner.names.values()):
            return False
        inner = inner.parent
    return True


def of_dict(run: Interpreter, node: ast.DictComp, scope: Scope) -> Value:
    table = Table()
    for inner in _inner_scopes(run, node.generators, Scope(scope.source, scope)):
        key, value = run.evaluate(node.key, inner), run.evaluate(node.value, inner)
        if isinstance(key, str | int | Outside):
            table.entries[key] = value
        else:
            table.is_open = True
    return table


def _inner_scopes(
    run: Interpreter, generators: list[ast.comprehension], scope: Scope
) -> list[Scope]:
    scopes = [scope]
    for generator in generators:
        grown: list[Scope] = []
        for outer in scopes:
            for value in expressions.turns(run.evaluate(generator.iter, outer))[
                : expressions.MAX_TURNS
            ]:
                inner = Scope(outer.source, outer)
                run.store(generator.target, value, Frame(inner))
                verdicts = [expressions.truth(run.evaluate(test, inner)) for test in generator.ifs]
                if False not in verdicts:
                    grown.append(inner)
        scopes = grown[: expressions.MAX_TURNS]
    return scopes
