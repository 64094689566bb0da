"""Routes for missing evidence behind a node that puts a placeholder wherever evidence is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.state_access import StateAccess, site_of
from courtroom.analysis.langgraph.state_evaluator import StateEvaluator
from courtroom.analysis.langgraph.state_flow.dead_routes import (
    SOME_KEY,
    TOTAL_FUEL,
    never_returned,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, listed
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import UNKNOWN, DictValue, ListValue
from courtroom.analysis.python.tree_walk import constant_text, fields_of, walk


def placeholder_routes(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess
) -> Iterator[FlowFault]:
    """Yield ways that a router takes only where a key is empty that the node before it fills up."""
    evaluator = StateEvaluator(symbols, lambda _: False, TOTAL_FUEL, modules=graph.modules)
    for route in graph.routes:
        use = access.nodes.get(route.start)
        site = site_of(symbols, use) if use else None
        if use is None or site is None:
            continue
        for key, line in _placeholders(site.node):
            filled = DictValue({SOME_KEY: ListValue([UNKNOWN], is_open=True)}, is_open=True)
            never = never_returned(
                evaluator, route, access.holding(DictValue({key: filled}, is_open=True))
            )
            if never:
                sentence = (
                    f"the router after {route.start} returns {listed(never)} only where `{key}`"
                    f" holds nothing, and {route.start} puts a piece that says “not found” wherever"
                    " evidence is missing: missing evidence never takes this way"
                )
                place = use.path, line
                yield FlowFault("needless_route", sentence, route.path, route.line, place)


def _placeholders(function: FunctionNode) -> Iterator[tuple[str, int]]:
    """Yield keys of the update, with the line where a loop puts `[Evidence(found=False)]` under each
    entry.
    """
    made = {
        target.value.id: statement.lineno
        for loop in walk(function)
        if isinstance(loop, ast.For)
        for statement in walk(loop)
        if isinstance(statement, ast.Assign) and _is_placeholder(statement.value)
        for target in statement.targets
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    }
    for node in walk(function):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            name = value.id if isinstance(value, ast.Name) else ""
            if name in made and (text := constant_text(key)):
                yield text, made[name]


def _is_placeholder(value: ast.expr) -> bool:
    pieces = value.elts if isinstance(value, ast.List) else []
    flags = [fields_of(piece).get("found") for piece in pieces]
    return any(isinstance(flag, ast.Constant) and flag.value is False for flag in flags)
