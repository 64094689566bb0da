"""Reducers that a repository writes itself: by which operator a function merges its arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, walk

APPEND, MERGE = "operator.add", "operator.or_"
OPERATORS = frozenset({"add", "iadd", "concat", "ior", "or_"})
# What a reducer applies that puts each key of the second mapping into what it keeps of the first.
MERGED_BY_KEY = "a merge key by key"
METHODS = {"extend": APPEND, "update": MERGE}


def applied_operator(symbols: SymbolTable, reducer: str) -> str:
    """Return what the repository's own function of this name, or of this channel, applies; else "".

    A function that does both, or neither on its two arguments themselves, is not plain.
    """
    homes = symbols.functions_by_name.get(operator_name(reducer), [])
    if len(homes) != 1:
        return ""
    node = homes[0][1].node
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if len(names) != 2:
        return ""
    operators = set(_operators(node, names[0], names[1]))
    if not operators and _merges_by_key(node, names[0], names[1]):
        return MERGED_BY_KEY
    return operators.pop() if len(operators) == 1 else ""


def operator_name(reducer: str) -> str:
    """Return the name of a reducer, or of the operator of BinaryOperatorAggregate(dict, merge)."""
    try:
        channel = ast.parse(reducer, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if isinstance(channel, ast.Call) and called_name(channel) == "BinaryOperatorAggregate":
        return last_name(keyword_of(channel, "operator") or next(iter(channel.args[1:2]), channel))
    return last_name(channel)


def _operators(node: FunctionNode, first: str, second: str) -> Iterator[str]:
    for inner in walk(node):
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add | ast.BitOr):
            if first in _names(inner.left) and second in _names(inner.right):
                yield APPEND if isinstance(inner.op, ast.Add) else MERGE
        elif isinstance(inner, ast.Dict):
            unpacked = [v for k, v in zip(inner.keys, inner.values, strict=True) if k is None]
            yield from [MERGE] * _hold_both(unpacked, first, second)
        elif isinstance(inner, ast.List):
            starred = [part for part in inner.elts if isinstance(part, ast.Starred)]
            yield from [APPEND] * _hold_both(starred, first, second)
        elif isinstance(inner, ast.Call):
            name = called_name(inner)
            if name in OPERATORS and _hold_both(inner.args, first, second):
                yield f"operator.{name}"
            elif name in METHODS and any(second in _names(part) for part in inner.args):
                yield METHODS[name]


def _merges_by_key(node: FunctionNode, first: str, second: str) -> bool:
    """Return true where a loop over the second argument fills what is returned and holds the first."""
    returned = {
        name
        for n in walk(node)
        if isinstance(n, ast.Return) and n.value
        for name in _names(n.value)
    }
    filled: dict[str, set[str]] = {first: {first}}
    for inner in walk(node):
        if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name):
            filled.setdefault(inner.targets[0].id, set()).update(_names(inner.value))
        elif isinstance(inner, ast.For):
            for name in _filled_by_key(inner):
                filled.setdefault(name, set()).update(_names(inner.iter))
    return any({first, second} <= filled.get(name, set()) for name in returned)


def _filled_by_key(loop: ast.For) -> Iterator[str]:
    """Yield the names of mappings in which a loop sets its own keys."""
    keys = _names(loop.target)
    for inner in walk(loop):
        if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
            owner, key = inner.value, inner.slice
        elif isinstance(inner, ast.Call) and called_name(inner) == "setdefault" and inner.args:
            owner, key = getattr(inner.func, "value", inner), inner.args[0]
        else:
            continue
        if _names(key) & keys:
            yield last_name(owner)


def _hold_both(parts: Sequence[ast.expr], first: str, second: str) -> bool:
    """Return true where one part is made of the first argument and another of the second."""
    names_by_part = [_names(part) for part in parts]
    return any(first in names for names in names_by_part) and any(
        second in names for names in names_by_part
    )


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in walk(node) if isinstance(inner, ast.Name)}
