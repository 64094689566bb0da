"""Ways of a router that are never taken: it never returns their key, or what it tests is settled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route
from courtroom.analysis.langgraph.own_reducers import MERGES_BY_KEY
from courtroom.analysis.langgraph.routers import Routing, map_outcomes, read_router
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, site_of
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_evaluator import StateEvaluator
from courtroom.analysis.langgraph.state_flow.always_filled import filled_keys
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place, listed
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    ListValue,
    Value,
    choices_of,
)

# Statements and expressions that are followed for all routers.
TOTAL_FUEL = 60_000
# A key of the dict under a key of the state: no code asks for it by this name.
SOME_KEY = ""
# Reducers that keep what is there.
KEEPING = ("ior", "or_", "add", *MERGES_BY_KEY)


@dataclass(frozen=True, slots=True)
class DeadWay:
    """Ways of a router that no run takes: their `outcomes` of the route, those `left`, the fault."""

    route: Route
    outcomes: tuple[tuple[str, ...], ...]
    left: tuple[tuple[str, ...], ...]
    fault: FlowFault


@dataclass(frozen=True, slots=True)
class _Filled:
    """Value of a key behind a node that always fills it, and the place where the node writes it."""

    held: Value
    place: Place


@dataclass(frozen=True, slots=True)
class _Lost:
    """Names that a router does not return, as it writes them, the outcomes that go with them, and
    those that are `left`.
    """

    names: list[str]
    outcomes: tuple[tuple[str, ...], ...]
    left: tuple[tuple[str, ...], ...]

    def way(
        self,
        route: Route,
        kind: str,
        sentence: str,
        *,
        other: Place | None = None,
        keys: tuple[str, ...] = (),
        nodes: tuple[str, ...] = (),
    ) -> DeadWay:
        fault = FlowFault(kind, sentence, route.path, route.line, other, keys, nodes)
        return DeadWay(route, self.outcomes, self.left, fault)


def unreturned_keys(routes: Sequence[Route]) -> Iterator[FlowFault]:
    """Yield the keys of maps that their router never returns."""
    for route in routes:
        for key, node in route.unreturned.items():
            sentence = (
                f"the router after {route.start} never returns `{key}`: its way to {node} is never"
                " taken"
            )
            yield FlowFault("dead_route", sentence, route.path, route.line)


def dead_ways(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess
) -> list[DeadWay] | None:
    """Return the ways that `settled_tests` yields; None where a node is nested too deeply for it."""
    try:
        return list(settled_tests(symbols, graph, access))
    except RecursionError:
        return None


def settled_tests(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess
) -> Iterator[DeadWay]:
    """Yield ways that a router takes only where a key that a node always fills is empty, or a key
    that no node writes is filled, or by a key that the state does not declare.
    """
    builder = graph.builder
    if builder is None or builder.unresolved or not access.declared:
        return
    certain, earliest = _certain_steps(builder), _earliest_steps(builder, graph.routes)
    evaluator = StateEvaluator(symbols, lambda _: False, TOTAL_FUEL, modules=graph.modules)
    tested = {place.key for use in access.routers for place in use.reads} & access.declared
    filled = _filled_keys(symbols, access, tested)
    empty = _empty_keys(access, tested, graph.inputs)
    for route in graph.routes:
        start = f"the router after {route.start} returns"
        done = {node for node, step in certain.items() if step < earliest.get(route.start, 0)}
        done |= {route.start} & certain.keys()
        yield from _by_undeclared_keys(evaluator, route, access)
        for key, writers in filled.items():
            writer = next((name for name in writers if name in done), None)
            held = DictValue({key: writers[writer].held}, is_open=True) if writer else None
            lost = _lost(evaluator, route, held) if held else None
            if writer and lost:
                sentence = (
                    f"{start} {listed(lost.names)} only where `{key}` lacks what {writer} always writes"
                    " there: this way is never taken"
                )
                place = writers[writer].place
                yield lost.way(route, "needless_route", sentence, other=place)
        for key, value in empty.items():
            lost = _lost(evaluator, route, DictValue({key: value}, is_open=True))
            if lost:
                sentence = (
                    f"{start} {listed(lost.names)} only where `{key}` holds something, and no node"
                    " writes to it: this way is never taken"
                )
                yield lost.way(route, "dead_route", sentence)


def _by_undeclared_keys(
    evaluator: StateEvaluator, route: Route, access: StateAccess
) -> Iterator[DeadWay]:
    """Yield the ways that a router takes by keys that LangGraph never hands to it."""
    declared = access.declared or frozenset()
    use = next(
        (use for use in access.routers if use.name == f"the router after {route.start}"), None
    )
    if use is None:
        return
    keys = tuple(
        dict.fromkeys(p.key for p in use.reads if p.key not in declared | use.default_keys)
    )
    held = DictValue(dict.fromkeys(sorted(declared), UNKNOWN))
    lost = _lost(evaluator, route, held) if keys else None
    if lost:
        state = (access.state.fact or {}).get("name", "the state")
        sentence = (
            f"the router after {route.start} returns {listed(lost.names)} only by {listed(keys)},"
            f" which {state} does not declare: this way is never taken"
        )
        nodes = tuple(name for name in lost.names if name in route.targets)
        yield lost.way(route, "dead_route", sentence, keys=keys, nodes=nodes)


def _certain_steps(builder: GraphBuilder) -> dict[str, int]:
    """Return the nodes that edges start in every run, each with the step in which it runs."""
    optional = builder.optional_parts()
    joins = [((start,), end) for start, end in builder.plain_edges] + builder.joins
    certain = [join for join in joins if not any((start, join[1]) in optional for start in join[0])]
    return {n: step for n, step in _steps(certain).items() if n not in builder.deferred}


def _earliest_steps(builder: GraphBuilder, routes: Sequence[Route]) -> dict[str, int]:
    """Return the first step in which any way may start each node."""
    routed = [((route.start,), end) for route in routes for end in route.targets]
    return _steps([*(((start,), end) for start, end in builder.edges), *routed])


def _steps(joins: Iterable[tuple[Sequence[str], str]]) -> dict[str, int]:
    """Return the step of each node that its first edge starts; a join waits for all of its list."""
    after: dict[str, list[tuple[set[str], str]]] = {}
    for starts, end in joins:
        waiting = (set(starts), end)
        for start in waiting[0]:
            after.setdefault(start, []).append(waiting)
    steps, queue = {"START": 0}, ["START"]
    for node in queue:  # the list grows while it is read
        for left, end in after.get(node, ()):
            left.discard(node)
            if not left and end not in steps:
                steps[end] = steps[node] + 1
                queue.append(end)
    return steps


def _filled_keys(
    symbols: SymbolTable, access: StateAccess, keys: Iterable[str]
) -> dict[str, dict[str, _Filled]]:
    """Return for those of the keys that no node empties the nodes that always fill them."""
    rows = reducers_of(symbols, access.state.site)
    reducers = {row["field"]: row.get("applies") or row["reducer"] for row in rows}
    filled: dict[str, dict[str, _Filled]] = {}
    always = {
        name: filled_keys(site.node)
        for name, use in access.nodes.items()
        if (site := site_of(symbols, use)) is not None
    }
    for key in sorted(keys):
        writers = {name: use for name, use in access.nodes.items() if may_write(use, key)}
        writes = {
            name: write
            for name, use in writers.items()
            if (write := _filled(use, key, always.get(name, {})))
        }
        is_kept = reducers.get(key, "").endswith(KEEPING)
        if writes and (is_kept or len(writes) == len(writers)):
            filled[key] = writes
    return filled


def may_write(use: StateUse, key: str) -> bool:
    """Return whether a node writes to the key, or what it writes is not all known."""
    changes = any(place.key == key for place in use.changes)
    every = (write for update in use.updates for write in update.writes)
    writes = any(write.key == key and not write.is_unchanged for write in every)
    return bool(use.writes_gap) or changes or writes


def _filled(use: StateUse, key: str, always: Mapping[str, bool]) -> _Filled | None:
    """Return what a node writes under the key, if all that it may return has something there."""
    write = next((write for write in use.writes if write.key == key), None)
    if write is None:
        return None
    some = ListValue([UNKNOWN], is_open=True)
    sure = _sure_keys(use, key)
    if key in always and write.inner:
        # Which of the keys holds something depends on the way through the node.
        entries: dict[str, Value] = {SOME_KEY: some if always[key] else UNKNOWN}
        entries |= dict.fromkeys(sure or (), UNKNOWN)
        return _Filled(DictValue(entries, is_open=True), (write.path, write.line))
    if sure:
        held = DictValue(dict.fromkeys(sure, UNKNOWN), is_open=True)
        return _Filled(held, (write.path, write.line))
    is_filled = key in always or sure is not None
    return _Filled(some, (write.path, write.line)) if is_filled else None


def _sure_keys(use: StateUse, key: str) -> frozenset[str] | None:
    """Return the keys that lie under a key in any run, none in a list; None where it may be empty."""
    if use.writes_gap or use.is_optional or not use.updates:
        return None
    writes = [
        next((write for write in update.writes if write.key == key), None) for update in use.updates
    ]
    is_certain = not any(update.is_doubtful or update.is_whole_state for update in use.updates)
    sure = [write.sure for write in writes if write is not None and write.sure is not None]
    if not is_certain or len(sure) < len(writes):
        return None
    return frozenset.intersection(*sure)


def _empty_keys(
    access: StateAccess, keys: Iterable[str], inputs: Sequence[Value]
) -> dict[str, Value]:
    """Return those of the keys that no node writes and every input of the graph holds empty."""
    given = [choice for value in inputs for choice in choices_of(value)]
    if not given or not all(isinstance(value, DictValue) and not value.is_open for value in given):
        return {}
    rows = [value.entries for value in given if isinstance(value, DictValue)]
    empty: dict[str, Value] = {}
    for key in sorted(keys):
        if any(may_write(use, key) for use in access.nodes.values()):
            continue
        values = [row.get(key, UNKNOWN) for row in rows]
        if all(isinstance(v, DictValue | ListValue) and truth_of(v) is False for v in values):
            empty[key] = values[0]
    return empty


def never_returned(evaluator: StateEvaluator, route: Route, held: DictValue) -> list[str]:
    """Return what the router returns, but not with this state; [] where not all is known."""
    lost = _lost(evaluator, route, held)
    return lost.names if lost else []


def _lost(evaluator: StateEvaluator, route: Route, held: DictValue) -> _Lost | None:
    """Return what the router returns only without this state; None where it is nothing, or open."""
    readings: list[Routing] = []
    for given in (UNKNOWN, held):
        evaluator.begin()
        try:
            readings.append(read_router(evaluator, route.router, given))
        except (OutOfFuel, RecursionError):
            return None
    anyhow, settled = readings
    if not anyhow.is_complete or not settled.is_complete or not settled.outcomes:
        return None
    left = {name for outcome in settled.outcomes for name in outcome}
    names = [name for outcome in anyhow.outcomes for name in outcome if name not in left]
    some, kept = _outcomes(anyhow, route), _outcomes(settled, route)
    outcomes = tuple(outcome for outcome in some if outcome not in kept)
    return _Lost(list(dict.fromkeys(names)), outcomes, tuple(kept)) if names else None


def _outcomes(routing: Routing, route: Route) -> list[tuple[str, ...]]:
    if isinstance(route.path_map, DictValue):
        return map_outcomes(routing.outcomes, route.path_map)
    return routing.outcomes
