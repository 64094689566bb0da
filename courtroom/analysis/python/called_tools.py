"""Calls of a function that `@tool` has made an object which LangChain 1 lets nobody call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import walk

TOOLS = frozenset(
    {"langchain_core.tools.tool", "langchain.tools.tool", "langchain_core.tools.convert.tool"}
)
# Files that fix the versions of an install; from version 1 on a tool has `invoke` alone.
LOCKS = ("uv.lock", "poetry.lock", "requirements.txt")
_CORE = re.compile(
    r'^(?:name = "langchain-core"\r?\nversion = "|langchain-core==)(?P<version>[1-9]\d*\.[\d.]+)',
    re.MULTILINE,
)


def core_without_calls(texts: Mapping[str, str]) -> str:
    """Return the version of langchain-core and the file that fixes it; "" below 1 or unknown."""
    for path in LOCKS:
        if match := _CORE.search(texts.get(path, "")):
            return f"{match['version']} ({path})"
    return ""


def called_tools(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite, core: str
) -> Iterator[FailingLine]:
    """Yield calls of a tool by its name; `core` as in core_without_calls."""
    stored = {
        node.id
        for node in walk(function.node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    } | {node.arg for node in walk(function.node) if isinstance(node, ast.arg)}
    for node in walk(function.node) if core else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        if name not in stored and _is_tool(symbols, symbols.dotted_name(source, node.func), source):
            why = (
                f"calls {name}() as a function: `@tool` makes it an object that langchain-core"
                f" {core} lets nobody call, and its invoke() runs it"
            )
            yield FailingLine(node.lineno, why, mark_of(node))


def _is_tool(symbols: SymbolTable, dotted: str, importer: SourceFile) -> bool:
    module, _, name = dotted.rpartition(".")
    home = symbols.find_module(module, importer) if module else importer
    definition = symbols.top_level_names(home).get(name) if home else None
    if home is None or not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    # The outermost decorator is what the name stands for.
    outermost = next(iter(definition.decorator_list), None)
    called = outermost.func if isinstance(outermost, ast.Call) else outermost
    return symbols.dotted_name(home, called) in TOOLS
