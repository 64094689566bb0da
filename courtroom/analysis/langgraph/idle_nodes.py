"""Functions that are named as nodes of a graph, and that no code uses."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.python.mentions import is_mentioned
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import words_of

MOST_ROWS = 60


def idle_nodes(
    symbols: SymbolTable, layers: Layers, unreached: Collection[str]
) -> list[dict[str, Any]]:
    """Return name, path and line of each, without those in files that are unreached as a whole."""
    used = {function.key for function in layers.in_use}
    rows = [
        {"name": site.node.name, "path": source.path, "line": site.node.lineno}
        for source in symbols.codebase.production
        if source.path not in unreached
        for site in source.functions
        # A nested function belongs to its maker, a method to its class.
        if site.owner is None and site.outer is None and not site.node.decorator_list
        if words_of(site.node.name)[-1:] == ["node"] and _takes_state(site.node)
        if (source.path, site.node.lineno) not in used
        if not is_mentioned(symbols, source, site.node.name)
    ]
    return rows[:MOST_ROWS]


def _takes_state(node: FunctionNode) -> bool:
    first = next(iter(node.args.args), None)
    return first is not None and "state" in words_of(first.arg)
