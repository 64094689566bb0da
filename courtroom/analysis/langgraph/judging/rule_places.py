"""Lines that prove what is said of a rule: its score, its condition, what the condition reads."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from courtroom.analysis.langgraph.judging.awaited_words import awaiting_part
from courtroom.analysis.langgraph.judging.dead_conditions import parameter_names
from courtroom.analysis.langgraph.judging.rule_inputs import EVIDENCE_DATA, InputReader
from courtroom.analysis.langgraph.judging.score_changes import ScoreChange, assignments_in, words_in
from courtroom.analysis.langgraph.judging.ways_to_hold import OF_OPINIONS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import tests_around, walk

STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)
# Names that are followed to their values.
MOST_STEPS = 4

Place = tuple[FunctionRef, int]
# The function and the line of a rule.
RuleKey = tuple[tuple[str, int], int]


def score_lines(changes: Iterable[ScoreChange]) -> dict[RuleKey, int]:
    """Return the lines of scores that begin below the first line of their statement."""
    return {
        (change.function.key, change.line): change.value.lineno
        for change in changes
        for node in walk(change.function.site.node)
        if isinstance(node, STATEMENTS) and node.lineno == change.line < change.value.lineno
        if any(inner is change.value for inner in walk(node))
    }


def condition_line(function: FunctionRef, line: int, proves: Callable[[ast.expr], bool]) -> int:
    """Return the line of the innermost condition of a line that proves it; the line without one."""
    tests = [test for test in tests_around(function.site.node, line) if proves(test)]
    return tests[-1].lineno if tests else line


def ground_places(
    caps: Iterable[ScoreChange], inputs: InputReader, *, by_evidence: bool
) -> Iterator[Place]:
    """Yield for each cap where its conditions read evidence, else what judges say or score."""
    for cap in caps:
        awaiting = awaiting_part(cap.holds, cap.function, inputs.functions)
        tests = [awaiting] if awaiting is not None and not by_evidence else cap.own_tests[::-1]
        place = _place_of_reading(tests, cap.function, inputs, by_evidence, MOST_STEPS)
        yield place or (cap.function, cap.line)


def _place_of_reading(
    tests: Iterable[ast.expr],
    function: FunctionRef,
    inputs: InputReader,
    by_evidence: bool,
    steps: int,
) -> Place | None:
    def rank(part: ast.expr) -> tuple[bool, bool, int]:
        # A name may stand for the opinion that another part compares, or for what a helper gives.
        is_name = isinstance(part, ast.Name)
        is_direct = not is_name and bool(words_in(part) & OF_OPINIONS)
        names_evidence = by_evidence and bool(words_in(part) & EVIDENCE_DATA)
        reads_other = inputs.reads_evidence([part], function) != by_evidence
        return reads_other, not names_evidence, 2 - is_name - 2 * is_direct

    for part in sorted((part for test in tests for part in _parts_of(test)), key=rank):
        if isinstance(part, ast.Name) and steps:
            rows = [(value, function) for value in _values_of(part.id, function)]
            if not rows and part.id in parameter_names(function):
                rows = list(inputs.passed(part.id, function))
            places = (_place_of_reading([v], f, inputs, by_evidence, steps - 1) for v, f in rows)
            if place := next(filter(None, places), None):
                return place
        by_opinions = inputs.reads_words([part], function, OF_OPINIONS)
        if by_opinions or inputs.reads_evidence([part], function):
            return function, part.lineno
    return None


def _parts_of(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _parts_of(part)
    elif isinstance(test, ast.UnaryOp):
        yield from _parts_of(test.operand)
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is | ast.IsNot):
        yield test.left
    else:
        yield test


def _values_of(name: str, function: FunctionRef) -> list[ast.expr]:
    """Return what a name is set to, if that is one value beside a first False or None."""
    values = [
        value
        for value in assignments_in(function.site.node).get(name, [])
        if not isinstance(value, ast.Constant)
    ]
    return values if len(values) == 1 else []
