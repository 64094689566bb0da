"""Runs of the graph that begin with what a reducer cannot add to: `{}` where the key holds a list."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from courtroom.analysis.langgraph.graph_values import RUN_METHODS
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk, words_of
from courtroom.analysis.python.value_types import assigned_to, type_of, worded

_ADDS = frozenset({"operator.add", "operator.concat", "op.add"})
_LISTS = frozenset({"list", "List"})
# Words of what is run: a chain of a prompt and a model takes other dicts.
_GRAPHS = frozenset(words_of("app application auditor graph swarm workflow compiled"))


def added_lists(symbols: SymbolTable, reducers: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the keys of a state that hold a list to which operator.add adds."""
    places = {(row["path"], row["line"]) for row in reducers if row["reducer"] in _ADDS}
    return frozenset(
        last_name(node.target)
        for source in symbols.codebase.files.values()
        for home in source.classes
        for node in home.body
        if isinstance(node, ast.AnnAssign) and (source.path, node.lineno) in places
        if _is_list(node.annotation)
    )


def _is_list(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Subscript(value=head) | head, *_])):
            return last_name(annotation.value) == "Annotated" and last_name(head) in _LISTS
    return False


def unfit_inputs(
    call_graph: CallGraph, function: FunctionRef, lists: frozenset[str]
) -> Iterator[FailingLine]:
    """Yield runs of a graph with a value for one of these keys that is no list."""
    for node in walk(function.site.node) if lists else ():
        match node:
            case ast.Call(func=ast.Attribute(value=runner, attr=method), args=[given, *_]):
                is_run = method in RUN_METHODS and not _GRAPHS.isdisjoint(
                    words_of(last_name(runner))
                )
            case _:
                continue
        for key, value in _entries(function, given).items() if is_run else ():
            kind = type_of(call_graph, function, value) if key in lists else ""
            if kind and kind != "list":
                why = f"runs the graph with {worded(kind)} as {key} (line {value.lineno}), which operator.add"
                yield FailingLine(node.lineno, f"{why} cannot add to a list", mark_of(node))


def _entries(function: FunctionRef, given: ast.expr) -> Mapping[str, ast.expr]:
    """Return the values of a dict that is written out and never changed, by their keys."""
    if isinstance(given, ast.Name):
        name = given.id
        values = assigned_to(function, name)
        is_changed = any(
            isinstance(node, ast.Subscript | ast.Attribute)
            and last_name(node.value) == name
            and not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load))
            for node in walk(function.site.node)
        )
        given = values[0] if len(values) == 1 and not is_changed else given
    if not isinstance(given, ast.Dict):
        return {}
    pairs = zip(given.keys, given.values, strict=True)
    return {constant_text(key) or "": value for key, value in pairs if key is not None}
