"""Values of the state that a node reads to return them again, with what it adds to them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, walk

# Calls that hold what they are given.
HOLDING_CALLS = frozenset({"list", "dict", "set", "tuple", "sorted", "copy", "deepcopy", "get"})


def is_carried_on(symbols: SymbolTable, path: str, line: int, key: str) -> bool:
    """Return whether the function around the line returns what it reads under the key.

    True where the function is not known.
    """
    source = symbols.codebase.files.get(path)
    sites = [
        site.node
        for site in (source.functions if source else ())
        if site.node.lineno <= line <= (site.node.end_lineno or 0)
    ]
    return not sites or any(_returns(node, key) for node in sites)


def _returns(function: ast.AST, key: str) -> bool:
    assigned: dict[str, list[ast.expr]] = {}
    queue: list[ast.expr] = []
    for node in walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            queue.append(node.value)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                assigned.setdefault(_base_of(target), []).append(node.value)
    followed: set[str] = set()
    for value in queue:  # the list grows while it is read
        for part in _held(value):
            if _reads(part, key):
                return True
            if isinstance(part, ast.Name) and part.id not in followed:
                followed.add(part.id)
                queue += assigned.get(part.id, [])
    return False


def _base_of(target: ast.expr) -> str:
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _held(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a value, without what a call makes something else of."""
    yield value
    if isinstance(value, ast.Call) and called_name(value) not in HOLDING_CALLS:
        return
    children: Iterable[ast.AST] = ast.iter_child_nodes(value)
    if isinstance(value, ast.Call):
        children = value.args
    for child in children:
        if isinstance(child, ast.comprehension):
            yield from _held(child.iter)
        elif isinstance(child, ast.expr):
            yield from _held(child)


def _reads(value: ast.expr, key: str) -> bool:
    """Return true for `state["key"]` and `state.get("key")`."""
    if isinstance(value, ast.Subscript):
        return constant_text(value.slice) == key
    if isinstance(value, ast.Call) and called_name(value) == "get":
        return bool(value.args) and constant_text(value.args[0]) == key
    return False
