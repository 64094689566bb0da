"""Comparisons with a value that a field can never have, so that what hangs on them never runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk

# Methods after which a text is compared in another case.
FOLDS = {"lower": str.lower, "casefold": str.casefold, "upper": str.upper}


@dataclass(frozen=True, slots=True)
class ClosedField:
    """Field of a model that allows a few texts only: Literal["Prosecutor", "Defense"]."""

    values: tuple[str, ...]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class ImpossibleTest:
    """Comparison of a field with a text that is none of its values."""

    function: FunctionRef
    line: int
    field: str
    text: str
    closed: ClosedField


def impossible_tests(
    symbols: SymbolTable, functions: list[FunctionRef]
) -> Iterator[ImpossibleTest]:
    """Yield the comparisons in `functions` that never hold."""
    fields = closed_fields(symbols)
    for function in functions if fields else ():
        for node in walk(function.site.node):
            if not isinstance(node, ast.Compare) or len(node.ops) != 1:
                continue
            if not isinstance(node.ops[0], ast.Eq):
                continue
            left, right = node.left, node.comparators[0]
            if constant_text(left) is not None:
                left, right = right, left
            text, (name, fold) = constant_text(right), _field_of(left)
            closed = fields.get(name)
            if text is None or closed is None:
                continue
            values = [FOLDS[fold](value) if fold else value for value in closed.values]
            if text not in values:
                yield ImpossibleTest(function, node.lineno, name, text, closed)


def _field_of(node: ast.expr) -> tuple[str, str]:
    """Return the attribute that is compared, and the method that changes its case."""
    fold = ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        if node.func.attr not in FOLDS:
            return "", ""
        fold, node = node.func.attr, node.func.value
    return (node.attr, fold) if isinstance(node, ast.Attribute) else ("", "")


def closed_fields(symbols: SymbolTable) -> dict[str, ClosedField]:
    """Return the fields that every class with such a field declares with the same few texts."""
    fields: dict[str, list[ClosedField | None]] = {}
    for source in symbols.codebase.production:
        for home in source.classes:
            for statement in home.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    field = closed_field(symbols, source, statement)
                    fields.setdefault(statement.target.id, []).append(field)
                elif isinstance(statement, ast.FunctionDef):
                    fields.setdefault(statement.name, []).append(None)
    closed = {
        name: declared[0]
        for name, declared in fields.items()
        if declared[0] is not None
        if len({field.values if field else () for field in declared}) == 1
    }
    # Each node of the product is walked: not without a field to look for.
    assigned = _assigned_attributes(symbols) if closed else set()
    return {name: field for name, field in closed.items() if name not in assigned}


def closed_field(
    symbols: SymbolTable, source: SourceFile, statement: ast.AnnAssign
) -> ClosedField | None:
    annotation: ast.expr | None = statement.annotation
    if isinstance(annotation, ast.Name):
        alias = symbols.top_level_names(source).get(annotation.id)
        annotation = alias.value if isinstance(alias, ast.Assign | ast.AnnAssign) else None
    if not isinstance(annotation, ast.Subscript) or last_name(annotation.value) != "Literal":
        return None
    members = (
        annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    )
    values = tuple(text for text in map(constant_text, members) if text is not None)
    if len(values) != len(members):
        return None
    return ClosedField(values, source.path, statement.lineno)


def _assigned_attributes(symbols: SymbolTable) -> set[str]:
    """Return attributes that code assigns: `op.judge = name` may give any text."""
    return {
        node.attr
        for source in symbols.codebase.production
        for site in source.functions
        if site.outer is None
        for node in walk(site.node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
