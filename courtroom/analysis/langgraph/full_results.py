"""Tests of a result that no function ever gives empty: `bool(hits)` of `hits or ["Nothing."]`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import called_name, constant_text, last_name, walk

# Methods by which a tool of LangChain is called.
TOOL_CALLS = frozenset({"invoke", "run"})


@dataclass(frozen=True, slots=True)
class FullResult:
    """Test as it is written, which always holds.

    `text` is what the function gives where it has nothing; `because` says why the test holds.
    """

    test: str
    text: str
    because: str


def full_result(
    call_graph: CallGraph, function: FunctionRef, test: ast.expr | None
) -> FullResult | None:
    """Return the test of a local name that is set once, by a function that gives nothing empty."""
    match test:
        case ast.Call(func=ast.Name(id="bool"), args=[ast.Name(id=name)]):
            pass
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
            ops=[ast.Gt()],
            comparators=[ast.Constant(value=0)],
        ):
            pass
        case _:
            return None
    called = _giver(call_graph, function, name)
    texts = _texts_for_nothing(called) if called else None
    if called is None or texts is None:
        return None
    why = f"{called.shown_name}() never gives an empty result"
    return FullResult(ast.unparse(test), next(iter(texts), ""), why)


def _giver(call_graph: CallGraph, function: FunctionRef, name: str) -> FunctionRef | None:
    """Return the only function whose result a local name has."""
    nodes = list(walk(function.site.node))
    stored = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    if sum(isinstance(node.ctx, ast.Store | ast.Del) for node in stored) != 1:
        return None
    values = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign) and any(target in stored for target in node.targets)
    ]
    call = values[0] if len(values) == 1 else None
    if not isinstance(call, ast.Call):
        return None
    by_name = called_name(call)
    if by_name in TOOL_CALLS and isinstance(call.func, ast.Attribute):
        by_name = last_name(call.func.value)
    entries = call_graph.symbols.functions_by_name.get(by_name, [])
    return FunctionRef(*entries[0]) if len(entries) == 1 else None


def _texts_for_nothing(function: FunctionRef) -> list[str] | None:
    """Return the written texts that a function gives in place of nothing; None if it may be empty."""
    nodes = list(walk(function.site.node))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
        return None
    # Without a return at its end a function may give None.
    if not isinstance(function.site.node.body[-1], ast.Return):
        return None
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    texts = [_text_of(value, ()) for value in returned]
    full = [text for text in texts if text is not None]
    return list(filter(None, full)) if len(full) == len(texts) else None


def _text_of(value: ast.expr | None, held: tuple[str, ...]) -> str | None:
    """Return the text in a value that is never empty, "" without one; None if it may be empty.

    `held` are the names that are known not to be empty.
    """
    match value:
        case ast.Name(id=name) if name in held:
            return ""
        case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
            return constant_text(first) or ""
        case ast.Constant(value=str() as text) if text:
            return text
        case ast.IfExp(test=ast.Name(id=name)):
            branches = [_text_of(value.body, (*held, name)), _text_of(value.orelse, held)]
            return None if None in branches else "".join(filter(None, branches))
        case ast.BoolOp(op=ast.Or(), values=[*_, last]):
            return _text_of(last, held)
    return None
