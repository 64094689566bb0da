"""Outcomes of routers that are taken only while a list of the state is empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from courtroom.analysis.graph_run.stub_graph import StubGraph, StubRoute
from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.langgraph.routers import map_outcomes, read_router
from courtroom.analysis.langgraph.state_access import StateAccess
from courtroom.analysis.langgraph.state_evaluator import StateEvaluator
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import UNKNOWN, DictValue, ListValue

# Statements and expressions that are followed for all routers.
TOTAL_FUEL = 30_000


def with_empty_keys(
    symbols: SymbolTable, reading: GraphReading, graph: StubGraph, access: StateAccess
) -> StubGraph:
    """Return the graph with the keys that are empty whenever an outcome is taken.

    Only lists that nodes return whole are of interest: what is empty is not doubled.
    """
    if graph.state is None:
        return graph
    returned = {key for keys in graph.state.returned.values() for key in keys}
    keys = {key for key in returned if graph.state.kept[key] == "add"}
    evaluator = StateEvaluator(symbols, lambda _: False, TOTAL_FUEL, modules=reading.modules)
    tested = {use.name: use.read_keys for use in access.routers}
    routes = []
    for stub in graph.routes:
        route = next((r for r in reading.routes if _is_same(r, stub)), None)
        reads = tested.get(f"the router after {stub.start}", frozenset())
        left = {key: _outcomes(evaluator, route, key) for key in sorted(keys & reads) if route}
        empty = tuple(
            tuple(key for key in left if route and _is_lost(outcome, route.outcomes, left[key]))
            for outcome in stub.outcomes
        )
        routes.append(replace(stub, empty=empty if any(empty) else ()))
    return replace(graph, routes=tuple(routes))


def _is_same(route: Route, stub: StubRoute) -> bool:
    place = (route.start, route.path, route.line)
    return place == (stub.start, stub.path, stub.line) and route.is_complete


def _is_lost(
    outcome: tuple[str, ...], anyhow: Sequence[tuple[str, ...]], left: Sequence[tuple[str, ...]]
) -> bool:
    return bool(left) and outcome in anyhow and outcome not in left


def _outcomes(evaluator: StateEvaluator, route: Route, key: str) -> Sequence[tuple[str, ...]]:
    """Return the outcomes that are left where the list holds something, () where not all is known."""
    evaluator.begin()
    state = DictValue({key: ListValue([UNKNOWN], is_open=True)}, is_open=True)
    try:
        routing = read_router(evaluator, route.router, state)
    except (OutOfFuel, RecursionError):
        return ()
    if not routing.is_complete:
        return ()
    if isinstance(route.path_map, DictValue):
        return map_outcomes(routing.outcomes, route.path_map)
    return routing.outcomes
