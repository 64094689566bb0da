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
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

# What detectives write has a rationale as well.
ARGUMENTS = frozenset({"argument", "arguments"})
# Texts by which code tells a denial: "no security", "not found".
DENIAL = re.compile(r"^[^a-z]{0,3}(?:no|not|without|never|none)\b[\w -]{0,30}$", re.IGNORECASE)
# Words that a rule waits for are named in full up to this number.
MOST_WORDS = 2
SEARCHES = frozenset(
    words_of("search match fullmatch findall finditer sub replace split count find")
)
COLLECTIONS = frozenset({"frozenset", "set", "tuple", "list"})

Tests = tuple[ast.expr, ...]
Words = tuple[str, ...]
Functions = Mapping[str, FunctionRef]


def awaited_words(tests: Iterable[ast.expr], function: FunctionRef, functions: Functions) -> Words:
    """Return the words of which an argument has one wherever all these tests hold.

    A test may call a predicate among `functions`. () where no word is needed, as far as is seen.
    """
    return next((words for _, words in _awaiting(tests, function, functions)), ())


def awaiting_part(
    tests: Iterable[ast.expr], function: FunctionRef, functions: Functions
) -> ast.expr | None:
    """Return the part of these tests that looks for the awaited words; None without any."""
    return next((part for part, _ in _awaiting(tests, function, functions)), None)


def _awaiting(
    tests: Iterable[ast.expr], function: FunctionRef, functions: Functions
) -> Iterator[tuple[ast.expr, Words]]:
    assigned = assignments_in(function.site.node)
    for part in (part for test in tests for part in _followed(test, assigned)):
        predicate = (
            functions.get(called_name(_of_any(part))) if isinstance(part, ast.Call) else None
        )
        words = _searched(part, assigned, function)
        if not words and predicate is not None and predicate.key != function.key:
            words = _of_predicate(predicate)
        if words:
            yield part, words


def enough_words(tests: Iterable[ast.expr], function: FunctionRef, functions: Functions) -> Words:
    """Return the words of which one in an argument is enough for the only test, though not needed.

    () where there are more tests, or where no word is enough.
    """
    assigned = assignments_in(function.site.node)
    parts = [part for test in tests for part in _followed(test, assigned)]
    if len(parts) != 1:
        return ()
    apart = (p for p in _parts_of(parts[0], ast.Or) if not isinstance(p, ast.BoolOp))
    ways = [_searched(part, assigned, function) for part in apart]
    predicate = functions.get(called_name(parts[0])) if isinstance(parts[0], ast.Call) else None
    if predicate is not None and predicate.key != function.key:
        body = predicate.site.node.body
        open_ways = ([t for t in way if not isinstance(t, ast.Constant)] for way in _ways(body, ()))
        ways = [awaited_words(way, predicate, {}) if len(way) == 1 else () for way in open_ways]
    return tuple(dict.fromkeys(word for way in ways for word in way))


def words_beside(tests: Iterable[ast.expr], function: FunctionRef, functions: Functions) -> Words:
    """Return the words of which one is a way of its own for a predicate among `functions` to hold.

    Whose argument it is, and what score it comes with, may be asked too.
    """
    assigned = assignments_in(function.site.node)
    words: list[str] = []
    for part in (part for test in tests for part in _followed(test, assigned)):
        predicate = functions.get(called_name(part)) if isinstance(part, ast.Call) else None
        for way in _ways(predicate.site.node.body, ()) if predicate else ():
            parts = [part for test in way for part in _parts_of(test, ast.And)]
            text_tests = [part for part in parts if not _is_of_opinion(part)]
            if len(text_tests) == 1 and predicate:
                words += awaited_words(text_tests, predicate, {})
    return tuple(dict.fromkeys(words))


def _is_of_opinion(test: ast.expr) -> bool:
    """Return true for a constant, `op.judge == "Defense"` and `op.score > 3`."""
    is_compared = isinstance(test, ast.Compare) and last_name(test.left) in {"judge", "score"}
    return is_compared or isinstance(test, ast.Constant)


def quoted(words: Sequence[str]) -> list[str]:
    """Return the words that a rule waits for: the first and a number where they are many."""
    texts = [f"“{word.strip()}”" for word in words]
    return texts if len(texts) <= MOST_WORDS else [texts[0], f"one of {len(texts) - 1} other texts"]


def reads_denials(words: Sequence[str], functions: Iterable[FunctionRef]) -> bool:
    """Return whether code that names one of the words also looks for a "no" or "not"."""
    for function in functions:
        nodes = list(walk(function.site.node))
        sought = filter(None, (constant_text(part) for node in nodes for part in _sought_in(node)))
        texts = {text for node in nodes if (text := constant_text(node))}
        if any(map(DENIAL.search, sought)) and not texts.isdisjoint(words):
            return True
    return False


def _sought_in(node: ast.AST) -> Sequence[ast.expr]:
    """Return what is looked for in a text: a side of a comparison, a member of a list, an argument."""
    if isinstance(node, ast.Compare):
        return [node.left]
    if isinstance(node, ast.List | ast.Set):
        return node.elts
    if isinstance(node, ast.For | ast.comprehension):
        return getattr(node.iter, "elts", [])
    is_search = isinstance(node, ast.Call) and called_name(node) in SEARCHES
    return node.args if is_search and isinstance(node, ast.Call) else []


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
            last = statement.body[-1]
            leaves = isinstance(last, ast.Continue) or (
                isinstance(last, ast.Return) and _is_false(last.value)
            )
            if leaves and isinstance(denied, ast.UnaryOp) and isinstance(denied.op, ast.Not):
                # What follows `if not x: return False` holds where x does.
                tests = (*tests, denied.operand)
        elif isinstance(statement, ast.For | ast.With | ast.Try):
            yield from _ways(statement.body, tests)


def _is_false(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and not value.value)


def _followed(test: ast.expr, assigned: Assignments) -> Iterator[ast.expr]:
    """Yield the parts of a test that all hold where it does, also of what a name is set to."""
    for part in _parts_of(test, ast.And):
        values = assigned.get(part.id, []) if isinstance(part, ast.Name) else []
        # A flag is false before a branch sets it.
        values = [value for value in values if not _is_false(value)]
        if len(values) == 1 and isinstance(values[0], ast.Call | ast.Compare | ast.BoolOp):
            yield from _parts_of(values[0], ast.And)
        else:
            yield part


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
        if isinstance(part, ast.BoolOp):
            joined = (_searched(inner, assigned, function) for inner in part.values)
            groups.append(next(filter(None, joined), ()))
        elif isinstance(part, ast.Call) and called_name(part) == "any" and part.args:
            groups.append(_any_of(part.args[0], assigned, function))
        else:
            word = _looked_for(part, assigned)
            text = constant_text(word) if word is not None else None
            loops = (n for n in walk(function.site.node) if isinstance(n, ast.For))
            lists = (
                n.iter for n in loops if _name_of(word) and _name_of(word) == _name_of(n.target)
            )
            members = [_members(options, assigned, function) for options in lists]
            groups.append((text,) if text else members[0] if len(members) == 1 else ())
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
    return _without_case(test.left) if is_argument else None


def _without_case(word: ast.expr) -> ast.expr:
    """Return the word of `word.lower()`."""
    is_folded = isinstance(word, ast.Call) and called_name(word) in {"lower", "casefold"}
    return getattr(word.func, "value", word) if isinstance(word, ast.Call) and is_folded else word


def _of_any(call: ast.Call) -> ast.Call:
    """Return the call in `any(is_flawed(op) for op in opinions)`; another call as it is."""
    rows = call.args[0] if called_name(call) == "any" and call.args else None
    element = rows.elt if isinstance(rows, ast.GeneratorExp | ast.ListComp) else None
    return element if isinstance(element, ast.Call) else call


def _any_of(rows: ast.expr, assigned: Assignments, function: FunctionRef) -> Words:
    """Return the words of `any(word in argument for word in (...))`, and of `any("flaw" in op.argument
    for op in opinions)`.
    """
    if not isinstance(rows, ast.GeneratorExp | ast.ListComp) or len(rows.generators) != 1:
        return ()
    loop, word = rows.generators[0], _looked_for(rows.elt, assigned)
    if not isinstance(word, ast.Name):
        return _searched(rows.elt, assigned, function)
    if _name_of(word) != _name_of(loop.target):
        return ()
    return _members(loop.iter, assigned, function)


def _members(options: ast.expr | None, assigned: Assignments, function: FunctionRef) -> Words:
    """Return the texts of a list, as it is written, by its name or in a constant of the file."""
    if isinstance(options, ast.Name):
        options = next(iter(assigned.get(options.id, [])), None) or _constant(options.id, function)
    if isinstance(options, ast.Call) and called_name(options) in COLLECTIONS and options.args:
        options = options.args[0]
    members = options.elts if isinstance(options, ast.List | ast.Tuple | ast.Set) else []
    texts = [constant_text(member) for member in members]
    return tuple(text for text in texts if text) if all(texts) else ()


def _name_of(node: ast.expr | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _constant(name: str, function: FunctionRef) -> ast.expr | None:
    values = (
        statement.value
        for statement in function.source.tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and name
        in map(_name_of, getattr(statement, "targets", [getattr(statement, "target", None)]))
    )
    return next(values, None)
