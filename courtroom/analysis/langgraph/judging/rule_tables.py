"""Tables of rules: functions that run where the condition beside them holds.

`RULES = [(is_insecure, cap_score), (lambda c: "graph" in c, lambda *args: follow_lead(*args))]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, last_name, walk


def conditions_by_function(functions: Iterable[FunctionRef]) -> dict[str, ast.expr]:
    """Return by name the condition of each function that runs from a table of rules alone."""
    by_name = {function.name: function for function in functions}
    rows = [row for node in _code_of(by_name.values()) for row in _rows_in(node, by_name)]
    in_rows = {id(inner) for _, action in rows for inner in walk(action)}
    conditions = {name: test for test, action in rows for name in _run_by(action, by_name)}
    called = {
        called_name(node)
        for function in by_name.values()
        for node in walk(function.site.node)
        if isinstance(node, ast.Call) and id(node) not in in_rows
    }
    return {name: test for name, test in conditions.items() if name not in called}


def _code_of(functions: Iterable[FunctionRef]) -> Iterator[ast.AST]:
    """Yield the functions, and the values that their files define for all of them."""
    sources = {function.source.path: function.source for function in functions}
    yield from (function.site.node for function in functions)
    for source in sources.values():
        yield from (
            node for node in source.tree.body if isinstance(node, ast.Assign | ast.AnnAssign)
        )


def _rows_in(
    code: ast.AST, by_name: Mapping[str, FunctionRef]
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield condition and action of every row: the two members of it that are functions."""
    for node in walk(code):
        functions = [member for member in _members_of(node) if _is_function(member, by_name)]
        if len(functions) == 2:
            test, action = functions
            yield _as_test(test), action


def _members_of(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Tuple):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    # A record: Rule(name="security", holds=is_insecure, apply=cap_score).
    if isinstance(node, ast.Call) and called_name(node)[:1].isupper():
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return []


def _is_function(node: ast.expr, by_name: Mapping[str, FunctionRef]) -> bool:
    is_name = isinstance(node, ast.Name | ast.Attribute)
    return isinstance(node, ast.Lambda) or (is_name and last_name(node) in by_name)


def _as_test(function: ast.expr) -> ast.expr:
    """Return what the condition computes: a lambda's own expression, or a call of the function."""
    if isinstance(function, ast.Lambda):
        return function.body
    return ast.copy_location(ast.Call(function, [], []), function)


def _run_by(action: ast.expr, by_name: Mapping[str, FunctionRef]) -> set[str]:
    if not isinstance(action, ast.Lambda):
        return {last_name(action)}
    calls = (node for node in walk(action.body) if isinstance(node, ast.Call))
    return by_name.keys() & {called_name(call) for call in calls}
