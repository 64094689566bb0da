"""Classes of tools that the code of a graph imports, and that no code but tests uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.mentions import looks_names_up
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk

# A class with fewer methods is no set of tools.
LEAST_METHODS = 2


def unused_tools(symbols: SymbolTable, functions: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield the classes that files of these functions import for nothing."""
    sources = {function.source.path: function.source for function in functions}
    reported: set[tuple[str, str]] = set()
    for source in sources.values():
        for name in source.imports:
            site = symbols.find_class(source, ast.Name(name, ast.Load()))
            if site is None or site.source is source or (site.source.path, name) in reported:
                continue
            count = _public_methods(site.node)
            if count < LEAST_METHODS or _is_used(symbols, site.source, site.node):
                continue
            reported.add((site.source.path, name))
            others = [other for other in symbols.codebase if site.node.name in other.text]
            is_tested = any(not symbols.codebase.is_product(other.path) for other in others)
            sentence = (
                f"{source.path} imports {site.node.name}, and no code{' but tests' * is_tested} uses it:"
                f" none of its {count} methods is ever called"
            )
            if is_tested:
                sentence += " by the program"
            yield FlowFault("unused_tool", sentence, site.source.path, site.node.lineno)


def _public_methods(node: ast.ClassDef) -> int:
    """Return the number of methods of a plain class, 0 of one that inherits or is registered."""
    if node.bases or node.keywords or node.decorator_list:
        return 0
    methods = (m for m in node.body if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef))
    return sum(not method.name.startswith("__") for method in methods)


def _is_used(symbols: SymbolTable, home: SourceFile, node: ast.ClassDef) -> bool:
    """Return whether code of the product names the class outside of it, or may look it up."""
    sources = [source for source in symbols.codebase.production if node.name in source.text]
    if any(source.star_imports or looks_names_up(source) for source in [home, *sources]):
        return True
    own = {id(inner) for inner in walk(node)} - {id(node)}
    return any(
        _names(inner, node.name) and id(inner) not in own
        for source in sources
        for inner in walk(source.tree)
    )


def _names(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name | ast.Attribute):
        return last_name(node) == name
    # A type in quotes, or a name in a table.
    text = constant_text(node)
    return text is not None and name in text and "\n" not in text
