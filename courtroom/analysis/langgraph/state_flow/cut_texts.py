"""Tools that read only the beginning of a text: the first word of a subject, the first turn of a loop."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import constant_text, walk

# Fields of a format of git log with one blank between them, the subject among them and not last.
_APART = re.compile(r"format[=:]((?:%\w{1,2} ){1,9}%\w{1,2})")
SUBJECT = "%s"
# Parts of a sum that are followed.
MOST_PARTS = 12

Sum = dict[str, int]


def cut_texts(in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    for function in in_use:
        for line, sentence in (*_cut_subjects(function), *_first_turns(function)):
            yield FlowFault("cut_text", sentence, function.source.path, line)


def _cut_subjects(function: FunctionRef) -> Iterator[tuple[int, str]]:
    """Yield where fields of git log are cut at blanks, so that a subject ends at its first word."""
    nodes = list(walk(function.site.node))
    formats = [_APART.search(constant_text(node) or "") for node in nodes]
    fields = next((match[1].split(" ") for match in formats if match), [])
    if SUBJECT not in fields[:-1]:
        return
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(attr="split"),
                args=[ast.Constant(value=" " | None), ast.Constant(value=int() as most)],
            ) if most > fields.index(SUBJECT):
                sentence = (
                    f"{function.shown_name}() cuts “{' '.join(fields)}” of git log at blanks: the"
                    " part for the subject holds its first word alone, and the parts after it the rest"
                )
                yield node.lineno, sentence


def _first_turns(function: FunctionRef) -> Iterator[tuple[int, str]]:
    """Yield loops that a test ends in their first turn, as the statement before it makes it true."""
    loops = (n for n in walk(function.site.node) if isinstance(n, ast.While | ast.For))
    for loop in loops:
        if any(isinstance(node, ast.Continue) for node in walk(loop)):
            continue
        for before, test in itertools.pairwise(loop.body):
            if not isinstance(test, ast.If) or not isinstance(test.body[-1], ast.Break):
                continue
            if isinstance(before, ast.Assign) and _holds(test.test, before):
                sentence = (
                    f"{function.shown_name}() ends its loop in the first turn: after"
                    f" `{ast.unparse(before)}` it is always so that `{ast.unparse(test.test)}`"
                )
                yield test.lineno, sentence


def _holds(test: ast.expr, before: ast.Assign) -> bool:
    """Return true for a comparison of two sums that are the same after the assignment."""
    match before.targets, test:
        case (
            [ast.Name(id=name)],
            ast.Compare(left=left, ops=[ast.GtE() | ast.LtE() | ast.Eq()], comparators=[right]),
        ):
            value, sides = _sum_of(before.value), [_sum_of(left), _sum_of(right)]
            if value is None or name in value or None in sides:
                return False
            first, second = (_with(side or {}, name, value) for side in sides)
            return name in {n.id for n in walk(test) if isinstance(n, ast.Name)} and first == second
    return False


def _sum_of(value: ast.expr) -> Sum | None:
    """Return how often each name stands in a sum, None for anything else."""
    counts: Sum = {}
    stack = [(value, 1)]
    for _ in range(MOST_PARTS):
        if not stack:
            return {name: count for name, count in counts.items() if count}
        match stack.pop():
            case ast.Name(id=name), sign:
                counts[name] = counts.get(name, 0) + sign
            case ast.BinOp(left=left, op=ast.Add(), right=right), sign:
                stack += [(left, sign), (right, sign)]
            case ast.BinOp(left=left, op=ast.Sub(), right=right), sign:
                stack += [(left, sign), (right, -sign)]
            case _:
                return None
    return None


def _with(side: Sum, name: str, value: Sum) -> Sum:
    """Return the sum with another in place of a name."""
    times = side.get(name, 0)
    names = {*side, *value} - {name}
    counts = {other: side.get(other, 0) + times * value.get(other, 0) for other in names}
    return {other: count for other, count in counts.items() if count}
