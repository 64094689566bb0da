"""Small steps on syntax trees and identifiers that the whole analysis shares.

Nothing recurses: a tree that parses can still be too deep for Python's recursion limit.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from courtroom.analysis.python.compact_nodes import COMPACT, compact, with_compact

# Fields that hold names, numbers and operators, never nodes that are worth a visit.
_SKIPPED_FIELDS = frozenset(
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
_LEAVES = frozenset(
    {ast.Name, ast.Constant, ast.MatchSingleton, ast.Global, ast.Nonlocal, ast.alias}
)
# By class, the fields to visit, last first: what is put on a stack last is visited first.
_CHILD_FIELDS: dict[type, tuple[str, ...]] = with_compact(
    {
        kind: ()
        if kind in _LEAVES
        else tuple(name for name in reversed(kind._fields) if name not in _SKIPPED_FIELDS)
        for kind in vars(ast).values()
        if isinstance(kind, type) and issubclass(kind, ast.AST)
    }
)

# Statements after which the rest of their block does not run.
BLOCK_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_FUNCTIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef})
# Attribute of a function that holds the list of its nodes, where they are so many.
_KEPT, _LEAST_KEPT = "nodes_inside", 40

_HUMP = re.compile(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])")
_NO_WORD = re.compile(r"[^a-z0-9.]+")


def words_of(text: str) -> list[str]:
    """Return the lower-case words of an identifier or a sentence.

    techLeadScore, TECH_LEAD and 'tech lead' agree.
    """
    spaced = _HUMP.sub(r"\1\3 \2\4", text)
    return [word for word in _NO_WORD.split(spaced.lower()) if word]


def constant_text(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def as_written(node: ast.expr) -> str:
    """Return a name or a dotted name as it stands in the source; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def last_name(node: ast.AST) -> str:
    """Return the name, or the last part of a dotted name; "" for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def called_name(call: ast.Call) -> str:
    return last_name(call.func)


def keyword_of(call: ast.Call, *names: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg in names), None)


def fields_of(node: ast.AST) -> dict[str, ast.expr]:
    """Return the values of a record by field: a call's keywords, a dict's entries; {} for all else."""
    if isinstance(node, ast.Call):
        return {keyword.arg or "": keyword.value for keyword in node.keywords}
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {constant_text(key) or "": value for key, value in pairs}
    return {}


def line_of_call(call: ast.Call) -> int:
    """Return the line the called name ends on: in a chain over lines, the line a reader means."""
    return call.func.end_lineno or call.lineno


def line_of_key(lookup: ast.expr) -> int:
    """Return the line of the key in `owner[key]`, `owner.get(key)` and `key in owner`."""
    match lookup:
        case ast.Subscript(slice=key) | ast.Call(args=[key, *_]) | ast.Compare(left=key):
            return key.lineno
    return lookup.end_lineno or lookup.lineno


def line_of_text(code: str, literal: ast.AST, text: str) -> int:
    """Return the line on which a text begins in a literal of several lines or parts.

    Python places the parts of an f-string at its first line.
    """
    begin = getattr(literal, "lineno", 1)
    lines = code.split("\n")[begin - 1 : getattr(literal, "end_lineno", begin)]
    words = text.split()
    for count in range(len(words), 0, -1):
        beginning = " ".join(words[:count])
        for number, line in enumerate(lines):
            if beginning in " ".join(line.split()):
                return begin + number
    return begin


def push_children(node: ast.AST, stack: list[ast.AST]) -> None:
    """Put the child nodes on a stack, so that they leave it in the order of the source.

    Operators and contexts (read or written) are left out.
    """
    for name in _CHILD_FIELDS[node.__class__]:
        value = getattr(node, name, None)
        # The exact class is compared for speed: every node of every file passes here.
        if value.__class__ is list:
            stack += [item for item in reversed(value) if item is not None]
        elif value is not None:
            stack.append(value)


def push_compacted(node: ast.AST, stack: list[ast.AST]) -> None:
    """Do the same as `push_children`, with each child of a common kind first made compact."""
    for name in _CHILD_FIELDS[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            for number in range(len(value) - 1, -1, -1):
                item = value[number]
                if item.__class__ in COMPACT:
                    item = value[number] = compact(item)
                if item is not None:
                    stack.append(item)
        elif value is not None:
            if value.__class__ in COMPACT:
                value = compact(value)
                setattr(node, name, value)
            stack.append(value)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes inside it, in the order of the source.

    A function keeps the list of its nodes, unless it is small: an audit walks the same ones some
    fifty times. So a tree must not change once it was walked.
    """
    if node.__class__ not in _FUNCTIONS:
        return _nodes_in(node)
    nodes: list[ast.AST] | None = node.__dict__.get(_KEPT)
    if nodes is None:
        nodes = list(_nodes_in(node))
        if len(nodes) >= _LEAST_KEPT:
            node.__dict__[_KEPT] = nodes
    return iter(nodes)


def _nodes_in(node: ast.AST) -> Iterator[ast.AST]:
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        push_children(current, stack)


def terms_of(total: ast.expr) -> Iterator[ast.expr]:
    """Yield the terms of a sum in the order of the source; another expression is its only term."""
    stack = [total]
    while stack:
        term = stack.pop()
        if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Add):
            stack += [term.right, term.left]
        else:
            yield term


def tests_around(function: ast.AST, line: int) -> Iterator[ast.expr]:
    """Yield the conditions and the loops' sources that a line stands under."""
    for node in walk(function):
        if isinstance(node, ast.If | ast.For | ast.While):
            last = node.body[-1].end_lineno or 0
            if node.body[0].lineno <= line <= last:
                yield node.iter if isinstance(node, ast.For) else node.test


def values_set_once(scope: ast.AST) -> dict[str, ast.expr]:
    """Return the values of names that a function or a file sets once, by a plain assignment."""
    times: Counter[str] = Counter()
    values: dict[str, ast.expr] = {}
    for node in walk(scope):
        if isinstance(node, ast.arg):
            times[node.arg] += 1
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            times[node.id] += 1
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name):
                values[targets[0].id] = node.value
    return {name: value for name, value in values.items() if times[name] == 1}
