"""What each kind of statement does to the names in scope (see interpreter.py)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.source_index import absolute_module
from courtroom.analysis.python.symbolic_execution import expressions
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Class,
    Flow,
    Frame,
    Function,
    Instance,
    Items,
    Outside,
    Pending,
    Scope,
    Table,
    Value,
    join,
)

if TYPE_CHECKING:
    from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter


def _expression(run: Interpreter, node: ast.Expr, frame: Frame) -> Flow:
    run.evaluate(node.value, frame.scope)
    return Flow.ON


def _assign(run: Interpreter, node: ast.Assign, frame: Frame) -> Flow:
    value = run.evaluate(node.value, frame.scope)
    for target in node.targets:
        store(run, target, value, frame)
    return Flow.ON


def _annotated(run: Interpreter, node: ast.AnnAssign, frame: Frame) -> Flow:
    if node.value is not None:
        store(run, node.target, run.evaluate(node.value, frame.scope), frame)
    return Flow.ON


def _augmented(run: Interpreter, node: ast.AugAssign, frame: Frame) -> Flow:
    here = ast.copy_location(
        ast.BinOp(left=_as_load(node.target), op=node.op, right=node.value), node
    )
    store(run, node.target, run.evaluate(here, frame.scope), frame)
    return Flow.ON


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def store(run: Interpreter, target: ast.expr, value: Value, frame: Frame) -> None:
    if isinstance(target, ast.Name):
        _home_of(run, target.id, frame).names[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        members = value.members if isinstance(value, Items) else []
        for position, part in enumerate(target.elts):
            store(run, part, members[position] if position < len(members) else UNKNOWN, frame)
    elif isinstance(target, ast.Attribute):
        owner = run.evaluate(target.value, frame.scope)
        if isinstance(owner, Instance):
            owner.attributes[target.attr] = value
    elif isinstance(target, ast.Subscript):
        _store_item(run, target, value, frame)


def _home_of(run: Interpreter, name: str, frame: Frame) -> Scope:
    if name in frame.global_names:
        return run.module(frame.scope.source).scope
    return frame.scope


def _store_item(run: Interpreter, target: ast.Subscript, value: Value, frame: Frame) -> None:
    owner = run.evaluate(target.value, frame.scope)
    key = run.evaluate(target.slice, frame.scope)
    if isinstance(owner, Table):
        if isinstance(key, str | int | Outside):
            owner.entries[key] = value
        else:
            owner.is_open = True


def _return(run: Interpreter, node: ast.Return, frame: Frame) -> Flow:
    frame.returned.append(run.evaluate(node.value, frame.scope))
    return Flow.OUT


def _leave(run: Interpreter, node: ast.Raise, frame: Frame) -> Flow:
    run.evaluate(node.exc, frame.scope)
    return Flow.OUT


def _turn(_run: Interpreter, _node: ast.stmt, _frame: Frame) -> Flow:
    return Flow.TURN


def _if(run: Interpreter, node: ast.If, frame: Frame) -> Flow:
    verdict = expressions.truth(run.evaluate(node.test, frame.scope))
    if verdict is not None:
        return run.block(node.body if verdict else node.orelse, frame)
    return _alternatives(run, [node.body, node.orelse], frame)


def _alternatives(run: Interpreter, bodies: Sequence[Sequence[ast.stmt]], frame: Frame) -> Flow:
    """Follow each body from the same start; afterwards a name may have any of the values it was given."""
    before = dict(frame.scope.names)
    ends: list[dict[str, Value]] = []
    flows: list[Flow] = []
    for body in bodies:
        frame.scope.names = dict(before)
        flows.append(run.block(body, frame))
        if flows[-1] is Flow.ON:
            ends.append(frame.scope.names)
    frame.scope.names = _merged(ends) if ends else before
    return Flow.ON if ends else min(flows, key=lambda flow: flow.value)


def _merged(ends: list[dict[str, Value]]) -> dict[str, Value]:
    if len(ends) == 1:
        return ends[0]
    names = list(dict.fromkeys(name for end in ends for name in end))
    return {name: join([end[name] for end in ends if name in end]) for name in names}


def _for(run: Interpreter, node: ast.For | ast.AsyncFor, frame: Frame) -> Flow:
    turns = expressions.turns(run.evaluate(node.iter, frame.scope))
    for value in turns[: expressions.MAX_TURNS]:
        store(run, node.target, value, frame)
        flow = run.block(node.body, frame)
        if flow is Flow.OUT and len(turns) == 1:
            break
    run.block(node.orelse, frame)
    return Flow.ON


def _while(run: Interpreter, node: ast.While, frame: Frame) -> Flow:
    run.evaluate(node.test, frame.scope)
    run.block(node.body, frame)
    return Flow.ON


def _try(run: Interpreter, node: ast.Try, frame: Frame) -> Flow:
    """Handlers are followed first, so that what the undisturbed way assigns is what remains."""
    handled = [run.block(handler.body, frame) for handler in node.handlers]
    flow = run.block(node.body, frame)
    if flow is Flow.ON:
        flow = run.block(node.orelse, frame)
    ending = run.block(node.finalbody, frame)
    if ending is Flow.OUT or (flow is Flow.OUT and all(one is Flow.OUT for one in handled)):
        return Flow.OUT
    return Flow.ON


def _with(run: Interpreter, node: ast.With | ast.AsyncWith, frame: Frame) -> Flow:
    for item in node.items:
        value = run.evaluate(item.context_expr, frame.scope)
        if item.optional_vars is not None:
            store(run, item.optional_vars, value, frame)
    return run.block(node.body, frame)


def _match(run: Interpreter, node: ast.Match, frame: Frame) -> Flow:
    run.evaluate(node.subject, frame.scope)
    bodies = [case.body for case in node.cases]
    is_exhaustive = any(
        isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None and c.guard is None
        for c in node.cases
    )
    return _alternatives(run, bodies if is_exhaustive else [*bodies, []], frame)


def _function(
    _run: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame
) -> Flow:
    frame.scope.names[node.name] = Function(node, frame.scope.source, frame.scope)
    return Flow.ON


def _class(run: Interpreter, node: ast.ClassDef, frame: Frame) -> Flow:
    inner = Frame(Scope(frame.scope.source, frame.scope))
    run.block(node.body, inner)
    frame.scope.names[node.name] = Class(node, frame.scope.source, inner.scope)
    return Flow.ON


def _import(run: Interpreter, node: ast.Import, frame: Frame) -> Flow:
    for alias in node.names:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        origin = run.names.module(name, frame.scope.source)
        bound: Value = Pending(origin, "") if origin and alias.asname else Outside(name)
        frame.scope.names[alias.asname or name] = bound
    return Flow.ON


def _import_from(run: Interpreter, node: ast.ImportFrom, frame: Frame) -> Flow:
    source = frame.scope.source
    base = absolute_module(source, node)
    origin = run.names.module(base, source)
    for alias in node.names:
        if alias.name == "*":
            if origin and origin is not source:
                frame.scope.names.update(run.module(origin).scope.names)
            continue
        frame.scope.names[alias.asname or alias.name] = _imported(
            run, origin, base, alias.name, source
        )
    return Flow.ON


def _imported(
    run: Interpreter, origin: SourceFile | None, base: str, name: str, source: SourceFile
) -> Value:
    if origin is not None and (
        name in run.names.bound_in(origin) or name in origin.imports or origin.star_imports
    ):
        return Pending(origin, name)
    inner = run.names.module(f"{base}.{name}" if base else name, source)
    return Pending(inner, "") if inner else Outside(f"{base}.{name}")


def _global(_run: Interpreter, node: ast.Global, frame: Frame) -> Flow:
    frame.global_names.update(node.names)
    return Flow.ON


HANDLERS: dict[type[ast.stmt], Callable[..., Flow]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _leave,
    ast.Break: _turn,
    ast.Continue: _turn,
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
