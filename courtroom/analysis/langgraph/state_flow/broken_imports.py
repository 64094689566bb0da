"""Imports of the repository's own modules that cannot resolve at this commit."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place
from courtroom.analysis.python.missing_modules import (
    certain_imports,
    is_own,
    missing_module,
    twin_of,
)
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.source_index import absolute_module
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import walk

NEAR = 0.7
# Names that a module may give without defining them.
DYNAMIC = frozenset({"__getattr__", "globals"})


def broken_imports(symbols: SymbolTable, starts: list[SourceFile]) -> Iterator[FlowFault]:
    """Yield the imports that fail when the modules of `starts` are imported."""
    queue, visited = list(starts), {source.path for source in starts}
    while queue:
        source = queue.pop(0)
        for node in certain_imports(source.tree):
            missing = missing_module(symbols, source, node)
            if missing:
                yield _broken(symbols, source, node, missing)
            base = absolute_module(source, node)
            module = symbols.find_module(base, source)
            if module is None or not (node.level or is_own(symbols, base)):
                continue
            if module.path not in visited:
                visited.add(module.path)
                queue.append(module)
            yield from _missing_names(symbols, source, node, module)


def _broken(
    symbols: SymbolTable, source: SourceFile, node: ast.ImportFrom, missing: str
) -> FlowFault:
    twin = twin_of(symbols, missing)
    if twin:
        sentence = (
            f"{source.path} imports from `{missing}`, and the file is {twin}: where the letters of"
            f" file names count, as on Linux, {source.path} cannot be imported"
        )
        return FlowFault("broken_import", sentence, source.path, node.lineno, (twin, 1))
    sentence = (
        f"{source.path} imports from `{missing}`, which does not exist: {source.path} cannot be"
        " imported at this commit"
    )
    return FlowFault("broken_import", sentence, source.path, node.lineno)


def _missing_names(
    symbols: SymbolTable, source: SourceFile, node: ast.ImportFrom, module: SourceFile
) -> Iterator[FlowFault]:
    at_top = symbols.top_level_names(module).keys() | module.imports.keys() | {"*"}
    # Few names are missing there, and only for these the whole module is read.
    missing = [alias for alias in node.names if alias.name not in at_top]
    names = _names_of(module) if missing and module is not source else None
    for alias in missing if names is not None else ():
        is_submodule = symbols.find_module(f"{module.module}.{alias.name}") is not None
        if names is None or alias.name in names or is_submodule:
            continue
        near = difflib.get_close_matches(alias.name, sorted(names), n=1, cutoff=NEAR)
        instead = f" (it defines `{near[0]}`)" if near else ""
        sentence = (
            f"{source.path} imports `{alias.name}` from {module.path}, which does not define it"
            f"{instead}: {source.path} cannot be imported at this commit"
        )
        other: Place = module.path, names[near[0]] if near else 1
        yield FlowFault("broken_import", sentence, source.path, node.lineno, other)


def _names_of(module: SourceFile) -> dict[str, int] | None:
    """Return the names that a module binds, with their lines; None where it may bind others."""
    if module.star_imports:
        return None
    names: dict[str, int] = {}
    for node in walk(module.tree):
        # Also names bound in functions by `global`, and in nested blocks: any binding counts.
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node.lineno
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                names.setdefault(node.id, node.lineno)
            elif node.id in DYNAMIC:
                return None
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                names.setdefault(alias.asname or alias.name.partition(".")[0], node.lineno)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.setdefault(node.name, node.lineno)
    # Python gives these to every module.
    special = dict.fromkeys(("__name__", "__file__", "__doc__", "__path__", "__spec__"), 1)
    return None if DYNAMIC & names.keys() else {**special, **names}
