"""Values of calls.

Functions of the repository are entered; known methods of lists, dicts and strings are applied. A
call of anything else stays a `CallResult` with its arguments: Send and Command are recognised that
way.
"""

from __future__ import annotations

import ast

from courtroom.analysis.python.symbolic_execution import (
    builtin_methods,
    data_files,
    higher_order,
    list_methods,
)
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.class_bodies import (
    enum_members,
    field_default,
    field_names,
)
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import extend_list, truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    CallResult,
    Class,
    DictValue,
    Doubt,
    External,
    Function,
    Instance,
    LibraryObject,
    ListValue,
    Method,
    OneOf,
    Scope,
    Super,
    Template,
    Value,
    join,
)

NAMED_TUPLES = frozenset({"typing.NamedTuple", "collections.namedtuple"})


def evaluate_call(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return _super(scope)

    target = evaluator.evaluate(node.func, scope)
    evaluator.note_call(node, target)
    return apply(evaluator, target, arguments_of(evaluator, node, target, scope))


def arguments_of(evaluator: Evaluator, node: ast.Call, target: Value, scope: Scope) -> Call:
    positional = ListValue([])
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            extend_list(positional, evaluator.evaluate(argument.value, scope))
        else:
            positional.members.append(evaluator.evaluate(argument, scope))
    if positional.is_open and isinstance(target, Function):
        # Any parameter after these may be passed.
        positional.members += [UNKNOWN] * len(target.node.args.args)

    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluator.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, DictValue):
            # Unpacked options; their names must be known.
            keywords.update({k: v for k, v in value.entries.items() if isinstance(k, str)})

    return Call(positional.members, keywords, node, scope)


def apply(evaluator: Evaluator, target: Value, call: Call) -> Value:
    """Return the result of calling a value."""
    if isinstance(target, OneOf):
        return _apply_any(evaluator, target, call)
    if isinstance(target, Function):
        bound = [] if target.bound is None else [target.bound]
        result = evaluator.call(target, [*bound, *call.positional], call.keywords)
        evaluator.note_result(call, result)
        return result
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
    if isinstance(target, CallResult):
        return _call_result(evaluator, target, call)
    evaluator.hand_over(call)
    return UNKNOWN


def _apply_any(evaluator: Evaluator, target: OneOf, call: Call) -> Value:
    """Call every target that can be followed, each in doubt."""
    callables = [
        choice for choice in target.choices if isinstance(choice, Function | Method | Class)
    ]
    libraries = [choice for choice in target.choices if isinstance(choice, External | CallResult)]
    if not callables and len(libraries) == 1:
        # A library that may be missing: `except ImportError: traceable = None`.
        return apply(evaluator, libraries[0], call)
    doubts, results = evaluator.doubts, []
    for index, choice in enumerate(callables):
        if len(callables) > 1:
            path, line = call.scope.source.path, call.node.lineno
            doubt = Doubt(path, line, target, index, len(callables))
            evaluator.doubts = (*doubts, doubt)
        results.append(apply(evaluator, choice, call))
    evaluator.doubts = doubts
    if not callables:
        return apply(evaluator, UNKNOWN, call)
    result = join(results)
    # Text is uncertain, because another target may return other text; (x or {}).get(key) is nothing
    # only where x is.
    is_open = len(callables) < len(target.choices) and truth_of(result) is False
    return join([UNKNOWN, result]) if is_open or isinstance(result, str | Template) else result


def _super(scope: Scope) -> Value:
    """Return super() of the method whose scope this is."""
    inner: Scope | None = scope
    while inner is not None and inner.function is None:
        inner = inner.parent
    if inner is None or inner.function is None or inner.parent is None:
        return UNKNOWN
    owner, arguments = inner.parent.owner, inner.function.node.args.args
    if owner is None or not arguments:
        return UNKNOWN
    return Super(owner, inner.names.get(arguments[0].arg, UNKNOWN))


def _instantiate(evaluator: Evaluator, target: Class, call: Call) -> Value:
    members = enum_members(target)
    if members:
        return _member_of_enum(members, call)

    base_names = evaluator.symbols.base_names(target.source, target.node)
    library_object = evaluator.construct(base_names, call, target)
    if library_object is not None:
        constructor = attribute_of(evaluator, library_object, "__init__")
        if isinstance(constructor, Function):
            evaluator.call(constructor, [library_object, *call.positional], call.keywords)
        return library_object
    if NAMED_TUPLES & set(base_names):
        names = field_names(evaluator, target)
        return _row(evaluator, names, call, target)

    instance = Instance(target, made_under=evaluator.doubts)
    constructor = attribute_of(evaluator, target, "__init__")
    if isinstance(constructor, Function):
        evaluator.call(constructor, [instance, *call.positional], call.keywords)
    else:
        # A dataclass or a Pydantic model takes its fields by position or keyword.
        names = field_names(evaluator, target)
        instance.attributes.update(zip(names, call.positional, strict=False))
        instance.attributes.update(call.keywords)
        for name in names:
            if name not in instance.attributes:
                instance.attributes[name] = field_default(evaluator, target, name)
    return instance


def _member_of_enum(members: list[Value], call: Call) -> Value:
    wanted = call.argument(0)
    for member in members:
        value = member.attributes["value"] if isinstance(member, Instance) else member
        if isinstance(wanted, str | int) and value == wanted:
            return member
    return UNKNOWN


def _row(evaluator: Evaluator, names: list[str], call: Call, home: Class | None) -> Value:
    """Return a named tuple, with the defaults of its class."""
    values = dict(zip(names, call.positional, strict=False)) | call.keywords
    for name in names:
        if name not in values:
            values[name] = field_default(evaluator, home, name) if home else UNKNOWN
    return ListValue([values[name] for name in names], names=tuple(names))


def _call_method(evaluator: Evaluator, target: Method, call: Call) -> Value:
    owner = target.owner
    if isinstance(owner, LibraryObject):
        return evaluator.call_library_method(owner, target.name, call)
    if isinstance(owner, ListValue):
        return list_methods.call_list_method(evaluator, owner, target.name, call)
    if isinstance(owner, DictValue):
        return builtin_methods.call_dict_method(evaluator, owner, target.name, call)
    if isinstance(owner, str | Template):
        return builtin_methods.call_string_method(
            owner, target.name, call.positional, call.keywords
        )
    evaluator.hand_over(call)
    if isinstance(owner, CallResult):
        if target.name in {"run_until_complete", "run"} and call.positional:
            return call.positional[0]
        return data_files.open_path(owner, target.name, call.node.lineno)
    return UNKNOWN


def _call_external(evaluator: Evaluator, dotted: str, call: Call) -> Value:
    library_object = evaluator.construct([dotted], call, None)
    if library_object is not None:
        return library_object
    function = higher_order.FUNCTIONS.get(dotted)
    if function is not None:
        return function(evaluator, call, apply)
    if builtin_methods.is_builtin(dotted):
        return builtin_methods.call_builtin(evaluator, dotted, call.positional, call.keywords)
    if dotted in data_files.READERS and evaluator.reads_data:
        return data_files.load_data(evaluator.symbols.codebase.data, dotted, call.positional)
    evaluator.hand_over(call)
    return CallResult(
        dotted, tuple(call.positional), tuple(call.keywords.items()), call.node.lineno
    )


def _call_result(evaluator: Evaluator, target: CallResult, call: Call) -> Value:
    """Call what an external call returned: a partial, a class of namedtuple(), or a decorator."""
    if target.dotted == "functools.partial" and target.positional:
        arguments = [*target.positional[1:], *call.positional]
        keywords = {**dict(target.keywords), **call.keywords}
        inner = Call(arguments, keywords, call.node, call.scope)
        return apply(evaluator, target.positional[0], inner)
    if target.dotted in NAMED_TUPLES and len(target.positional) > 1:
        fields = target.positional[1]
        if isinstance(fields, str):
            return _row(evaluator, fields.replace(",", " ").split(), call, None)
        if isinstance(fields, ListValue) and all(isinstance(f, str) for f in fields.members):
            return _row(evaluator, [str(f) for f in fields.members], call, None)
        if isinstance(fields, ListValue):
            first = [f.members[0] for f in fields.members if isinstance(f, ListValue)]
            return _row(evaluator, [str(f) for f in first], call, None)
    evaluator.hand_over(call)
    if _decorates(target, call):
        return CallResult(target.dotted, tuple(call.positional), (), call.node.lineno)
    return UNKNOWN


def _decorates(target: CallResult, call: Call) -> bool:
    """Return true for `traceable(name="node")(node)`: settings, then the function they are for."""
    settings = (*target.positional, *(value for _, value in target.keywords))
    is_function = len(call.positional) == 1 and isinstance(call.positional[0], Function)
    is_of_settings = not any(isinstance(value, Function | CallResult) for value in settings)
    return is_function and is_of_settings and not call.keywords
