"""Records that their own class refuses: what is built so gives no score, and what may be left out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from courtroom.analysis.langgraph.judging.opinion_guards import GIVEN
from courtroom.analysis.locations import shown
from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
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


def calls_with_empty_list(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> Iterator[FailingLine]:
    """Yield calls that hand an empty list to a field of which the model wants members."""
    for node in walk(function.node):
        if not isinstance(node, ast.Call) or not node.keywords or node.args:
            continue
        empty = [k for k in node.keywords if k.arg and _is_empty(k.value)]
        site = symbols.find_class(source, node.func) if empty else None
        wanted = fields_of_some(site) if site and not _may_fill(site) else {}
        for keyword in empty:
            least, _ = wanted.get(keyword.arg or "", (0, 0))
            if least:
                number = f"fewer than {least}" if least > 1 else "an empty one"
                why = (
                    f"builds {called_name(node)} with an empty list as {keyword.arg}, of which it"
                    f" refuses {number}"
                )
                yield FailingLine(keyword.value.lineno, why, mark_of(node))


def _is_empty(value: ast.expr) -> bool:
    return isinstance(value, ast.List) and not value.elts


def _may_fill(site: ClassSite) -> bool:
    """Return whether a validator of the model may turn a value into another one before the test."""
    calls = (node for node in walk(site.node) if isinstance(node, ast.Call))
    keywords = (keyword for call in calls for keyword in call.keywords)
    return any(k.arg in {"mode", "pre"} and constant_text(k.value) != "after" for k in keywords)


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
        if any(_ends_or_sets(node, names) for node in walk(statement)):
            return None
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


def _ends_or_sets(node: ast.AST, names: Sequence[str]) -> bool:
    is_set = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
    return isinstance(node, ast.Return) or is_set


def _number(node: ast.AST | None) -> int:
    """Return a written number above 0, else 0."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and value > 0 else 0
