"""Comprehensions: one iteration per known member, one unknown iteration for the others."""

from __future__ import annotations

import ast

from courtroom.analysis.python.symbolic_execution.assignments import assign
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import (
    MAX_ITERATIONS,
    iterated_values,
    set_item,
    truth_of,
)
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    Frame,
    ListValue,
    Scope,
    Value,
)


def sequence_comprehension(
    evaluator: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
) -> Value:
    result = ListValue([])
    for inner in _iteration_scopes(evaluator, node.generators, Scope(scope.source, scope)):
        result.members.append(evaluator.evaluate(node.elt, inner))
        result.is_certain = result.is_certain and _is_certain(inner, scope)
    return result


def dict_comprehension(evaluator: Evaluator, node: ast.DictComp, scope: Scope) -> Value:
    result = DictValue()
    for inner in _iteration_scopes(evaluator, node.generators, Scope(scope.source, scope)):
        key = evaluator.evaluate(node.key, inner)
        set_item(result, key, evaluator.evaluate(node.value, inner))
    return result


def _is_certain(inner: Scope | None, outside: Scope) -> bool:
    """Return true when every loop around this iteration went over known members."""
    while inner is not None and inner is not outside:
        if any(value is UNKNOWN for value in inner.names.values()):
            return False
        inner = inner.parent
    return True


def _iteration_scopes(
    evaluator: Evaluator, generators: list[ast.comprehension], scope: Scope
) -> list[Scope]:
    """Return one scope per iteration of all the nested loops."""
    scopes = [scope]
    for generator in generators:
        grown: list[Scope] = []
        for outer in scopes:
            values = iterated_values(evaluator.evaluate(generator.iter, outer))
            for value in values[:MAX_ITERATIONS]:
                inner = Scope(outer.source, outer)
                assign(evaluator, generator.target, value, Frame(inner))
                tests = [truth_of(evaluator.evaluate(test, inner)) for test in generator.ifs]
                if False not in tests:
                    grown.append(inner)
        # Each loop multiplies the scopes: the product is bounded as well.
        scopes = grown[:MAX_ITERATIONS]

    return scopes
