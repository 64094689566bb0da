"""Code that runs where the judges' model gave no answer, or one of another type."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.judging.structured_calls import (
    MODEL_METHODS,
    SCHEMA_BINDERS,
    is_model_call,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    BLOCK_ENDS,
    called_name,
    constant_text,
    last_name,
    walk,
)

# Parts of an answer that are its whole content.
CONTENTS = frozenset({"parsed", "content", "tool_calls", "output_parsed"})
LOOPS = (ast.For, ast.AsyncFor, ast.While)


def without_answer(function: ast.AST, functions: Mapping[str, FunctionRef]) -> Iterator[ast.AST]:
    """Yield what a function does where a helper that asks returns None: `else`, `or`, the rest."""
    names = _names(function, lambda value: _may_be_none(value, functions))
    for block in _without(function, names, functions):
        yield from block


def unlike_answers(function: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield what a function does where its own request brings nothing, or another type.

    With each, whether no other request comes before it: it stands in the loop of the request, or
    there is none, and its block does not begin the loop anew.
    """
    names = _names(function, lambda value: is_model_call(_awaited(value)))
    asking = [
        loop
        for loop in walk(function)
        if isinstance(loop, LOOPS) and any(map(is_model_call, walk(loop)))
    ]
    inside = {id(part) for loop in asking for part in walk(loop)}
    for block in _without(function, names, {}):
        is_begun_anew = any(isinstance(p, ast.Continue) for node in block for p in walk(node))
        for node in block:
            yield node, not is_begun_anew and (not asking or id(node) in inside)


def _names(function: ast.AST, is_answer: Callable[[ast.expr], bool]) -> set[str]:
    return {
        last_name(target)
        for node in walk(function)
        if isinstance(node, ast.Assign) and is_answer(node.value)
        for target in node.targets
    } - {""}


def _without(
    function: ast.AST, names: set[str], functions: Mapping[str, FunctionRef]
) -> Iterator[Sequence[ast.AST]]:
    """Yield the blocks that run without an answer."""
    for node in walk(function):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            first, *others = node.values
            if _is_of(first, names) or _may_be_none(first, functions):
                yield others
        elif isinstance(node, ast.IfExp) and (absent := _absent(node.test, names)) is not None:
            yield [node.body if absent else node.orelse]
        yield from _in_block(node, names)


def _in_block(node: ast.AST, names: set[str]) -> Iterator[Sequence[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        block = statements if isinstance(statements, list) else []
        for position, part in enumerate(block):
            absent = _absent(part.test, names) if isinstance(part, ast.If) else None
            if absent is None:
                continue
            yield part.body if absent else part.orelse
            if not (absent or part.orelse) and isinstance(part.body[-1], BLOCK_ENDS):
                yield block[position + 1 :]


def _absent(test: ast.expr, names: set[str]) -> bool | None:
    """Return whether the test holds where the answer is missing; None where it tests another."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _absent(test.operand, names)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
        is_none = test.comparators[0].value is None and _is_of(test.left, names)
        operator = test.ops[0]
        is_test = is_none and isinstance(operator, ast.Is | ast.IsNot)
        return isinstance(operator, ast.Is) if is_test else None
    if isinstance(test, ast.BoolOp):
        # All parts of an `and` are to be there; of an `or`, one that is missing is enough.
        wanted = isinstance(test.op, ast.Or)
        return wanted if wanted in {_absent(part, names) for part in test.values} else None
    if isinstance(test, ast.Call) and called_name(test) == "isinstance" and test.args:
        return False if _is_of(test.args[0], names) else None
    return False if _is_of(test, names) else None


def _is_of(node: ast.expr, names: set[str]) -> bool:
    """Return true for an answer, and for the part of it that is its content."""
    while isinstance(node, ast.Attribute | ast.Subscript) and _part(node) in CONTENTS:
        node = node.value
    return last_name(node) in names


def _part(node: ast.Attribute | ast.Subscript) -> str | None:
    return node.attr if isinstance(node, ast.Attribute) else constant_text(node.slice)


def _awaited(value: ast.expr) -> ast.expr:
    return value.value if isinstance(value, ast.Await) else value


def _may_be_none(value: ast.expr, functions: Mapping[str, FunctionRef]) -> bool:
    """Return true for a call of a function that returns None after its request failed.

    It may also hand on the answer of a bound model as it came: that is None where the model called
    no tool.
    """
    call = _awaited(value)
    called = functions.get(called_name(call)) if isinstance(call, ast.Call) else None
    if called is None or MODEL_METHODS.isdisjoint(called.site.mentions):
        return False
    nodes = list(walk(called.site.node))
    if not SCHEMA_BINDERS.isdisjoint(called.site.mentions):
        answers = _names(called.site.node, lambda part: is_model_call(_awaited(part)))
        if any(isinstance(n, ast.Return) and _is_answer(n.value, answers) for n in nodes):
            return True
    tries = [node.lineno for node in nodes if isinstance(node, ast.Try)]
    return any(
        isinstance(node, ast.Return)
        and (node.value is None or (isinstance(node.value, ast.Constant) and not node.value.value))
        and node.lineno > min(tries, default=node.lineno)
        for node in nodes
    )


def _is_answer(value: ast.expr | None, answers: set[str]) -> bool:
    if isinstance(value, ast.Name):
        return value.id in answers
    return value is not None and is_model_call(_awaited(value))
