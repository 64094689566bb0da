"""Words in what a judge argues that the condition of a rule waits for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.judging.score_changes import (
    Assignments,
    assignments_in,
    words_in,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, constant_text, walk

# What detectives write has a rationale as well.
ARGUMENTS = frozenset({"argument", "arguments"})
# Texts by which code tells a denial: "no security", "not found".
DENIAL = re.compile(r"^[^a-z]{0,3}(?:no|not|without|never|none)\b[\w -]{0,30}$", re.IGNORECASE)

Tests = tuple[ast.expr, ...]
Words = tuple[str, ...]
Functions = Mapping[str, FunctionRef]


def awaited_words(tests: Iterable[ast.expr], function: FunctionRef, functions: Functions) -> Words:
    """Return the words of which an argument has one wherever all these tests hold.

    A test may call a predicate among `functions`. () where no word is needed, as far as is seen.
    """
    assigned = assignments_in(function.site.node)
    for part in (part for test in tests for part in _parts_of(test, ast.And)):
        predicate = functions.get(called_name(part)) if isinstance(part, ast.Call) else None
        words = _searched(part, assigned, function)
        if not words and predicate is not None and predicate.key != function.key:
            words = _of_predicate(predicate)
        if words:
            return words
    return ()


def enough_words(tests: Iterable[ast.expr], function: FunctionRef, functions: Functions) -> Words:
    """Return the words of which one in an argument is enough for the only test, though not needed.

    () where there are more tests, or where no word is enough.
    """
    assigned = assignments_in(function.site.node)
    parts = [part for test in tests for part in _parts_of(test, ast.And)]
    if len(parts) != 1:
        return ()
    ways = [_searched(part, assigned, function) for part in _parts_of(parts[0], ast.Or)]
    predicate = functions.get(called_name(parts[0])) if isinstance(parts[0], ast.Call) else None
    if predicate is not None and predicate.key != function.key:
        body = predicate.site.node.body
        open_ways = ([t for t in way if not isinstance(t, ast.Constant)] for way in _ways(body, ()))
        ways = [awaited_words(way, predicate, {}) if len(way) == 1 else () for way in open_ways]
    return tuple(dict.fromkeys(word for way in ways for word in way))


def reads_denials(words: Sequence[str], functions: Iterable[FunctionRef]) -> bool:
    """Return whether code that names one of the words also looks for a "no" or "not"."""
    for function in functions:
        texts = [text for node in walk(function.site.node) if (text := constant_text(node))]
        if any(map(DENIAL.search, texts)) and not {*words}.isdisjoint(texts):
            return True
    return False


def _of_predicate(function: FunctionRef) -> Words:
    """Return the words without which a function returns false."""
    ways = list(_ways(function.site.node.body, ()))
    groups = [awaited_words(tests, function, {}) for tests in ways]
    return tuple(dict.fromkeys(word for words in groups for word in words)) if all(groups) else ()


def _ways(body: Sequence[ast.stmt], tests: Tests) -> Iterator[Tests]:
    """Yield the tests that hold where a return may give something true."""
    for statement in body:
        if isinstance(statement, ast.Return) and not _is_false(statement.value):
            yield (*tests, *([statement.value] if statement.value else []))
        elif isinstance(statement, ast.If):
            yield from _ways(statement.body, (*tests, statement.test))
            yield from _ways(statement.orelse, tests)
            denied = statement.test
            leaves = isinstance(statement.body[-1], ast.Return | ast.Continue)
            if leaves and isinstance(denied, ast.UnaryOp) and isinstance(denied.op, ast.Not):
                # What follows `if not x: return False` holds where x does.
                tests = (*tests, denied.operand)
        elif isinstance(statement, ast.For | ast.With | ast.Try):
            yield from _ways(statement.body, tests)


def _is_false(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and not value.value)


def _parts_of(test: ast.expr, join: type[ast.boolop]) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, join):
        for value in test.values:
            yield from _parts_of(value, join)
    else:
        yield test


def _searched(test: ast.expr, assigned: Assignments, function: FunctionRef) -> Words:
    """Return the words one of which a test looks for in an argument; () for another test."""
    groups: list[Words] = []
    for part in _parts_of(test, ast.Or):
        if isinstance(part, ast.Call) and called_name(part) == "any" and part.args:
            groups.append(_any_of(part.args[0], assigned, function))
        else:
            word = _looked_for(part, assigned)
            text = constant_text(word) if word is not None else None
            groups.append((text,) if text else ())
    return tuple(word for words in groups for word in words) if all(groups) else ()


def _looked_for(test: ast.expr, assigned: Assignments) -> ast.expr | None:
    """Return the left side of `word in argument`."""
    is_search = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In)
    if not isinstance(test, ast.Compare) or not is_search:
        return None
    text = test.comparators[0]
    names = (node.id for node in walk(text) if isinstance(node, ast.Name))
    values = [value for name in names for value in assigned.get(name, [])]
    is_argument = any(words_in(part) & ARGUMENTS for part in (text, *values))
    return test.left if is_argument else None


def _any_of(rows: ast.expr, assigned: Assignments, function: FunctionRef) -> Words:
    """Return the words of `any(word in argument for word in (...))`."""
    if not isinstance(rows, ast.GeneratorExp | ast.ListComp) or len(rows.generators) != 1:
        return ()
    loop, word = rows.generators[0], _looked_for(rows.elt, assigned)
    is_own = isinstance(word, ast.Name) and isinstance(loop.target, ast.Name)
    if not is_own or _name_of(word) != _name_of(loop.target):
        return ()
    options: ast.expr | None = loop.iter
    if isinstance(options, ast.Name):
        options = next(iter(assigned.get(options.id, [])), None) or _constant(options.id, function)
    members = options.elts if isinstance(options, ast.List | ast.Tuple | ast.Set) else []
    texts = [constant_text(member) for member in members]
    return tuple(text for text in texts if text) if all(texts) else ()


def _name_of(node: ast.expr | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _constant(name: str, function: FunctionRef) -> ast.expr | None:
    values = (
        statement.value
        for statement in function.source.tree.body
        if isinstance(statement, ast.Assign)
        and any(_name_of(target) == name for target in statement.targets)
    )
    return next(values, None)
