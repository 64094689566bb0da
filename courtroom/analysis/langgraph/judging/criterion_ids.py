"""Tests of a criterion's id by a text that no criterion of the work has in its id.

`"security" in criterion_id` never holds where the rubric's id is safe_tool_engineering.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from courtroom.analysis.langgraph.state_flow.other_keys import objects_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    tests_around,
    walk,
    words_of,
)
from courtroom.analysis.security.value_origins import assigned_values

CRITERION = frozenset(words_of("criterion criteria dimension dimensions dim"))
# Fields of a rubric's criterion, beside its id.
FIELDS = frozenset({"name", "title", "description", "instruction", "forensic_instruction"})
LOWERING = frozenset({"lower", "casefold"})
SAME_TEXT = frozenset({"strip", "str", *LOWERING})
# Assignments that are followed back.
MOST_STEPS = 3
# Of more ids, or of a test for more texts, nothing is said.
MOST_IDS, MOST_TEXTS = 200, 20
Functions = Mapping[str, FunctionRef]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Texts, one of which a test looks for in an id, or in a part of it."""

    texts: list[str]
    is_part: bool
    is_lower: bool


@dataclass
class CriterionIds:
    """Ids of the criteria in the JSON files and the code of a work."""

    symbols: SymbolTable

    def lacks(self, test: ast.AST, function: FunctionRef) -> bool:
        return bool(self.missing(test, function))

    def missing(self, test: ast.AST, function: FunctionRef) -> str:
        """Return the text for which a test waits in vain; "" where it may hold, and for others."""
        question = _asked(test, function)
        if question is None or not self._of_rubric or len(self._all) > MOST_IDS:
            return ""
        if self._held(question, self._all):
            return ""
        return question.texts[0]

    def missing_at(self, function: FunctionRef, line: int, functions: Functions) -> str:
        """Return the text for which a condition of this line waits in vain, also in what it calls."""
        texts = (self.missing(*part) for part in _parts_at(function, line, functions))
        return next(filter(None, texts), "")

    def reached_at(self, function: FunctionRef, line: int, functions: Functions) -> frozenset[str]:
        """Return the ids of the rubric to which conditions limit a line; none where they do not."""
        tests = tests_around(function.site.node, line)
        limits = (self._limit_of(test, function, functions) for test in tests)
        bounds = [limit for limit in limits if limit is not None]
        return frozenset.intersection(*bounds) if bounds else frozenset()

    def _limit_of(
        self, test: ast.expr, function: FunctionRef, functions: Functions, steps: int = MOST_STEPS
    ) -> frozenset[str] | None:
        """Return the ids for which a test may hold; None for all."""
        parts: list[ast.expr] = []
        if isinstance(test, ast.BoolOp):
            parts = test.values
        elif isinstance(test, ast.Name):
            values = assigned_values(function.site, test.id)
            parts = values if len(values) == 1 else []
        elif isinstance(test, ast.Call) and called_name(test) in functions:
            function = functions[called_name(test)]
            returns = [n for n in walk(function.site.node) if isinstance(n, ast.Return)]
            parts = [n.value for n in returns if n.value] if len(returns) == 1 else []
        if not parts or not steps:
            question = _asked(test, function)
            return self._held(question, self._of_rubric) if question else None
        limits = [self._limit_of(part, function, functions, steps - 1) for part in parts]
        bounds = [limit for limit in limits if limit is not None]
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return frozenset.intersection(*bounds) if bounds else None
        return frozenset().union(*bounds) if len(bounds) == len(limits) else None

    @staticmethod
    def _held(question: _Asked, ids: frozenset[str]) -> frozenset[str]:
        named = ((name, name.lower() if question.is_lower else name) for name in ids)
        return frozenset(
            name
            for name, written in named
            if any(
                text in written if question.is_part else text == written for text in question.texts
            )
        )

    @cached_property
    def _of_rubric(self) -> frozenset[str]:
        return frozenset(
            entry["id"]
            for _, entry in objects_in(self.symbols.codebase.data)
            if isinstance(entry.get("id"), str) and FIELDS & entry.keys()
        )

    @cached_property
    def _all(self) -> frozenset[str]:
        """The ids of the rubric, and those that code writes."""
        nodes = (n for source in self.symbols.codebase.production for n in walk(source.tree))
        return self._of_rubric.union(*(self._written(node) for node in nodes))

    def _written(self, node: ast.AST) -> Iterator[str]:
        fields = fields_of(node)
        values = [value for name, value in fields.items() if name == "id" or _is_id_name(name)]
        yield from filter(None, map(constant_text, values))
        members = set(fields) if isinstance(node, ast.Dict) else set()
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            members = {constant_text(member) or "" for member in node.elts}
        if members & self._of_rubric:
            yield from members - {""}
        if isinstance(node, ast.For | ast.comprehension) and _is_id_name(last_name(node.target)):
            yield from filter(None, (constant_text(n) for n in walk(node.iter)))


def _is_id_name(name: str) -> bool:
    words = words_of(name)
    return "id" in words and not CRITERION.isdisjoint(words)


def _parts_at(
    function: FunctionRef, line: int, functions: Functions
) -> Iterator[tuple[ast.AST, FunctionRef]]:
    """Yield the parts of the conditions of a line, of the names in them and of what they call."""
    tests = [*tests_around(function.site.node, line)]
    names = {node.id for test in tests for node in walk(test) if isinstance(node, ast.Name)}
    tests += [value for name in sorted(names) for value in assigned_values(function.site, name)]
    for part in (part for test in tests for part in walk(test)):
        yield part, function
        called = functions.get(called_name(part)) if isinstance(part, ast.Call) else None
        if called is not None:
            yield from ((node, called) for node in walk(called.site.node))


def _asked(test: ast.AST, function: FunctionRef) -> _Asked | None:
    """Return what a test looks for in an id; None for another test."""
    texts: list[str] = []
    held, is_part = test, True
    match test:
        case ast.Call(
            func=ast.Name(id="any"),
            args=[
                ast.GeneratorExp(
                    elt=ast.Compare(
                        left=ast.Name(id=word), ops=[ast.In()], comparators=[ast.expr() as held]
                    ),
                    generators=[ast.comprehension(target=ast.Name(id=target), iter=rows, ifs=[])],
                )
            ],
        ) if word == target:
            texts = _texts_of(rows, function)
        case ast.Compare(
            left=ast.Constant(value=str() as text), ops=[ast.In()], comparators=[held]
        ):
            texts = [text]
        case ast.Compare(left=held, ops=[ast.In()], comparators=[rows]):
            texts, is_part = _texts_of(rows, function), False
        case ast.Compare(
            left=held, ops=[ast.Eq()], comparators=[ast.Constant(value=str() as text)]
        ):
            texts, is_part = [text], False
    if (
        not 0 < len(texts) <= MOST_TEXTS
        or not isinstance(held, ast.expr)
        or not _is_id(held, function)
    ):
        return None
    return _Asked(texts, is_part, _is_lowered(held, function))


def _is_id(node: ast.expr, function: FunctionRef, steps: int = MOST_STEPS) -> bool:
    """Return true for `criterion_id`, `dim["id"]`, `(opinion.criterion_id or "").lower()`."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        node = node.values[0]
    if isinstance(node, ast.Call):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if called_name(node) == "get" and owner is not None and node.args:
            return _is_key_of_id(owner, constant_text(node.args[0]) or "")
        inner = owner if owner is not None else next(iter(node.args), None)
        is_same = called_name(node) in SAME_TEXT and inner is not None
        return is_same and inner is not None and _is_id(inner, function, steps)
    if isinstance(node, ast.Subscript):
        return _is_key_of_id(node.value, constant_text(node.slice) or "")
    if isinstance(node, ast.Attribute):
        return _is_key_of_id(node.value, node.attr)
    if not isinstance(node, ast.Name) or not steps:
        return False
    values = assigned_values(function.site, node.id)
    if not values:
        return _is_id_name(node.id)
    return all(_is_id(value, function, steps - 1) for value in values)


def _is_key_of_id(owner: ast.expr, key: str) -> bool:
    is_criterion = not CRITERION.isdisjoint(words_of(last_name(owner)))
    return _is_id_name(key) or (key == "id" and is_criterion)


def _is_lowered(node: ast.expr, function: FunctionRef) -> bool:
    parts = [node, *(v for v in assigned_values(function.site, last_name(node)))]
    calls = (inner for part in parts for inner in walk(part) if isinstance(inner, ast.Call))
    return any(called_name(call) in LOWERING for call in calls)


def _texts_of(node: ast.expr, function: FunctionRef) -> list[str]:
    """Return the texts of a list or set of constants, also of one with a name; [] for others."""
    if isinstance(node, ast.Name):
        top = (
            (statement.value, target)
            for statement in function.source.tree.body
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value
            for target in (
                statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            )
        )
        values = assigned_values(function.site, node.id) or [
            value for value, target in top if last_name(target) == node.id
        ]
        if len(values) != 1 or isinstance(values[0], ast.Name):
            return []
        node = values[0]
    if isinstance(node, ast.Call) and called_name(node) in {"set", "frozenset", "tuple"}:
        node = next(iter(node.args), node)
    members = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else []
    texts = [constant_text(member) or "" for member in members]
    return texts if all(texts) else []
