"""Tests for the want of opinions in the Chief Justice's code, and those that an earlier one rules out."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.judging.persona_names import persona_in
from courtroom.analysis.langgraph.judging.score_changes import assignments_in, words_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    BLOCK_ENDS,
    called_name,
    last_name,
    walk,
    words_of,
)

# Words of names for what the judges gave.
GIVEN = frozenset(words_of("opinion opinions ops op scores"))
# Words of a comparison that keeps the opinions on one criterion.
OF_CRITERION = frozenset(words_of("criterion criteria dimension dimensions dim id"))
LOOPS = (ast.For, ast.AsyncFor, ast.While)
# Names that are followed from a test to what it is made of.
MOST_STEPS = 8
# Blocks inside one another: what stands deeper is no one's writing.
MOST_DEPTH = 30

Block = Sequence[ast.stmt]


def is_without(test: ast.expr) -> bool | None:
    """Return true for `not opinions`, false for `not all([prosecutor, defense])`; else None."""
    if not isinstance(test, ast.UnaryOp) or not isinstance(test.op, ast.Not):
        return None
    denied = test.operand
    if isinstance(denied, ast.Call) and called_name(denied) == "all" and denied.args:
        members = getattr(denied.args[0], "elts", [])
        return False if any(persona_in(last_name(member)) for member in members) else None
    return None if GIVEN.isdisjoint(words_of(last_name(denied))) else True


def ruled_out_tests(functions: Sequence[FunctionRef]) -> frozenset[int]:
    """Return the ids of the tests that never hold, as an earlier one leaves, or is an `else`, before.

    The earlier one stands in the same turn of the same loop, and nothing picks the opinions on one
    criterion in between.
    """
    trees = {function.name: function.site.node for function in functions}
    ids: set[int] = set()
    guarded: dict[str, list[bool]] = {}
    for tree in trees.values():
        values = assignments_in(tree)
        for node, names in _with_guards(tree.body, frozenset()):
            if isinstance(node, ast.If) and is_without(node.test):
                is_tested = bool(_origins(_denied(node), values, names) & names)
                ids |= {id(node)} if is_tested else set()
            for call in _calls_of(node):
                guarded.setdefault(called_name(call), []).append(bool(names))
    for name, tree in trees.items():
        if all(guarded.get(name, [False])):
            # A parameter that is tested in the function was tested before each call.
            values = assignments_in(tree)
            parameters = {argument.arg for argument in tree.args.args}
            ids |= {
                id(node)
                for node in tree.body
                if isinstance(node, ast.If) and is_without(node.test)
                if _origins(_denied(node), values, parameters) & parameters
            }
    return frozenset(ids)


def _with_guards(
    block: Block, names: frozenset[str], depth: int = MOST_DEPTH
) -> Iterator[tuple[ast.stmt, frozenset[str]]]:
    """Yield each statement with the names that are known to hold a member before it."""
    for statement in block if depth else ():
        yield statement, names
        inner = frozenset[str]() if isinstance(statement, LOOPS) else names
        is_guard = isinstance(statement, ast.If) and bool(is_without(statement.test))
        for field in ("body", "orelse", "finalbody"):
            part = getattr(statement, field, None)
            is_else = is_guard and field == "orelse"
            filled = inner | {_denied(statement)} if is_else else inner
            if isinstance(part, list):
                yield from _with_guards(part, filled, depth - 1)
        if (
            isinstance(statement, ast.If)
            and is_guard
            and isinstance(statement.body[-1], BLOCK_ENDS)
        ):
            names |= {_denied(statement)}


def _denied(node: ast.stmt) -> str:
    test = node.test if isinstance(node, ast.If) else None
    return last_name(test.operand) if isinstance(test, ast.UnaryOp) else ""


def _calls_of(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yield the calls in a statement, but not in the blocks that it holds."""
    for part in ast.iter_child_nodes(statement):
        if isinstance(part, ast.expr | ast.withitem):
            yield from (node for node in walk(part) if isinstance(node, ast.Call))


def _origins(
    name: str, values: Mapping[str, Sequence[ast.expr]], ends: Collection[str]
) -> set[str]:
    """Return the names that a name is made of, itself included, up to those at which it ends.

    {} where the opinions on one criterion are picked.
    """
    names, queue = set[str](), [name]
    while queue and len(names) < MOST_STEPS:
        name = queue.pop()
        names.add(name)
        for value in values.get(name, ()) if name not in ends else ():
            parts = [*walk(value)]
            if any(isinstance(n, ast.Compare) and words_in(n) & OF_CRITERION for n in parts):
                return set()
            queue += [n.id for n in parts if isinstance(n, ast.Name) and n.id not in names]
    return names
