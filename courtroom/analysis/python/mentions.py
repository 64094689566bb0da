"""Mentions of names anywhere in the code: what nothing mentions, no run uses."""

from __future__ import annotations

import ast

from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, last_name, walk


def is_mentioned(symbols: SymbolTable, home: SourceFile, name: str) -> bool:
    """Return true for a name of the file `home` that code loads, lists or may look up."""
    for source in symbols.codebase:
        if name not in source.text:
            continue
        if source is not home:
            if _has_another(symbols, source, home, name):
                continue
            return True  # imported, or listed: not worth a second look
        for node in walk(source.tree):
            is_load = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            if (is_load and last_name(node) == name) or constant_text(node) == name:
                return True
    # What is fetched by a name made at run time leaves no mention.
    return "globals()" in home.text or any(
        looks_names_up(source) and (source is home or _imports(symbols, source, home))
        for source in symbols.codebase
    )


def looks_names_up(source: SourceFile) -> bool:
    """Return true for a file that fetches an attribute by a name made at run time."""
    return "getattr" in source.text and any(
        called_name(node) == "getattr" and constant_text(node.args[1]) is None
        for node in walk(source.tree)
        if isinstance(node, ast.Call) and len(node.args) > 1
    )


def _has_another(symbols: SymbolTable, source: SourceFile, home: SourceFile, name: str) -> bool:
    """Return true for a file that means another function or text of this name than that of `home`.

    It defines its own, or imports one from another file, and imports nothing of `home`.
    """
    if source.star_imports or "import_module" in source.text:
        return False
    imported = source.imports.get(name, "")
    origin = symbols.find_module(
        symbols.canonical(imported, source).rpartition(".")[0] if imported else "", source
    )
    is_own = origin is not None if imported else name in symbols.top_level_names(source)
    return is_own and not _imports(symbols, source, home)


def _imports(symbols: SymbolTable, source: SourceFile, home: SourceFile) -> bool:
    return any(
        module is home
        for dotted in source.imports.values()
        for module in (
            symbols.find_module(dotted, source),
            symbols.find_module(symbols.canonical(dotted, source).rpartition(".")[0], source),
        )
    )


def is_attribute_read(symbols: SymbolTable, name: str) -> bool:
    """Return true for an attribute that a function mentions, or that a run may look up."""
    return any(
        "getattr" in source.text or any(name in site.mentions for site in source.functions)
        for source in symbols.codebase
        if name in source.text
    )


def is_attribute_loaded(symbols: SymbolTable, name: str) -> bool:
    """Return true for an attribute that code reads, or that a run may look up."""
    return any(
        looks_names_up(source)
        or any(
            isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
            for node in walk(source.tree)
        )
        for source in symbols.codebase
        if name in source.text
    )
