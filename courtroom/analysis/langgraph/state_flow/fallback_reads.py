"""Reads of a key that only stand in for another one, which every input of the graph holds."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.state_flow.flow_fault import Place
from courtroom.analysis.langgraph.state_parts import is_empty
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import DictValue, Value, choices_of
from courtroom.analysis.python.tree_walk import last_name, walk

EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# Local names with the value that they get first, and the line of the next one.
First = Mapping[str, tuple[ast.expr, float]]


def filled_keys(inputs: Sequence[Value], declared: frozenset[str]) -> frozenset[str]:
    """Return the declared keys that every input of the graph holds with a value."""
    keys = []
    for value in (choice for given in inputs for choice in choices_of(given)):
        entries = value.entries if isinstance(value, DictValue) else {}
        keys.append({k for k, v in entries.items() if v not in (None, "") and not is_empty(v)})
    return declared.intersection(*keys) if keys else frozenset()


def key_instead(
    symbols: SymbolTable, key: str, places: Sequence[Place], filled: frozenset[str]
) -> str:
    """Return the filled key in whose place alone a key is read; "" where it is read for itself."""
    instead = []
    for path, line in places:
        source = symbols.codebase.files.get(path)
        for site in source.functions if source is not None and filled else ():
            if site.node.lineno <= line <= (site.node.end_lineno or line):
                reads = [n for n in walk(site.node) if _key(n) == key and _line(n) == line]
                after = _after_filled(site.node, filled) if reads else {}
                instead += [after.get(id(read), "") for read in reads]
    return instead[0] if instead and all(instead) else ""


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _key(node: ast.AST) -> str:
    """Return the key of `state["key"]`, `state.get("key")` and `getattr(state, "key")`; "" else."""
    match node:
        case ast.Subscript(value=holder, slice=ast.Constant(value=str(key))):
            pass
        case ast.Call(
            func=ast.Attribute(value=holder, attr="get"), args=[ast.Constant(str(key)), *_]
        ):
            pass
        case ast.Call(func=ast.Name(id="getattr"), args=[holder, ast.Constant(str(key)), *_]):
            pass
        case ast.Attribute(value=holder, attr=key):
            pass
        case _:
            return ""
    return key if last_name(holder) == "state" else ""


def _after_filled(function: ast.AST, filled: frozenset[str]) -> dict[int, str]:
    """Return by the id of a node the filled key without which alone it is run."""
    first = _first_values(function)
    after: dict[int, str] = {}
    for node in walk(function):
        for key, parts in _fallbacks(node, first, filled):
            inner = (inner for part in parts for inner in walk(part))
            after |= dict.fromkeys(map(id, inner), key) if key else {}
    return after


def _first_values(function: ast.AST) -> First:
    stores: dict[str, list[int]] = {}
    values: dict[tuple[str, int], ast.expr] = {}
    for node in walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores.setdefault(node.id, []).append(node.lineno)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id, node.lineno] = node.value
    return {
        name: (values[name, lines[0]], min(lines[1:], default=math.inf))
        for name, lines in stores.items()
        if (name, lines[0]) in values
    }


def _fallbacks(
    node: ast.AST, first: First, filled: frozenset[str]
) -> Iterator[tuple[str, Sequence[ast.AST]]]:
    """Yield filled keys with the parts of a node that are run without their value alone."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=values):
            for number, value in enumerate(values):
                yield _present(value, first, filled), values[number + 1 :]
        case ast.Call(args=[*_, default]) if _key(node) in filled:
            yield _key(node), [default]
        case ast.IfExp(test=test, orelse=last):
            yield _present(test, first, filled), [last]
        case ast.If(test=test, body=then, orelse=orelse):
            yield _present(test, first, filled), orelse
            yield _missing(test, first, filled), then
    body = getattr(node, "body", None)
    block: Sequence[ast.stmt] = body if isinstance(body, list) else ()
    for number, row in enumerate(block):
        if isinstance(row, ast.If) and isinstance(row.body[-1], EXITS):
            yield _present(row.test, first, filled), block[number + 1 :]


def _present(test: ast.expr, first: First, filled: frozenset[str]) -> str:
    """Return the filled key that a test finds; "" for all else."""
    match test:
        case ast.Name(id=name, lineno=line) if name in first and line < first[name][1]:
            return _present(first[name][0], {}, filled)
        case ast.Call(func=ast.Name(id="isinstance"), args=[value, _]):
            return _present(value, first, filled)
        case ast.Compare(left=value, ops=[ast.IsNot()], comparators=[ast.Constant(None)]):
            return _present(value, first, filled)
    return _key(test) if _key(test) in filled else ""


def _missing(test: ast.expr, first: First, filled: frozenset[str]) -> str:
    """Return the filled key of which a test wants that it is not there; "" for all else."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=value):
            return _present(value, first, filled)
        case ast.Compare(left=value, ops=[ast.Is()], comparators=[ast.Constant(None)]):
            return _present(value, first, filled)
    return ""
