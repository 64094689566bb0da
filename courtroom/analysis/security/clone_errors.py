"""Way of a clone to git and back: the code that runs the process, and errors that no code catches.

What leaves the node of the graph ends the run.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    keyword_of,
    last_name,
    push_children,
    walk,
)
from courtroom.analysis.security.address_checks import is_validating_call, names_url
from courtroom.analysis.security.clone_function import tests_return_code

# Errors of libraries, each with the classes from which it inherits.
ANCESTORS = {
    "CalledProcessError": ("SubprocessError", "Exception"),
    "TimeoutExpired": ("SubprocessError", "Exception"),
    "GitCommandError": ("CommandError", "GitError", "Exception"),
}
CHECKED_CALLS = frozenset({"check_call", "check_output"})
PROCESS_CALLS = CHECKED_CALLS | {"run"}
TIMEOUT = "timeout"
# Calls between the clone and the node, and classes between an error and Exception.
MOST_ROUNDS = 6
# Calls of a function by one caller that are followed.
MOST_CALLS = 20
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class EscapingError:
    """Error, by the name of its class, that leaves the node."""

    name: str
    node: FunctionRef


def escaping_errors(
    call_graph: CallGraph,
    clone: FunctionRef,
    calls: Sequence[ast.Call | ast.Raise],
    nodes: Iterable[FunctionRef],
    added: str = "",
) -> list[EscapingError]:
    """Return the errors of the clone that leave a node which comes to it by plain calls.

    With `added` only that error counts, as if it was raised at the `calls`.
    """
    symbols, body = call_graph.symbols, clone.site.node
    as_if = (left for call in calls for left in _leaving(symbols, body, call, added))
    of_clone = [call for call in calls if isinstance(call, ast.Call)]
    raised = frozenset(as_if if added else _raised(symbols, clone, of_clone))
    ends = {node.key: node for node in nodes if not node.site.node.decorator_list}
    callers = _callers(call_graph, ends.values())
    escaping: dict[tuple[str, str], EscapingError] = {}
    queue, visited = [(clone, raised)], {(clone.key, raised)}
    for _ in range(MOST_ROUNDS):
        later: list[tuple[FunctionRef, frozenset[str]]] = []
        for function, errors in queue:
            if errors and function.key in ends:
                node = ends[function.key]
                rows = [EscapingError(name, node) for name in sorted(errors)]
                escaping |= {(row.name, node.shown_name): row for row in rows}
            # Callers are known by the name alone: of two methods called alike, either is meant.
            is_sure = len(call_graph.symbols.functions_by_name.get(function.name, ())) == 1
            for caller in callers.get(function.key, ()) if errors and is_sure else ():
                left = _past(call_graph.symbols, caller, function.name, errors)
                if (caller.key, left) not in visited:
                    visited.add((caller.key, left))
                    later.append((caller, left))
        queue = later
    return list(escaping.values())


def refusing_errors(
    call_graph: CallGraph, clone: FunctionRef
) -> Iterator[tuple[ast.Call | ast.Raise, str]]:
    """Yield where the function of the clone raises an error for an address, with the error's name:
    by a test of its own, or by a validating function that it calls.
    """
    for node in _own_nodes(clone.site.node):
        if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise):
            tested = {inner.id for inner in walk(node.test) if isinstance(inner, ast.Name)}
            name = _raised_name(node.body[-1], "", "")
            if name and any(map(names_url, tested)):
                yield node.body[-1], name
        if not isinstance(node, ast.Call) or not is_validating_call(node):
            continue
        for check in call_graph.callees(clone):
            body = check.site.node
            raises = (n for n in _own_nodes(body) if isinstance(n, ast.Raise))
            rows = [(n, _raised_name(n, "", "")) for n in raises if check.name == called_name(node)]
            for inner, name in rows:
                for left in _leaving(call_graph.symbols, body, inner, name) if name else ():
                    yield node, left


def own_errors(symbols: SymbolTable, clone: FunctionRef, calls: Sequence[ast.Call]) -> list[str]:
    """Return the errors that the function of the clone raises: Python's, then the work's own.

    Those of the work are raised with one argument there, and so may be with another text.
    """
    raised = set(_raised(symbols, clone, calls))
    errors = (node.exc for node in _own_nodes(clone.site.node) if isinstance(node, ast.Raise))
    with_text = {
        called_name(error)
        for error in errors
        if isinstance(error, ast.Call) and len(error.args) == 1 and not error.keywords
        if symbols.find_class(clone.source, error.func) is not None
    }
    of_python = {name for name in raised if isinstance(getattr(builtins, name, None), type)}
    return [*sorted(of_python), *sorted(with_text - of_python)]


def process_runner(
    call_graph: CallGraph, clone: FunctionRef, call: ast.Call
) -> tuple[FunctionRef, int] | None:
    """Return the repository's function by which the clone runs git, and the line of the process.

    One that takes a deadline is none: the clone can hand it one.
    """
    for runner in call_graph.callees(clone):
        arguments = runner.site.node.args
        names = {argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)}
        if runner.name != called_name(call) or arguments.kwarg or TIMEOUT in names:
            continue
        for node in _own_nodes(runner.site.node):
            if isinstance(node, ast.Call) and called_name(node) in PROCESS_CALLS:
                return runner, node.lineno
    return None


def _callers(
    call_graph: CallGraph, starts: Iterable[FunctionRef]
) -> dict[tuple[str, int], list[FunctionRef]]:
    callers: dict[tuple[str, int], list[FunctionRef]] = {}
    for caller in call_graph.reachable_from(starts):
        for callee in call_graph.callees(caller):
            callers.setdefault(callee.key, []).append(caller)
    return callers


def _raised(symbols: SymbolTable, clone: FunctionRef, calls: Sequence[ast.Call]) -> Iterator[str]:
    """Yield the errors that leave the function of the clone when the clone fails."""
    body = clone.site.node
    for call in calls:
        for name in _errors_of(call):
            yield from _leaving(symbols, body, call, name)
    for node in _own_nodes(body):
        if isinstance(node, ast.If) and tests_return_code(node.test):
            for inner in _own_nodes(node):
                name = _raised_name(inner, "", "") if isinstance(inner, ast.Raise) else ""
                yield from _leaving(symbols, body, inner, name) if name else ()


def _errors_of(call: ast.Call) -> Iterator[str]:
    name = called_name(call)
    if name == "clone_from":
        yield "GitCommandError"
    if name not in PROCESS_CALLS:
        return
    check = keyword_of(call, "check")
    if name in CHECKED_CALLS or (isinstance(check, ast.Constant) and check.value is True):
        yield "CalledProcessError"
    if keyword_of(call, TIMEOUT) is not None:
        yield "TimeoutExpired"


def _past(
    symbols: SymbolTable, caller: FunctionRef, name: str, errors: frozenset[str]
) -> frozenset[str]:
    """Return the errors that leave a caller where one of its calls of the function raises them."""
    body = caller.site.node
    calls = [n for n in _own_nodes(body) if isinstance(n, ast.Call) and called_name(n) == name]
    return frozenset(
        left
        for call in calls[:MOST_CALLS]
        for error in errors
        for left in _leaving(symbols, body, call, error)
    )


def _leaving(symbols: SymbolTable, function: ast.AST, node: ast.AST, error: str) -> frozenset[str]:
    """Return what leaves the function where the node raises the error."""
    errors = frozenset({error})
    for block in reversed(_tries_around(function, node)):
        errors = frozenset(left for name in errors for left in _after(symbols, block, name))
    return errors


def _tries_around(function: ast.AST, node: ast.AST) -> list[ast.Try]:
    """Return the try statements, outermost first, in whose body the node stands."""
    return [
        block
        for block in _own_nodes(function)
        if isinstance(block, ast.Try)
        and any(inner is node for statement in block.body for inner in walk(statement))
    ]


def _after(symbols: SymbolTable, block: ast.Try, error: str) -> Iterator[str]:
    """Yield what leaves a try statement in whose body the error is raised."""
    for handler in block.handlers:
        if _catches(symbols, handler, error):
            raises = (n for n in _own_nodes(handler) if isinstance(n, ast.Raise))
            yield from (_raised_name(n, error, handler.name or "") for n in raises)
            return
    yield error


def _raised_name(node: ast.Raise, error: str, caught: str) -> str:
    if node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == caught):
        return error
    return last_name(node.exc.func if isinstance(node.exc, ast.Call) else node.exc) or error


def _catches(symbols: SymbolTable, handler: ast.ExceptHandler, error: str) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {last_name(kind) for kind in kinds}
    # What is no class that is known may stand for any.
    is_open = not all(_is_known(symbols, name) for name in names)
    return is_open or not names.isdisjoint(_kinds(symbols, error))


def _is_known(symbols: SymbolTable, name: str) -> bool:
    if name in ANCESTORS or any(name in above for above in ANCESTORS.values()):
        return True
    own = (home.name for source in symbols.codebase.production for home in source.classes)
    return isinstance(getattr(builtins, name, None), type) or name in own


def _kinds(symbols: SymbolTable, error: str) -> set[str]:
    """Return the names of an error's class and of those above it; an unknown one is an Exception."""
    kinds, queue = {"Exception", "BaseException"}, [error]
    for _ in range(MOST_ROUNDS):
        name = queue.pop() if queue else ""
        kinds.add(name)
        known = getattr(builtins, name, None)
        if isinstance(known, type):
            kinds |= {base.__name__ for base in known.__mro__}
        kinds |= {*ANCESTORS.get(name, ())}
        queue += [
            last_name(base)
            for source in symbols.codebase.production
            for home in source.classes
            if home.name == name
            for base in home.bases
        ]
    return kinds


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function or handler without those of functions inside it."""
    stack: list[ast.AST] = []
    push_children(function, stack)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, DEFINITIONS):
            push_children(node, stack)
