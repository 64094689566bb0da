"""Judges that ask their model for one opinion, where the rubric has many criteria."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from courtroom.analysis.langgraph.judging.structured_calls import (
    classes_of,
    is_model_call,
    structured_calls,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import Place
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    constant_text,
    last_name,
    line_of_call,
    walk,
    words_of,
)

# Words of names and keys under which code has one criterion of several, or its place among them.
ONE_CRITERION = frozenset(words_of("criterion crit dimension dim index idx"))
# What may ask once for each criterion.
REPEATING = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
# Calls that may do so.
SPREADING = frozenset({"map", "gather", "batch", "abatch", "Send", "as_completed"})


def single_opinions(
    symbols: SymbolTable, judges: Mapping[str, Sequence[FunctionRef]]
) -> dict[str, Place]:
    """Return the place of the first request of each judge whose run comes to one opinion.

    Nothing in its code stands for one criterion, no loop is around a request or a call of its code,
    and the schema is an opinion by itself. `judges`: the functions that each one's node runs.
    """
    places: dict[str, Place] = {}
    for name, functions in judges.items():
        requests = [
            (function.source.path, line_of_call(node))
            for function in functions
            for node in walk(function.site.node)
            if is_model_call(node)
        ]
        is_single = _is_bound_to_opinion(symbols, functions) and not any(
            _names_criterion(function) or _repeats(function, functions) for function in functions
        )
        if requests and is_single:
            places[name] = requests[0]
    return places


def _is_bound_to_opinion(symbols: SymbolTable, functions: Sequence[FunctionRef]) -> bool:
    """Return true where each schema is one class with a score, and holds no other class."""
    schemas = [classes_of(c, symbols) for c in structured_calls(symbols) if c.is_in(functions)]
    return bool(schemas) and all(
        len(sites) == 1 and "score" in symbols.field_names(sites[0].source, sites[0].node)
        for sites in schemas
    )


def _names_criterion(function: FunctionRef) -> bool:
    for node in walk(function.site.node):
        text = constant_text(node) or ""
        name = last_name(node) or (text if text.isidentifier() else "")
        if isinstance(node, ast.arg):
            name = node.arg
        if ONE_CRITERION & {*words_of(name)}:
            return True
    return False


def _repeats(function: FunctionRef, functions: Sequence[FunctionRef]) -> bool:
    """Return true where a loop holds a request, or a name of the judge's functions."""
    names = {inner.name for inner in functions}
    return any(
        (isinstance(node, ast.Call) and last_name(node.func) in SPREADING)
        or (
            isinstance(node, REPEATING)
            and any(is_model_call(part) or last_name(part) in names for part in walk(node))
        )
        for node in walk(function.site.node)
    )
