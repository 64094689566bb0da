"""Reducers that keep the first result under a key, as no later one is greater in what they compare."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import fields_of, walk, words_of

# Names of fields that hold a verdict.
SCORES = frozenset({"score", "verdict"})


def kept_results(
    symbols: SymbolTable, reducers: Iterable[str]
) -> Iterator[tuple[str, str, object]]:
    """Yield reducer, compared field and the one value that all records of a verdict have in it.

    `if key not in merged or new.weight > merged[key].weight: merged[key] = new`
    """
    for name in reducers:
        for _, site in symbols.functions_by_name.get(name, ()):
            for field in filter(None, map(_compared_field, walk(site.node))):
                values = list(_written_values(symbols, field))
                if values and len(set(map(repr, values))) == 1 and None not in values:
                    yield name, field, values[0]


def _compared_field(node: ast.AST) -> str:
    """Return the field by which a new entry must be greater to replace an old one; "" for none."""
    match node:
        case ast.If(
            test=ast.BoolOp(
                op=ast.Or(),
                values=[
                    ast.Compare(ops=[ast.NotIn()]),
                    ast.Compare(
                        left=ast.Attribute(attr=field),
                        ops=[ast.Gt()],
                        comparators=[ast.Attribute(value=ast.Subscript(), attr=second_field)],
                    ),
                ],
            ),
            body=[ast.Assign(targets=[ast.Subscript()])],
            orelse=[],
        ):
            return field if field == second_field else ""
    return ""


def _written_values(symbols: SymbolTable, field: str) -> Iterator[object]:
    """Yield the constants that records of a verdict get in a field; None for another value."""
    for source in symbols.codebase.production:
        for node in walk(source.tree):
            if isinstance(node, ast.Call):
                fields = fields_of(node)
                if field in fields and any(SCORES & {*words_of(name)} for name in fields):
                    value = fields[field]
                    yield value.value if isinstance(value, ast.Constant) else None
            elif _is_set(node, field):
                yield None


def _is_set(node: ast.AST, field: str) -> bool:
    """Return true for `result.weight = 2`, not for the field that a class declares."""
    return (
        isinstance(node, ast.Attribute) and node.attr == field and isinstance(node.ctx, ast.Store)
    )
