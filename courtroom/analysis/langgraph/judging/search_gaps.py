"""Reasons why a search of a layer's code is incomplete, so that its "no" is not established."""

from __future__ import annotations

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.source_files import Codebase

ROLE_NAMES = {"judge": "judge", "justice": "Chief Justice"}


def reading_gap(codebase: Codebase) -> str:
    """Return why the sources as a whole do not show everything; "" when all were read."""
    unreadable = [path for path in sorted(codebase.unreadable) if codebase.is_product(path)]
    if unreadable:
        return f"{unreadable[0]} could not be read"
    if codebase.production or not codebase.other_languages:
        return ""
    return f"{codebase.other_languages[0]} is not Python, and there is no Python beside it"


def layer_gap(call_graph: CallGraph, layers: Layers, role: str) -> str:
    """Return why the code of the judges or of the Chief Justice is not known to its end."""
    functions = layers.judges if role == "judge" else layers.justice
    gap = reading_gap(call_graph.symbols.codebase)
    if gap:
        return gap
    if layers.unfollowed.get(role):
        return (
            f"the code of the {ROLE_NAMES[role]}'s node {layers.unfollowed[role][0]}"
            " could not be followed"
        )
    return call_gap(call_graph, functions)


def call_gap(call_graph: CallGraph, functions: list[FunctionRef]) -> str:
    unfollowed = call_graph.unfollowed_call(functions)
    if unfollowed is None:
        return ""
    function, name, line = unfollowed
    return f"{function.source.path}:{line} calls {name}, which could not be followed"
