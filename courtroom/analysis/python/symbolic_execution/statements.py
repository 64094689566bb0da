"""Effects of statements on the names in scope: one handler for each kind of node."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence

from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.source_index import absolute_module
from courtroom.analysis.python.symbolic_execution.assignments import delete_item
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.class_bodies import make_enum, register_subclass
from courtroom.analysis.python.symbolic_execution.decorators import decorated
from courtroom.analysis.python.symbolic_execution.evaluator import MAX_ITERATIONS, Evaluator
from courtroom.analysis.python.symbolic_execution.loops import looped_values
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Class,
    DictValue,
    Doubt,
    External,
    Flow,
    Frame,
    Function,
    Instance,
    LazyImport,
    ListValue,
    Scope,
    Template,
    Value,
    choices_of,
    join,
)
from courtroom.analysis.python.tree_walk import walk


def _expression(evaluator: Evaluator, node: ast.Expr, frame: Frame) -> Flow:
    evaluator.evaluate(node.value, frame.scope)
    return Flow.NEXT_STATEMENT


def _assign(evaluator: Evaluator, node: ast.Assign, frame: Frame) -> Flow:
    value = evaluator.evaluate(node.value, frame.scope)
    for target in node.targets:
        evaluator.assign(target, value, frame)
    return Flow.NEXT_STATEMENT


def _annotated_assign(evaluator: Evaluator, node: ast.AnnAssign, frame: Frame) -> Flow:
    if node.value is not None:
        evaluator.assign(node.target, evaluator.evaluate(node.value, frame.scope), frame)
    return Flow.NEXT_STATEMENT


def _augmented_assign(evaluator: Evaluator, node: ast.AugAssign, frame: Frame) -> Flow:
    """Evaluate `a += b` as `a = a + b`."""
    operation = ast.BinOp(left=_as_load(node.target), op=node.op, right=node.value)
    value = evaluator.evaluate(ast.copy_location(operation, node), frame.scope)
    evaluator.assign(node.target, value, frame)
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


def _continue_loop(_evaluator: Evaluator, _node: ast.stmt, _frame: Frame) -> Flow:
    return Flow.NEXT_ITERATION


def _if(evaluator: Evaluator, node: ast.If, frame: Frame) -> Flow:
    truth = evaluator.truth(evaluator.evaluate(node.test, frame.scope))
    if truth is None and id(node) in evaluator.assumed:
        body = node.body if evaluator.assumed[id(node)] else node.orelse
        return evaluator.execute(body, frame)
    if truth is not None:
        evaluator.skip(frame.scope, node.orelse if truth else node.body)
        return evaluator.execute(node.body if truth else node.orelse, frame)
    return _execute_alternatives(evaluator, node, [node.body, node.orelse], frame)


def _execute_alternatives(
    evaluator: Evaluator, node: ast.stmt, bodies: Sequence[Sequence[ast.stmt]], frame: Frame
) -> Flow:
    """Follow each body from the same start; then a name may have any of the values it was given."""
    before, doubts = dict(frame.scope.names), evaluator.doubts
    path = frame.scope.source.path
    ends: list[dict[str, Value]] = []
    flows: list[Flow] = []
    is_left = False
    for index, body in enumerate(bodies):
        frame.scope.names = dict(before)
        evaluator.doubts = (*doubts, Doubt(path, node.lineno, node, index, len(bodies)))
        returned = len(frame.returned)
        flow = evaluator.execute(body, frame)
        flows.append(flow)
        # A body that leaves has no say in what the code after it sees.
        if flow is Flow.NEXT_STATEMENT:
            ends.append(frame.scope.names)
        # One that raises ends the program: what comes after runs in every other run.
        elif flow is not Flow.FUNCTION_EXIT or len(frame.returned) > returned:
            is_left = True
        # What leaves only the loop is seen by the code after the loop.
        if flow in {Flow.LOOP_EXIT, Flow.NEXT_ITERATION}:
            frame.left.append(frame.scope.names)

    evaluator.doubts = doubts
    if is_left and ends:
        evaluator.doubts = (*doubts, Doubt(path, node.lineno))
    frame.scope.names = _merge_names(ends) if ends else before
    return Flow.NEXT_STATEMENT if ends else min(flows, key=lambda flow: flow.value)


def _merge_names(ends: list[dict[str, Value]]) -> dict[str, Value]:
    if len(ends) == 1:
        return ends[0]
    names = list(dict.fromkeys(name for end in ends for name in end))
    return {name: join([end[name] for end in ends if name in end]) for name in names}


def _loop(follow: Callable[..., Flow]) -> Callable[..., Flow]:
    """Return a handler of loops: after one, a name may have any value of a turn that left it."""

    def handle(evaluator: Evaluator, node: ast.stmt, frame: Frame) -> Flow:
        outer, frame.left = frame.left, []
        flow = follow(evaluator, node, frame)
        frame.scope.names = _merge_names([*frame.left, frame.scope.names])
        frame.left = outer
        return flow

    return handle


def _for(evaluator: Evaluator, node: ast.For | ast.AsyncFor, frame: Frame) -> Flow:
    return follow_loop(evaluator, node, evaluator.evaluate(node.iter, frame.scope), frame)


def follow_loop(
    evaluator: Evaluator, node: ast.For | ast.AsyncFor, source: Value, frame: Frame
) -> Flow:
    """Follow the body of a loop for each member of `source`."""
    values, settled = looped_values(evaluator, source)
    if len(values) > MAX_ITERATIONS:
        evaluator.give_up(frame.scope, node, f"runs more than {MAX_ITERATIONS} times")
    if not values:
        evaluator.skip(frame.scope, node.body)

    doubts = evaluator.doubts
    flow = Flow.NEXT_STATEMENT
    for number, value in enumerate(values[:MAX_ITERATIONS]):
        if number == settled:
            evaluator.doubts = (*doubts, Doubt(frame.scope.source.path, node.lineno))
            frame.left.append(dict(frame.scope.names))
        evaluator.assign(node.target, value, frame)
        flow = evaluator.execute(node.body, frame)
        if flow is Flow.LOOP_EXIT or (flow is Flow.FUNCTION_EXIT and number < settled):
            break

    is_certain = len(values) <= settled
    evaluator.doubts = doubts
    if flow is Flow.FUNCTION_EXIT and is_certain:
        return flow
    if flow is Flow.LOOP_EXIT and is_certain:
        evaluator.skip(frame.scope, node.orelse)
        return Flow.NEXT_STATEMENT
    return evaluator.execute(node.orelse, frame)


def _while(evaluator: Evaluator, node: ast.While, frame: Frame) -> Flow:
    """Follow the body as long as the test is known to hold, and once where it is not known."""
    doubts = evaluator.doubts
    for _ in range(MAX_ITERATIONS):
        truth = truth_of(evaluator.evaluate(node.test, frame.scope))
        if truth is False:
            break
        before = _progress(frame)
        if truth is None:
            evaluator.doubts = (*evaluator.doubts, Doubt(frame.scope.source.path, node.lineno))
            frame.left.append(dict(frame.scope.names))
        inner_doubts = evaluator.doubts
        flow = evaluator.execute(node.body, frame)
        is_certain = truth is True and evaluator.doubts == inner_doubts
        if flow in {Flow.LOOP_EXIT, Flow.FUNCTION_EXIT}:
            evaluator.doubts = doubts
            return flow if flow is Flow.FUNCTION_EXIT and is_certain else Flow.NEXT_STATEMENT
        # A loop whose end is decided by a run is followed once.
        if not is_certain or _progress(frame) == before:
            break
    else:
        evaluator.give_up(frame.scope, node, f"runs more than {MAX_ITERATIONS} times")

    evaluator.doubts = doubts
    return evaluator.execute(node.orelse, frame)


def _progress(frame: Frame) -> list[object]:
    """Return what tells one turn of a loop from the next: plain values, and lengths of lists."""
    return [
        len(value.members) if isinstance(value, ListValue) else value
        for value in frame.scope.names.values()
        if isinstance(value, ListValue | str | int | float | bool)
    ]


def _try(evaluator: Evaluator, node: ast.Try, frame: Frame) -> Flow:
    before, doubts = dict(frame.scope.names), evaluator.doubts
    flow = evaluator.execute(node.body, frame)
    if flow is Flow.NEXT_STATEMENT:
        flow = evaluator.execute(node.orelse, frame)
    after, after_doubts = frame.scope.names, evaluator.doubts

    is_left = flow is Flow.FUNCTION_EXIT
    for handler in node.handlers:
        frame.scope.names = dict(before)
        failure = Doubt(frame.scope.source.path, handler.lineno, is_failure=True)
        evaluator.doubts = (*doubts, failure)
        if flow is Flow.LOOP_EXIT:
            # Without a failure there is one turn; with failures, this may be any of them.
            frame.scope.names |= dict.fromkeys(_tested_numbers(handler, frame), UNKNOWN)
        if handler.name:
            frame.scope.names[handler.name] = UNKNOWN
        handler_flow = evaluator.execute(handler.body, frame)
        is_left = is_left and handler_flow is Flow.FUNCTION_EXIT
        if handler_flow is Flow.NEXT_STATEMENT:
            after = _merge_failure(before, after, frame.scope.names)

    frame.scope.names, evaluator.doubts = after, after_doubts
    if flow is Flow.FUNCTION_EXIT and not is_left:
        # Only a failure leads past a body that returns.
        failure = Doubt(frame.scope.source.path, node.lineno, is_failure=True)
        evaluator.doubts = (*doubts, failure)
    final_flow = evaluator.execute(node.finalbody, frame)
    if final_flow is Flow.FUNCTION_EXIT or is_left:
        return Flow.FUNCTION_EXIT
    return Flow.NEXT_STATEMENT if flow is Flow.FUNCTION_EXIT else flow


def _tested_numbers(handler: ast.ExceptHandler, frame: Frame) -> list[str]:
    """Return the names of numbers that a handler tests: `if attempt == last: return error`."""
    branches = [node for node in walk(handler) if isinstance(node, ast.If)]
    tests = [b.test for b in branches if any(isinstance(n, ast.Return) for n in walk(b))]
    names = [node.id for test in tests for node in walk(test) if isinstance(node, ast.Name)]
    return [name for name in names if type(frame.scope.names.get(name)) is int]


def _merge_failure(
    before: dict[str, Value], after: dict[str, Value], handled: dict[str, Value]
) -> dict[str, Value]:
    """Return the names after a try statement.

    Texts, numbers and lists that a handler gives are as possible as those of the body. Imports,
    functions and None are stand-ins, for which the path without an error counts.
    """
    data = (str, int, float, Template, ListValue, DictValue)
    names = {**handled, **after}
    for name, value in handled.items():
        if value is before.get(name) or not all(isinstance(v, data) for v in choices_of(value)):
            continue
        names[name] = join([after[name], value]) if name in after else value
    return names


def _with(evaluator: Evaluator, node: ast.With | ast.AsyncWith, frame: Frame) -> Flow:
    managers: list[Value] = []
    for item in node.items:
        manager = evaluator.evaluate(item.context_expr, frame.scope)
        managers.append(manager)
        value = _entered(evaluator, manager)
        if item.optional_vars is not None:
            evaluator.assign(item.optional_vars, value, frame)
    flow = evaluator.execute(node.body, frame)
    for manager in reversed(managers):
        _call_method(evaluator, manager, ("__exit__", "__aexit__"))
    return flow


def _entered(evaluator: Evaluator, manager: Value) -> Value:
    """Return what `with manager as value` binds: anything that a generator function yields."""
    if isinstance(manager, ListValue) and manager.members:
        return join(manager.members)
    entered = _call_method(evaluator, manager, ("__enter__", "__aenter__"))
    return manager if entered is UNKNOWN and not isinstance(manager, Instance) else entered


def _call_method(evaluator: Evaluator, owner: Value, names: Sequence[str]) -> Value:
    for name in names if isinstance(owner, Instance) else ():
        method = attribute_of(evaluator, owner, name)
        if isinstance(method, Function):
            return evaluator.call(method, [owner, UNKNOWN, UNKNOWN, UNKNOWN], {})
    return UNKNOWN


def _match(evaluator: Evaluator, node: ast.Match, frame: Frame) -> Flow:
    subject = evaluator.evaluate(node.subject, frame.scope)
    bodies: list[list[ast.stmt]] = []
    is_exhaustive = False
    for case in node.cases:
        truth = _matches(evaluator, case, subject, frame)
        if truth is False or is_exhaustive:
            evaluator.skip(frame.scope, case.body)
            continue
        bodies.append(case.body)
        is_exhaustive = truth is True

    if is_exhaustive and len(bodies) == 1:
        return evaluator.execute(bodies[0], frame)
    return _execute_alternatives(evaluator, node, bodies if is_exhaustive else [*bodies, []], frame)


def _matches(
    evaluator: Evaluator, case: ast.match_case, subject: Value, frame: Frame
) -> bool | None:
    """Return whether a case takes the subject; None when that depends on the run."""
    for name in _captures(case.pattern):
        frame.scope.names[name] = UNKNOWN
    truth = _matches_pattern(evaluator, case.pattern, subject, frame)
    if isinstance(case.pattern, ast.MatchAs) and case.pattern.name and case.pattern.pattern is None:
        frame.scope.names[case.pattern.name] = subject
    return truth if case.guard is None or truth is False else None


def _matches_pattern(
    evaluator: Evaluator, pattern: ast.pattern, subject: Value, frame: Frame
) -> bool | None:
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return True
    if isinstance(pattern, ast.MatchOr):
        truths = [_matches_pattern(evaluator, p, subject, frame) for p in pattern.patterns]
        return True if True in truths else None if None in truths else False
    plain = (str, int, float, bool)
    if isinstance(pattern, ast.MatchValue) and isinstance(subject, plain):
        value = evaluator.evaluate(pattern.value, frame.scope)
        return value == subject if isinstance(value, plain) else None
    return None


def _captures(pattern: ast.pattern) -> list[str]:
    names = (getattr(inner, "name", None) for inner in ast.walk(pattern))
    return [name for name in names if isinstance(name, str)]


def _delete(evaluator: Evaluator, node: ast.Delete, frame: Frame) -> Flow:
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            delete_item(evaluator, target, frame.scope)
    return Flow.NEXT_STATEMENT


def _function(
    evaluator: Evaluator, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame
) -> Flow:
    function = Function(node, frame.scope.source, frame.scope)
    frame.scope.names[node.name] = function
    if node.decorator_list:
        frame.scope.names[node.name] = decorated(evaluator, function, node.decorator_list)
    return Flow.NEXT_STATEMENT


def _class(evaluator: Evaluator, node: ast.ClassDef, frame: Frame) -> Flow:
    inner = Frame(Scope(frame.scope.source, frame.scope, is_class=True))
    evaluator.execute(node.body, inner)
    own_class = Class(node, frame.scope.source, inner.scope)
    inner.scope.owner = own_class
    frame.scope.names[node.name] = own_class
    make_enum(own_class)
    if node.bases:
        register_subclass(evaluator, own_class)
    if node.decorator_list:
        decorated(evaluator, own_class, node.decorator_list)
    return Flow.NEXT_STATEMENT


def _import(evaluator: Evaluator, node: ast.Import, frame: Frame) -> Flow:
    for alias in node.names:
        # `import a.b` binds `a`, `import a.b as c` binds the inner module.
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        module = _imported_module(evaluator, name, frame.scope.source)
        is_whole = alias.asname or name == alias.name
        value: Value = LazyImport(module, "") if module and is_whole else External(name)
        if isinstance(value, LazyImport) and value.module is not frame.scope.source:
            # Its code runs now: it may add to what other modules made.
            evaluator.load_module(value.module)
        frame.scope.names[alias.asname or name] = value
    return Flow.NEXT_STATEMENT


def _imported_module(evaluator: Evaluator, name: str, importer: SourceFile) -> SourceFile | None:
    """Return the repository's module that `import name` means: a file of that name elsewhere in
    the tree is not meant by the name of a library."""
    if name.partition(".")[0] in sys.stdlib_module_names:
        return None
    module = evaluator.symbols.find_module(name, importer)
    if module is None or "." in name:
        return module
    folder = module.module.rpartition(".")[0]
    return module if folder in {"", "src", importer.module.rpartition(".")[0]} else None


def _import_from(evaluator: Evaluator, node: ast.ImportFrom, frame: Frame) -> Flow:
    source = frame.scope.source
    base = absolute_module(source, node)
    module = evaluator.symbols.find_module(base, source)
    # A file that imports from its own name means a library of that name.
    module = None if module is source and not node.level else module
    for alias in node.names:
        if alias.name == "*":
            if module and module is not source:
                frame.scope.names.update(_public_names(evaluator.load_module(module).scope))
            continue
        value = _imported_value(evaluator, module, base, alias.name, source)
        frame.scope.names[alias.asname or alias.name] = value

    return Flow.NEXT_STATEMENT


def _public_names(scope: Scope) -> dict[str, Value]:
    exported = scope.names.get("__all__")
    if isinstance(exported, ListValue) and not exported.is_open:
        names = [name for name in exported.members if isinstance(name, str)]
        return {name: scope.names[name] for name in names if name in scope.names}
    return {name: value for name, value in scope.names.items() if not name.startswith("_")}


def _imported_value(
    evaluator: Evaluator, module: SourceFile | None, base: str, name: str, source: SourceFile
) -> Value:
    symbols = evaluator.symbols
    if module is not None and (
        name in symbols.top_level_names(module) or name in module.imports or module.star_imports
    ):
        return LazyImport(module, name)

    submodule = symbols.find_module(f"{base}.{name}" if base else name, source)
    if submodule is not None and submodule is not source:
        return LazyImport(submodule, "")
    return evaluator.constant(f"{base}.{name}")


def _global(_evaluator: Evaluator, node: ast.Global, frame: Frame) -> Flow:
    frame.global_names.update(node.names)
    return Flow.NEXT_STATEMENT


def _nonlocal(_evaluator: Evaluator, node: ast.Nonlocal, frame: Frame) -> Flow:
    frame.outer_names.update(node.names)
    return Flow.NEXT_STATEMENT


STATEMENTS: dict[type[ast.stmt], Callable[..., Flow]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _leave_loop,
    ast.Continue: _continue_loop,
    ast.If: _if,
    ast.For: _loop(_for),
    ast.AsyncFor: _loop(_for),
    ast.While: _loop(_while),
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
    ast.Nonlocal: _nonlocal,
    ast.Delete: _delete,
    ast.TryStar: _try,
}
