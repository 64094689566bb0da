"""SQL statements assembled from strings, and the positions that other text takes in them.

A value in a string is an injection. Names of tables and columns cannot be placeholders, so a
statement that takes in nothing else is only possibly one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, walk
from courtroom.analysis.security.value_origins import (
    Origin,
    assigned_values,
    is_client_data,
    origin_of,
)

QUERY_METHODS = frozenset(
    {"execute", "executemany", "executescript", "raw", "read_sql", "read_sql_query", "text"}
)
NUMBERS = frozenset({"int", "float", "len", "bool", "UUID", "date", "datetime"})
# SQL at the beginning of a text; other texts are passed to execute() and text() too.
_QUERY = re.compile(
    r"\s*(?:select\b.+\bfrom\b|insert\s+into\b|update\s+\S+\s+set\b|delete\s+from\b|drop\s+table\b"
    r"|create\s+table\b|alter\s+table\b)",
    re.IGNORECASE | re.DOTALL,
)
# End of a statement's text where a value follows, quoted or in a list.
_BEFORE_VALUE = re.compile(
    r"(?:[=<>'%]|\b(?:like|limit|offset|between|values|in)\b|\b(?:values|in)\s?\([^()]{0,500})"
    r"[\s(]{0,20}[\"'%]{0,3}\Z",
    re.IGNORECASE,
)
# Placeholders for bound values, and the text between them.
_BOUND = re.compile(r"[\s,()]*(?:(?:\?|%%?s|:(?:%s)?|\$)[\s,()]*)+")
_QUOTES_NAMES = re.compile(r"quot|escape|identifier|literal|\bqn\b", re.IGNORECASE)
_PERCENT = re.compile(r"%(?:\((?P<key>\w+)\))?[-+# 0-9.]{0,9}[sdifr](?!\w)")
_BRACES = re.compile(r"\{(?P<key>\w*)[^{}]{0,50}\}")


def assembled_query(site: CallSite) -> ast.expr | None:
    """Return the statement that a call runs, when it is assembled from strings."""
    if not site.node.args:
        return None
    argument = site.node.args[0]
    candidates = [argument]
    if isinstance(argument, ast.Name) and site.function is not None:
        candidates = assigned_values(site.function, argument.id)

    statements = (node for node in candidates if _is_assembled(node))
    return next((node for node in statements if _QUERY.match(_literal_text(node))), None)


def takes_in_values(
    symbols: SymbolTable, source: SourceFile, site: CallSite, statement: ast.expr
) -> bool:
    """Return true when a statement holds a value that should have been passed beside it."""
    before = ""
    for piece in _pieces(statement):
        text = constant_text(piece)
        if text is not None:
            before += text
            continue
        if is_client_data(symbols, source, piece):
            return True
        if _BEFORE_VALUE.search(before[-600:]) and not _is_harmless(symbols, source, site, piece):
            return True
        before += "x"
    return False


def _is_harmless(symbols: SymbolTable, source: SourceFile, site: CallSite, piece: ast.expr) -> bool:
    """Return true for constants, numbers, quoted names and lists of placeholders."""
    if origin_of(symbols, source, site.function, piece) is Origin.LITERAL:
        return True
    values = [piece]
    if isinstance(piece, ast.Name):
        if piece.id.isupper() or _is_number_parameter(site, piece.id):
            return True
        values += assigned_values(site.function, piece.id) if site.function else []
    return any(
        _is_number(value) or any(_is_quoted(inner) for inner in walk(value)) for value in values
    )


def _is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return called_name(value) in NUMBERS
    # A sum with a number is a number.
    return isinstance(value, ast.BinOp) and any(
        isinstance(side, ast.Constant) and isinstance(side.value, int | float)
        for side in (value.left, value.right)
    )


def _is_quoted(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _QUOTES_NAMES.search(called_name(node)) is not None
    text = constant_text(node)
    return text is not None and _BOUND.fullmatch(text) is not None


def _is_number_parameter(site: CallSite, name: str) -> bool:
    if site.function is None:
        return False
    arguments = site.function.node.args
    return any(
        argument.arg == name
        and isinstance(argument.annotation, ast.Name)
        and argument.annotation.id in NUMBERS
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    )


def _is_assembled(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod) and not _has_only_constants(node)
    return isinstance(node, ast.Call) and called_name(node) == "format"


def _has_only_constants(node: ast.BinOp) -> bool:
    return all(isinstance(inner, ast.Constant | ast.BinOp | ast.operator) for inner in walk(node))


def _literal_text(node: ast.expr) -> str:
    return "".join(constant_text(inner) or "" for inner in walk(node))


def _pieces(statement: ast.expr) -> Iterator[ast.expr]:
    """Yield constants and inserted expressions of a statement in the order of its text."""
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.JoinedStr):
            stack += reversed(node.values)
        elif isinstance(node, ast.FormattedValue):
            yield node.value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            stack += [node.right, node.left]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            yield from _filled(_literal_text(node.left), _PERCENT, _arguments(node.right))
        elif isinstance(node, ast.Call) and called_name(node) == "format":
            named = {keyword.arg or "": keyword.value for keyword in node.keywords}
            numbered = {str(number): value for number, value in enumerate(node.args)}
            yield from _filled(_literal_text(node.func), _BRACES, numbered | named)
        else:
            yield node


def _arguments(node: ast.expr) -> dict[str, ast.expr]:
    """Return the right side of `%` by key or by position."""
    if isinstance(node, ast.Dict):
        return {constant_text(key) or "": node.values[at] for at, key in enumerate(node.keys)}
    values = node.elts if isinstance(node, ast.Tuple) else [node]
    return {str(number): value for number, value in enumerate(values)}


def _filled(
    template: str, slot: re.Pattern[str], arguments: dict[str, ast.expr]
) -> Iterator[ast.expr]:
    end = 0
    for number, match in enumerate(slot.finditer(template.replace("%%", "??"))):
        yield ast.Constant(template[end : match.start()])
        end = match.end()
        # A value that is not written at this place is unknown.
        yield arguments.get(match["key"] or str(number)) or ast.Name("_")
    yield ast.Constant(template[end:])
