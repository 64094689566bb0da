"""Parameters by which a function chooses what to look for: the work decides nothing of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.access_guards import CRITERIA
from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.unexamined_evidence import may_look
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk, words_of

# Texts with which a function that chooses compares its parameter.
LEAST_COMPARED = 2
# Names from an argument back to the criterion.
MOST_NAMES = 20


def dispatch_keys(
    function: FunctionRef, caller: FunctionRef, calls: Iterable[ast.Call]
) -> frozenset[str]:
    """Return the parameters that a function compares with several texts, where these calls in its
    caller fill them from a criterion of the rubric or with a written text.
    """
    given = list(calls)
    compared: dict[str, set[str]] = {}
    for node in walk(function.site.node):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            texts = {t for side in node.comparators if (t := constant_text(side)) is not None}
            compared.setdefault(node.left.id, set()).update(texts)
    stored = {
        n.id
        for n in walk(function.site.node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return frozenset(
        name
        for name in {*parameter_names(function)} - stored
        if len(compared.get(name, ())) >= LEAST_COMPARED
        and all(_is_chosen(argument_of(call, name, function), caller) for call in given)
    )


def _is_chosen(argument: ast.expr | None, caller: FunctionRef) -> bool:
    """Return true for a written text, and for what comes of a criterion without a look."""
    if argument is None or constant_text(argument) is not None:
        return argument is not None
    has_criterion, names = False, set[str]()
    waiting = [(argument, False)]
    for value, is_gone_over in waiting:  # the list grows while it is read
        nodes = list(walk(value))
        words = {w for n in nodes for w in words_of(last_name(n) or constant_text(n) or "")}
        has_criterion = has_criterion or not CRITERIA.isdisjoint(words)
        if is_gone_over and not CRITERIA.isdisjoint(words):
            continue
        if len(names) > MOST_NAMES or any(isinstance(n, ast.Call) and may_look(n) for n in nodes):
            return False
        new = {n.id for n in nodes if isinstance(n, ast.Name)} - names
        names |= new
        waiting += _sources(caller, new)
    return has_criterion


def _sources(function: FunctionRef, names: set[str]) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what the names are assigned, or are members of: true for what a loop goes over."""
    for node in walk(function.site.node):
        if isinstance(node, ast.Assign) and any(last_name(t) in names for t in node.targets):
            yield node.value, False
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension) and names & {
            n.id for n in walk(node.target) if isinstance(n, ast.Name)
        }:
            yield node.iter, True
