"""Model calls bound to a schema, and retries after a malformed answer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    as_written,
    called_name,
    keyword_of,
    last_name,
    line_of_call,
    walk,
)

SCHEMA_BINDERS = frozenset({"with_structured_output", "bind_tools"})
# Methods that send a request to a model.
MODEL_METHODS = frozenset(
    {
        "invoke",
        "ainvoke",
        "create",
        "parse",
        "generate",
        "generate_content",
        "predict",
        "complete",
        "chat",
        "achat",
    }
)
RETRY_DECORATORS = frozenset({"retry", "on_exception", "retrying"})
RETRY_CALLS = frozenset(
    {
        "with_retry",
        "RetryOutputParser",
        "RetryWithErrorOutputParser",
        "OutputFixingParser",
    }
)


@dataclass(frozen=True, slots=True)
class BoundCall:
    """Call that binds a model; `schema` as written, "" when it is not a plain name."""

    source: SourceFile
    line: int
    schema: str


def structured_calls(symbols: SymbolTable) -> list[BoundCall]:
    return [
        BoundCall(source, line_of_call(site.node), _schema_name(site.node))
        for source in symbols.codebase.production
        if any(binder in source.text for binder in SCHEMA_BINDERS)
        for site in source.calls
        if isinstance(site.node.func, ast.Attribute) and site.node.func.attr in SCHEMA_BINDERS
    ]


def _schema_name(call: ast.Call) -> str:
    schema = call.args[0] if call.args else keyword_of(call, "schema", "tools")
    # bind_tools takes a list.
    if isinstance(schema, ast.List) and schema.elts:
        schema = schema.elts[0]
    return as_written(schema) if schema is not None else ""


def retries(functions: Iterable[FunctionRef]) -> Iterator[tuple[SourceFile, int]]:
    """Yield where, in the functions that judge, the model is called again after a bad answer."""
    for function in functions:
        node = function.site.node
        if not any(_calls_model(inner) for inner in walk(node)):
            continue

        decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        if any(last_name(decorator) in RETRY_DECORATORS for decorator in decorators):
            yield function.source, node.lineno
        for inner in walk(node):
            if _is_retry(inner, node):
                yield function.source, getattr(inner, "lineno", node.lineno)


def _is_retry(node: ast.AST, function: ast.AST) -> bool:
    if isinstance(node, ast.For | ast.AsyncFor):
        return _counts_attempts(node.iter) and _repeats_call(node)
    if isinstance(node, ast.While):
        return _repeats_call(node)
    if isinstance(node, ast.Try):
        return _handler_repeats_call(node, function)
    return isinstance(node, ast.Call) and called_name(node) in RETRY_CALLS


def _counts_attempts(iterable: ast.expr) -> bool:
    """Return true for range(3) or range(MAX).

    range(len(criteria)) is one iteration for each of several questions.
    """
    if not isinstance(iterable, ast.Call) or last_name(iterable.func) != "range":
        return False
    return not any(
        isinstance(node, ast.Call) and called_name(node) == "len"
        for node in walk(iterable)
        if node is not iterable
    )


def _repeats_call(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Return true when the loop calls the model and a failure does not end it."""
    for node in walk(loop):
        if isinstance(node, ast.Try) and any(
            _calls_model(inner) for statement in node.body for inner in walk(statement)
        ):
            return any(not _always_leaves(handler.body) for handler in node.handlers)

    # Without a try, a test of the answer must decide.
    has_test = any(isinstance(node, ast.If) for node in walk(loop))
    return has_test and any(_calls_model(node) for node in walk(loop))


def _always_leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise | ast.Return | ast.Break)


def _handler_repeats_call(node: ast.Try, function: ast.AST) -> bool:
    """Return true when the handler calls the same model, or its own function, again."""
    methods = {
        _method_text(inner)
        for statement in node.body
        for inner in walk(statement)
        if _calls_model(inner)
    }
    own_name = getattr(function, "name", "")
    for handler in node.handlers:
        for inner in (inner for statement in handler.body for inner in walk(statement)):
            if _calls_model(inner) and _method_text(inner) in methods:
                return True
            if isinstance(inner, ast.Call) and methods and called_name(inner) == own_name:
                return True

    return False


def _calls_model(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in MODEL_METHODS
    )


def _method_text(node: ast.AST) -> str:
    """Return the called method with its receiver, so that two calls can be compared."""
    return ast.dump(node.func) if isinstance(node, ast.Call) else ""
