"""Dissents that the code keeps in a field, and that the Markdown report does not print."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.judging.dead_conditions import FILLING_METHODS
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

# Calls that write a record whole, or fill a template.
WHOLE = frozenset(
    {"model_dump", "model_dump_json", "asdict", "dumps", "vars", "__dict__", "render", "Template"}
)


def is_dissent_lost(
    symbols: SymbolTable, call_graph: CallGraph, reports: Sequence[FunctionRef]
) -> bool:
    """Return true where `reports` write no dissent and nothing reads the field that keeps it.

    False where any code may take the dissent on another way: as a part of another text, or in a
    record that is written whole.
    """
    reached = call_graph.reachable_from(list(reports))
    if any(function.site.mentions & WHOLE or _speaks_of_it(function) for function in reached):
        return False
    nodes = [
        site.node
        for source in symbols.codebase.production
        if "dissent" in source.text
        for site in source.functions
    ]
    return any(map(_keeps, nodes)) and not any(True for node in nodes for _ in _ways_out(node))


def _keeps(function: ast.AST) -> bool:
    """Return true for `Result(dissent_summary=...)`: a record keeps it."""
    keywords = (node for node in walk(function) if isinstance(node, ast.keyword))
    return any(_is_dissent(keyword.arg or "") for keyword in keywords)


def _speaks_of_it(function: FunctionRef) -> bool:
    return any(
        _is_dissent(last_name(node) or constant_text(node) or "")
        for node in walk(function.site.node)
    )


def _is_dissent(text: str) -> bool:
    return "dissent" in text.lower() and bool({"dissent", "dissents"} & {*words_of(text)})


def _ways_out(function: ast.AST) -> Iterator[ast.AST]:
    """Yield reads of a dissent that may hand it to something else than a dissent."""
    parents = {id(child): node for node in walk(function) for child in ast.iter_child_nodes(node)}
    for node in walk(function):
        if _reads_dissent(node) and not _is_kept(node, parents):
            yield node


def _reads_dissent(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        texts = map(constant_text, node.args) if called_name(node) in {"get", "getattr"} else ()
        return any(_is_dissent(text or "") for text in texts)
    if not isinstance(getattr(node, "ctx", None), ast.Load):
        return False
    key = constant_text(node.slice) if isinstance(node, ast.Subscript) else last_name(node)
    return _is_dissent(key or "")


def _is_kept(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Return true for a name that is tested, or set or handed on as a dissent."""
    child = node
    while (parent := parents.get(id(child))) is not None:
        if isinstance(parent, ast.keyword):
            return _is_dissent(parent.arg or "")
        if isinstance(parent, ast.Call) and called_name(parent) in FILLING_METHODS:
            return _is_dissent(last_name(getattr(parent.func, "value", parent.func)))
        if isinstance(parent, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return all(_is_dissent(last_name(target)) for target in targets)
        if isinstance(parent, ast.If | ast.IfExp) and child is parent.test:
            return True
        if isinstance(parent, ast.stmt):
            return False
        child = parent
    return False
