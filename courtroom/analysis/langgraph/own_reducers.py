"""Reducers that a repository writes itself: by which operator a function merges its arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, walk

APPEND, MERGE = "operator.add", "operator.or_"
OPERATORS = frozenset({"add", "iadd", "concat", "ior", "or_"})
APPENDING = frozenset({APPEND, "operator.iadd", "operator.concat"})
# What a reducer applies that puts each key of the second mapping into what it keeps of the first.
MERGED_BY_KEY = "a merge key by key"
# The same, where what lies under a key that both hold is joined.
JOINED_BY_KEY = "a merge key by key that joins lists"
MERGES_BY_KEY = (MERGED_BY_KEY, JOINED_BY_KEY)
# Words behind an operator: an update of a certain value empties what was there; not all is added.
RESET, PARTLY = " or starts anew", " of a part"
METHODS = {"extend": APPEND, "update": MERGE}
# Calls that copy a mapping or a list.
COPIES = frozenset({"list", "dict", "copy", "deepcopy"})


def applied_operator(symbols: SymbolTable, reducer: str) -> str:
    """Return what the repository's own function of this name, or of this channel, applies; else "".

    A function that does both, or neither on its two arguments themselves, is not plain. Only what
    it returns counts: `Model(a={**x.a, **y.a})` merges one field.
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
        return JOINED_BY_KEY if _joins_by_key(node) else MERGED_BY_KEY
    if len(operators) != 1:
        return ""
    return operators.pop() + (RESET if _has_reset(node, names[0], names[1]) else "")


def appends(applied: str) -> bool:
    """Return whether a reducer that applies this adds a list to itself that is returned whole."""
    return applied == JOINED_BY_KEY or applied.removesuffix(RESET) in APPENDING


def name_of(applied: str) -> str:
    """Return the name of the operator that is applied, "merge_dicts" for a merge key by key."""
    return "merge_dicts" if applied in MERGES_BY_KEY else operator_name(applied.partition(" ")[0])


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
    """Yield what is applied in what the function returns."""
    names = _returned_names(node)
    for inner in walk(node):
        if isinstance(inner, ast.Return | ast.Assign) and inner.value is not None:
            targets = _names(inner.targets[0]) if isinstance(inner, ast.Assign) else names
            if targets & names or isinstance(inner, ast.Return):
                for result in _results(inner.value):
                    yield from _applied_in(result, first, second)
        elif isinstance(inner, ast.AugAssign) and last_name(inner.target) in names:
            if isinstance(inner.op, ast.Add | ast.BitOr) and second in _names(inner.value):
                yield _operator(inner.op, inner.value)
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            is_own = isinstance(inner.func.value, ast.Name) and inner.func.value.id in names
            is_merge = is_own and inner.func.attr in METHODS
            if is_merge and any(second in _names(part) for part in inner.args):
                yield METHODS[inner.func.attr] + (PARTLY if _is_part(inner.args[0]) else "")


def _applied_in(result: ast.expr, first: str, second: str) -> Iterator[str]:
    if isinstance(result, ast.BinOp) and isinstance(result.op, ast.Add | ast.BitOr):
        if first in _names(result.left) and second in _names(result.right):
            yield _operator(result.op, result.right)
    elif isinstance(result, ast.Dict):
        unpacked = [v for k, v in zip(result.keys, result.values, strict=True) if k is None]
        yield from [MERGE] * _hold_both(unpacked, first, second)
    elif isinstance(result, ast.List):
        starred = [part for part in result.elts if isinstance(part, ast.Starred)]
        yield from [APPEND] * _hold_both(starred, first, second)
    elif isinstance(result, ast.Call):
        name = called_name(result)
        if name in OPERATORS and _hold_both(result.args, first, second):
            yield f"operator.{name}"


def _operator(operator: ast.operator, added: ast.expr) -> str:
    if isinstance(operator, ast.BitOr):
        return MERGE
    return APPEND + (PARTLY if _is_part(added) else "")


def _is_part(added: ast.expr) -> bool:
    """Return whether what is added is chosen from, such as without what is there already."""
    return any(
        isinstance(inner, ast.comprehension)
        or (isinstance(inner, ast.Call) and called_name(inner) not in COPIES)
        for inner in walk(added)
    )


def _returned_names(node: FunctionNode) -> set[str]:
    """Return the names whose value, or a copy of it, is returned."""
    returns = [n.value for n in walk(node) if isinstance(n, ast.Return) and n.value]
    results = [result for value in returns for result in _results(value)]
    return {result.id for result in results if isinstance(result, ast.Name)}


def _results(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions of which the value is one, or a copy of one."""
    if isinstance(value, ast.IfExp):
        parts = [value.body, value.orelse]
    elif isinstance(value, ast.BoolOp):
        parts = value.values
    elif isinstance(value, ast.Call) and called_name(value) in COPIES and len(value.args) == 1:
        parts = value.args
    else:
        yield value
        return
    for part in parts:
        yield from _results(part)


def _has_reset(node: FunctionNode, first: str, second: str) -> bool:
    """Return whether a test of the second argument alone returns something without the first."""
    return any(
        isinstance(inner, ast.If)
        and second in _names(inner.test)
        and first not in _names(inner.test)
        and any(
            isinstance(statement, ast.Return)
            and statement.value is not None
            and first not in _names(statement.value)
            for statement in inner.body
        )
        for inner in walk(node)
    )


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


def _joins_by_key(node: FunctionNode) -> bool:
    """Return whether all that is put under a key is added to what is there, or is there first."""
    values = [value for loop in walk(node) if isinstance(loop, ast.For) for value in _fills(loop)]
    return any(is_join for is_join, _ in values) and not any(_is_part(v) for _, v in values)


def _fills(loop: ast.For) -> Iterator[tuple[bool, ast.expr]]:
    """Yield what a loop puts under its keys, and whether it is joined with what is there."""
    keys = _names(loop.target)
    for inner in walk(loop):
        if isinstance(inner, ast.Assign | ast.AugAssign):
            target = inner.targets[0] if isinstance(inner, ast.Assign) else inner.target
            if not (isinstance(target, ast.Subscript) and _names(target.slice) & keys):
                continue
            value = inner.value
            is_sum = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)
            if isinstance(inner, ast.AugAssign):
                yield isinstance(inner.op, ast.Add), value
            elif isinstance(value, ast.BinOp) and is_sum:
                yield last_name(target.value) in _names(value.left), value.right
            else:
                yield False, value
        elif isinstance(inner, ast.Call) and called_name(inner) in {"extend", "append"}:
            is_plain = called_name(inner) == "extend" and _lies_under(inner.func, keys)
            yield is_plain, inner.args[0] if is_plain and inner.args else inner


def _lies_under(method: ast.expr, keys: set[str]) -> bool:
    """Return whether a method is that of what a mapping holds under one of the keys."""
    owner = getattr(method, "value", method)
    if isinstance(owner, ast.Call) and called_name(owner) == "setdefault" and owner.args:
        return bool(_names(owner.args[0]) & keys)
    return isinstance(owner, ast.Subscript) and bool(_names(owner.slice) & keys)


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
