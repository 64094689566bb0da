"""Paths made of what a client sent: by `/`, by a join, through a name that was given it before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import as_written, keyword_of, walk, words_of
from courtroom.analysis.security.value_origins import assigned_in, is_client_data

MAX_STEPS = 4
# What leaves no way up in a name, or makes a number of it.
CLEANED = frozenset({"secure_filename", "basename", "safe_join", "int", "float", "len", "UUID"})
PASSING = frozenset({"str", "builtins.str", "pathlib.Path", "os.path.join", "os.fspath"})
# What a careful tool asks of the joined path before it uses it.
CONTAINED = frozenset({"is_relative_to", "relative_to", "commonpath"})
PATH_WORDS = frozenset(
    words_of("base dir directory folder root path paths uploads media storage workspace")
)


def sent_by_client(
    names: Names,
    source: SourceFile,
    function: FunctionSite | None,
    node: ast.expr,
    steps: int = MAX_STEPS,
) -> bool:
    """Whether an expression holds what a client of a web application sent, neither cleaned nor kept inside."""
    if steps == 0 or _is_cleaned(names, source, node) or (function and _keeps_inside(function)):
        return False
    if is_client_data(names, source, node):
        return True
    named = (inner.id for inner in walk(node) if isinstance(inner, ast.Name))
    return function is not None and any(
        sent_by_client(names, source, function, value, steps - 1)
        for name in named
        for value in assigned_in(function, name)
        if not _is_result(names, source, value)
    )


def _is_result(names: Names, source: SourceFile, value: ast.expr) -> bool:
    """What a function made of its arguments is its own; a string's methods and `request.form.get` pass them on."""
    if not isinstance(value, ast.Call):
        return False
    dotted = names.dotted(source, value.func)
    own_method = isinstance(value.func, ast.Attribute) and not dotted
    return not (own_method or dotted in PASSING or is_client_data(names, source, value.func))


def client_joins(
    names: Names, source: SourceFile
) -> Iterator[tuple[ast.BinOp, FunctionSite | None]]:
    """Every `folder / value` whose value a client sent, with the function it stands in."""
    for node in walk(source.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            function = _around(source, node)
            if _is_path(names, source, function, node.left) and sent_by_client(
                names, source, function, node.right
            ):
                yield node, function


def _is_path(
    names: Names,
    source: SourceFile,
    function: FunctionSite | None,
    node: ast.expr,
    steps: int = MAX_STEPS,
) -> bool:
    """A path by its making, by its annotation, or by its name; a number is divided too."""
    if steps == 0:
        return False
    if any(names.dotted(source, one).startswith("pathlib.") for one in _named(node)):
        return True
    last = as_written(node).rpartition(".")[2]
    if isinstance(node, ast.Name | ast.Attribute) and set(words_of(last)) & PATH_WORDS:
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _is_path(names, source, function, node.left, steps)
    return (
        isinstance(node, ast.Name)
        and function is not None
        and any(
            _is_path(names, source, function, value, steps - 1)
            for value in assigned_in(function, node.id)
        )
    )


def _named(node: ast.expr) -> list[ast.expr]:
    return [inner for inner in walk(node) if isinstance(inner, ast.Name | ast.Attribute)]


def _is_cleaned(names: Names, source: SourceFile, node: ast.expr) -> bool:
    calls = (inner for inner in walk(node) if isinstance(inner, ast.Call))
    return any(
        names.dotted(source, call.func).rpartition(".")[2] in CLEANED
        or as_written(keyword_of(call, "type") or call) in CLEANED
        for call in calls
    )


def _keeps_inside(function: FunctionSite) -> bool:
    return any(
        isinstance(inner, ast.Attribute) and inner.attr in CONTAINED
        for inner in walk(function.node)
    )


def _around(source: SourceFile, node: ast.expr) -> FunctionSite | None:
    """The innermost function around a line."""
    holding = [
        site
        for site in source.functions
        if site.node.lineno <= node.lineno <= (site.node.end_lineno or 0)
    ]
    return max(holding, key=lambda site: site.node.lineno, default=None)
