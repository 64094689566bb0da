"""Code that can limit the Tech Lead's weight to the criteria on architecture."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from courtroom.analysis.langgraph.judging.score_changes import SENTENCE_SPACES
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

# The rubric lets the Tech Lead decide on these.
ARCHITECTURE = frozenset(
    words_of(
        """architecture architectural architect orchestration functionality modular modularity
        graph topology wiring"""
    )
)


def may_be_limited(place: tuple[FunctionRef, int], functions: Sequence[FunctionRef]) -> bool:
    """Return whether code that decides on a weight at this place names architecture.

    What runs after a weight, such as a text on one criterion, limits it to none.
    """
    function, line = place
    is_inside = function.site.node.lineno <= line <= (function.site.node.end_lineno or line)
    # A table at the top of a file serves whoever reads it.
    starts = _until_calls(function, functions) if is_inside else [(f, 0) for f in functions]
    by_name = {other.name: other for other in functions}
    whole: set[tuple[str, int]] = set()
    while starts:
        current, end = starts.pop()
        for node in walk(current.site.node):
            if end and getattr(node, "lineno", 0) > end:
                continue
            if _names_architecture(node):
                return True
            callee = by_name.get(last_name(node))
            if callee is not None and callee.key not in whole:
                whole.add(callee.key)
                starts.append((callee, 0))
    return False


def _until_calls(
    function: FunctionRef, functions: Sequence[FunctionRef]
) -> list[tuple[FunctionRef, int]]:
    """Return a function and those that lead to it, each with the line of its last such call.

    0 where the whole function counts: the first one, and one that hands the other on.
    """
    ends = {function.key: (function, 0)}
    queue = [function]
    while queue:
        current = queue.pop()
        for caller in functions:
            if caller.key not in ends and current.name in caller.site.mentions:
                ends[caller.key] = caller, _last_call(caller, current.name)
                queue.append(caller)
    return [*ends.values()]


def _last_call(caller: FunctionRef, name: str) -> int:
    nodes = [*walk(caller.site.node)]
    calls = [n for n in nodes if isinstance(n, ast.Call) and called_name(n) == name]
    is_only_called = len(calls) == sum(last_name(node) == name for node in nodes)
    return max((c.end_lineno or c.lineno for c in calls), default=0) if is_only_called else 0


def _names_architecture(node: ast.AST) -> bool:
    text = constant_text(node)
    # A sentence is for a reader; it limits nothing.
    if text is not None and text.count(" ") >= SENTENCE_SPACES:
        return False
    return bool(ARCHITECTURE.intersection(words_of(text or last_name(node))))
