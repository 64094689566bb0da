"""Lists that nodes of one step write, under a reducer that an empty one makes begin anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.own_reducers import RESET, operator_name
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_evaluator import StateEvaluator
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Function,
    ListValue,
    Value,
    choices_of,
)

FUEL = 2_000


def emptied_writes(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess
) -> Iterator[FlowFault]:
    """Yield the keys under which a node with an empty list drops what nodes beside it return."""
    if graph.builder is None:
        return
    evaluator = StateEvaluator(symbols, lambda _: False, FUEL, modules=graph.modules)
    rows = [
        r for r in reducers_of(symbols, access.state.site) if r.get("applies", "").endswith(RESET)
    ]
    routers = {key for use in access.routers for key in use.read_keys}
    edges = sorted(graph.builder.plain_edges)
    starts = dict.fromkeys(start for start, _ in edges)
    for row, start in ((row, start) for row in rows for start in starts):
        key, name = row["field"], operator_name(row["reducer"])
        beside = [end for begin, end in edges if begin == start]
        uses = [access.nodes[end] for end in dict.fromkeys(beside) if end in access.nodes]
        writers = [use for use in uses if _truths(use, key)]
        emptying = [use for use in writers if _truths(use, key) - {True}]
        filling = [use for use in writers if _truths(use, key) - {False}]
        if not any(use is not other for use in emptying for other in filling):
            continue
        if not _drops(evaluator, symbols, name):
            continue
        write = next(write for write in emptying[0].writes if write.key == key)
        sentence = (
            f"{joined([use.name for use in writers])} write `{key}` in one step, and {name}() drops"
            " what is there where an update is empty: a node that has none drops what those"
            " before it return"
        )
        yield FlowFault(
            "unused_result",
            sentence,
            row["path"],
            row["line"],
            (write.path, write.line),
            is_minor=key not in routers,
        )


def _truths(use: StateUse, key: str) -> set[bool | None]:
    """Return of the lists that a node writes under the key whether they hold something, None: some."""
    held = [w.held for update in use.updates for w in update.writes if w.key == key]
    choices = [choice for value in held for choice in choices_of(value)]
    return {truth_of(choice) for choice in choices if isinstance(choice, ListValue)}


def _drops(evaluator: StateEvaluator, symbols: SymbolTable, name: str) -> bool:
    """Return whether a reducer of the work returns nothing where its second list is empty."""
    homes = symbols.functions_by_name.get(name, [])
    if len(homes) != 1:
        return False
    evaluator.begin()
    try:
        function = evaluator.load_module(homes[0][0]).scope.names.get(name)
        lists: Sequence[Value] = [ListValue([UNKNOWN], is_open=True), ListValue([])]
        returned = (
            evaluator.call(function, lists, {}) if isinstance(function, Function) else UNKNOWN
        )
    except (OutOfFuel, RecursionError):
        return False
    return all(isinstance(v, ListValue) and truth_of(v) is False for v in choices_of(returned))
