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
DUMPERS = ("pickle", "_pickle", "cPickle", "marshal", "dill", "cloudpickle")
DUMPS = frozenset(f"{module}.dumps" for module in DUMPERS)
FILE_DUMPS = frozenset(f"{module}.dump" for module in (*DUMPERS, "joblib"))
OPENING_METHODS = frozenset({"open", "read_bytes", "read_text"})
PATH_METHODS = frozenset({"joinpath", "with_suffix", "with_name", "resolve", "expanduser"})
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


def data_origin(symbols: SymbolTable, source: SourceFile, site: CallSite, data: ast.expr) -> Origin:
    """Return the origin of what a loader reads: of the folder, where a file is opened.

    What stands in a folder of the program's own is not known, whoever names the file in it. A
    file that the source names, and that the module itself dumps, is not known either.
    """
    values = _openings(source, site.function, data) if as_written(data) else [data]
    files = [_file_of(value) for value in values]
    places = [place for place in files if place is not None] or [data]
    roots = [_root_of(site.function, place) for place in places]
    origins = [origin_of(symbols, source, site.function, root) for root in roots]
    if Origin.OUTSIDE in origins or any(_is_brought(site.function, root) for root in roots):
        return Origin.OUTSIDE
    is_named = all(
        origin_of(symbols, source, site.function, place) is Origin.LITERAL for place in places
    )
    return Origin.LITERAL if is_named and not _dumps_files(symbols, source) else Origin.UNKNOWN


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
    is_known = origin_of(symbols, source, site.function, archive) is not Origin.UNKNOWN
    return is_known or _is_brought(site.function, archive)


def _is_brought(function: FunctionSite | None, data: ast.expr) -> bool:
    """Return true for data that a call brings by its name: `download(url)`."""
    values = _sources(function, data) if function else [data]
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


def _file_of(value: ast.expr) -> ast.expr | None:
    """Return the path of the file that a call opens or reads; None for another expression."""
    if not isinstance(value, ast.Call) or called_name(value) not in OPENING_METHODS:
        return None
    if isinstance(value.func, ast.Attribute) and value.func.attr in OPENING_METHODS:
        is_module = as_written(value.func.value) in ("io", "builtins", "gzip", "bz2", "lzma")
        return value.args[0] if is_module and value.args else value.func.value
    return value.args[0] if value.args else None


def _root_of(function: FunctionSite | None, path: ast.expr) -> ast.expr:
    """Return the first part of a path that is put together."""
    for _ in range(MAX_STEPS * 2):
        if isinstance(path, ast.BinOp):
            path = path.left
        elif isinstance(path, ast.JoinedStr) and path.values:
            path = path.values[0]
        elif isinstance(path, ast.FormattedValue):
            path = path.value
        elif isinstance(path, ast.Call) and isinstance(path.func, ast.Attribute):
            is_method = path.func.attr in PATH_METHODS
            if not is_method and not (path.args and path.func.attr in ("join", "Path")):
                break
            path = path.func.value if is_method else path.args[0]
        elif isinstance(path, ast.Call) and path.args and called_name(path) in ("Path", "str"):
            path = path.args[0]
        elif function is not None and (values := assigned_values(function, as_written(path))):
            path = values[0]
        else:
            break
    return path


def _dumps_files(symbols: SymbolTable, source: SourceFile) -> bool:
    return any(dotted in FILE_DUMPS for _, dotted in symbols.calls(source))


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
