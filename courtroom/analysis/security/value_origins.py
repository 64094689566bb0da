"""Where a value in the code comes from: written out in the source, or from outside the program.

A parameter of the function counts as outside: whoever calls it decides. What is neither is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum

from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import as_written, walk

MAX_STEPS = 6
OUTSIDE_CALLS = frozenset(
    {
        "input",
        "os.getenv",
        "os.environ.get",
        "sys.stdin.read",
        "sys.stdin.readline",
        "requests.get",
        "requests.post",
        "httpx.get",
        "httpx.post",
        "urllib.request.urlopen",
    }
)
CLIENT_NAMES = ("flask.request.", "request.")
OUTSIDE_NAMES = ("os.environ", "sys.argv", *CLIENT_NAMES)
RECEIVERS = frozenset({"self", "cls"})


class Origin(Enum):
    LITERAL = "literal"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"


def origin_of(
    names: Names,
    source: SourceFile,
    function: FunctionSite | None,
    node: ast.expr | None,
    steps: int = MAX_STEPS,
) -> Origin:
    """The least trustworthy origin among the parts of an expression, assignments followed a few steps back."""
    if node is None or steps == 0:
        return Origin.UNKNOWN
    parts = list(_parts(names, source, function, node, steps))
    if Origin.OUTSIDE in parts:
        return Origin.OUTSIDE
    return Origin.UNKNOWN if Origin.UNKNOWN in parts or not parts else Origin.LITERAL


def is_client_data(names: Names, source: SourceFile, node: ast.expr) -> bool:
    """Whether an expression reads what a client of a web application sent."""
    attributes = (inner for inner in walk(node) if isinstance(inner, ast.Attribute))
    return any(names.dotted(source, one).startswith(CLIENT_NAMES) for one in attributes)


def _is_outside_name(dotted: str) -> bool:
    return dotted.startswith(OUTSIDE_NAMES)


def _parts(
    names: Names, source: SourceFile, function: FunctionSite | None, node: ast.expr, steps: int
) -> Iterator[Origin]:
    if isinstance(node, ast.Constant):
        yield Origin.LITERAL
    elif isinstance(node, ast.Name):
        yield _of_name(names, source, function, node.id, steps)
    elif isinstance(node, ast.Attribute):
        yield Origin.OUTSIDE if _is_outside_name(names.dotted(source, node)) else Origin.UNKNOWN
    elif isinstance(node, ast.Call):
        yield from _of_call(names, source, function, node, steps)
    else:
        inner = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        found = [origin_of(names, source, function, child, steps) for child in inner]
        yield from found or [Origin.LITERAL]


def _of_call(
    names: Names, source: SourceFile, function: FunctionSite | None, node: ast.Call, steps: int
) -> Iterator[Origin]:
    """A call of something unknown may return anything; what is put into it is seen all the same."""
    dotted = names.dotted(source, node.func)
    if dotted in OUTSIDE_CALLS or _is_outside_name(dotted):
        yield Origin.OUTSIDE
        return
    receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    given = [*receiver, *node.args, *(keyword.value for keyword in node.keywords)]
    yield Origin.UNKNOWN
    for value in given:
        yield origin_of(names, source, function, value, steps - 1)


def _of_name(
    names: Names, source: SourceFile, function: FunctionSite | None, name: str, steps: int
) -> Origin:
    site = function
    while site is not None:
        values = assigned_in(site, name)
        if values:
            found = [origin_of(names, source, site, value, steps - 1) for value in values]
            return next(
                (one for one in (Origin.OUTSIDE, Origin.UNKNOWN) if one in found), Origin.LITERAL
            )
        if name in _parameters(site) and name not in RECEIVERS:
            return Origin.OUTSIDE
        site = site.outer
    statement = names.bound_in(source).get(name)
    if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
        return origin_of(names, source, None, statement.value, steps - 1)
    return Origin.UNKNOWN


def assigned_in(site: FunctionSite, name: str) -> list[ast.expr]:
    """The values a function gives to a name of its own, in the order of the source."""
    values: list[ast.expr] = []
    for node in walk(site.node):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None) or getattr(node, "iter", None)
        if isinstance(value, ast.expr) and any(
            isinstance(target, ast.expr) and as_written(target) == name for target in targets
        ):
            values.append(value)
    return values


def _parameters(site: FunctionSite) -> set[str]:
    given = site.node.args
    rest = [one for one in (given.vararg, given.kwarg) if one is not None]
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *rest)}
