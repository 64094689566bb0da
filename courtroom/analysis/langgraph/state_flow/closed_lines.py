"""Lines of a node behind a test of the state that what the nodes before it always fill settles."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from courtroom.analysis.langgraph.node_roles import unwrapped
from courtroom.analysis.langgraph.routers import returned_values
from courtroom.analysis.langgraph.state_access import StateAccess
from courtroom.analysis.langgraph.state_evaluator import StateEvaluator
from courtroom.analysis.langgraph.state_flow.dead_routes import (
    DeadWay,
    always_filled,
    filled_keys,
    held_together,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import joined, listed
from courtroom.analysis.langgraph.state_flow.router_states import FUEL_PER_ROUTER
from courtroom.analysis.langgraph.state_flow.run_order import (
    certain_steps,
    earlier_nodes,
    earliest_steps,
)
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    Function,
    Value,
)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
INNER = (ast.stmt, ast.ExceptHandler, ast.match_case)
MARK = "\N{NULL}this line"


def closed_by(
    symbols: SymbolTable,
    graph: GraphReading,
    access: StateAccess,
    ways: Sequence[DeadWay],
    name: str,
    line: int,
) -> str:
    """Return why no run of a node comes to a line of its function, "" where one may.

    `ways` are those of routers that no run takes.
    """
    builder, use = graph.builder, access.nodes.get(name)
    action = builder.nodes.get(name) if builder is not None else None
    if builder is None or use is None or not isinstance(action, Function) or builder.unresolved:
        return ""
    marked = _marked(unwrapped(action), line)
    never = {(w.route.start, n) for w in ways for o in w.outcomes for n in o} - {
        (w.route.start, n) for w in ways for o in w.remaining for n in o
    }
    certain, earliest = certain_steps(builder), earliest_steps(builder, graph.routes)
    done = {node for node, step in certain.items() if step < earliest.get(name, 0)}
    done |= earlier_nodes(builder, graph.routes, name, never)
    evaluator = StateEvaluator(symbols, lambda _: False, FUEL_PER_ROUTER, modules=graph.modules)
    filled = filled_keys(symbols, access, always_filled(symbols, access), use.read_keys)
    for key, fillers in filled.items():
        rows = {node: row for node, row in fillers.items() if node in done}
        state = DictValue({key: held_together([*rows.values()])}, is_open=True) if rows else None
        if marked is None or state is None or not _comes_to(evaluator, marked, UNKNOWN):
            continue
        if _comes_to(evaluator, marked, access.holding(state)) is False:
            verb = "fills" if len(rows) == 1 else "fill"
            return f"before {name}, {joined([*rows])} always {verb} {listed([key])}"
    return ""


def _marked(function: Function, line: int) -> Function | None:
    """Return the function with a return of the mark in place of the statement of a line."""
    node = None if isinstance(function.node, ast.Lambda) else _with_mark(function.node, line)
    return replace(function, node=node) if isinstance(node, FUNCTIONS) else None


def _with_mark(node: ast.AST, line: int) -> ast.AST | None:
    """Return a copy of a node in which the innermost statement of a line returns the mark.

    What stands beside it is the same; None where the line is in no statement of it.
    """
    for name, value in ast.iter_fields(node):
        for index, part in enumerate(value) if isinstance(value, list) else ():
            if not isinstance(part, INNER) or not _holds(part, line):
                continue
            marked = _with_mark(part, line)
            if marked is None and isinstance(part, ast.stmt):
                marked = ast.copy_location(ast.Return(ast.Constant(MARK)), part)
                ast.fix_missing_locations(marked)
            if marked is not None:
                fields = dict(ast.iter_fields(node))
                fields[name] = [*value[:index], marked, *value[index + 1 :]]
                copied = node.__class__(**fields)
                is_placed = isinstance(node, ast.stmt | ast.ExceptHandler)
                return ast.copy_location(copied, node) if is_placed else copied
    return None


def _holds(part: ast.stmt | ast.ExceptHandler | ast.match_case, line: int) -> bool:
    if isinstance(part, ast.match_case):
        return any(_holds(statement, line) for statement in part.body)
    return part.lineno <= line <= (part.end_lineno or line)


def _comes_to(evaluator: StateEvaluator, function: Function, state: Value) -> bool | None:
    """Return whether a run on this state may return the mark; None where it is not known."""
    evaluator.begin()
    evaluator.fuel = FUEL_PER_ROUTER
    try:
        return MARK in [
            value
            for value in returned_values(evaluator, function, [state])
            if isinstance(value, str)
        ]
    except (OutOfFuel, RecursionError):
        return None
