"""Rules of the Chief Justice that apply where they should not: to everything, or upwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.dead_conditions import parameter_names
from courtroom.analysis.langgraph.judging.rule_detection import (
    SAFE_TOOLS,
    SECURITY,
    is_security_cap,
)
from courtroom.analysis.langgraph.judging.rule_inputs import InputReader
from courtroom.analysis.langgraph.judging.score_changes import (
    SENTENCE_SPACES,
    ChangeReader,
    ScoreChange,
    assignments_in,
    words_in,
)
from courtroom.analysis.langgraph.judging.tech_lead_rule import (
    LIMIT_WORDS,
    lead_decides,
    lead_weighs_more,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

# The rubric lets the Tech Lead decide on these.
ARCHITECTURE = frozenset(
    words_of(
        """architecture architectural architect orchestration functionality modular modularity
        graph topology wiring"""
    )
)
CRITERION = frozenset(
    words_of("criterion criteria dimension dim target artifact artefact category kind id")
)
# The lowest score: no cap can raise to it.
LOWEST = 1


@dataclass(frozen=True, slots=True)
class LooseRule:
    function: FunctionRef
    line: int
    sentence: str


def loose_rules(functions: list[FunctionRef]) -> Iterator[LooseRule]:
    """Yield rules in the Chief Justice's code without the condition that their name promises.

    Lines under the same condition are one rule: the first stands for them.
    """
    reader = ChangeReader(functions)
    inputs = InputReader({function.name: function for function in functions})
    changes = [change for change in reader.changes() if not change.is_dead]
    yield from _unlimited_weight(functions, changes)
    caps: dict[tuple[int, str], LooseRule] = {}
    for change in changes:
        fault = _fault_of_cap(change, reader, inputs)
        if fault:
            rule = LooseRule(change.function, change.line, f"{change.function.name}() {fault}")
            caps.setdefault((id(change.tests[-1]), fault), rule)
    yield from caps.values()


def _fault_of_cap(change: ScoreChange, reader: ChangeReader, inputs: InputReader) -> str:
    """Return what a cap for security does wrong, after the name of its function; "" for nothing."""
    if not is_security_cap(change) or not change.tests:
        return ""
    if not _looks_for_security(change, reader):
        return "caps a score for security under a condition that does not look for security"
    if _sets_constant(change):
        return "sets the score for security instead of capping it: a lower score is raised"
    if _takes_highest(change):
        return (
            "takes the highest score that a judge gave, up to a limit, for security:"
            " the lower scores no longer count, so the rule can lift a score"
        )
    if inputs.searches_arguments(change.own_tests, change.function):
        return (
            "caps a score for security where certain words stand in a judge's"
            " argument, whatever the argument says of them: it matches words, not facts"
        )
    return ""


def _takes_highest(change: ScoreChange) -> bool:
    """Return true for `min(3, max(scores))`; `max(1, score)` is a floor."""
    value = change.value
    if not isinstance(value, ast.Call) or called_name(value) != "min":
        return False
    assigned = assignments_in(change.function.site.node)
    origins = [
        assigned[part.id][0]
        if isinstance(part, ast.Name) and len(assigned.get(part.id, ())) == 1
        else part
        for part in value.args
    ]
    return any(
        isinstance(origin, ast.Call)
        and called_name(origin) == "max"
        and not any(isinstance(part, ast.Constant) for part in origin.args)
        for origin in origins
    )


def _looks_for_security(change: ScoreChange, reader: ChangeReader) -> bool:
    """Return true where any test of the function, or what calls it by its name, is about security.

    A test that leaves the function early decides as one around the change does.
    """
    function = change.function
    names = [function.name, *parameter_names(function), function.source.module]
    names += [function.site.owner.name] if function.site.owner else []
    words = change.guard.union(*map(words_of, names))
    assigned = assignments_in(function.site.node)
    for node in walk(function.site.node):
        if isinstance(node, ast.If | ast.IfExp):
            words |= reader.words_of_test(node.test, assigned)
    return bool(words & SECURITY) or words >= SAFE_TOOLS


def _unlimited_weight(
    functions: list[FunctionRef], changes: list[ScoreChange]
) -> Iterator[LooseRule]:
    """Yield the Tech Lead's weight where nothing in the code names architecture."""
    lines = [*lead_weighs_more(functions), *lead_decides(changes)]
    if not lines or any(_names_architecture(function) for function in functions):
        return
    if any(_is_limited(function, line) for function, line in lines):
        return
    function, line = lines[0]
    sentence = (
        f"{function.name}() lets the Tech Lead weigh more in every criterion, not only in those on"
        " architecture"
    )
    yield LooseRule(function, line, sentence)


def _is_limited(function: FunctionRef, line: int) -> bool:
    """Return true where a test around a line is about the criterion."""
    tests = [
        node.test
        for node in walk(function.site.node)
        if isinstance(node, ast.If | ast.IfExp)
        if node.lineno <= line <= (node.end_lineno or line)
    ]
    return any(words_in(test) & CRITERION for test in tests)


def _names_architecture(function: FunctionRef) -> bool:
    for node in walk(function.site.node):
        text = constant_text(node)
        # A sentence is for a reader; it limits nothing.
        if text is not None and text.count(" ") >= SENTENCE_SPACES:
            continue
        words = words_of(text or last_name(node))
        if ARCHITECTURE.intersection(words):
            return True
    return False


def _sets_constant(change: ScoreChange) -> bool:
    """Return true for `score = 3` that no test of the score itself stands around."""
    value = change.value
    if not isinstance(value, ast.Constant) or not isinstance(value.value, int | float):
        return False
    compares = [
        node for test in change.tests for node in walk(test) if isinstance(node, ast.Compare)
    ]
    is_compared = any(
        isinstance(sign, ast.Gt | ast.GtE | ast.Lt | ast.LtE)
        for compare in compares
        for sign in compare.ops
    )
    is_score = bool(change.target) and not change.target & LIMIT_WORDS
    return value.value > LOWEST and not is_compared and is_score
