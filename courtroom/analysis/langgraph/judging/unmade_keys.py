"""Lookups of judges without a model under keys that nothing else in the work names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.judging.blank_texts import TEXTS
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.structured_calls import model_calls, model_name
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, listed
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    walk,
    words_of,
)

WORD = re.compile(r"\w+")
# A key of a file in JSON.
KEY = re.compile(r'"(\w{1,100})"\s{0,10}:')
# What holds settings, which may come from anywhere, or an entry of the rubric.
NOT_EVIDENCE = frozenset(
    words_of(
        """config conf cfg settings setting options env environ params kwargs rubric rubrics
        criterion criteria crit dimension dimensions dim dims"""
    )
)
# What is asked for in case it is there, and texts of the rubric.
OPTIONAL = TEXTS | frozenset(words_of("error errors warning warnings note notes debug"))


def unmade_keys(symbols: SymbolTable, layers: Layers) -> Iterator[FlowFault]:
    """Yield the lookups of each judge that are always empty, one fault for a judge.

    A key counts where no code but the judges' has its word, and no data has it as a key; of
    `row.get("a") or row.get("b")` all keys must.
    """
    judges = [function for function in layers.judges if function.site.outer is None]
    if not judges or model_name(judges) or any(True for _ in model_calls(judges)):
        return
    names = _names_beside(symbols, judges)
    for judge in judges:
        lookups = {
            key: line
            for group in _lookups(judge)
            if all(key not in names and OPTIONAL.isdisjoint(words_of(key)) for key, _ in group)
            for key, line in group
        }
        if lookups:
            sentence = (
                f"{judge.shown_name}() looks up {listed(lookups)},"
                " which no code but the judges' and no data of the work names"
            )
            lines = sorted({*lookups.values()})
            path = judge.source.path
            further = tuple((path, line) for line in lines[1:])
            yield FlowFault("other_key", sentence, path, lines[0], places=further)


def _names_beside(symbols: SymbolTable, judges: Sequence[FunctionRef]) -> frozenset[str]:
    """Return the words of all code but that of the judges, of the keys that these write, and of data."""
    codebase = symbols.codebase
    judging: dict[str, set[int]] = {}
    for judge in judges:
        node = judge.site.node
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        judging.setdefault(judge.source.path, set()).update(lines)
    data = (*codebase.data.values(), *codebase.rubrics.values())
    names = {key for text in data for key in KEY.findall(text)}
    for source in codebase.production:
        left_out = judging.get(source.path, set())
        rows = enumerate(source.text.splitlines(), start=1)
        code = (row for line, row in rows if line not in left_out and row.lstrip()[:1] != "#")
        names.update(word for row in code for word in WORD.findall(row))
    nodes = (node for judge in judges for node in walk(judge.site.node))
    return frozenset(names.union(*map(_written, nodes)))


def _written(node: ast.AST) -> set[str]:
    """Return the keys of a record, and one that is set."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return {constant_text(node.slice) or ""}
    added: set[str] = set()
    if isinstance(node, ast.Call) and called_name(node) == "setdefault":
        added = {constant_text(part) or "" for part in node.args[:1]}
    return added | {*fields_of(node)}


def _lookups(judge: FunctionRef) -> Iterator[list[tuple[str, int]]]:
    """Yield the keys that a judge asks names for, together where one stands in for another."""
    grouped: set[int] = set()
    for node in walk(judge.site.node):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            rows = [_lookup(value) for value in node.values]
            grouped.update(id(value) for value in node.values)
            group = [row for row in rows if row is not None]
            if len(group) == len(rows):
                yield group
        elif id(node) not in grouped and (row := _lookup(node)) is not None:
            yield [row]


def _lookup(node: ast.AST) -> tuple[str, int] | None:
    """Return key and line of `payload.get("tests")`; what is read under `state` is the graph's."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="get"),
            args=[ast.Constant(value=str(key))],
        ) if NOT_EVIDENCE.isdisjoint(words_of(name)) and "state" not in words_of(name):
            return (key, node.lineno) if key.isidentifier() else None
    return None
