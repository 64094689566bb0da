"""Lookups of a criterion's text under a key that no entry of the rubric has: they give nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeGuard

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.judging.text_values import values_in
from courtroom.analysis.project.unjudged_criteria import rubrics_of
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    walk,
    words_of,
)

WORD = re.compile(r"\w+")
# Words of keys of a criterion that say what it asks for.
TEXTS = frozenset(
    words_of(
        """instruction instructions pattern patterns description guideline guidelines logic
        levels rules requirement requirements expectation expectations"""
    )
)
# Keys of a criterion that hold no text.
NAMES = frozenset({"id", "name", "title"})
# Names between a lookup and the request.
MOST_STEPS = 8


@dataclass
class BlankTexts:
    """Values of the code that are such lookups, whatever a run brings."""

    symbols: SymbolTable
    _answers: dict[int, bool] = field(default_factory=dict)

    def is_blank(self, node: ast.expr, function: FunctionRef, steps: int = MOST_STEPS) -> bool:
        """Return true for a lookup, and for a name or a key that such lookups alone fill."""
        if steps and id(node) not in self._answers:
            # A value that is made of itself holds nothing more by that.
            self._answers[id(node)] = True
            self._answers[id(node)] = self._is_made_blank(node, function, steps)
        return bool(steps) and self._answers[id(node)]

    def _is_made_blank(self, node: ast.expr, function: FunctionRef, steps: int) -> bool:
        if isinstance(node, ast.Name):
            if node.id in parameter_names(function):
                return self._is_passed_blank(node.id, function, steps)
            values = values_in(function).get(node.id, [])
            return bool(values) and all(self.is_blank(v, function, steps - 1) for v in values)
        if _is_lookup(node):
            # A blank table has nothing under any key; what stands in for it is blank as well.
            owner = getattr(node.func, "value", None)
            others = [part for part in node.args[1:] if not _is_empty(part)]
            parts = [owner, *others] if isinstance(owner, ast.Name) else []
            if parts and all(self.is_blank(part, function, steps - 1) for part in parts if part):
                return True
        parts = _values_in_text(node)
        if parts:
            answers = [self.is_blank(part, function, steps - 1) for part in parts]
            return any(answers) and all(map(_is_name_or_blank, parts, answers))
        key = _key_of(node)
        return key is not None and (self._is_absent(key) or self._is_filled_blank(key, steps))

    def _is_passed_blank(self, name: str, function: FunctionRef, steps: int) -> bool:
        """Return true for a parameter that every call fills with such a lookup."""
        passed = [
            (argument_of(call, name, function), caller)
            for caller in self._functions
            if function.name in caller.site.mentions
            for call in walk(caller.site.node)
            if isinstance(call, ast.Call) and called_name(call) == function.name
        ]
        return bool(passed) and all(
            value is not None and self.is_blank(value, caller, steps - 1)
            for value, caller in passed
        )

    @cached_property
    def _functions(self) -> list[FunctionRef]:
        production = self.symbols.codebase.production
        return [FunctionRef(source, site) for source in production for site in source.functions]

    def _is_absent(self, key: str) -> bool:
        is_text = not TEXTS.isdisjoint(words_of(key))
        return is_text and bool(self._rubrics) and key not in self._present_words

    def _is_filled_blank(self, key: str, steps: int) -> bool:
        # What the data have under a key comes from there, whatever the code puts under it.
        values = [] if key in self._data_words else self._values.get(key, [])
        return bool(values) and all(self.is_blank(v, f, steps - 1) for v, f in values)

    @cached_property
    def _rubrics(self) -> dict[str, str]:
        return rubrics_of(self.symbols.codebase)

    @cached_property
    def _present_words(self) -> frozenset[str]:
        """Words of all data, with the keys and fields that the code itself makes."""
        production = self.symbols.codebase.production
        nodes = (node for source in production for node in walk(source.tree))
        return self._data_words.union(*map(_keys_made_by, nodes))

    @cached_property
    def _data_words(self) -> frozenset[str]:
        codebase = self.symbols.codebase
        texts = (*codebase.data.values(), *codebase.rubrics.values())
        return frozenset(word for text in texts for word in WORD.findall(text))

    @cached_property
    def _values(self) -> dict[str, list[tuple[ast.expr, FunctionRef]]]:
        """Values under each key or keyword in the product's functions."""
        rows: dict[str, list[tuple[ast.expr, FunctionRef]]] = {}
        for function in self._functions:
            for node in walk(function.site.node):
                for key, value in _entries(node):
                    rows.setdefault(key, []).append((value, function))
        return rows


def _is_lookup(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and called_name(node) == "get" and bool(node.args)


def _key_of(node: ast.expr) -> str | None:
    """Return the key of `row["key"]`, and of `row.get("key")` without another text beside it."""
    if isinstance(node, ast.Subscript):
        return constant_text(node.slice)
    if isinstance(node, ast.BoolOp) and all(map(_is_empty, node.values[1:])):
        return _key_of(node.values[0])
    if not _is_lookup(node):
        return None
    return constant_text(node.args[0]) if all(map(_is_empty, node.args[1:])) else None


def _values_in_text(node: ast.expr) -> list[ast.expr]:
    """Return the values that a text is written with: of each row, where it is joined from rows."""
    if isinstance(node, ast.Call) and called_name(node) == "join" and node.args:
        node = node.args[0]
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        node = node.elt
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return [part.value for part in parts if isinstance(part, ast.FormattedValue)]


def _is_name_or_blank(node: ast.expr, is_blank: bool) -> bool:
    return is_blank or _key_of(node) in NAMES


def _is_empty(node: ast.expr) -> bool:
    """Return true for "", None, 0, {} and []."""
    if isinstance(node, ast.Dict):
        return not node.keys
    if isinstance(node, ast.List | ast.Tuple):
        return not node.elts
    return isinstance(node, ast.Constant) and not node.value


def _entries(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    yield from fields_of(node).items()
    if isinstance(node, ast.Assign):
        for target in node.targets:
            key = constant_text(target.slice) if isinstance(target, ast.Subscript) else None
            if key is not None:
                yield key, node.value


def _keys_made_by(node: ast.AST) -> set[str]:
    """Return the keys of a dict, one that is set in it later, and the field of a class."""
    if isinstance(node, ast.Dict):
        return {*fields_of(node)}
    if isinstance(node, ast.AnnAssign):
        return {last_name(node.target)}
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return {constant_text(node.slice) or ""}
    return set()
