"""Calls of a Pydantic model with a value that its field cannot take: the model refuses them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.model_fields import MOST_PARENTS, model_fields
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import called_name, last_name, walk
from courtroom.analysis.python.value_types import type_of, worded

_COLLECTIONS = {"list", "set", "tuple"}
_NUMBERS = {"int", "float", "bool"}
# Types of a value that a field of a type takes without a validator; a text may hold a number.
_TAKES = {
    "str": {"str"},
    "int": {*_NUMBERS, "str"},
    "float": {*_NUMBERS, "str"},
    "bool": {*_NUMBERS, "str"},
    "list": _COLLECTIONS,
    "set": _COLLECTIONS,
    "tuple": _COLLECTIONS,
    "dict": {"dict"},
}
_LOWER = {"List": "list", "Dict": "dict", "Set": "set", "Tuple": "tuple"}
_KNOWN = {*_COLLECTIONS, *_NUMBERS, "str", "dict", "NoneType"}
_NUMBERS_AS_TEXT = "coerce_numbers_to_str"
_VALIDATORS = frozenset({"field_validator", "validator"})


def calls_with_unfit_value(call_graph: CallGraph, function: FunctionRef) -> Iterator[FailingLine]:
    """Yield calls that hand a list, dict, number or text to a field of another type."""
    symbols, source = call_graph.symbols, function.source
    for node in walk(function.site.node) if function.site.outer is None else ():
        if not isinstance(node, ast.Call) or not node.keywords or node.args:
            continue
        site = symbols.find_class(source, node.func)
        if site is None or site.node.decorator_list or site.node.keywords:
            continue
        fields = model_fields(symbols, site) or {}
        for keyword in node.keywords if fields and not _converts(symbols, site) else ():
            field = fields.get(keyword.arg or "")
            taken = _types_of(symbols, site, field.annotation) if field is not None else None
            if not taken:
                continue
            given = type_of(call_graph, function, keyword.value)
            if given in _KNOWN and not any(given in _TAKES.get(name, {name}) for name in taken):
                needed = ast.unparse(field.annotation) if field is not None else ""
                why = f"builds {site.node.name} with {worded(given)} as {keyword.arg}, which is {needed}"
                yield FailingLine(keyword.value.lineno, why, mark_of(node))


def _types_of(symbols: SymbolTable, site: ClassSite, annotation: ast.expr) -> set[str] | None:
    """Return the names of the types that an annotation allows; None where it may allow more."""
    match annotation:
        case ast.Constant(value=None):
            return {"NoneType"}
        case ast.Name(id=name) if name in _TAKES or name in _LOWER:
            is_own = name in symbols.top_level_names(site.source)
            return None if is_own else {_LOWER.get(name, name)}
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _all_of(symbols, site, [left, right])
        case ast.Subscript(value=head, slice=inner):
            name = last_name(head)
            if name in _LOWER or name in _TAKES:
                return {_LOWER.get(name, name)}
            if name == "Optional":
                types = _types_of(symbols, site, inner)
                return {*types, "NoneType"} if types else None
            if name == "Union" and isinstance(inner, ast.Tuple):
                return _all_of(symbols, site, inner.elts)
    return None


def _all_of(symbols: SymbolTable, site: ClassSite, parts: list[ast.expr]) -> set[str] | None:
    types: set[str] = set()
    for part in parts:
        some = _types_of(symbols, site, part)
        if some is None:
            return None
        types |= some
    return types


def _converts(symbols: SymbolTable, site: ClassSite) -> bool:
    """Return whether a validator of the model, or of one above it, may turn a value into another."""
    homes = [site]
    for home in homes:
        calls = (node for node in walk(home.node) if isinstance(node, ast.Call))
        words = {
            keyword.arg
            for call in calls
            for keyword in call.keywords
            if called_name(call) in _VALIDATORS or keyword.arg == _NUMBERS_AS_TEXT
        }
        if words & {"mode", "pre", _NUMBERS_AS_TEXT}:
            return True
        parents = (symbols.find_class(home.source, base) for base in home.node.bases)
        homes += [parent for parent in parents if parent and len(homes) < MOST_PARENTS]
    return False
