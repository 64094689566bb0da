"""Routers that test what the graph is run with alone: no failure of a node changes their way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse
from courtroom.analysis.langgraph.state_flow.earlier_writes import may_write
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place, joined, listed
from courtroom.analysis.langgraph.state_flow.router_states import (
    FUEL_PER_ROUTER,
    NotFollowed,
    RouterStates,
)
from courtroom.analysis.langgraph.state_flow.run_order import nodes_reached_from
from courtroom.analysis.langgraph.state_flow.text_cases import SOME_TEXT, text_keys
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    DictValue,
    ListValue,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import words_of

# Words in the name of a key under which nodes record what failed.
FAILURES = frozenset({"error", "errors", "failure", "failures", "exception", "exceptions"})


def input_routes(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess
) -> Iterator[FlowFault]:
    """Yield the routers with several ways that test the graph's inputs alone.

    These are keys that no node writes, that only nodes before the detectives rewrite, or that follow
    from such a key.
    """
    uses = {use.name: use for use in access.routers}
    starts = [route.start for route in graph.routes]
    record = _unread_record(access)
    for route in graph.routes:
        use = uses.get(f"the router after {route.start}")
        if use is None or starts.count(route.start) > 1 or len(route.outcomes) < 2:
            continue
        words = _words_on_inputs(symbols, graph, access, use)
        if not words:
            continue
        keys = listed(sorted(use.read_keys))
        sentence = f"the router after {route.start} tests {keys}, {words} never changes its way"
        place = None
        if record:
            key, place = record
            sentence += f", and no router reads `{key}`, where detectives record failures"
        yield FlowFault("input_route", sentence, route.path, route.line, place)


def _words_on_inputs(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess, use: StateUse
) -> str:
    """Return words on the keys that a router tests, "" where a failure may change one.

    It has to be read to its end.
    """
    if use.reads_gap or not use.read_keys or not use.read_keys <= (access.declared or frozenset()):
        return ""
    nodes = access.nodes.values()
    writers = [node for node in nodes if any(may_write(node, key) for key in use.read_keys)]
    if not writers:
        return "which no node writes: what fails in a node"
    names = joined([node.name for node in writers])
    written_keys = {key for key in use.read_keys if any(may_write(node, key) for node in writers)}
    if written_keys <= _input_keys(graph.inputs) and _come_before_detectives(graph, writers):
        noun = "an input" if len(use.read_keys) == 1 else "inputs"
        return (
            f"{noun} that only {names} writes again, before the detectives: what a detective fails to"
            " do"
        )
    if len(writers) == len(use.read_keys) == 1:
        (key,) = use.read_keys
        if input_key := _deciding_input(symbols, graph, access, writers[0], key):
            return (
                f"which {names} sets only where the input `{input_key}` is empty: what fails in a"
                " node"
            )
    return ""


def _input_keys(inputs: Sequence[Value]) -> frozenset[str]:
    """Return the keys under which every input of the graph holds what a run is given."""
    rows = [choice for value in inputs for choice in choices_of(value)]
    entries = [row.entries for row in rows if isinstance(row, DictValue)]
    if not entries or len(entries) < len(rows):
        return frozenset()
    return frozenset.intersection(
        *(frozenset(str(k) for k, v in row.items() if not _is_written(v)) for row in entries)
    )


def _is_written(value: Value) -> bool:
    """Return whether the code writes a value out."""
    data = (str, int, float, ListValue, DictValue)
    return all(choice is None or isinstance(choice, data) for choice in choices_of(value))


def _come_before_detectives(graph: GraphReading, uses: Sequence[StateUse]) -> bool:
    """Return whether no detective leads to these nodes, of which all writes are known."""
    if graph.builder is None:
        return False
    names = {use.name for use in uses}
    detectives = [name for name in graph.builder.nodes if role_by_name(name) == "detective"]
    reached_nodes = nodes_reached_from(graph.builder, graph.routes, detectives)
    is_known = not any(use.writes_gap for use in uses)
    return is_known and bool(detectives) and names.isdisjoint(reached_nodes)


def _deciding_input(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess, writer: StateUse, key: str
) -> str:
    """Return the text that a run is given and by which alone a node sets a key, "" without one."""
    reader = RouterStates(symbols, graph, access, {}, {})
    for input_key in sorted(text_keys(symbols, access)):
        if input_key not in writer.read_keys or any(
            may_write(node, input_key) for node in access.nodes.values()
        ):
            continue
        reader.evaluator.fuel = FUEL_PER_ROUTER
        try:
            with_text = reader.updates(writer, {input_key: SOME_TEXT})
            without_text = reader.updates(writer, {input_key: ""})
        except (OutOfFuel, RecursionError, NotFollowed):
            continue
        if _is_never_set(key, with_text) and not _is_never_set(key, without_text):
            return input_key
    return ""


def _is_never_set(key: str, updates: Sequence[DictValue]) -> bool:
    values = [choice for row in updates for choice in choices_of(row.entries.get(key))]
    return bool(values) and all(truth_of(value) is False for value in values)


def _unread_record(access: StateAccess) -> tuple[str, Place] | None:
    """Return the key under which detectives record failures and that no router reads, with a place."""
    if any(use.reads_gap for use in access.routers):
        return None
    read = {key for use in access.routers for key in use.read_keys}
    uses = (use for name, use in access.nodes.items() if role_by_name(name) == "detective")
    writes = (write for use in uses for write in use.writes)
    return next(
        (
            (write.key, (write.path, write.line))
            for write in writes
            if write.key in (access.declared or ()) and write.key not in read
            if FAILURES & {*words_of(write.key)} and not write.is_empty and not write.is_unchanged
        ),
        None,
    )
