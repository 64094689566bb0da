"""Effects of statements on the names in scope: one handler for each kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.source_index import absolute_module
from courtroom.analysis.python.symbolic_execution.assignments import assign
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import (
    MAX_ITERATIONS,
    iterated_values,
    truth_of,
)
from courtroom.analysis.python.symbolic_execution.values import (
    Class,
    External,
    Flow,
    Frame,
    Function,
    LazyImport,
    Scope,
    Value,
    join,
)


def _expression(evaluator: Evaluator, node: ast.Expr, frame: Frame) -> Flow:
    evaluator.evaluate(node.value, frame.scope)
    return Flow.NEXT_STATEMENT


def _assign(evaluator: Evaluator, node: ast.Assign, frame: Frame) -> Flow:
    value = evaluator.evaluate(node.value, frame.scope)
    for target in node.targets:
        assign(evaluator, target, value, frame)
    return Flow.NEXT_STATEMENT


def _annotated_assign(evaluator: Evaluator, node: ast.AnnAssign, frame: Frame) -> Flow:
    if node.value is not None:
        assign(evaluator, node.target, evaluator.evaluate(node.value, frame.scope), frame)
    return Flow.NEXT_STATEMENT


def _augmented_assign(evaluator: Evaluator, node: ast.AugAssign, frame: Frame) -> Flow:
    """Evaluate `a += b` as `a = a + b`."""
    operation = ast.BinOp(left=_as_load(node.target), op=node.op, right=node.value)
    value = evaluator.evaluate(ast.copy_location(operation, node), frame.scope)
    assign(evaluator, node.target, value, frame)
    return Flow.NEXT_STATEMENT


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def _return(evaluator: Evaluator, node: ast.Return, frame: Frame) -> Flow:
    frame.returned.append(evaluator.evaluate(node.value, frame.scope))
    return Flow.FUNCTION_EXIT


def _raise(evaluator: Evaluator, node: ast.Raise, frame: Frame) -> Flow:
    evaluator.evaluate(node.exc, frame.scope)
    return Flow.FUNCTION_EXIT


def _leave_loop(_evaluator: Evaluator, _node: ast.stmt, _frame: Frame) -> Flow:
    return Flow.LOOP_EXIT


def _if(evaluator: Evaluator, node: ast.If, frame: Frame) -> Flow:
    truth = truth_of(evaluator.evaluate(node.test, frame.scope))
    if truth is not None:
        return evaluator.execute(node.body if truth else node.orelse, frame)
    return _execute_alternatives(evaluator, [node.body, node.orelse], frame)


def _execute_alternatives(
    evaluator: Evaluator, bodies: Sequence[Sequence[ast.stmt]], frame: Frame
) -> Flow:
    """Follow each body from the same start; then a name may have any of the values it was given."""
    before = dict(frame.scope.names)
    ends: list[dict[str, Value]] = []
    flows: list[Flow] = []
    for body in bodies:
        frame.scope.names = dict(before)
        flow = evaluator.execute(body, frame)
        flows.append(flow)
        # A body that leaves has no say in what the code after it sees.
        if flow is Flow.NEXT_STATEMENT:
            ends.append(frame.scope.names)

    frame.scope.names = _merge_names(ends) if ends else before
    return Flow.NEXT_STATEMENT if ends else min(flows, key=lambda flow: flow.value)


def _merge_names(ends: list[dict[str, Value]]) -> dict[str, Value]:
    if len(ends) == 1:
        return ends[0]
    names = list(dict.fromkeys(name for end in ends for name in end))
    return {name: join([end[name] for end in ends if name in end]) for name in names}


def _for(evaluator: Evaluator, node: ast.For | ast.AsyncFor, frame: Frame) -> Flow:
    values = iterated_values(evaluator.evaluate(node.iter, frame.scope))
    for value in values[:MAX_ITERATIONS]:
        assign(evaluator, node.target, value, frame)
        flow = evaluator.execute(node.body, frame)
        # A return in one of several iterations may depend on the member: the others are followed.
        if flow is Flow.FUNCTION_EXIT and len(values) == 1:
            break
    evaluator.execute(node.orelse, frame)
    return Flow.NEXT_STATEMENT


def _while(evaluator: Evaluator, node: ast.While, frame: Frame) -> Flow:
    """Follow the body once: how often it runs is not known."""
    evaluator.evaluate(node.test, frame.scope)
    evaluator.execute(node.body, frame)
    return Flow.NEXT_STATEMENT


def _try(evaluator: Evaluator, node: ast.Try, frame: Frame) -> Flow:
    # Handlers come first, so that the values of the path without an error are the ones that remain.
    handler_flows = [evaluator.execute(handler.body, frame) for handler in node.handlers]
    flow = evaluator.execute(node.body, frame)
    if flow is Flow.NEXT_STATEMENT:
        flow = evaluator.execute(node.orelse, frame)
    final_flow = evaluator.execute(node.finalbody, frame)

    is_left = flow is Flow.FUNCTION_EXIT and all(
        handler_flow is Flow.FUNCTION_EXIT for handler_flow in handler_flows
    )
    if final_flow is Flow.FUNCTION_EXIT or is_left:
        return Flow.FUNCTION_EXIT
    return Flow.NEXT_STATEMENT


def _with(evaluator: Evaluator, node: ast.With | ast.AsyncWith, frame: Frame) -> Flow:
    for item in node.items:
        value = evaluator.evaluate(item.context_expr, frame.scope)
        if item.optional_vars is not None:
            assign(evaluator, item.optional_vars, value, frame)
    return evaluator.execute(node.body, frame)


def _match(evaluator: Evaluator, node: ast.Match, frame: Frame) -> Flow:
    evaluator.evaluate(node.subject, frame.scope)
    bodies = [case.body for case in node.cases]
    # `case _:` or `case name:` without a guard takes everything.
    is_exhaustive = any(
        isinstance(case.pattern, ast.MatchAs)
        and case.pattern.pattern is None
        and case.guard is None
        for case in node.cases
    )
    return _execute_alternatives(evaluator, bodies if is_exhaustive else [*bodies, []], frame)


def _function(
    _evaluator: Evaluator, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame
) -> Flow:
    frame.scope.names[node.name] = Function(node, frame.scope.source, frame.scope)
    return Flow.NEXT_STATEMENT


def _class(evaluator: Evaluator, node: ast.ClassDef, frame: Frame) -> Flow:
    inner = Frame(Scope(frame.scope.source, frame.scope))
    evaluator.execute(node.body, inner)
    frame.scope.names[node.name] = Class(node, frame.scope.source, inner.scope)
    return Flow.NEXT_STATEMENT


def _import(evaluator: Evaluator, node: ast.Import, frame: Frame) -> Flow:
    for alias in node.names:
        # `import a.b` binds `a`, `import a.b as c` binds the inner module.
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        module = evaluator.symbols.find_module(name, frame.scope.source)
        value: Value = LazyImport(module, "") if module and alias.asname else External(name)
        frame.scope.names[alias.asname or name] = value
    return Flow.NEXT_STATEMENT


def _import_from(evaluator: Evaluator, node: ast.ImportFrom, frame: Frame) -> Flow:
    source = frame.scope.source
    base = absolute_module(source, node)
    module = evaluator.symbols.find_module(base, source)
    for alias in node.names:
        if alias.name == "*":
            if module and module is not source:
                frame.scope.names.update(evaluator.load_module(module).scope.names)
            continue
        value = _imported_value(evaluator, module, base, alias.name, source)
        frame.scope.names[alias.asname or alias.name] = value

    return Flow.NEXT_STATEMENT


def _imported_value(
    evaluator: Evaluator, module: SourceFile | None, base: str, name: str, source: SourceFile
) -> Value:
    symbols = evaluator.symbols
    if module is not None and (
        name in symbols.top_level_names(module) or name in module.imports or module.star_imports
    ):
        return LazyImport(module, name)

    submodule = symbols.find_module(f"{base}.{name}" if base else name, source)
    return LazyImport(submodule, "") if submodule else External(f"{base}.{name}")


def _global(_evaluator: Evaluator, node: ast.Global, frame: Frame) -> Flow:
    frame.global_names.update(node.names)
    return Flow.NEXT_STATEMENT


STATEMENTS: dict[type[ast.stmt], Callable[..., Flow]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _leave_loop,
    ast.Continue: _leave_loop,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _global,
}
