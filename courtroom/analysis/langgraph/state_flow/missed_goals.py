"""Searches for evidence by a goal, or a word in it, that no code writes."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.langgraph.state_flow.possible_goals import (
    OPEN,
    PossibleGoals,
    is_goal,
    written_goals,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import walk


def missed_goals(
    symbols: SymbolTable, data: Mapping[str, str], in_use: Sequence[FunctionRef]
) -> Iterator[FlowFault]:
    """Yield comparisons of a goal with a text, where every goal that is written is known."""
    searches = [
        (function, compare, text)
        for function in in_use
        for compare, text in _searches(symbols, function.site.node)
    ]
    goals = written_goals(symbols, data) if searches else None
    if not goals:
        return
    for function, compare, text in searches:
        if any(may_be(goal, text) for goal in goals):
            continue
        whole = (goal for goal in sorted(goals) if OPEN not in goal)
        near = next((goal for goal in whole if goal.startswith(text)), "")
        otherwise = f", only {near!r}" if near else ""
        sentence = (
            f"{function.shown_name}() looks for evidence with the goal {text!r}; no code writes that"
            f" goal{otherwise}"
        )
        place = goals[near] if near else None
        yield FlowFault("other_key", sentence, function.source.path, compare.lineno, place)


def missed_words(symbols: SymbolTable, in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield tests for a word in a goal that none of the goals has which may be there."""
    goals = PossibleGoals(symbols)
    for function in in_use:
        for test, loop in _tests_in(function.site.node):
            words = goals.missed_words(test, function, loop)
            if words:
                sought = joined([repr(word) for word in words])
                many = "one of " if len(words) > 1 else ""
                sentence = (
                    f"{function.shown_name}() looks for evidence with {many}{sought} in its goal; no"
                    " evidence that it goes through has such a goal"
                )
                yield FlowFault("other_key", sentence, function.source.path, test.lineno)
            elif respelled := goals.respelled_word(test, function, loop):
                word, goal, place = respelled
                sentence = (
                    f"{function.shown_name}() looks for evidence with {word!r} in its goal; no goal of"
                    f" what it goes through is written with it, and {goal!r} spells it otherwise"
                )
                yield FlowFault("other_key", sentence, function.source.path, test.lineno, place)


def _tests_in(function: FunctionNode) -> Iterator[tuple[ast.expr, ast.comprehension | None]]:
    """Yield the tests of branches, but not one of several that lead to the same, and of comprehensions."""
    branches = [node for node in walk(function) if isinstance(node, ast.If)]
    bodies = Counter(_text_of(node) for node in branches)
    for node in walk(function):
        if (isinstance(node, ast.If) and bodies[_text_of(node)] == 1) or isinstance(
            node, ast.IfExp
        ):
            yield node.test, None
        elif isinstance(node, ast.comprehension):
            yield from ((test, node) for test in node.ifs)


def _text_of(branch: ast.If) -> str:
    return "".join(map(ast.dump, branch.body))


def may_be(goal: str, text: str) -> bool:
    """Return whether a written goal is this text, or an f-string that may make it."""
    head, is_open, tail = goal.partition(OPEN)
    return text.startswith(head) and text.endswith(tail) if is_open else goal == text


def _searches(symbols: SymbolTable, function: FunctionNode) -> Iterator[tuple[ast.Compare, str]]:
    """Yield `item.goal == "text"`, but not one of several that an "or" joins."""
    joined = (n for n in walk(function) if isinstance(n, ast.BoolOp) and isinstance(n.op, ast.Or))
    alternatives = {id(part) for node in joined for part in walk(node)}
    for node in walk(function):
        match node:
            case ast.Compare(
                left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str() as text)]
            ):
                if is_goal(symbols, left) and id(node) not in alternatives:
                    yield node, text
