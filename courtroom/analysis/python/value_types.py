"""Types of values that the source shows beyond doubt: of written ones, of local names, of results."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.certain_nodes import LATER
from courtroom.analysis.python.tree_walk import constant_text, push_children, walk

_DISPLAYS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.Tuple: "tuple",
    ast.JoinedStr: "str",
}
# Calls of Python itself, by the type of what they give.
_BUILTINS = {"sorted": "list", "len": "int"} | {
    name: name for name in ("list", "dict", "set", "tuple", "str", "int", "float", "bool")
}
_SETTERS = frozenset({"update", "setdefault", "pop", "clear"})
_WORDS = {"NoneType": "None", "str": "a text", "int": "a number", "float": "a number"}
# Calls, and names of calls, from a value back to what was written.
MOST_STEPS = 5
MOST_RETURNS = 8
# Values of one name: with the steps they bound what is looked at.
MOST_VALUES = 4


def type_of(
    call_graph: CallGraph, function: FunctionRef, value: ast.expr, steps: int = MOST_STEPS
) -> str:
    """Return the name of the type that a value has on every way, "" where it is not sure."""
    value = value.value if isinstance(value, ast.Await) else value
    if steps == 0:
        return ""
    if isinstance(value, ast.Constant):
        return type(value.value).__name__
    if isinstance(value, ast.IfExp):
        options = [value.body, value.orelse]
        return _shared(type_of(call_graph, function, option, steps - 1) for option in options)
    if isinstance(value, ast.Name):
        values = assigned_to(function, value.id)
        return _shared(type_of(call_graph, function, v, steps - 1) for v in values)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        is_own = call_graph.called_by(function.source, value)
        if value.func.id in _BUILTINS and not is_own:
            return _BUILTINS[value.func.id]
    entry = _entry(value)
    if entry:
        results = _returned(call_graph, function, entry[0], steps - 1)
        items = [(home, _item(result, entry[1])) for home, result in results]
        return _shared(
            type_of(call_graph, home, item, steps - 1) if item else "" for home, item in items
        )
    return _DISPLAYS.get(type(value), "")


def worded(kind: str) -> str:
    return _WORDS.get(kind, f"a {kind}")


def _shared(types: Iterator[str]) -> str:
    first = next(types, "")
    return first if first and all(kind == first for kind in types) else ""


def assigned_to(function: FunctionRef, name: str) -> list[ast.expr]:
    """Return all values of a local name; []  where something else than `=` sets it as well."""
    values: list[ast.expr] = []
    stores = 0
    for node in walk(function.site.node):
        if isinstance(node, ast.arg | ast.alias | ast.ExceptHandler | ast.MatchAs):
            names = {getattr(node, field, None) for field in ("arg", "name", "asname")}
            if name in names:
                return []
        elif isinstance(node, ast.Name) and node.id == name:
            stores += not isinstance(node.ctx, ast.Load)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            values += [node.value for t in targets if isinstance(t, ast.Name) and t.id == name]
        elif isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return []
    return values if stores == len(values) <= MOST_VALUES else []


def _entry(value: ast.expr) -> tuple[ast.expr, str] | None:
    """Return the record and the key of `record["key"]` and of `record.get("key", [])`."""
    match value:
        case ast.Subscript(value=record, slice=key):
            text = constant_text(key)
        case ast.Call(func=ast.Attribute(value=record, attr="get"), args=[key, *_]):
            text = constant_text(key)
        case _:
            return None
    return (record, text) if text else None


def _item(record: ast.expr, key: str) -> ast.expr | None:
    """Return the only value of a key in a dict that is written out."""
    if not isinstance(record, ast.Dict) or None in record.keys:
        return None
    values = [v for k, v in zip(record.keys, record.values, strict=True) if constant_text(k) == key]
    return values[0] if len(values) == 1 else None


def _returned(
    call_graph: CallGraph, function: FunctionRef, record: ast.expr, steps: int
) -> Sequence[tuple[FunctionRef, ast.expr]]:
    """Return all that a call of the work's own function gives, with the function that returns it."""
    record = record.value if isinstance(record, ast.Await) else record
    if isinstance(record, ast.Name):
        values = assigned_to(function, record.id)
        is_kept = len(values) == 1 and not _is_changed(function, record.id)
        return _returned(call_graph, function, values[0], steps) if is_kept else ()
    called = call_graph.called_by(function.source, record) if isinstance(record, ast.Call) else []
    callees = {callee.key: callee for callee in called}
    callee = callees.popitem()[1] if len(callees) == 1 else None
    if steps == 0 or callee is None or callee.site.node.decorator_list:
        return ()
    rows: list[tuple[FunctionRef, ast.expr]] = []
    returns = [node for node in _own_nodes(callee) if isinstance(node, ast.Return)]
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own_nodes(callee)):
        return ()
    for node in returns[:MOST_RETURNS]:
        value = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(value, ast.Call):
            rows += (inner := _returned(call_graph, callee, value, steps - 1))
            if not inner:
                return ()
        elif value is None:
            return ()
        else:
            rows.append((callee, value))
    return rows if len(returns) <= MOST_RETURNS else ()


def _is_changed(function: FunctionRef, name: str) -> bool:
    """Return whether the function sets items of a dict, or hands the dict on, which may set them."""
    for node in walk(function.site.node):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name) and node.value.id == name:
                return True
        elif isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            is_set = isinstance(node.func, ast.Attribute) and node.func.attr in _SETTERS
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            names = [n.id for n in (*given, owner if is_set else None) if isinstance(n, ast.Name)]
            if name in names:
                return True
    return False


def _own_nodes(function: FunctionRef) -> Iterator[ast.AST]:
    stack: list[ast.AST] = []
    push_children(function.site.node, stack)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, LATER):
            push_children(node, stack)
