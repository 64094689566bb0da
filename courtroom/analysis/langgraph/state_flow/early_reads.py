"""Keys that a node reads in the step in which they are written, or before it.

LangGraph hands to the nodes of a step what the steps before have written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route
from courtroom.analysis.langgraph.state_access import KeyWrite, StateAccess, StateUse
from courtroom.analysis.langgraph.state_flow.carried_values import is_carried_on
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, FlowReading, joined
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    DictValue,
    Instance,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import called_name, constant_text, last_name, walk

# Path of a read in the state: a key, or a key and one under it.
Slot = tuple[str, ...]
Writers = Mapping[str, KeyWrite]
# Graphs that are followed; those of the cohort have at most 83 nodes.
MOST_NODES = 300


@dataclass(frozen=True, slots=True)
class _Order:
    """Steps of the nodes: the first that any way may give, and the last where no loop leads back.

    `before` are the nodes from which a way leads to the node.
    """

    first: Mapping[str, int]
    last: Mapping[str, int]
    before: Mapping[str, frozenset[str]]

    def is_too_late(self, writer: str, reader: str) -> bool:
        """Return whether the writer never ends before the reader starts."""
        if writer in self.before.get(reader, ()) or reader not in self.last:
            return False
        return self.first.get(writer, 0) >= self.last[reader]

    def comes_after(self, writers: Iterable[str], early: str, other: str) -> bool:
        """Return whether `other` follows both the early reader and one of the writers."""
        before = self.before.get(other, frozenset())
        return early in before and not before.isdisjoint(writers)


def early_reads(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess, reading: FlowReading
) -> None:
    """Add what nodes read of the state and only nodes of the same or a later step write.

    A later node that reads it in time and writes what the early one does makes that good.
    """
    builder = graph.builder
    if builder is None or builder.unresolved or not access.declared:
        return
    if len(builder.nodes) > MOST_NODES:
        reading.leave_open(["early_read"], f"the graph has more than {MOST_NODES} nodes")
        return
    order = _order_of(builder, graph.routes)
    written, readers = _writers(access), _readers(access)
    gaps = {name: _gaps_of(use) for name, use in access.nodes.items()}
    for name, use in access.nodes.items():
        if name in access.sent or name not in order.last:
            continue
        compared: set[Slot] = set()
        reported: set[Slot] = set()
        for slot, path, line in _reads(use, access.declared):
            writers = written.get(slot, {})
            is_own = name in writers and _needs_own(symbols, slot, path, line, writers)
            if slot in compared or slot[:1] in reported or not writers or is_own:
                continue
            compared.add(slot)
            is_late = all(order.is_too_late(writer, name) for writer in writers)
            if not is_late or _is_made_good(access, order, name, writers, readers[slot]):
                continue
            in_time = (other for other in gaps if not order.is_too_late(other, name))
            gap = next(filter(None, (_gap(gaps[other], slot) for other in in_time)), "")
            if gap:
                reading.leave_open(["early_read"], gap)
            elif not _may_be_given(symbols, access, graph.inputs, slot[0]):
                reported.add(slot)
                reading.add([_fault(name, slot, path, line, writers, order)])


def _needs_own(symbols: SymbolTable, slot: Slot, path: str, line: int, writers: Writers) -> bool:
    """Return whether one of the writers may read the slot for what it has there itself.

    It alone writes it, it has an entry of its own in a mapping, or it adds to what it reads.
    """
    is_mapping = len(slot) > 1 or any(write.inner for write in writers.values())
    return is_mapping or len(writers) == 1 or is_carried_on(symbols, path, line, slot[0])


def _fault(name: str, slot: Slot, path: str, line: int, late: Writers, order: _Order) -> FlowFault:
    shown = slot[0] if len(slot) == 1 else f"{slot[0]}[{slot[1]!r}]"
    is_same = all(order.first.get(writer) == order.last[name] for writer in late)
    is_later = all(order.first.get(writer, 0) > order.last[name] for writer in late)
    when = "the same step" if is_same else "a later step" if is_later else "this step or later"
    effect = f"it comes too late for {name}"
    if name in late:
        effect = f"{name} reads only what the graph starts with"
    sentence = (
        f"{name} reads `{shown}`, which only {joined([*late])} write{'s' * (len(late) == 1)}, in"
        f" {when}: {effect}"
    )
    first = next(iter(late.values()))
    return FlowFault("early_read", sentence, path, line, (first.path, first.line))


def _reads(use: StateUse, declared: frozenset[str]) -> Iterator[tuple[Slot, str, int]]:
    for place in use.reads:
        if place.key in declared:
            yield (place.key,), place.path, place.line
    for lookup in use.lookups:
        if lookup.key in declared and lookup.inner is not None:
            yield (lookup.key, lookup.inner), lookup.path, lookup.line


def _readers(access: StateAccess) -> dict[Slot, set[str]]:
    readers: dict[Slot, set[str]] = {}
    for name, use in access.nodes.items():
        for slot, _, _ in _reads(use, access.declared or frozenset()):
            readers.setdefault(slot, set()).add(name)
    return readers


def _is_made_good(
    access: StateAccess, order: _Order, early: str, writers: Iterable[str], readers: Iterable[str]
) -> bool:
    """Return whether one of the readers comes in time and writes what the early one writes."""
    keys = _keys_written(access.nodes[early])
    return any(
        order.comes_after(writers, early, other) and keys & _keys_written(access.nodes[other])
        for other in readers
    )


def _keys_written(use: StateUse) -> set[str]:
    writes = (write for update in use.updates for write in update.writes)
    return {write.key for write in writes if not write.is_unchanged}


def _writers(access: StateAccess) -> dict[Slot, dict[str, KeyWrite]]:
    """Return the nodes that write to a slot, with their first writes, by slot.

    One of a constant, as where the node fails, comes after others.
    """
    writers: dict[Slot, dict[str, KeyWrite]] = {}
    for name, use in access.nodes.items():
        writes = [write for update in use.updates for write in update.writes]
        for write in sorted(writes, key=lambda write: write.is_constant):
            if not write.is_unchanged:
                slots: list[Slot] = [(write.key,), *((write.key, inner) for inner in write.inner)]
                for slot in slots:
                    writers.setdefault(slot, {}).setdefault(name, write)
    return writers


def _gaps_of(use: StateUse) -> dict[str, str]:
    """Return why a node may write more than is known, by key; "" stands for every key."""
    gaps = {"": use.writes_gap} if use.writes_gap else {}
    for place in use.changes:
        gaps.setdefault(place.key, f"{place.path}:{place.line}: `{place.key}` is changed in place")
    for write in (write for update in use.updates for write in update.writes):
        if not write.is_unchanged and write.is_inner_open:
            where = f"{write.path}:{write.line}"
            gaps.setdefault(
                write.key, f"{where}: the keys in `{write.key}` are not known before a run"
            )
    return gaps


def _gap(gaps: Mapping[str, str], slot: Slot) -> str:
    return gaps.get("") or gaps.get(slot[0], "")


# -- what the graph starts with ---------------------------------------------------------------------


def _may_be_given(
    symbols: SymbolTable, access: StateAccess, inputs: Sequence[Value], key: str
) -> bool:
    """Return whether the graph may start with something under the key."""
    site = access.state.site
    defaults = [
        field.value
        for field in (site.node.body if site else ())
        if isinstance(field, ast.AnnAssign) and last_name(field.target) == key
    ]
    if any(value is not None and not _is_empty(value) for value in defaults):
        return True
    given = [choice for value in inputs for choice in choices_of(value)]
    if given and all(isinstance(v, Instance) or _is_closed(v) for v in given):
        held = [
            v.attributes if isinstance(v, Instance) else getattr(v, "entries", {}) for v in given
        ]
        return any(key in row and truth_of(row[key]) is not False for row in held)
    updates = [update for use in access.nodes.values() for update in use.updates]
    places = {(write.path, write.line) for update in updates for write in update.writes}
    return any(
        (source.path, getattr(node, "lineno", 0)) not in places
        for source in symbols.codebase.production
        if key in source.text
        for node in walk(source.tree)
        for value in _values_under(node, key)
        if not _is_empty(value)
    )


def _is_closed(value: Value) -> bool:
    return isinstance(value, DictValue) and not value.is_open


def _values_under(node: ast.AST, key: str) -> Iterator[ast.expr]:
    """Yield what a dict, a call by keyword or an assignment holds under the key."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (value for name, value in pairs if constant_text(name) == key)
    elif isinstance(node, ast.keyword) and node.arg == key:
        yield node.value
    elif isinstance(node, ast.Assign):
        subscripts = (t for t in node.targets if isinstance(t, ast.Subscript))
        yield from (node.value for t in subscripts if constant_text(t.slice) == key)


def _is_empty(value: ast.expr) -> bool:
    """Return true for a written None, "", 0, False, [], {} or a field that starts as one."""
    if isinstance(value, ast.Constant):
        return not value.value
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.Call) and called_name(value) in {"Field", "field"}:
        parts = [*value.args[:1], *(k.value for k in value.keywords if k.arg == "default")]
        factories = [k.value for k in value.keywords if k.arg == "default_factory"]
        is_filled = any(last_name(f) not in {"list", "dict", "set", "str"} for f in factories)
        return not is_filled and all(map(_is_empty, parts))
    return isinstance(value, ast.Call) and not value.args and called_name(value) in {"list", "dict"}


# -- when nodes run ---------------------------------------------------------------------------------


def _order_of(builder: GraphBuilder, routes: Sequence[Route]) -> _Order:
    ends = [*builder.edges, *((route.start, end) for route in routes for end in route.targets)]
    ways = [(start, end) for start, end in ends if end in builder.nodes]
    starts: dict[str, set[str]] = {}
    for start, end in ways:
        starts.setdefault(end, set()).add(start)
    before = {node: _ancestors(node, starts) for node in builder.nodes}
    looped = {node for node in builder.nodes if node in before[node]}
    unsure = looped | builder.deferred
    last: dict[str, int] = {"START": 0}
    certain = [n for n in builder.nodes if not (before[n] | {n}) & unsure and "START" in before[n]]
    # A node comes after all that lead to it.
    for node in sorted(certain, key=lambda name: len(before[name])):
        last[node] = 1 + max(last.get(start, 0) for start in starts[node])
    return _Order(_first_steps(ways), last, before)


def _ancestors(node: str, starts: Mapping[str, set[str]]) -> frozenset[str]:
    reached: set[str] = set()
    queue = [node]
    for current in queue:  # the list grows while it is read
        for start in starts.get(current, set()) - reached:
            reached.add(start)
            queue.append(start)
    return frozenset(reached)


def _first_steps(ways: Sequence[tuple[str, str]]) -> dict[str, int]:
    ends: dict[str, list[str]] = {}
    for start, end in ways:
        ends.setdefault(start, []).append(end)
    steps, queue = {"START": 0}, ["START"]
    for node in queue:  # the list grows while it is read
        for end in ends.get(node, ()):
            if end not in steps:
                steps[end] = steps[node] + 1
                queue.append(end)
    return steps
