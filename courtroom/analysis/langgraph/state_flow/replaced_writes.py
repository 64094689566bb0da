"""Values of the state that a later node replaces before any node or router can read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from courtroom.analysis.langgraph.state_access import StateAccess, StateUse
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable

STREAM = "stream("
ROUTER_AFTER = "the router after "
Followers = Mapping[str, set[str]]


def replaced_writes(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess
) -> Iterator[FlowFault]:
    """Yield the keys without a reducer that a node writes for nobody."""
    uses = [*access.nodes.values(), *access.routers]
    builder = graph.builder
    is_open = any(use.reads_gap or use.writes_gap for use in uses) or access.sent
    # A caller that streams the run gets what each node writes.
    is_streamed = any(STREAM in source.text for source in symbols.codebase.production)
    if builder is None or builder.unresolved or is_open or is_streamed or not access.declared:
        return
    followers: dict[str, set[str]] = {}
    ways = [*builder.edges, *((r.start, end) for r in graph.routes for end in r.targets)]
    for start, end in ways:
        followers.setdefault(start, set()).add(end)
    reduced = {row["field"] for row in reducers_of(symbols, access.state.site)}
    for key in sorted(access.declared - reduced):
        readers = {use.name.removeprefix(ROUTER_AFTER) for use in uses if _reads(use, key)}
        sure = {use.name for use in access.nodes.values() if _always_writes(use, key)}
        for use in access.nodes.values():
            write = next((w for w in use.writes if w.key == key and not w.is_unchanged), None)
            # What is written out there is a first value.
            if write is None or write.is_constant or use.name in readers:
                continue
            others = _replacers(use.name, followers, readers, sure - {use.name})
            if others:
                sentence = (
                    f"{use.name} writes `{key}`, which {joined(sorted(others))}"
                    f" {'replaces' if len(others) == 1 else 'replace'} before any node reads it"
                )
                names = (use.name,)
                yield FlowFault("unused_result", sentence, write.path, write.line, nodes=names)


def _reads(use: StateUse, key: str) -> bool:
    return key in use.read_keys or any(place.key == key for place in use.changes)


def _always_writes(use: StateUse, key: str) -> bool:
    is_certain = bool(use.updates) and not use.is_optional
    return is_certain and all(
        not update.is_doubtful and any(w.key == key and not w.is_unchanged for w in update.writes)
        for update in use.updates
    )


def _replacers(start: str, followers: Followers, readers: set[str], sure: set[str]) -> set[str]:
    """Return the nodes that replace what `start` wrote on every way; none where a way keeps it."""
    replacers, reached, queue = set[str](), set[str](), [*followers.get(start, ())]
    if not queue:
        return set()
    while queue:
        node = queue.pop()
        # A reader that writes the key as well has read it before.
        if node == "END" or node in readers:
            return set()
        if node in sure:
            replacers.add(node)
        elif node not in reached:
            reached.add(node)
            if not followers.get(node):
                return set()
            queue += followers[node]
    after = _after(start, followers)
    # What stands on another branch may run later than the write.
    is_apart = any(r not in after and start not in _after(r, followers) for r in readers)
    return set() if is_apart else replacers


def _after(start: str, followers: Followers) -> set[str]:
    reached, queue = set[str](), [start]
    while queue:
        for end in followers.get(queue.pop(), ()):
            if end not in reached:
                reached.add(end)
                queue.append(end)
    return reached
