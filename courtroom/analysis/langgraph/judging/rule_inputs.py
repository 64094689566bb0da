"""Inputs of a rule's conditions: whether evidence reaches them, or only what judges say and score.

Names are followed to their values and into the functions that a condition calls. A word in a text
that a judge's argument is searched for is no input, and what an opinion cites is its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.judging.score_changes import (
    SCORE_WORDS,
    Assignments,
    assignments_in,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

EVIDENCE_DATA = frozenset(
    words_of(
        """evidence evidences ev evs fact facts factual forensic hallucination hallucinations
        hallucinated found"""
    )
)
CITED = frozenset(words_of("cited cites citation citations"))
ARGUMENTS = frozenset({"argument", "arguments", "reasoning", "rationale"})
# What evidence says of itself.
WEIGHED = frozenset({"found", "confidence"})
KEY_CALLS = frozenset({"get", "getattr", "pop", "attrgetter", "itemgetter"})


@dataclass
class InputReader:
    """Reader of the conditions in `functions`, which it follows by their names."""

    functions: Mapping[str, FunctionRef]
    _values: dict[tuple[str, int], Assignments] = field(default_factory=dict)

    def reads_evidence(self, tests: Iterable[ast.AST], function: FunctionRef) -> bool:
        return any(map(_is_evidence, self._parts(tests, function)))

    def reads_passed_evidence(self, tests: Iterable[ast.AST], function: FunctionRef) -> bool:
        """Return true where evidence reaches conditions, also as an argument of their function."""
        return any(map(_is_evidence, self._parts(tests, function, with_passed=True)))

    def reads_words(
        self, tests: Iterable[ast.AST], function: FunctionRef, words: frozenset[str]
    ) -> bool:
        """Return true where a name or text that conditions read has one of these words."""
        return any(
            words.intersection(words_of(last_name(part) or constant_text(part) or ""))
            for part in self._parts(tests, function)
        )

    def reads_citations(self, tests: Iterable[ast.AST], function: FunctionRef) -> bool:
        """Return true where what is called evidence is only what an opinion cites."""
        parts = list(self._parts(tests, function, with_passed=True))
        has_citation = any(CITED.intersection(words_of(last_name(part))) for part in parts)
        return has_citation and not any(map(_is_evidence, parts))

    def rests_on_citations(self, tests: Iterable[ast.expr], function: FunctionRef) -> bool:
        """Return true where tests ask of evidence only whether an opinion cites any."""
        tests = list(tests)
        parts = list(self._parts(tests, function, with_passed=True))
        words = {word for part in parts for word in words_of(_text_of(part))}
        either = (n for n in map(_without_not, tests) if isinstance(n, ast.BoolOp))
        return (
            not CITED.isdisjoint(words)
            and WEIGHED.isdisjoint(words)
            and not any(isinstance(node.op, ast.Or) for node in either)
        )

    def searches_arguments(self, tests: Iterable[ast.AST], function: FunctionRef) -> bool:
        """Return true where words are looked for in what a judge argues, and no evidence is read.

        A rule that also looks at words that must not be there may see a denial.
        """
        parts = list(self._parts(tests, function))
        signs = {type(part.ops[0]) for part in parts if isinstance(part, ast.Compare)}
        has_argument = any(
            isinstance(part, ast.Attribute) and part.attr in ARGUMENTS for part in parts
        )
        is_search = ast.In in signs and ast.NotIn not in signs
        return has_argument and is_search and not any(map(_is_evidence, parts))

    def _parts(
        self, tests: Iterable[ast.AST], function: FunctionRef, *, with_passed: bool = False
    ) -> Iterator[ast.AST]:
        """Yield all that conditions read: with the values of names and the functions called.

        With `with_passed` a parameter stands for what the followed functions pass.
        """
        followed: set[tuple[tuple[str, int], str]] = set()
        waiting: list[tuple[ast.AST, FunctionRef]] = [(test, function) for test in tests]
        while waiting:
            node, function = waiting.pop()
            values = self._values_in(function)
            own_calls = set(self._own_calls(node))
            for inner in walk(node):
                is_local = isinstance(inner, ast.Name) and _is_followed(inner.id, values)
                if not is_local and inner not in own_calls:
                    passed = self._passed_for(inner, function) if with_passed else []
                    if passed and (function.key, last_name(inner)) not in followed:
                        followed.add((function.key, last_name(inner)))
                        waiting += passed
                    elif not passed:
                        yield inner
                    continue
                name = last_name(inner)
                called = self.functions[name] if inner in own_calls else None
                key = (called or function).key, "" if called else name
                if key not in followed:
                    followed.add(key)
                    nodes = called.site.node.body if called else values[name]
                    waiting += [(further, called or function) for further in nodes]

    def reads_evidence_by_flags(self, tests: Iterable[ast.expr], function: FunctionRef) -> bool:
        """Return true where evidence decides a parameter that conditions take as it is.

        It is followed to what its function is called with.
        """
        return any(
            self.reads_evidence([argument], caller)
            for argument, caller in self._arguments_for_flags(tests, function)
        )

    def reads_words_by_flags(
        self, tests: Iterable[ast.expr], function: FunctionRef, words: frozenset[str]
    ) -> bool:
        """Return true where a name or text with one of these words decides such a parameter."""
        return any(
            self.reads_words([argument], caller, words)
            for argument, caller in self._arguments_for_flags(tests, function)
        )

    def _arguments_for_flags(
        self, tests: Iterable[ast.expr], function: FunctionRef
    ) -> Iterator[tuple[ast.expr, FunctionRef]]:
        flags = {name for test in tests for name in _flags_in(test)}
        for name in sorted(flags.intersection(parameter_names(function))):
            yield from self.passed(name, function)

    def _passed_for(
        self, node: ast.AST, function: FunctionRef
    ) -> list[tuple[ast.AST, FunctionRef]]:
        is_parameter = isinstance(node, ast.Name) and node.id in parameter_names(function)
        return [*self.passed(last_name(node), function)] if is_parameter else []

    def passed(self, name: str, function: FunctionRef) -> Iterator[tuple[ast.expr, FunctionRef]]:
        """Yield what the followed functions pass for a parameter."""
        for call, caller in self._calls.get(function.name, ()):
            argument = argument_of(call, name, function)
            if argument is not None:
                yield argument, caller

    @cached_property
    def _calls(self) -> dict[str, list[tuple[ast.Call, FunctionRef]]]:
        """Calls in the followed functions, by called name, each with its caller."""
        calls: dict[str, list[tuple[ast.Call, FunctionRef]]] = {}
        for caller in self.functions.values():
            for node in walk(caller.site.node):
                if isinstance(node, ast.Call):
                    calls.setdefault(called_name(node), []).append((node, caller))
        return calls

    def _own_calls(self, node: ast.AST) -> Iterator[ast.expr]:
        """Yield the names of the followed functions where they are called."""
        for inner in walk(node):
            if isinstance(inner, ast.Call) and called_name(inner) in self.functions:
                yield inner.func

    def _values_in(self, function: FunctionRef) -> Assignments:
        if function.key not in self._values:
            self._values[function.key] = _values_in(function.site.node)
        return self._values[function.key]


def _is_followed(name: str, values: Assignments) -> bool:
    """Return true for a local name, but for a score that several rules may set before."""
    is_score = not SCORE_WORDS.isdisjoint(words_of(name))
    return name in values and not (is_score and len(values[name]) > 1)


def _flags_in(test: ast.expr) -> Iterator[str]:
    """Yield the names that a test takes as they are: `is_flawed and not is_known`."""
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _flags_in(part)
    elif isinstance(test, ast.UnaryOp):
        yield from _flags_in(test.operand)
    elif isinstance(test, ast.Name):
        yield test.id


def _without_not(test: ast.expr) -> ast.expr:
    return test.operand if isinstance(test, ast.UnaryOp) else test


def _is_evidence(node: ast.AST) -> bool:
    words = set(words_of(_text_of(node)))
    return bool(words & EVIDENCE_DATA) and not words & CITED


def _text_of(node: ast.AST) -> str:
    """Return the name that a node reads, or its key."""
    if isinstance(node, ast.Subscript):
        return constant_text(node.slice) or ""
    if isinstance(node, ast.Call) and called_name(node) in KEY_CALLS:
        return " ".join(filter(None, map(constant_text, node.args[:2])))
    return last_name(node)


def _values_in(function: ast.AST) -> Assignments:
    """Return by local name the assigned values and the conditions of each assignment.

    A loop's name has the loop's source; a flag that a branch sets has the branch's test.
    """
    values = assignments_in(function)
    for node in walk(function):
        if isinstance(node, ast.For | ast.comprehension):
            for target in walk(node.target):
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(node.iter)
        elif isinstance(node, ast.If):
            for name in _flags_set_in(node):
                values[name].append(node.test)
    return values


def _flags_set_in(branch: ast.If) -> Iterator[str]:
    for node in walk(branch):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
