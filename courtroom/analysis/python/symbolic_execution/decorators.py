"""Effects of decorators: what a registry keeps, and the name that a wrapper gives."""

from __future__ import annotations

import ast
from dataclasses import replace

from courtroom.analysis.python.symbolic_execution.calls import apply
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.values import (
    Call,
    Class,
    Function,
    Instance,
    Method,
    Value,
)
from courtroom.analysis.python.tree_walk import last_name


def decorated(evaluator: Evaluator, target: Function | Class, decorators: list[ast.expr]) -> Value:
    """Apply the decorators of the repository, the innermost first.

    A wrapper is left out, because the code inside it is what matters; only its name counts.
    """
    value: Value = target
    scope = target.scope if isinstance(target, Function) else target.scope.parent or target.scope
    for decorator in reversed(decorators):
        function = evaluator.evaluate(decorator, scope)
        if not isinstance(function, Function | Instance | Method | Class):
            continue
        node = ast.copy_location(ast.Call(decorator, [], []), decorator)
        result = apply(evaluator, function, Call([value], {}, node, scope))
        if isinstance(result, Function) and isinstance(value, Function):
            is_same = result.node is value.node or _keeps_name(result)
            value = value if is_same else replace(value, own_name=result.name)
        elif isinstance(result, Instance):
            value = result
    return value


def _keeps_name(wrapper: Function) -> bool:
    decorators = getattr(wrapper.node, "decorator_list", [])
    if not decorators:
        return False
    return any(last_name(d.func if isinstance(d, ast.Call) else d) == "wraps" for d in decorators)
