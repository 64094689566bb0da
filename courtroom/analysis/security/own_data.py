"""Data that the program itself made, and options that somebody chose: no certain danger in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from courtroom.analysis.python.source_files import CallSite, FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import as_written, called_name, walk
from courtroom.analysis.security.value_origins import RECEIVERS, Origin, assigned_values, origin_of

MAX_STEPS = 4
DUMPS = frozenset(
    f"{module}.dumps"
    for module in ("pickle", "_pickle", "cPickle", "marshal", "dill", "cloudpickle")
)
# Names of calls that bring data from elsewhere.
_BRINGS = re.compile(r"download|fetch|retrieve|urlopen|request|receive|upload", re.IGNORECASE)
# Words of an option that decides whether certificates are checked.
_CHECK_OPTION = re.compile(r"verif|check|valid|insecure|tls|ssl|cert|secure", re.IGNORECASE)


def is_own_dump(symbols: SymbolTable, source: SourceFile, site: CallSite, data: ast.expr) -> bool:
    """Return true for what the same function dumped, or the object keeps in memory.

    A file is never the program's own: others can write it.
    """
    values = [data]
    if isinstance(data, ast.Name) and site.function is not None:
        values = assigned_values(site.function, data.id)
    return bool(values) and all(
        _is_kept(value)
        or (isinstance(value, ast.Call) and symbols.dotted_name(source, value.func) in DUMPS)
        for value in values
    )


def has_foreign_archive(symbols: SymbolTable, source: SourceFile, site: CallSite) -> bool:
    """Return true when `extractall` unpacks a tar file of others to the paths of its members.

    `zipfile` removes the ways up from its members' names.
    """
    call = site.node
    if not isinstance(call.func, ast.Attribute):
        return True
    opened = list(_openings(source, site.function, call.func.value))
    dotted = [
        symbols.dotted_name(source, value.func) for value in opened if isinstance(value, ast.Call)
    ]
    if any(name.startswith("zipfile.") for name in dotted):
        return False
    modules = {name.partition(".")[0] for name in source.imported_modules}
    if not dotted and "tarfile" not in modules:
        return "shutil" in modules

    archives = [
        argument
        for value in opened
        if isinstance(value, ast.Call)
        for argument in [*value.args[:1], *(keyword.value for keyword in value.keywords)]
    ]
    return not archives or any(_is_foreign(symbols, source, site, value) for value in archives)


def is_chosen(source: SourceFile, node: ast.AST) -> bool:
    """Return true for a line under an `if` that asks an option whether to check certificates."""
    line = getattr(node, "lineno", 0)
    return any(
        isinstance(branch, ast.If)
        and branch.lineno < line <= (branch.end_lineno or 0)
        and _CHECK_OPTION.search(ast.dump(branch.test)) is not None
        for branch in walk(source.tree)
    )


def _is_foreign(
    symbols: SymbolTable, source: SourceFile, site: CallSite, archive: ast.expr
) -> bool:
    if origin_of(symbols, source, site.function, archive) is not Origin.UNKNOWN:
        return True
    values = _sources(site.function, archive) if site.function else [archive]
    return any(
        isinstance(inner, ast.Call) and _BRINGS.search(called_name(inner)) is not None
        for value in values
        for inner in walk(value)
    )


def _openings(
    source: SourceFile, function: FunctionSite | None, archive: ast.expr
) -> Iterator[ast.expr]:
    """Yield the calls that open an archive: itself, assignments, and `with ... as archive`."""
    yield archive
    name = as_written(archive)
    if not name:
        return
    if function is not None:
        yield from assigned_values(function, name)
    for node in walk(function.node if function else source.tree):
        if isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets, value = [node.optional_vars], node.context_expr
        elif isinstance(node, ast.Assign) and function is None:
            targets, value = node.targets, node.value
        else:
            continue
        if any(as_written(target) == name for target in targets):
            yield value


def _sources(function: FunctionSite, data: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression, and what its names were assigned in the function."""
    stack, read = [(data, 0)], set[str]()
    while stack:
        node, steps = stack.pop()
        yield node
        names = {inner.id for inner in walk(node) if isinstance(inner, ast.Name)} - read
        if steps < MAX_STEPS:
            read |= names
            stack += [
                (value, steps + 1)
                for name in sorted(names)
                for value in assigned_values(function, name)
            ]


def _is_kept(node: ast.expr) -> bool:
    """Return true for an entry of a private mapping of the object: `self._cache[key]`."""
    if not isinstance(node, ast.Subscript):
        return False
    receiver, _, name = as_written(node.value).partition(".")
    return receiver in RECEIVERS and name.startswith("_")
