"""Origin of a value in the code: a literal in the source, or data from outside the program.

A parameter of the function counts as outside, because its caller decides. Any other value is
unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum

from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import as_written, walk

# Assignments and calls that are followed back.
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
    symbols: SymbolTable,
    source: SourceFile,
    function: FunctionSite | None,
    node: ast.expr | None,
    steps: int = MAX_STEPS,
) -> Origin:
    """Return the least trustworthy origin among the parts of an expression."""
    if node is None or steps == 0:
        return Origin.UNKNOWN
    origins = list(_part_origins(symbols, source, function, node, steps))
    return _worst(origins) if origins else Origin.UNKNOWN


def is_client_data(symbols: SymbolTable, source: SourceFile, node: ast.expr) -> bool:
    """Return true when an expression reads data that a client of a web application sent."""
    attributes = (inner for inner in walk(node) if isinstance(inner, ast.Attribute))
    return any(
        symbols.dotted_name(source, attribute).startswith(CLIENT_NAMES) for attribute in attributes
    )


def _worst(origins: list[Origin]) -> Origin:
    for origin in (Origin.OUTSIDE, Origin.UNKNOWN):
        if origin in origins:
            return origin
    return Origin.LITERAL


def _part_origins(
    symbols: SymbolTable,
    source: SourceFile,
    function: FunctionSite | None,
    node: ast.expr,
    steps: int,
) -> Iterator[Origin]:
    if isinstance(node, ast.Constant):
        yield Origin.LITERAL
    elif isinstance(node, ast.Name):
        yield _origin_of_name(symbols, source, function, node.id, steps)
    elif isinstance(node, ast.Attribute):
        is_outside = symbols.dotted_name(source, node).startswith(OUTSIDE_NAMES)
        yield Origin.OUTSIDE if is_outside else Origin.UNKNOWN
        if isinstance(node.value, ast.Call):
            yield from _call_origins(symbols, source, function, node.value, steps)
    elif isinstance(node, ast.Call):
        yield from _call_origins(symbols, source, function, node, steps)
    else:
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        if not parts:
            yield Origin.LITERAL
        for part in parts:
            yield origin_of(symbols, source, function, part, steps)


def _call_origins(
    symbols: SymbolTable,
    source: SourceFile,
    function: FunctionSite | None,
    node: ast.Call,
    steps: int,
) -> Iterator[Origin]:
    """Yield the origins of a call's arguments; the result itself is not known."""
    dotted = symbols.dotted_name(source, node.func)
    if dotted in OUTSIDE_CALLS or dotted.startswith(OUTSIDE_NAMES):
        yield Origin.OUTSIDE
        return

    # Unknown in any case; an argument from outside makes it worse.
    yield Origin.UNKNOWN
    receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    keywords = [keyword.value for keyword in node.keywords]
    for value in [*receiver, *node.args, *keywords]:
        yield origin_of(symbols, source, function, value, steps - 1)


def _origin_of_name(
    symbols: SymbolTable,
    source: SourceFile,
    function: FunctionSite | None,
    name: str,
    steps: int,
) -> Origin:
    # From the function outwards: a nested function sees the names of those around it.
    site = function
    while site is not None:
        values = assigned_values(site, name)
        if values:
            origins = [origin_of(symbols, source, site, value, steps - 1) for value in values]
            return _worst(origins)
        if name in _parameters(site) and name not in RECEIVERS:
            return Origin.OUTSIDE
        site = site.outer

    statement = symbols.top_level_names(source).get(name)
    if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
        return origin_of(symbols, source, None, statement.value, steps - 1)
    return Origin.UNKNOWN


def assigned_values(site: FunctionSite, name: str) -> list[ast.expr]:
    """Return the values that a function assigns to a local name, in the order of the source."""
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
    arguments = site.node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [rest for rest in (arguments.vararg, arguments.kwarg) if rest is not None]
    return {parameter.arg for parameter in parameters}
