"""Modules of a repository's own packages that its code imports and that it does not hold."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.source_index import absolute_module

if TYPE_CHECKING:
    from courtroom.analysis.python.symbol_table import SymbolTable

# Libraries after which students name folders of their own.
LIBRARIES = ("lang", "openai", "pydantic")
# Endings of modules that a build makes, so that no commit holds them.
BUILT = ("_pb2", "_pb2_grpc", "_version")


def certain_imports(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    """Yield the `from` imports that run whenever the module is imported."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            yield statement


def is_own(symbols: SymbolTable, base: str) -> bool:
    """Return true for a module of the repository's own packages, not of a library of that name."""
    # From the root, or from src/ as packaging tools install it.
    return not _is_library(base) and any(
        name in symbols.by_module or name.rpartition(".")[0] in symbols.by_module
        for name in (base, f"src.{base}")
    )


def missing_modules(symbols: SymbolTable) -> frozenset[str]:
    """Return the missing modules that any file of the product imports.

    One whose file is written in other letters may hold what is looked for.
    """
    return frozenset(
        base
        for source in symbols.codebase.production
        for node in certain_imports(source.tree)
        if (base := missing_module(symbols, source, node))
        if not twin_of(symbols, base)
    )


def twin_of(symbols: SymbolTable, base: str) -> str:
    """Return the file of a module in other letters, which only some systems take, or ""."""
    wanted = f"{base.replace('.', '/')}.py"
    twin = symbols.paths_in_lower_case.get(wanted.lower(), "")
    return "" if wanted in symbols.codebase.paths else twin


def missing_module(symbols: SymbolTable, source: SourceFile, node: ast.ImportFrom) -> str:
    """Return the module of the import where the repository lacks it, "" where it may be there."""
    base = absolute_module(source, node)
    if not base or base.endswith(BUILT):
        return ""
    module = symbols.find_module(base, source)
    if module is not None:
        return base if module.path == twin_of(symbols, base) else ""
    if not node.level and (_is_library(base) or not _belongs_here(symbols, source, base)):
        return ""
    return "" if _may_be_there(symbols.codebase.paths, base) else base


def _is_library(base: str) -> bool:
    package = base.partition(".")[0]
    return package in sys.stdlib_module_names or package.startswith(LIBRARIES)


def _belongs_here(symbols: SymbolTable, source: SourceFile, base: str) -> bool:
    """Return true where no library can stand for the package of the module."""
    parent = symbols.by_module.get(base.rpartition(".")[0])
    if parent is not None and parent.path.endswith("/__init__.py"):
        return True
    # A folder without __init__.py gives way to a library, but code inside it or at the root names it.
    package, _, inner = base.partition(".")
    is_beside = source.module.startswith(f"{package}.") or "/" not in source.path
    modules = symbols.by_module if inner and is_beside else ()
    return any(module.startswith(f"{package}.") for module in modules)


def _may_be_there(paths: frozenset[str], base: str) -> bool:
    """Return true where a file of the name is no Python, or a folder's content is elsewhere."""
    stem = base.replace(".", "/")
    # What stands for a folder is a link, or another repository.
    links = accumulate(base.split("."), "{}/{}".format)
    return not paths.isdisjoint(links) or any(
        path.startswith((f"{stem}.", f"{stem}/")) for path in paths
    )
