"""Small steps on syntax trees and identifiers that everything here shares. Nothing recurses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

CONTEXTS = frozenset({ast.Load, ast.Store, ast.Del})
LEAVES = frozenset({ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.alias})


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


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly inside a node, in the order of the source; whether a name is read or written is left out."""
    found: list[ast.AST] = []
    if node.__class__ in LEAVES:
        return found
    for name in node._fields:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and value.__class__ not in CONTEXTS:
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all nodes inside it, in the order of the source, with an explicit stack."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        inner = children(current)
        inner.reverse()
        stack.extend(inner)
