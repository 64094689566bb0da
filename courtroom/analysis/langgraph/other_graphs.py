"""Graphs that are not built by a StateGraph: ready-made agents, @entrypoint, Pregel."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.subgraphs import is_prebuilt
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable


def other_graphs(symbols: SymbolTable) -> str:
    """Return in words what stands in for a StateGraph, with its place; "" for nothing."""
    return next(
        (words for source in symbols.codebase.production for words in _in(symbols, source)), ""
    )


def _in(symbols: SymbolTable, source: SourceFile) -> Iterator[str]:
    if "lang" not in source.text and "deepagents" not in source.text:
        return
    for site, dotted in symbols.calls(source):
        place = f"{source.path}:{site.node.lineno}"
        if is_prebuilt(dotted):
            name = dotted.rpartition(".")[2]
            yield f"a ready-made agent is used ({name} at {place}), whose graph is the library's"
        if dotted.startswith("langgraph.pregel") and dotted.endswith(".Pregel"):
            yield f"a Pregel program is made at {place}, not a StateGraph"
    for function in source.functions:
        for decorator in function.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if symbols.dotted_name(source, target) == "langgraph.func.entrypoint":
                place = f"{source.path}:{function.node.lineno}"
                yield f"the program is an @entrypoint function ({place}), not a StateGraph"
