"""Reach of a line that fails: the handler that ends its error, and what has to fail before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from courtroom.analysis.python.tree_walk import last_name, walk

BROAD = frozenset({"Exception", "BaseException"})
# Errors of lines that fail whenever they run, and their parents.
NARROW = frozenset(
    {
        "NameError",
        "UnboundLocalError",
        "TypeError",
        "AttributeError",
        "ValueError",
        "ValidationError",
        "KeyError",
        "LookupError",
        "OSError",
        "FileNotFoundError",
        "RuntimeError",
    }
)
EXITS = frozenset({"exit", "_exit", "quit", "abort"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class FailureReach:
    """Lines of the handler and of the `try` on which a failing line depends.

    `caught_at` is the first line of the handler in which the error ends, `caught_to` its last.

    `after_failure` is the line of a `try` that fails, or is passed over, wherever the line runs.
    All are 0 where its function has none. `where_empty` is the key of a parameter, such as the
    state of a graph, that holds nothing wherever the line runs.
    """

    caught_at: int = 0
    caught_to: int = 0
    after_failure: int = 0
    where_empty: str | None = None


def failure_reach(function: ast.FunctionDef | ast.AsyncFunctionDef, line: int) -> FailureReach:
    """Return what is around a line in its innermost function."""
    handler_lines, after_failure = (0, 0), 0
    where_empty: str | None = None
    names = {argument.arg for argument in (*function.args.posonlyargs, *function.args.args)}
    block: Sequence[ast.stmt] = function.body
    while True:
        index = next((n for n, inner in enumerate(block) if _holds(inner, line)), None)
        if index is None:
            return FailureReach(*handler_lines, after_failure, where_empty)
        statement = block[index]
        after_failure = _failing_before(block[:index]) or after_failure
        if isinstance(statement, _DEFINITIONS):
            handler_lines, after_failure, where_empty = (0, 0), 0, None
        if isinstance(statement, ast.If) and _is_in(statement.body, line):
            where_empty = _empty_key(statement.test, names) or where_empty
        if isinstance(statement, ast.Try) and _is_in(statement.body, line):
            handler_lines = _ending_handler(statement) or handler_lines
        elif isinstance(statement, ast.Try) and _is_in(statement.handlers, line):
            after_failure = statement.lineno
        block = next((part for part in _parts(statement) if _is_in(part, line)), ())


def _empty_key(test: ast.expr, names: set[str]) -> str | None:
    """Return the key of one of the `names` that a test asks to be empty; None for any other test."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _key(test.operand, names)
    match test:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[counted]),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0)],
        ):
            return _key(counted, names)
    return None


def _key(value: ast.expr, names: set[str]) -> str | None:
    """Return the key of `state["key"]` and `state.get("key", ...)` of one of the names."""
    match value:
        case (
            ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key)))
            | ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                args=[ast.Constant(value=str(key)), *_],
            )
        ) if name in names:
            return key
    return None


def _holds(statement: ast.stmt | ast.ExceptHandler, line: int) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)


def _is_in(block: Sequence[ast.stmt | ast.ExceptHandler], line: int) -> bool:
    return any(_holds(statement, line) for statement in block)


def _parts(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        part = getattr(statement, name, None)
        yield part if isinstance(part, list) else ()
    for inner in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield inner.body


def _ending_handler(statement: ast.Try) -> tuple[int, int] | None:
    """Return the first and last line of a handler that takes any error and raises none."""
    for handler in statement.handlers:
        names = {last_name(node) for node in walk(handler.type)} if handler.type else BROAD
        if BROAD & names:
            lines = handler.lineno, handler.end_lineno or handler.lineno
            return None if any(map(_leaves, walk(handler))) else lines
        if NARROW & names:
            return None
    return None


def _leaves(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) or (
        isinstance(node, ast.Call) and last_name(node.func) in EXITS
    )


def _failing_before(statements: Sequence[ast.stmt]) -> int:
    """Return the line of a `try` that returns from the function unless it fails, 0 without one.

    A test around it may pass it over.
    """
    for statement in statements:
        is_test = isinstance(statement, ast.If) and not statement.orelse
        inner = statement.body[-1] if isinstance(statement, ast.If) and is_test else statement
        if isinstance(inner, ast.Try) and isinstance(inner.body[-1], ast.Return):
            return inner.lineno
    return 0
