"""Uses of a file, a document or a database after the function has closed it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from courtroom.analysis.python.certain_nodes import LATER, mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import push_children, values_set_once, walk


@dataclass(frozen=True, slots=True)
class _Resource:
    """Members and items of a closed resource that raise, and functions that raise with it, as words.

    What a function can take, a loop can as well.
    """

    members: str
    functions: str = ""
    has_items: bool = False
    closes_with_block: bool = True


_FILE = _Resource(
    "read readline readlines write writelines seek tell truncate flush fileno",
    "list set sorted tuple",
)
_DOCUMENT = _Resource(
    "page_count needs_pass chapter_count close extract_image get_page_fonts get_page_images"
    " get_page_pixmap get_page_text get_toc load_page new_page pages save search_page_for"
    " tobytes xref_length xref_object",
    "bool len list sorted tuple",
    has_items=True,
)
_ARCHIVE = _Resource("extract open read write writestr")
_DATABASE = _Resource(
    "commit cursor execute executemany executescript rollback", closes_with_block=False
)
_OPENERS = {
    "open": _FILE,
    "io.open": _FILE,
    "tempfile.NamedTemporaryFile": _FILE,
    "tempfile.TemporaryFile": _FILE,
    "fitz.open": _DOCUMENT,
    "fitz.Document": _DOCUMENT,
    "pymupdf.open": _DOCUMENT,
    "pymupdf.Document": _DOCUMENT,
    "zipfile.ZipFile": _ARCHIVE,
    "sqlite3.connect": _DATABASE,
}


def uses_after_close(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> Iterator[FailingLine]:
    """Yield uses in statements that follow the closing one in its own block: no way leads past it."""
    if function.outer is not None:
        return
    opened = {
        name: resource
        for name, value in values_set_once(function.node).items()
        if (resource := _opened(symbols, source, value))
    }
    for block in _blocks(function.node):
        for place, statement in enumerate(block):
            closed = dict(_closed_by_with(symbols, source, statement))
            lines = dict(_closing_lines(statement))
            closed |= {name: opened[name] for name in lines if name in opened}
            for name, resource in closed.items():
                why = f"uses {name} after line {lines.get(name, statement.lineno)} has closed it"
                for use in _failing_uses(name, resource, block[place + 1 :]):
                    yield FailingLine(use.lineno, why, mark_of(use))


def _blocks(function: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in walk(function):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield block


def _opened(symbols: SymbolTable, source: SourceFile, value: ast.expr) -> _Resource | None:
    return (
        _OPENERS.get(symbols.dotted_name(source, value.func))
        if isinstance(value, ast.Call)
        else None
    )


def _closed_by_with(
    symbols: SymbolTable, source: SourceFile, statement: ast.stmt
) -> Iterator[tuple[str, _Resource]]:
    """Yield what `with open(path) as file:` has closed behind its block."""
    for item in statement.items if isinstance(statement, ast.With) else ():
        resource = _opened(symbols, source, item.context_expr)
        if resource and resource.closes_with_block and isinstance(item.optional_vars, ast.Name):
            yield item.optional_vars.id, resource


def _closing_lines(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    """Yield the names on which a statement, or its `finally`, calls close(), with the line."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "close"), args=[])):
            yield name, statement.lineno
        case ast.Try(finalbody=body):
            for inner in body:
                yield from _closing_lines(inner)


def _failing_uses(
    name: str, resource: _Resource, statements: Sequence[ast.stmt]
) -> Iterator[ast.expr]:
    """Yield the uses that raise, up to the statement that gives the name another value."""
    for statement in statements:
        if any(_is_name(node, name) and _is_set(node) for node in walk(statement)):
            return
        stack: list[ast.AST] = [statement]
        while stack:
            node = stack.pop()
            if not isinstance(node, LATER):
                push_children(node, stack)
                yield from _raising(node, name, resource)


def _raising(node: ast.AST, name: str, resource: _Resource) -> Iterator[ast.expr]:
    match node:
        case ast.Attribute(value=owner, attr=member) if member in resource.members.split():
            parts = [owner]
        case ast.Call(func=ast.Name(id=called), args=[argument]) if (
            called in resource.functions.split()
        ):
            parts = [argument]
        case ast.Subscript(value=owner) if resource.has_items:
            parts = [owner]
        case ast.For(iter=rows) | ast.comprehension(iter=rows) if resource.functions:
            parts = [rows]
        case _:
            parts = []
    yield from (part for part in parts if _is_name(part, name))


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_set(node: ast.AST) -> bool:
    return not isinstance(getattr(node, "ctx", None), ast.Load)
