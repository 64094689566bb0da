"""Values of calls.

Functions of the repository are entered; known methods of lists, dicts and strings are applied. A
call of anything else stays a `CallResult` with its arguments: Send and Command are recognised that
way.
"""

from __future__ import annotations

import ast

from courtroom.analysis.python.symbolic_execution import builtin_methods, data_files
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import extend_list
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    CallResult,
    Class,
    DictValue,
    External,
    Function,
    Instance,
    LibraryObject,
    ListValue,
    Method,
    OneOf,
    Scope,
    Template,
    Value,
    join,
)


def evaluate_call(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    target = evaluator.evaluate(node.func, scope)
    positional = ListValue([])
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            extend_list(positional, evaluator.evaluate(argument.value, scope))
        else:
            positional.members.append(evaluator.evaluate(argument, scope))

    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluator.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, DictValue):
            # Unpacked options; their names must be known.
            keywords.update({k: v for k, v in value.entries.items() if isinstance(k, str)})

    return _apply(evaluator, target, Call(positional.members, keywords, node, scope))


def _apply(evaluator: Evaluator, target: Value, call: Call) -> Value:
    if isinstance(target, OneOf):
        return _apply_any(evaluator, target, call)
    if isinstance(target, Function):
        bound = [] if target.bound is None else [target.bound]
        return evaluator.call(target, [*bound, *call.positional], call.keywords)
    if isinstance(target, Class):
        return _instantiate(evaluator, target, call)
    if isinstance(target, Method):
        return _call_method(evaluator, target, call)
    if isinstance(target, External):
        return _call_external(evaluator, target.dotted, call)
    if isinstance(target, Instance):
        method = attribute_of(evaluator, target, "__call__")
        if isinstance(method, Function):
            return evaluator.call(method, [target, *call.positional], call.keywords)
    return UNKNOWN


def _apply_any(evaluator: Evaluator, target: OneOf, call: Call) -> Value:
    """Call the first target that can be followed."""
    callables = [
        choice for choice in target.choices if isinstance(choice, Function | Method | Class)
    ]
    result = _apply(evaluator, callables[0] if callables else UNKNOWN, call)
    # Text is uncertain, because another target may return other text.
    return join([UNKNOWN, result]) if isinstance(result, str | Template) else result


def _instantiate(evaluator: Evaluator, target: Class, call: Call) -> Value:
    base_names = evaluator.symbols.base_names(target.source, target.node)
    library_object = evaluator.construct(base_names, call)
    if library_object is not None:
        return library_object

    instance = Instance(target)
    constructor = attribute_of(evaluator, target, "__init__")
    if isinstance(constructor, Function):
        evaluator.call(constructor, [instance, *call.positional], call.keywords)
    else:
        # A dataclass or a Pydantic model takes its fields by keyword.
        instance.attributes.update(call.keywords)
    return instance


def _call_method(evaluator: Evaluator, target: Method, call: Call) -> Value:
    owner = target.owner
    if isinstance(owner, LibraryObject):
        return evaluator.call_library_method(owner, target.name, call)
    if isinstance(owner, ListValue):
        return builtin_methods.call_list_method(owner, target.name, call.positional)
    if isinstance(owner, DictValue):
        return builtin_methods.call_dict_method(owner, target.name, call.positional)
    if isinstance(owner, str | Template):
        return builtin_methods.call_string_method(
            owner, target.name, call.positional, call.keywords
        )
    if isinstance(owner, CallResult):
        return data_files.open_path(owner, target.name, call.node.lineno)
    return UNKNOWN


def _call_external(evaluator: Evaluator, dotted: str, call: Call) -> Value:
    library_object = evaluator.construct([dotted], call)
    if library_object is not None:
        return library_object
    if builtin_methods.is_builtin(dotted):
        return builtin_methods.call_builtin(dotted, call.positional, call.keywords)
    if dotted in data_files.JSON_READERS and evaluator.reads_data:
        return data_files.load_json(evaluator.symbols.codebase.data, dotted, call.positional)
    return CallResult(
        dotted, tuple(call.positional), tuple(call.keywords.items()), call.node.lineno
    )
