"""Imports of the repository's own modules that cannot resolve at this commit."""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.source_index import absolute_module
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import walk

NEAR = 0.7
# Libraries after which students name folders of their own.
LIBRARIES = ("lang", "openai", "pydantic")
# Names that a module may give without defining them.
DYNAMIC = frozenset({"__getattr__", "globals"})


def broken_imports(
    symbols: SymbolTable, paths: AbstractSet[str], starts: list[SourceFile]
) -> Iterator[FlowFault]:
    """Yield the imports that fail when the modules of `starts` are imported.

    `paths` are all files of the repository, in any language.
    """
    queue, visited = list(starts), {source.path for source in starts}
    while queue:
        source = queue.pop(0)
        for node in _certain_imports(source.tree):
            base = absolute_module(source, node)
            if not node.level and not _is_own(symbols, base):
                continue
            module = symbols.find_module(base, source)
            if module is None:
                yield from _missing_module(symbols, source, node, base, paths)
                continue
            if module.path not in visited:
                visited.add(module.path)
                queue.append(module)
            yield from _missing_names(symbols, source, node, module)


def _is_own(symbols: SymbolTable, base: str) -> bool:
    """Return true for a module of the repository's own packages, not of a library of that name."""
    package = base.partition(".")[0]
    if package in sys.stdlib_module_names or package.startswith(LIBRARIES):
        return False
    # From the root, or from src/ as packaging tools install it.
    return any(
        name in symbols.by_module or name.rpartition(".")[0] in symbols.by_module
        for name in (base, f"src.{base}")
    )


def _certain_imports(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    """Yield the imports that run whenever the module is imported."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            yield statement


def _missing_module(
    symbols: SymbolTable,
    source: SourceFile,
    node: ast.ImportFrom,
    base: str,
    paths: AbstractSet[str],
) -> Iterator[FlowFault]:
    package, _, name = base.rpartition(".")
    home = symbols.by_module.get(package)
    if home is None or not name or not home.path.endswith("/__init__.py"):
        return
    folder = home.path.removesuffix("/__init__.py")
    # Another file of that name may be a compiled module or a folder without __init__.py.
    stem = f"{folder}/{name}"
    if any(path.startswith((f"{stem}.", f"{stem}/")) for path in paths):
        return
    sentence = (
        f"{source.path} imports from `{base}`, which does not exist:"
        f" {source.path} cannot be imported at this commit"
    )
    yield FlowFault("broken_import", sentence, source.path, node.lineno, (home.path, 1))


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
