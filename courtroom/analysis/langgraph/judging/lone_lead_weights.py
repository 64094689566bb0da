"""Weights that take a single opinion of the Tech Lead and all opinions of the other judges."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.judging.tech_lead_rule import names_tech_lead
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import constant_text, walk, words_of

LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


def lone_lead_weights(
    lines: Iterable[tuple[FunctionRef, int]],
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield the loops of functions with a weight that leave the Tech Lead's opinions out.

    What stands in the list twice counts twice there, and the Tech Lead's once beside it.
    `lines`: the lines that apply the weight, each with its function.
    """
    functions = {function.key: function for function, _ in lines}
    for function in functions.values():
        for node in walk(function.site.node):
            if isinstance(node, LOOPS) and any(_leaves_lead_out(part) for part in walk(node)):
                yield function, node.iter.lineno
                break


def _leaves_lead_out(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.NotEq):
        return False
    texts = [constant_text(side) or "" for side in (node.left, *node.comparators)]
    return names_tech_lead({word for text in texts for word in words_of(text)})
