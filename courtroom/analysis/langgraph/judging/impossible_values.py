"""Comparisons with a value that a field can never have, so that what hangs on them never runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.persona_names import persona_in
from courtroom.analysis.langgraph.judging.structured_calls import model_calls, model_name
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    walk,
)

# Field of an opinion with the name of its judge.
JUDGE = "judge"

# Methods after which a text is compared in another case.
FOLDS = {"lower": str.lower, "casefold": str.casefold, "upper": str.upper}


@dataclass(frozen=True, slots=True)
class ClosedField:
    """Field of a model that allows a few texts only: Literal["Prosecutor", "Defense"].

    `is_declared` is false for the texts that code of judges gives a field of any text.
    """

    values: tuple[str, ...]
    path: str
    line: int
    is_declared: bool = True


@dataclass(frozen=True, slots=True)
class ImpossibleTest:
    """Comparison of a field with a text that is none of its values."""

    function: FunctionRef
    line: int
    field: str
    text: str
    closed: ClosedField


def impossible_tests(
    symbols: SymbolTable, functions: list[FunctionRef]
) -> Iterator[ImpossibleTest]:
    """Yield the comparisons in `functions` that never hold."""
    fields = closed_fields(symbols)
    for function in functions if fields else ():
        for node in walk(function.site.node):
            if not isinstance(node, ast.Compare) or len(node.ops) != 1:
                continue
            if not isinstance(node.ops[0], ast.Eq):
                continue
            left, right = node.left, node.comparators[0]
            if constant_text(left) is not None:
                left, right = right, left
            text, (name, fold) = constant_text(right), _field_of(left)
            closed = fields.get(name)
            if text is None or closed is None:
                continue
            values = [FOLDS[fold](value) if fold else value for value in closed.values]
            if text not in values:
                yield ImpossibleTest(function, node.lineno, name, text, closed)


def foreign_names(call_graph: CallGraph, layers: Layers) -> Iterator[ImpossibleTest]:
    """Yield comparisons of `judge` with a spelling of a persona that no judge of plain code gives.

    What a model answers may spell it in any way. Opinions that the Chief Justice's code makes
    itself count where they may exist before the comparison.
    """
    if model_name(layers.judges) or any(True for _ in model_calls(layers.judges)):
        return
    given: dict[str, tuple[str, int]] = {}
    for judge in layers.judges:
        for node in walk(judge.site.node):
            name = constant_text(fields_of(node).get(JUDGE))
            if name and persona_in(name):
                given.setdefault(name, (judge.source.path, getattr(node, "lineno", 1)))
    personas = {persona_in(name) for name in given}
    for function in layers.justice if len(personas) > 1 else ():
        for node in walk(function.site.node):
            name = _compared_judge(node) or ""
            is_foreign = name not in given and persona_in(name) in personas
            if is_foreign and not _may_be_given(name, function, call_graph, layers):
                same = next(text for text in given if persona_in(text) == persona_in(name))
                closed = ClosedField(tuple(given), *given[same], is_declared=False)
                yield ImpossibleTest(function, getattr(node, "lineno", 1), JUDGE, name, closed)


def cap_behind(test: ImpossibleTest) -> int | None:
    """Return the line of `score = min(score, 3)` that hangs on a comparison; None without one."""
    for node in walk(test.function.site.node):
        if not isinstance(node, ast.If):
            continue
        if not any(getattr(part, "lineno", 0) == test.line for part in walk(node.test)):
            continue
        for statement in node.body:
            value = statement.value if isinstance(statement, ast.Assign) else None
            if not isinstance(value, ast.Call) or called_name(value) != "min":
                continue
            if any(isinstance(argument, ast.Constant) for argument in value.args):
                return value.lineno
    return None


def _compared_judge(node: ast.AST) -> str | None:
    """Return the text in `opinion.judge == text` and `getattr(opinion, "judge", "") == text`."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq):
        return None
    held = node.left
    key = held.attr if isinstance(held, ast.Attribute) else ""
    if isinstance(held, ast.Call) and called_name(held) in {"get", "getattr"}:
        key = next((text for argument in held.args if (text := constant_text(argument))), "")
    return constant_text(node.comparators[0]) if key == JUDGE else None


def _may_be_given(name: str, comparer: FunctionRef, call_graph: CallGraph, layers: Layers) -> bool:
    """Return whether a text may get into an opinion before the comparison."""
    codebase = call_graph.symbols.codebase
    if any(f'"{name}"' in text for text in codebase.data.values()):
        return True
    spans = [
        (f, range(f.site.node.lineno, (f.site.node.end_lineno or 0) + 1)) for f in layers.justice
    ]
    makers: list[FunctionRef] = []
    for source in codebase.production:
        compared = {id(part) for n in walk(source.tree) if _compared_judge(n) for part in walk(n)}
        for node in walk(source.tree):
            if constant_text(node) != name or id(node) in compared:
                continue
            line = getattr(node, "lineno", 0)
            homes = [f for f, span in spans if f.source is source and line in span]
            if not homes:
                return True
            makers += homes
    return any(_runs_before(maker, comparer, call_graph, layers) for maker in makers)


def _runs_before(
    maker: FunctionRef, comparer: FunctionRef, call_graph: CallGraph, layers: Layers
) -> bool:
    """Return false where every function that leads to both calls the maker behind the comparer."""
    functions = {f.key: f for f in (*layers.in_use, *layers.justice)}
    reached = {f.name: {r.key for r in call_graph.reachable_from([f])} for f in functions.values()}
    if maker.key in reached.get(comparer.name, {maker.key}):
        return True
    for function in functions.values():
        calls = [n for n in walk(function.site.node) if isinstance(n, ast.Call)]
        making, comparing = (
            [c for c in calls if target.key in reached.get(called_name(c), ())]
            for target in (maker, comparer)
        )
        if not making or not comparing:
            continue
        loops = (n for n in walk(function.site.node) if isinstance(n, ast.For | ast.While))
        inside = ({id(part) for part in walk(loop)} for loop in loops)
        if any(
            {id(c) for c in making} & ids and {id(c) for c in comparing} & ids for ids in inside
        ):
            return True
        if min(c.lineno for c in making) < max(c.lineno for c in comparing):
            return True
    return False


def _field_of(node: ast.expr) -> tuple[str, str]:
    """Return the attribute that is compared, and the method that changes its case."""
    fold = ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        if node.func.attr not in FOLDS:
            return "", ""
        fold, node = node.func.attr, node.func.value
    return (node.attr, fold) if isinstance(node, ast.Attribute) else ("", "")


def closed_fields(symbols: SymbolTable) -> dict[str, ClosedField]:
    """Return the fields that every class with such a field declares with the same few texts."""
    fields: dict[str, list[ClosedField | None]] = {}
    for source in symbols.codebase.production:
        for home in source.classes:
            for statement in home.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    field = closed_field(symbols, source, statement)
                    fields.setdefault(statement.target.id, []).append(field)
                elif isinstance(statement, ast.FunctionDef):
                    fields.setdefault(statement.name, []).append(None)
    closed = {
        name: declared[0]
        for name, declared in fields.items()
        if declared[0] is not None
        if len({field.values if field else () for field in declared}) == 1
    }
    # Each node of the product is walked: not without a field to look for.
    assigned = _assigned_attributes(symbols) if closed else set()
    return {name: field for name, field in closed.items() if name not in assigned}


def closed_field(
    symbols: SymbolTable, source: SourceFile, statement: ast.AnnAssign
) -> ClosedField | None:
    annotation: ast.expr | None = statement.annotation
    if isinstance(annotation, ast.Name):
        alias = symbols.top_level_names(source).get(annotation.id)
        annotation = alias.value if isinstance(alias, ast.Assign | ast.AnnAssign) else None
    if not isinstance(annotation, ast.Subscript) or last_name(annotation.value) != "Literal":
        return None
    members = (
        annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    )
    values = tuple(text for text in map(constant_text, members) if text is not None)
    if len(values) != len(members):
        return None
    return ClosedField(values, source.path, statement.lineno)


def _assigned_attributes(symbols: SymbolTable) -> set[str]:
    """Return attributes that code assigns: `op.judge = name` may give any text."""
    return {
        node.attr
        for source in symbols.codebase.production
        for site in source.functions
        if site.outer is None
        for node in walk(site.node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
