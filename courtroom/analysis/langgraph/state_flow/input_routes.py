"""Routers that test what the graph is run with alone: no failure of a node changes their way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse
from courtroom.analysis.langgraph.state_flow.earlier_writes import may_write
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place, listed
from courtroom.analysis.python.tree_walk import words_of

# Words in the name of a key under which nodes record what failed.
FAILURES = frozenset({"error", "errors", "failure", "failures", "exception", "exceptions"})


def input_routes(routes: Sequence[Route], access: StateAccess) -> Iterator[FlowFault]:
    """Yield the routers with several ways whose keys no node writes."""
    uses = {use.name: use for use in access.routers}
    starts = [route.start for route in routes]
    record = _unread_record(access)
    for route in routes:
        use = uses.get(f"the router after {route.start}")
        if use is None or starts.count(route.start) > 1 or len(route.outcomes) < 2:
            continue
        if not _tests_inputs(use, access):
            continue
        keys = listed(sorted(use.read_keys))
        sentence = (
            f"the router after {route.start} tests {keys}, which no node writes: what fails in a node"
            " never changes its way"
        )
        place = None
        if record:
            key, place = record
            sentence += f", and no router reads `{key}`, where detectives record failures"
        yield FlowFault("input_route", sentence, route.path, route.line, place)


def _tests_inputs(use: StateUse, access: StateAccess) -> bool:
    """Return whether a router was read to its end, and tests keys that no node may write."""
    declared = access.declared or frozenset()
    if use.reads_gap or not use.read_keys or not use.read_keys <= declared:
        return False
    nodes = access.nodes.values()
    return not any(may_write(node, key) for node in nodes for key in use.read_keys)


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
