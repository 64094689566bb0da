"""Small steps on syntax trees and identifiers that everything here shares. Nothing recurses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

# Fields that hold names, numbers and marks, never nodes worth a visit; and nodes with no others.
MARKS = frozenset(
    {
        "arg",
        "asname",
        "attr",
        "conversion",
        "ctx",
        "id",
        "is_async",
        "kind",
        "kwd_attrs",
        "level",
        "module",
        "name",
        "op",
        "ops",
        "rest",
        "simple",
        "tag",
        "type_comment",
    }
)
LEAVES = frozenset(
    {ast.Name, ast.Constant, ast.MatchSingleton, ast.Global, ast.Nonlocal, ast.alias}
)
# By class, the fields to look below, last first: what is put on a stack last is visited first.
BELOW: dict[type, tuple[str, ...]] = {
    kind: ()
    if kind in LEAVES
    else tuple(name for name in reversed(kind._fields) if name not in MARKS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def words_of(text: str) -> list[str]:
    """The lower-case words of an identifier or a sentence: techLeadScore, TECH_LEAD and 'tech lead' agree."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3 \2\4", text)
    return [word for word in re.split(r"[^a-z0-9.]+", spaced.lower()) if word]


def constant_text(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def as_written(node: ast.expr) -> str:
    """A name or a dotted name as it stands in the source; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def keyword_of(call: ast.Call, *names: str) -> ast.expr | None:
    return next((given.value for given in call.keywords if given.arg in names), None)


def line_of_call(call: ast.Call) -> int:
    """The line the called name ends on: in a chain over several lines, the line a reader would point at."""
    return call.func.end_lineno or call.lineno


def push_below(node: ast.AST, stack: list[ast.AST]) -> None:
    """Put the nodes directly inside a node on a stack, so that they leave it in the order of the source.

    Whether a name is read or written, and which operator is used, are left out.
    """
    for name in BELOW[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            stack += [item for item in reversed(value) if item is not None]
        elif value is not None:
            stack.append(value)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all nodes inside it, in the order of the source, with an explicit stack."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        push_below(current, stack)
