"""The value of a call: functions of the repository are followed, known methods of lists, dicts and strings applied.

A call of anything else stays what it is, `Called` with its arguments (that is how Send and Command are seen).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from courtroom.analysis.langgraph import builder_calls
from courtroom.analysis.python.symbolic_execution import data_files, expressions, methods
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.values import (
    RUNNING,
    UNKNOWN,
    Builder,
    Called,
    Class,
    Compiled,
    Function,
    Instance,
    Items,
    Method,
    OneOf,
    Outside,
    Scope,
    Table,
    Template,
    Value,
    join,
)

if TYPE_CHECKING:
    from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter


def call(run: Interpreter, node: ast.Call, scope: Scope) -> Value:
    target = run.evaluate(node.func, scope)
    positional = Items([])
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            expressions.extend(positional, run.evaluate(argument.value, scope))
        else:
            positional.members.append(run.evaluate(argument, scope))
    keywords: dict[str, Value] = {}
    for given in node.keywords:
        value = run.evaluate(given.value, scope)
        if given.arg is not None:
            keywords[given.arg] = value
        elif isinstance(value, Table):
            keywords.update(
                {key: inner for key, inner in value.entries.items() if isinstance(key, str)}
            )
    return apply(run, target, positional.members, keywords, node, scope)


def apply(
    run: Interpreter,
    target: Value,
    positional: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    scope: Scope,
) -> Value:
    if isinstance(target, OneOf):
        known = [one for one in target.choices if isinstance(one, Function | Method | Class)]
        result = apply(run, known[0] if known else UNKNOWN, positional, keywords, node, scope)
        return join([UNKNOWN, result]) if isinstance(result, str | Template) else result
    if isinstance(target, Function):
        bound = [] if target.bound is None else [target.bound]
        return run.call(target, [*bound, *positional], keywords)
    if isinstance(target, Class):
        return _instantiate(run, target, positional, keywords, node, scope)
    if isinstance(target, Method):
        return _method(run, target, positional, keywords, node, scope)
    if isinstance(target, Outside):
        return _outside(run, target.dotted, positional, keywords, node, scope)
    if isinstance(target, Instance):
        return _call_instance(run, target, positional, keywords)
    return UNKNOWN


def _call_instance(
    run: Interpreter, target: Instance, positional: list[Value], keywords: dict[str, Value]
) -> Value:
    method = attribute_of(run, target, "__call__")
    if isinstance(method, Function):
        return run.call(method, [target, *positional], keywords)
    return UNKNOWN


def _instantiate(
    run: Interpreter,
    target: Class,
    positional: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    scope: Scope,
) -> Value:
    if builder_calls.is_graph_class(run.names.bases(target.source, target.node)):
        return builder_calls.begin(run, positional, keywords, node, scope)
    instance = Instance(target)
    constructor = attribute_of(run, target, "__init__")
    if isinstance(constructor, Function):
        run.call(constructor, [instance, *positional], keywords)
    else:
        instance.attributes.update(keywords)
    return instance


def _method(
    run: Interpreter,
    target: Method,
    positional: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    scope: Scope,
) -> Value:
    owner = target.owner
    if isinstance(owner, Builder):
        return builder_calls.apply(run, owner, target.name, positional, keywords, node, scope)
    if isinstance(owner, Compiled):
        return _of_compiled(run, owner, target.name)
    if isinstance(owner, Items):
        return methods.of_list(owner, target.name, positional)
    if isinstance(owner, Table):
        return methods.of_dict(owner, target.name, positional)
    if isinstance(owner, str | Template):
        return methods.of_text(owner, target.name, positional, keywords)
    if isinstance(owner, Called):
        return data_files.opened(owner, target.name, node.lineno)
    return UNKNOWN


def _of_compiled(run: Interpreter, graph: Compiled, name: str) -> Value:
    if name in RUNNING:
        run.called.append(graph.builder)
    return graph if name in {"with_config", "with_retry", "with_types"} else UNKNOWN


def _outside(
    run: Interpreter,
    dotted: str,
    positional: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    scope: Scope,
) -> Value:
    if builder_calls.is_graph_class([dotted]):
        return builder_calls.begin(run, positional, keywords, node, scope)
    if methods.is_builtin(dotted):
        return methods.builtin(dotted, positional, keywords)
    if dotted in data_files.READERS and run.reads_data:
        return data_files.loaded(run.names.codebase.data, dotted, positional)
    return Called(dotted, tuple(positional), tuple(keywords.items()), node.lineno)


def bind(
    run: Interpreter,
    function: Function,
    positional: Sequence[Value],
    keywords: dict[str, Value],
    scope: Scope,
) -> None:
    """Give every parameter its value: the argument, else its default, else unknown."""
    arguments = function.node.args
    parameters = [*arguments.posonlyargs, *arguments.args]
    outer = function.scope
    first_default = len(parameters) - len(arguments.defaults)
    for position, parameter in enumerate(parameters):
        if position < len(positional):
            scope.names[parameter.arg] = positional[position]
        elif parameter.arg in keywords:
            scope.names[parameter.arg] = keywords[parameter.arg]
        elif position >= first_default:
            scope.names[parameter.arg] = run.evaluate(
                arguments.defaults[position - first_default], outer
            )
        else:
            scope.names[parameter.arg] = UNKNOWN
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        given = keywords.get(
            parameter.arg, UNKNOWN if default is None else run.evaluate(default, outer)
        )
        scope.names[parameter.arg] = given
    if arguments.vararg:
        scope.names[arguments.vararg.arg] = Items(list(positional[len(parameters) :]))
    if arguments.kwarg:
        names = {parameter.arg for parameter in [*parameters, *arguments.kwonlyargs]}
        scope.names[arguments.kwarg.arg] = Table(
            {k: v for k, v in keywords.items() if k not in names}
        )
