"""Ways in which the conditions of a cap can hold: by evidence, or by what judges say or score."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice

from courtroom.analysis.langgraph.judging.rule_inputs import InputReader
from courtroom.analysis.langgraph.judging.rule_words import PROSECUTION
from courtroom.analysis.langgraph.judging.score_changes import ScoreChange, assignments_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, tests_around, walk, words_of

# Words of what judges say, and of whose charge a cap follows.
OF_OPINIONS = PROSECUTION | frozenset(
    words_of("argument arguments argumentation charge charges rationale reasoning")
)
# Names and functions that are followed.
MAX_STEPS = 4
# A written condition has fewer ways; without a bound, chains of assignments multiply.
MOST_WAYS = 40

# All that holds together, and the function that it is written in.
Way = tuple[list[ast.expr], FunctionRef]


def holds_by_opinions(cap: ScoreChange, inputs: InputReader) -> bool:
    """Return true where what judges say or score is enough for the conditions of a cap.

    `if is_flawed(evidences) or "security" in prosecutor.argument` holds by either.
    """
    tests, function = cap.own_tests, cap.function
    by_flags = inputs.reads_evidence_by_flags(tests, function)
    if not by_flags and not inputs.reads_evidence(tests, function):
        return inputs.reads_words(tests, function, OF_OPINIONS)
    return any(
        not inputs.reads_evidence(parts, home) and inputs.reads_words(parts, home, OF_OPINIONS)
        for parts, home in _ways_of_all(tests, function, inputs, MAX_STEPS)
    )


def _ways_of_all(
    tests: Iterable[ast.expr], function: FunctionRef, inputs: InputReader, steps: int
) -> list[Way]:
    """Return the ways of the one test that reads evidence and can hold in several; else none."""
    by_evidence = [test for test in tests if inputs.reads_evidence([test], function)]
    if len(by_evidence) != 1:
        return []
    ways = list(islice(_ways(by_evidence[0], function, inputs, steps), MOST_WAYS))
    return ways if len(ways) > 1 else []


def _ways(test: ast.expr, function: FunctionRef, inputs: InputReader, steps: int) -> Iterator[Way]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        for part in test.values:
            yield from _ways(part, function, inputs, steps)
        return
    ways: list[Way] = []
    if steps and isinstance(test, ast.BoolOp):
        ways = _ways_of_all(test.values, function, inputs, steps - 1)
    elif steps and isinstance(test, ast.Name):
        ways = list(islice(_ways_to_set(test.id, function, inputs, steps - 1), MOST_WAYS))
    elif steps and isinstance(test, ast.Call):
        called = inputs.functions.get(called_name(test))
        returned = _ways_to_return(called, inputs, steps - 1) if called else iter(())
        ways = list(islice(returned, MOST_WAYS))
    yield from ways or [([test], function)]


def _ways_to_set(
    name: str, function: FunctionRef, inputs: InputReader, steps: int
) -> Iterator[Way]:
    """Yield the ways in which a local name gets a value that is not empty.

    `if not is_flawed: ... is_flawed = True` is a way of its own: what set it before is none of it.
    """
    for value in assignments_in(function.site.node).get(name, []):
        for parts, home in _ways_to_give(value, function, inputs, steps):
            others = [part for part in parts if not (home is function and _denies(part, name))]
            yield others, home


def _denies(test: ast.expr, name: str) -> bool:
    if not isinstance(test, ast.UnaryOp) or not isinstance(test.op, ast.Not):
        return False
    return isinstance(test.operand, ast.Name) and test.operand.id == name


def _ways_to_return(function: FunctionRef, inputs: InputReader, steps: int) -> Iterator[Way]:
    for node in walk(function.site.node):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _ways_to_give(node.value, function, inputs, steps)


def _ways_to_give(
    value: ast.expr, function: FunctionRef, inputs: InputReader, steps: int
) -> Iterator[Way]:
    around = list(tests_around(function.site.node, value.lineno))
    if isinstance(value, ast.Constant):
        if value.value:
            yield around, function
        return
    for parts, home in _ways(value, function, inputs, steps):
        yield [*around, *parts] if home is function else parts, home
