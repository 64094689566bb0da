"""Paths made of data that a client sent: by `/`, by a join, or through assigned names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import as_written, called_name, keyword_of, walk, words_of
from courtroom.analysis.security.value_origins import assigned_values, is_client_data

# Assignments that are followed back.
MAX_STEPS = 4
# Calls that remove every way up from a name, or make a number of it.
SANITIZERS = frozenset({"secure_filename", "basename", "safe_join", "int", "float", "len", "UUID"})
# Calls whose result still holds their arguments.
PASSING_CALLS = frozenset({"str", "builtins.str", "pathlib.Path", "os.path.join", "os.fspath"})
# Tests that a careful tool makes of the joined path before it uses it.
CONTAINMENT_TESTS = frozenset({"is_relative_to", "relative_to", "commonpath"})
PARENTS = frozenset({"parent", "parents"})
PATH_WORDS = frozenset(
    words_of("base dir directory folder root path paths uploads media storage workspace")
)


def is_tainted_by_client(
    symbols: SymbolTable,
    source: SourceFile,
    function: FunctionSite | None,
    node: ast.expr,
    steps: int = MAX_STEPS,
) -> bool:
    """Return true when an expression holds a client's data, neither sanitized nor contained."""
    if steps == 0 or is_sanitized(symbols, source, node):
        return False
    if function is not None and tests_containment(function):
        return False
    if is_client_data(symbols, source, node):
        return True

    names = [inner.id for inner in walk(node) if isinstance(inner, ast.Name)]
    return function is not None and any(
        is_tainted_by_client(symbols, source, function, value, steps - 1)
        for name in names
        for value in assigned_values(function, name)
        if not _is_own_result(symbols, source, value)
    )


def _is_own_result(symbols: SymbolTable, source: SourceFile, value: ast.expr) -> bool:
    """Return true for the result of a function, which need not hold its arguments.

    A string's methods and `request.form.get` do pass them on.
    """
    if not isinstance(value, ast.Call):
        return False
    dotted = symbols.dotted_name(source, value.func)
    is_method_of_value = isinstance(value.func, ast.Attribute) and not dotted
    passes_on = dotted in PASSING_CALLS or is_client_data(symbols, source, value.func)
    return not (is_method_of_value or passes_on)


def client_joins(
    symbols: SymbolTable, source: SourceFile
) -> Iterator[tuple[ast.BinOp, FunctionSite | None]]:
    """Yield every `folder / value` with a client's value, and the function it stands in."""
    for node in walk(source.tree):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            continue
        function = _function_around(source, node)
        if is_path(symbols, source, function, node.left) and is_tainted_by_client(
            symbols, source, function, node.right
        ):
            yield node, function


def is_path(
    symbols: SymbolTable,
    source: SourceFile,
    function: FunctionSite | None,
    node: ast.expr,
    steps: int = MAX_STEPS,
) -> bool:
    """Return true for a path by its construction or its name: numbers are divided too."""
    if steps == 0:
        return False
    named = [inner for inner in walk(node) if isinstance(inner, ast.Name | ast.Attribute)]
    if any(symbols.dotted_name(source, inner).startswith("pathlib.") for inner in named):
        return True

    name = as_written(node).rpartition(".")[2]
    if isinstance(node, ast.Name | ast.Attribute) and set(words_of(name)) & PATH_WORDS:
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return is_path(symbols, source, function, node.left, steps)
    if not isinstance(node, ast.Name):
        return False
    values = assigned_values(function, node.id) if function is not None else []
    statement = symbols.top_level_names(source).get(node.id)
    if not values and isinstance(statement, ast.Assign):
        values = [statement.value]
    return any(is_path(symbols, source, function, value, steps - 1) for value in values)


def is_sanitized(symbols: SymbolTable, source: SourceFile, node: ast.expr) -> bool:
    calls = (inner for inner in walk(node) if isinstance(inner, ast.Call))
    # Flask's request.args.get(name, type=int) sanitizes by its argument.
    return any(
        symbols.dotted_name(source, call.func).rpartition(".")[2] in SANITIZERS
        or as_written(keyword_of(call, "type") or call) in SANITIZERS
        for call in calls
    )


def tests_containment(function: FunctionSite) -> bool:
    return any(_is_containment_test(inner) for inner in walk(function.node))


def _is_containment_test(node: ast.AST) -> bool:
    """Return true for `path.is_relative_to(BASE)`, `path.parent != BASE`, `text.startswith(BASE)`."""
    if isinstance(node, ast.Compare):
        return any(isinstance(p, ast.Attribute) and p.attr in PARENTS for p in walk(node))
    if isinstance(node, ast.Call) and called_name(node) == "startswith":
        return not any(
            isinstance(part, ast.Constant) for argument in node.args for part in walk(argument)
        )
    return isinstance(node, ast.Attribute) and node.attr in CONTAINMENT_TESTS


def _function_around(source: SourceFile, node: ast.expr) -> FunctionSite | None:
    """Return the innermost function around a line."""
    sites = [
        site
        for site in source.functions
        if site.node.lineno <= node.lineno <= (site.node.end_lineno or 0)
    ]
    return max(sites, key=lambda site: site.node.lineno, default=None)
