"""Model calls bound to a schema, and whether a malformed answer is asked for again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from courtroom.analysis.python.call_graph import Place
from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import as_written, keyword_of, line_of_call, walk

BINDERS = frozenset({"with_structured_output", "bind_tools"})
ASKING = frozenset(
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
RETRY_METHODS = frozenset({"with_retry"})
RETRY_PARSERS = frozenset({"RetryOutputParser", "RetryWithErrorOutputParser", "OutputFixingParser"})


@dataclass(frozen=True, slots=True)
class BoundCall:
    """`schema` as written in the call; "" when it is not a plain name."""

    source: SourceFile
    line: int
    schema: str


def structured_calls(names: Names) -> list[BoundCall]:
    return [
        BoundCall(source, line_of_call(site.node), _schema(site.node))
        for source in names.codebase.production
        if any(binder in source.text for binder in BINDERS)
        for site in source.calls
        if isinstance(site.node.func, ast.Attribute) and site.node.func.attr in BINDERS
    ]


def _schema(call: ast.Call) -> str:
    given = call.args[0] if call.args else keyword_of(call, "schema", "tools")
    if isinstance(given, ast.List) and given.elts:
        given = given.elts[0]
    return as_written(given) if given is not None else ""


def retries(places: Iterable[Place]) -> Iterator[tuple[SourceFile, int]]:
    """Where, in the functions that judge, an answer that does not fit is asked for again."""
    for place in places:
        node = place.site.node
        if not any(_asks(inner) for inner in walk(node)):
            continue
        if any(_decorator(one) in RETRY_DECORATORS for one in node.decorator_list):
            yield place.source, node.lineno
        for inner in walk(node):
            if _retries(inner, node):
                yield place.source, getattr(inner, "lineno", node.lineno)


def _decorator(node: ast.expr) -> str:
    func = node.func if isinstance(node, ast.Call) else node
    return (
        func.attr
        if isinstance(func, ast.Attribute)
        else func.id
        if isinstance(func, ast.Name)
        else ""
    )


def _retries(node: ast.AST, function: ast.AST) -> bool:
    if isinstance(node, ast.For | ast.AsyncFor):
        return _counts_attempts(node.iter) and _asks_again(node)
    if isinstance(node, ast.While):
        return _asks_again(node)
    if isinstance(node, ast.Try):
        return _handler_repeats(node, function)
    if isinstance(node, ast.Call):
        return _name(node.func) in RETRY_METHODS | RETRY_PARSERS
    return False


def _counts_attempts(iterated: ast.expr) -> bool:
    """range(3), range(MAX): turns of one question; range(len(criteria)) is one turn for each of many."""
    if not isinstance(iterated, ast.Call) or _name(iterated.func) != "range":
        return False
    return not any(
        isinstance(n, ast.Call) and _name(n.func) == "len"
        for n in walk(iterated)
        if n is not iterated
    )


def _asks_again(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """The loop asks the model, and a failure does not end it: it is caught, and the handler may go on."""
    for node in walk(loop):
        if isinstance(node, ast.Try) and any(_asks(inner) for s in node.body for inner in walk(s)):
            return any(not _always_leaves(handler.body) for handler in node.handlers)
    return any(_asks(node) for node in walk(loop)) and any(
        isinstance(node, ast.If) for node in walk(loop)
    )


def _always_leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise | ast.Return | ast.Break)


def _handler_repeats(node: ast.Try, function: ast.AST) -> bool:
    """The handler asks the same model again, or calls its own function again."""
    asked = {_receiver(call) for s in node.body for call in walk(s) if _asks(call)}
    own = getattr(function, "name", "")
    for handler in node.handlers:
        for call in (inner for statement in handler.body for inner in walk(statement)):
            if _asks(call) and _receiver(call) in asked:
                return True
            if isinstance(call, ast.Call) and asked and _name(call.func) == own:
                return True
    return False


def _asks(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ASKING
    )


def _receiver(node: ast.AST) -> str:
    return ast.dump(node.func) if isinstance(node, ast.Call) else ""


def _name(func: ast.expr) -> str:
    return (
        func.attr
        if isinstance(func, ast.Attribute)
        else func.id
        if isinstance(func, ast.Name)
        else ""
    )
