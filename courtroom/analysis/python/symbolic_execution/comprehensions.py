"""Comprehensions: one iteration per known member, one unknown iteration for the others."""

from __future__ import annotations

import ast

from courtroom.analysis.python.symbolic_execution.evaluator import MAX_ITERATIONS, Evaluator
from courtroom.analysis.python.symbolic_execution.loops import looped_values
from courtroom.analysis.python.symbolic_execution.value_operations import set_item
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    Doubt,
    Frame,
    ListValue,
    Scope,
    Value,
)


def sequence_comprehension(
    evaluator: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
) -> Value:
    result = ListValue(
        [], made_under=evaluator.doubts, is_ordered=not isinstance(node, ast.SetComp)
    )
    doubts = evaluator.doubts
    for inner, doubt in _iteration_scopes(evaluator, node.generators, Scope(scope.source, scope)):
        evaluator.doubts = (*doubts, doubt) if doubt else doubts
        if doubt is not None and result.doubt is None:
            result.doubt, result.settled = doubt, len(result.members)
        result.members.append(evaluator.evaluate(node.elt, inner))
        result.is_certain = result.is_certain and _is_certain(inner, scope)
    evaluator.doubts = doubts
    return result


def dict_comprehension(evaluator: Evaluator, node: ast.DictComp, scope: Scope) -> Value:
    result = DictValue(made_under=evaluator.doubts)
    doubts = evaluator.doubts
    for inner, doubt in _iteration_scopes(evaluator, node.generators, Scope(scope.source, scope)):
        evaluator.doubts = (*doubts, doubt) if doubt else doubts
        key = evaluator.evaluate(node.key, inner)
        set_item(result, key, evaluator.evaluate(node.value, inner))
        result.doubt = result.doubt or doubt
    evaluator.doubts = doubts
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
) -> list[tuple[Scope, Doubt | None]]:
    """Return one scope per iteration of all the nested loops, and the doubt whether it is."""
    scopes: list[tuple[Scope, Doubt | None]] = [(scope, None)]
    for generator in generators:
        grown: list[tuple[Scope, Doubt | None]] = []
        for outer, outer_doubt in scopes:
            owner = evaluator.evaluate(generator.iter, outer)
            values, settled = looped_values(evaluator, owner)
            for number, value in enumerate(values[:MAX_ITERATIONS]):
                inner = Scope(outer.source, outer)
                evaluator.assign(generator.target, value, Frame(inner))
                tests = [evaluator.truth(evaluator.evaluate(test, inner)) for test in generator.ifs]
                doubt = outer_doubt
                if number >= settled or None in tests:
                    doubt = doubt or Doubt(scope.source.path, generator.iter.lineno)
                if False not in tests:
                    grown.append((inner, doubt))
        # Each loop multiplies the scopes: the product is bounded as well.
        if len(grown) > MAX_ITERATIONS:
            evaluator.give_up(scope, generator.iter, f"runs more than {MAX_ITERATIONS} times")
        scopes = grown[:MAX_ITERATIONS]

    return scopes
