"""The reading of the Python sources into units, in a confined child.

`read_outline` is the parent's side; `answer` is what the child runs.
"""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from courtroom.analysis.python.syntax import parse_sources
from courtroom.analysis.python.tree_walk import push_children, walk
from courtroom.analysis.sandbox.sandbox import examine, reading_limits
from courtroom.exhibits.units import Outline, Unit

if TYPE_CHECKING:
    from courtroom.models.case import Limits

OUTPUT_BYTES = 16 * 1024 * 1024
# A hand-written repository has a fraction of these; generated ones are cut at them.
MOST_UNITS, MOST_MENTIONS = 20_000, 100_000

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)
# unit rows: kind, qualname, first, last
UnitRow = tuple[str, str, int, int]


def read_outline(files: Mapping[str, Sequence[str]], limits: Limits) -> Outline:
    """Parse the lines of Python files by path. Raises ChildFailed."""
    if not files:
        return Outline()
    request = {"files": {path: "\n".join(lines) for path, lines in files.items()}}
    reply = examine(__name__, request, limits=reading_limits(limits, output_bytes=OUTPUT_BYTES))
    return Outline(
        units={
            path: tuple(Unit(path, *row) for row in rows) for path, rows in reply["units"].items()
        },
        mentions={
            path: tuple((line, name) for line, name in rows)
            for path, rows in reply["mentions"].items()
        },
    )


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """The child's side: takes {files: path to text}, returns {units, mentions} by path."""
    warnings.simplefilter("ignore")  # hostile sources warn by the thousand
    gc.disable()  # the trees are all alive until the end
    sources = {path: text.encode("utf-8", "replace") for path, text in request["files"].items()}
    codebase = parse_sources(sources)

    units: dict[str, list[UnitRow]] = {}
    left = MOST_UNITS
    for source in codebase:
        units[source.path] = sorted(_units(source.tree), key=lambda row: (row[2], -row[3]))[:left]
        left -= len(units[source.path])

    names = {row[1].rpartition(".")[2] for rows in units.values() for row in rows}
    mentions: dict[str, list[tuple[int, str]]] = {}
    left = MOST_MENTIONS
    for source in codebase:
        mentions[source.path] = sorted(_mentions(source.tree, names))[:left]
        left -= len(mentions[source.path])
    return {"units": units, "mentions": mentions}


def _units(tree: ast.Module) -> Iterator[UnitRow]:
    """Yield the assignments of the module, and every function and class at any depth."""
    for statement in tree.body:
        name = _assigned_name(statement)
        if name:
            yield "value", name, statement.lineno, statement.end_lineno or statement.lineno

    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, prefix = stack.pop()
        if isinstance(node, _SCOPES):
            prefix = f"{prefix}{node.name}"
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            kind = "function" if isinstance(node, _FUNCTIONS) else "class"
            yield kind, prefix, first, node.end_lineno or first
            prefix += "."
        inner: list[ast.AST] = []
        push_children(node, inner)
        # Only statements hold definitions; a generated expression may be very large.
        stack += [(child, prefix) for child in inner if not isinstance(child, ast.expr)]


def _assigned_name(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return ""
    return target.id if isinstance(target, ast.Name) else ""


def _mentions(tree: ast.Module, names: set[str]) -> Iterator[tuple[int, str]]:
    for node in walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and node.attr in names:
            yield node.end_lineno or node.lineno, node.attr
