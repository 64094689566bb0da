"""Rounds of a loop that a node counts, and a router that takes the count and does not test it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, site_of
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, FlowReading
from courtroom.analysis.langgraph.state_flow.router_states import RouterStates
from courtroom.analysis.langgraph.state_flow.run_order import loop_of
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import walk

ROUTER_AFTER = "the router after "


def uncounted_rounds(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess, reading: FlowReading
) -> None:
    """Say of a count that a router takes and never uses that it limits no rounds."""
    counts = list(_counts(symbols, graph, access))
    for number, fault in enumerate(reading.faults):
        for use, key, node in counts:
            if _is_of(fault, use, key):
                sentence = f"{fault.sentence}: {node} counts rounds in `{key}`, and no router limits them by it"
                reading.faults[number] = FlowFault(
                    fault.kind, sentence, fault.path, fault.line, fault.other
                )


def _is_of(fault: FlowFault, use: StateUse, key: str) -> bool:
    is_unused = fault.kind == "unused_result" and fault.sentence.endswith("never uses it")
    places = {(place.path, place.line) for place in use.reads if place.key == key}
    return is_unused and (fault.path, fault.line) in places


def _counts(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess
) -> Iterator[tuple[StateUse, str, str]]:
    """Yield routers with a key that they alone read, and the node on their loop that counts it up."""
    builder = graph.builder
    if builder is None or builder.unresolved:
        return
    reader = RouterStates(symbols, graph, access, {}, {})
    uses = [*access.nodes.values(), *access.routers]
    for router in access.routers:
        loop = loop_of(builder, graph.routes, router.name.removeprefix(ROUTER_AFTER))
        for key in sorted(router.read_keys):
            others = [use for use in uses if use is not router and key in use.read_keys]
            nodes = [use.name for use in others if use.name in loop]
            is_count = len(others) == len(nodes) == 1 and _only_adds(symbols, others[0], key)
            if is_count and reader.counts_up(others[0], key):
                yield router, key, nodes[0]


def _only_adds(symbols: SymbolTable, use: StateUse, key: str) -> bool:
    """Return whether a node reads the key in sums alone."""
    site = site_of(symbols, use)
    lines = _lines_of_sums(site.node) if site is not None else ()
    return all(place.line in lines for place in use.reads if place.key == key)


def _lines_of_sums(function: FunctionNode) -> Collection[int]:
    sums: Sequence[ast.BinOp] = [
        node
        for node in walk(function)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
    ]
    return {line for s in sums for line in range(s.lineno, (s.end_lineno or s.lineno) + 1)}
