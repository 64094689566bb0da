"""Every place in a piece of code where a score is set under a condition, and what that condition is about."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from courtroom.analysis.langgraph.routers import vocabulary
from courtroom.analysis.python.call_graph import Place
from courtroom.analysis.python.tree_walk import walk, words_of

SCORE_WORDS = frozenset(
    words_of("score scores final cap capped rating points weighted grade resolved adjusted")
)
NUMBER_CALLS = frozenset({"min", "max", "round", "int", "float", "sum", "clamp"})


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """`guard`: the words of all conditions around it; `block`: the words of the branch it stands in."""

    place: Place
    line: int
    value: ast.expr
    guard: frozenset[str]
    block: frozenset[str]


@dataclass
class ChangeReader:
    """Reads changes in functions; a condition's words include those of the predicates it calls."""

    places: list[Place]

    @cached_property
    def _functions(self) -> dict[str, Place]:
        return {place.name: place for place in self.places}

    def changes(self) -> list[ScoreChange]:
        return [change for place in self.places for change in self._changes_in(place)]

    def _changes_in(self, place: Place) -> Iterator[ScoreChange]:
        assigned = assignments_in(place.site.node)
        no_words: frozenset[str] = frozenset()
        stack: list[tuple[ast.stmt, frozenset[str], frozenset[str]]] = [
            (statement, no_words, no_words) for statement in reversed(place.site.node.body)
        ]
        while stack:
            node, guard, block = stack.pop()
            if isinstance(node, ast.If):
                inner = guard | self.words_of_test(node.test, assigned)
                for branch in (node.orelse, node.body):
                    words = block_words(branch)
                    stack.extend((statement, inner, words) for statement in reversed(branch))
                continue
            value = _score_set_by(node)
            if value is not None:
                yield ScoreChange(
                    place, node.lineno, value, guard | self._inline_guard(value, assigned), block
                )
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                stack.extend(
                    (statement, guard, block) for statement in reversed(_inner_statements(node))
                )

    def _inline_guard(self, value: ast.expr, assigned: dict[str, list[ast.expr]]) -> frozenset[str]:
        """`cap if insecure else score` is guarded too."""
        tests = [node.test for node in walk(value) if isinstance(node, ast.IfExp)]
        return frozenset(word for test in tests for word in self.words_of_test(test, assigned))

    def words_of_test(self, test: ast.expr, assigned: dict[str, list[ast.expr]]) -> frozenset[str]:
        """Its own words, those of what its names were assigned, and those of the functions it calls."""
        words = set(words_in(test))
        for node in walk(test):
            if isinstance(node, ast.Name) and not set(words_of(node.id)) & SCORE_WORDS:
                for value in assigned.get(node.id, []):
                    words |= words_in(value) | self._called_words(value)
        return frozenset(words | self._called_words(test))

    def _called_words(self, node: ast.expr) -> set[str]:
        called = {called_name(inner) for inner in walk(node) if isinstance(inner, ast.Call)}
        known = [self._functions[name] for name in called if name in self._functions]
        return {word for place in known for word in vocabulary(place.site.node)}


def assignments_in(function: ast.AST) -> dict[str, list[ast.expr]]:
    """What each local name is assigned anywhere in a function."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
                elif isinstance(target, ast.Tuple):
                    for part in target.elts:
                        if isinstance(part, ast.Name):
                            found.setdefault(part.id, []).append(node.value)
        elif (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.value is not None
        ):
            found.setdefault(node.target.id, []).append(node.value)
    return found


def words_in(node: ast.AST) -> frozenset[str]:
    """The words of the names, attributes and strings of an expression."""
    words: set[str] = set()
    for inner in walk(node):
        if isinstance(inner, ast.Name):
            words.update(words_of(inner.id))
        elif isinstance(inner, ast.Attribute):
            words.update(words_of(inner.attr))
        elif isinstance(inner, ast.keyword) and inner.arg:
            words.update(words_of(inner.arg))
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            words.update(words_of(inner.value[:400]))
    return frozenset(words)


def block_words(statements: Iterable[ast.stmt]) -> frozenset[str]:
    return frozenset(word for statement in statements for word in words_in(statement))


def called_name(call: ast.Call) -> str:
    func = call.func
    return (
        func.attr
        if isinstance(func, ast.Attribute)
        else func.id
        if isinstance(func, ast.Name)
        else ""
    )


def is_score_name(node: ast.expr) -> bool:
    """A name, attribute or item whose own words speak of a score."""
    if isinstance(node, ast.Subscript):
        return is_score_name(node.value)
    name = (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )
    return bool(set(words_of(name)) & SCORE_WORDS)


def _inner_statements(node: ast.stmt) -> list[ast.stmt]:
    bodies = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    bodies += [handler.body for handler in getattr(node, "handlers", [])]
    bodies += [case.body for case in getattr(node, "cases", [])]
    return [statement for body in bodies for statement in body if isinstance(statement, ast.stmt)]


def _score_set_by(node: ast.stmt) -> ast.expr | None:
    """The value a statement gives to a score, or returns as one."""
    if isinstance(node, ast.Assign) and any(is_score_name(target) for target in node.targets):
        return _unless_empty(node.value)
    if isinstance(node, ast.AnnAssign | ast.AugAssign) and is_score_name(node.target):
        return _unless_empty(node.value)
    if isinstance(node, ast.Return) and node.value is not None:
        return next((part for part in _returned_parts(node.value) if _is_number_like(part)), None)
    return None


def _returned_parts(value: ast.expr) -> list[ast.expr]:
    """The members of a tuple, the scores in a dict or in a record made on the spot, or the value itself."""
    if isinstance(value, ast.Tuple):
        return value.elts
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        return [item for key, item in pairs if key is not None and words_in(key) & SCORE_WORDS]
    if isinstance(value, ast.Call):
        return [
            value,
            *(k.value for k in value.keywords if set(words_of(k.arg or "")) & SCORE_WORDS),
        ]
    return [value]


def _unless_empty(value: ast.expr | None) -> ast.expr | None:
    """None, False and an empty list say that there is no score yet."""
    if value is None or isinstance(value, ast.List | ast.Dict | ast.JoinedStr):
        return None
    if isinstance(value, ast.Constant) and (
        value.value is None or isinstance(value.value, bool | str)
    ):
        return None
    return value


def _is_number_like(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.Call):
        return called_name(node) in NUMBER_CALLS
    if isinstance(node, ast.BinOp):
        return _is_number_like(node.left) or _is_number_like(node.right)
    if isinstance(node, ast.IfExp):
        return _is_number_like(node.body) or _is_number_like(node.orelse)
    return isinstance(node, ast.Name | ast.Attribute) and is_score_name(node)
