"""Branches in which the judges' model is left unbound, where the other branch binds it to a schema."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.structured_calls import SCHEMA_BINDERS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import called_name, last_name, walk

# Errors of an answer that does not fit, and calls that raise them.
MISFITS = frozenset(
    {"ValidationError", "OutputParserException", "OutputParsingError", "JSONDecodeError"}
)
READERS = frozenset(
    {"loads", "model_validate", "model_validate_json", "parse_obj", "parse_raw", "parse"}
)
CATCH_ALL = frozenset({"Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class Bypass:
    """Branch of a test that sets the model and does not bind it; `model`: its name in words."""

    source: SourceFile
    line: int
    test: str
    model: str


def bypasses(source: SourceFile) -> list[Bypass]:
    """Return the branches of `llm = plain if test else plain.with_structured_output(Opinion)`."""
    sites = {site.node.name: site for site in source.functions}
    return [
        Bypass(source, line, ast.unparse(test), model)
        for site in source.functions
        if site.outer is None
        for test, model, plain, bound in _choices(site.node)
        if not _binds(plain, sites) and _binds(bound, sites)
        for line in [plain.lineno]
    ]


def _choices(function: ast.AST) -> Iterator[tuple[ast.expr, str, ast.expr, ast.expr]]:
    """Yield test, name, the value where it holds and the other; then the same for its denial."""
    for node in walk(function):
        rows: list[tuple[ast.expr, str, ast.expr, ast.expr]] = []
        if isinstance(node, ast.If):
            other = _set_in(node.orelse)
            rows = [
                (node.test, name, value, other[name])
                for name, value in _set_in(node.body).items()
                if name in other
            ]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
            choice = node.value
            rows = [(choice.test, ast.unparse(node.targets[0]), choice.body, choice.orelse)]
        for test, name, first, second in rows:
            yield test, name, first, second
            yield ast.UnaryOp(ast.Not(), test), name, second, first


def _set_in(block: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    return {
        ast.unparse(target): statement.value
        for statement in block
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    }


def _binds(value: ast.expr, sites: Mapping[str, FunctionSite]) -> bool:
    """Return true for a call of a binder, and of a function of the file that has one."""
    names = {called_name(node) for node in walk(value) if isinstance(node, ast.Call)}
    own = [sites[name] for name in names & sites.keys()]
    return not SCHEMA_BINDERS.isdisjoint(names) or any(
        not SCHEMA_BINDERS.isdisjoint(site.mentions) for site in own
    )


def is_never_misfit(
    attempt: ast.Try, function: FunctionRef, functions: Mapping[str, FunctionRef]
) -> bool:
    """Return true where no answer that does not fit can leave a `try`.

    It stands under the test by which the model is unbound, and what reads the answer in it catches
    all failures itself. A raw model refuses no answer.
    """
    tests = {
        ast.unparse(node.test)
        for node in walk(function.site.node)
        if isinstance(node, ast.If) and any(part is attempt for part in _body_of(node))
    }
    if tests.isdisjoint(bypass.test for bypass in bypasses(function.source)):
        return False
    calls = [n for statement in attempt.body for n in walk(statement) if isinstance(n, ast.Call)]
    own = [functions[called_name(call)] for call in calls if called_name(call) in functions]
    return not any(map(_reads, calls)) and not any(_lets_misfits_out(f.site.node) for f in own)


def _body_of(node: ast.If) -> Iterator[ast.AST]:
    for statement in node.body:
        yield from walk(statement)


def _reads(call: ast.Call) -> bool:
    """Return true for `loads(text)` and `Opinion(**answer)`."""
    is_filled = called_name(call)[:1].isupper() and any(k.arg is None for k in call.keywords)
    return is_filled or called_name(call) in READERS


def _lets_misfits_out(function: ast.AST) -> bool:
    """Return true where a function reads an answer outside a `try` that ends all its failures."""
    ended = {
        id(part)
        for node in walk(function)
        if isinstance(node, ast.Try) and _ends_all(node)
        for statement in node.body
        for part in walk(statement)
    }
    return any(
        isinstance(node, ast.Call) and _reads(node) and id(node) not in ended
        for node in walk(function)
    )


def _ends_all(node: ast.Try) -> bool:
    is_wide = any(
        handler.type is None or last_name(handler.type) in CATCH_ALL for handler in node.handlers
    )
    parts = (part for handler in node.handlers for part in walk(handler))
    return is_wide and not any(isinstance(part, ast.Raise) for part in parts)


def is_for_misfits(handler: ast.ExceptHandler) -> bool:
    """Return true for a handler that waits for answers that do not fit, and for nothing else."""
    types = getattr(handler.type, "elts", [handler.type]) if handler.type is not None else []
    return bool(types) and MISFITS.issuperset(map(last_name, types))
