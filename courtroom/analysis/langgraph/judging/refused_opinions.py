"""Records that their own class refuses: what is built so gives no score, and what may be left out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from courtroom.analysis.langgraph.judging.opinion_guards import GIVEN
from courtroom.analysis.locations import shown
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    keyword_of,
    last_name,
    walk,
    words_of,
)

# Begin of what is said of a line that builds such a record.
BUILDS = "builds "
VALIDATORS = frozenset({"field_validator", "validator"})
LEAST = ("min_length", "min_items")

IsRefused = Callable[[SourceFile, int], bool]


def never(_source: SourceFile, _line: int) -> bool:
    return False


def refused_places(symbols: SymbolTable, failing: Sequence[Mapping[str, Any]]) -> IsRefused:
    """Return a test of a line: does it stand in a call that always raises.

    `failing` are the lines that fail whenever they run, as facts.
    """
    builds = [row for row in failing if row["why"].startswith(BUILDS)]
    spans: dict[str, list[tuple[int, int]]] = {}

    def is_refused(source: SourceFile, line: int) -> bool:
        if source.path not in spans:
            lines = {
                (row["why"].split()[1], row["line"]) for row in builds if row["path"] == source.path
            }
            spans[source.path] = [
                (node.lineno, node.end_lineno or node.lineno)
                for node in walk(source.tree)
                if isinstance(node, ast.Call)
                if any(
                    name == called_name(node)
                    and node.lineno <= at <= (node.end_lineno or node.lineno)
                    for name, at in lines
                )
                or _hands_refused_list(node, source, symbols)
            ]
        return any(first <= line <= last for first, last in spans[source.path])

    return is_refused


def _hands_refused_list(call: ast.Call, source: SourceFile, symbols: SymbolTable) -> bool:
    empty = [
        name
        for name, value in fields_of(call).items()
        if isinstance(value, ast.List) and not value.elts
    ]
    site = symbols.find_class(source, call.func) if empty else None
    return site is not None and not set(empty).isdisjoint(fields_of_some(site))


def full_panels(symbols: SymbolTable) -> list[dict[str, Any]]:
    """Return the product's models that refuse fewer than two, three or more opinions, as facts."""
    return [
        shown(f"{node.name} refuses fewer than {least} opinions.", (source.path, line))
        for source in symbols.codebase.production
        for node in source.classes
        for name, (least, line) in sorted(fields_of_some(ClassSite(source, node)).items())
        if least > 1 and not GIVEN.isdisjoint(words_of(name))
    ]


def fields_of_some(site: ClassSite) -> dict[str, tuple[int, int]]:
    """Return the fields of a model that must hold members: how many, and the line that says so."""
    rows: dict[str, tuple[int, int]] = {}
    for statement in site.node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.value, ast.Call):
            least = _number(keyword_of(statement.value, *LEAST))
            if least and isinstance(statement.annotation, ast.Subscript):
                rows[last_name(statement.target)] = least, statement.lineno
        if isinstance(statement, ast.FunctionDef) and (refusal := _refusal(statement)):
            rows |= dict.fromkeys(_validated(statement), refusal)
    return rows


def _validated(function: ast.FunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and called_name(decorator) in VALIDATORS:
            yield from filter(None, map(constant_text, decorator.args))


def _refusal(function: ast.FunctionDef) -> tuple[int, int] | None:
    """Return number and line of `if len(v) != 3: raise ...` and of `if not v: raise ...`."""
    names = [argument.arg for argument in function.args.args]
    for statement in function.body:
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Raise):
            match statement.test:
                case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)) if name in names:
                    return 1, statement.lineno
                case ast.Compare(
                    left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
                    ops=[ast.NotEq() | ast.Lt()],
                    comparators=[number],
                ) if name in names and _number(number):
                    return _number(number), statement.lineno
    return None


def _number(node: ast.AST | None) -> int:
    """Return a written number above 0, else 0."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and value > 0 else 0
