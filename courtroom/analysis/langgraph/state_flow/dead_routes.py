"""Ways of a router that are never taken: it never returns their key, or what it tests is settled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.langgraph.node_roles import unwrapped
from courtroom.analysis.langgraph.routers import (
    Routing,
    map_outcomes,
    read_router,
    returned_values,
)
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, site_of
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_evaluator import StateEvaluator
from courtroom.analysis.langgraph.state_flow.always_filled import Filled, FilledKeys
from courtroom.analysis.langgraph.state_flow.earlier_writes import KEEPING, Earlier, may_write
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place, joined, listed
from courtroom.analysis.langgraph.state_flow.router_states import FUEL_PER_ROUTER, RouterStates
from courtroom.analysis.langgraph.state_flow.run_order import (
    certain_steps,
    comes_in_one_step,
    earlier_nodes,
    earliest_steps,
    later_nodes,
)
from courtroom.analysis.langgraph.state_flow.text_cases import MOST_TEXTS, text_cases, text_keys
from courtroom.analysis.langgraph.state_flow.unset_texts import OTHER_TEXT, unset_texts
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    Function,
    Instance,
    ListValue,
    Value,
    choices_of,
)

# Statements and expressions that are followed for all routers.
TOTAL_FUEL = 60_000
# A key of the dict under a key of the state: no code asks for it by this name.
SOME_KEY = ""


@dataclass(frozen=True, slots=True)
class DeadWay:
    """Ways of a router that no run takes: their `outcomes`, the `remaining` ones and the fault."""

    route: Route
    outcomes: tuple[tuple[str, ...], ...]
    remaining: tuple[tuple[str, ...], ...]
    fault: FlowFault


@dataclass(frozen=True, slots=True)
class _Filled:
    """Value of a key behind a node that always fills it, and the place where the node writes it."""

    held: Value
    place: Place
    # What another node writes under other keys of the key stays.
    merges: bool = False


@dataclass(frozen=True, slots=True)
class _Settled:
    """Value that a key has whenever a router runs, the `words` that say why, and their place."""

    key: str
    held: Value
    words: str
    place: Place | None = None
    # Nodes that always write it, as the subject of "writes" or "write".
    always_write: str = ""

    def state(self, access: StateAccess) -> Value:
        return access.holding(DictValue({self.key: self.held}, is_open=True))


@dataclass(frozen=True, slots=True)
class _Lost:
    """Names that a router does not return, as it writes them, the outcomes that go with them, and
    the `remaining` ones.
    """

    names: list[str]
    outcomes: tuple[tuple[str, ...], ...]
    remaining: tuple[tuple[str, ...], ...]

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
        fault = FlowFault(
            kind,
            sentence,
            route.path,
            route.line,
            other,
            keys,
            nodes,
            leaves_single_way=len(self.remaining) == 1,
        )
        return DeadWay(route, self.outcomes, self.remaining, fault)


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
    that no node writes is filled, or by a key that the state does not declare, and those that all
    of this together rules out.
    """
    builder = graph.builder
    if builder is None or builder.unresolved or not access.declared:
        return
    certain, earliest = certain_steps(builder), earliest_steps(builder, graph.routes)
    evaluator = StateEvaluator(symbols, lambda _: False, TOTAL_FUEL, modules=graph.modules)
    tested = {place.key for use in access.routers for place in use.reads} & access.declared
    given = _empty_inputs(graph.inputs)
    writers = {key: _writers(access, key) for key in sorted(tested & given.keys())}
    read = {key for uses in writers.values() for use in uses for key in use.read_keys}
    always = always_filled(symbols, access)
    filled = filled_keys(symbols, access, always, tested | (read & access.declared))
    router_states = RouterStates(symbols, graph, access, given, always)
    never: set[tuple[str, str]] = set()
    for route in sorted(graph.routes, key=lambda route: earliest.get(route.start, 0)):
        later = later_nodes(builder, graph.routes, route.start, never)
        waiting = {key: [u for u in uses if u.name not in later] for key, uses in writers.items()}
        start = f"the router after {route.start} returns"
        done = {node for node, step in certain.items() if step < earliest.get(route.start, 0)}
        done |= {route.start} | earlier_nodes(builder, graph.routes, route.start, never)
        settled: list[_Settled] = []
        ways = list(_by_undeclared_keys(evaluator, route, access))
        for key, fillers in filled.items():
            sets = _sets_of([name for name in fillers if name in done])
            facts = [_filled_fact(key, {name: fillers[name] for name in names}) for names in sets]
            # What all of them write, where none of them is enough.
            settled += facts[-1:]
            rows = [
                (fact, _lost(evaluator, route, fact.state(access)))
                for fact in facts
                if key in tested
            ]
            fact, lost = next(((fact, lost) for fact, lost in rows if lost), (None, None))
            if fact and lost:
                sentence = (
                    f"{start} {listed(lost.names)} only where `{key}` lacks what"
                    f" {fact.always_write} there: this way is never taken"
                )
                ways.append(lost.way(route, "needless_route", sentence, other=fact.place))
        for key in (key for key, uses in waiting.items() if not uses):
            before = "before it " if writers[key] else ""
            fact = _Settled(key, given[key], f"no node {before}writes `{key}`")
            settled.append(fact)
            lost = _lost(evaluator, route, fact.state(access))
            if lost:
                sentence = (
                    f"{start} {listed(lost.names)} only where `{key}` holds something, and no node"
                    f" {before}writes to it: this way is never taken"
                )
                ways.append(lost.way(route, "dead_route", sentence))
        if not ways:
            unwritten = _never_written(evaluator, graph, access, waiting, filled)
            settled += [_Settled(key, given[key], words, place) for key, words, place in unwritten]
            unset = unset_texts(symbols, route)
            settled += [_Settled(k, OTHER_TEXT, w) for k, w in unset if k in access.declared]
            way = _by_all(evaluator, route, access, settled)
            ways += [way] if way else []
        if not ways:
            is_once = comes_in_one_step(builder, graph.routes, route.start, never)
            earlier = router_states.earlier(
                route, later if is_once else set(), done, is_once=is_once
            )
            way = _by_states(router_states, route, earlier)
            way = way or _by_own_tests(router_states, route, text_keys(symbols, access))
            ways += [way] if way else []
        for way in ways:
            gone = {node for outcome in way.outcomes for node in outcome}
            kept = {node for outcome in way.remaining for node in outcome}
            never |= {(route.start, node) for node in gone - kept}
        yield from ways


def _writers(access: StateAccess, key: str) -> list[StateUse]:
    return [use for use in access.nodes.values() if may_write(use, key)]


def _never_written(
    evaluator: StateEvaluator,
    graph: GraphReading,
    access: StateAccess,
    waiting: Mapping[str, Sequence[StateUse]],
    filled: Mapping[str, Mapping[str, _Filled]],
) -> Iterator[tuple[str, str, Place]]:
    """Yield keys that one node writes, and that only where another key, which is always filled, is
    empty; with words for it, and the place where that one is filled.
    """
    if graph.builder is None:
        return
    nodes = graph.builder.nodes
    certain, earliest = certain_steps(graph.builder), earliest_steps(graph.builder, graph.routes)

    def leaves_out(use: StateUse, other: str, rows: Sequence[_Filled]) -> bool:
        state = access.holding(DictValue({other: held_together(rows)}, is_open=True))
        return _leaves_out(evaluator, nodes[use.name], state, key)

    for key, uses in waiting.items():
        if len(uses) != 1:
            continue
        (use,) = uses
        for other, fillers in filled.items():
            done = {
                n: row for n, row in fillers.items() if _is_before(n, use.name, certain, earliest)
            }
            if not done or other not in use.read_keys:
                continue
            needed = next(
                (s for s in _sets_of(done) if leaves_out(use, other, [done[n] for n in s])), None
            )
            if needed:
                words = (
                    f"{use.name} writes `{key}` only where `{other}` lacks what"
                    f" {_always(needed, 'write')}"
                )
                yield key, words, done[needed[0]].place
                break


def _is_before(
    node: str, other: str, certain: Mapping[str, int], earliest: Mapping[str, int]
) -> bool:
    return node in certain and certain[node] < earliest.get(other, 0)


def _sets_of(names: Iterable[str]) -> list[list[str]]:
    """Return each of the nodes, then all: what one of them writes may be enough."""
    every = list(names)
    return [*([name] for name in every), *([every] if len(every) > 1 else [])]


def _always(names: Sequence[str], verb: str) -> str:
    return f"{joined(names)} always {verb}{'s' if len(names) == 1 else ''}"


def _filled_fact(key: str, rows: Mapping[str, _Filled]) -> _Settled:
    """Return what these nodes always write under a key."""
    words, place = f"{_always([*rows], 'fill')} `{key}`", next(iter(rows.values())).place
    return _Settled(key, held_together([*rows.values()]), words, place, _always([*rows], "write"))


def held_together(rows: Sequence[_Filled]) -> Value:
    """Return what a key holds behind several nodes that each add keys of their own to it."""
    held = [row.held for row in rows if row.merges and isinstance(row.held, DictValue)]
    if len(held) < len(rows):
        return rows[0].held
    entries: dict[str, Value] = {}
    for row in held:
        # A key of which it is known that something lies there stays so.
        rich = {key for key, value in entries.items() if value is not UNKNOWN}
        entries |= {key: value for key, value in row.entries.items() if key not in rich}
    return DictValue(entries, is_open=True)


def _leaves_out(evaluator: StateEvaluator, action: Value, state: Value, key: str) -> bool:
    """Return whether no update that a node returns on this state has anything under the key."""
    evaluator.begin()
    try:
        called = (
            attribute_of(evaluator, action, "__call__") if isinstance(action, Instance) else action
        )
        if not isinstance(called, Function):
            return False
        values = returned_values(evaluator, unwrapped(called), [state])
    except (OutOfFuel, RecursionError):
        return False
    updates = [value for value in values if value is not None]
    return all(
        isinstance(u, DictValue) and not u.is_open and _is_nothing(u.entries.get(key))
        for u in updates
    )


def _by_all(
    evaluator: StateEvaluator, route: Route, access: StateAccess, settled: list[_Settled]
) -> DeadWay | None:
    """Return the ways that all which is settled rules out together, with what is needed for it."""
    declared = access.declared or frozenset()
    undeclared = _undeclared_keys(route, access)
    facts: list[_Settled | None] = [*settled, *([None] if undeclared else [])]

    def lost_by(facts: Sequence[_Settled | None]) -> _Lost | None:
        entries = dict.fromkeys(sorted(declared) if None in facts else (), UNKNOWN)
        held: dict[str, Value] = {fact.key: fact.held for fact in facts if fact}
        state = DictValue({**entries, **held}, is_open=None not in facts)
        return _lost(evaluator, route, access.holding(state))

    lost = lost_by(facts) if facts else None
    if lost is None:
        return None
    for fact in list(facts):
        fewer = [other for other in facts if other is not fact]
        without = lost_by(fewer) if fewer else None
        facts, lost = (fewer, without) if without else (facts, lost)
    words = [fact.words for fact in facts if fact]
    if None in facts:
        words.append(f"{_state_name(access)} does not declare {listed(undeclared)}")
    place = next((fact.place for fact in facts if fact and fact.place), None)
    sentence = (
        f"the router after {route.start} returns {listed(lost.names)} in no run: {joined(words)}"
    )
    return lost.way(route, "needless_route" if place else "dead_route", sentence, other=place)


def _state_name(access: StateAccess) -> str:
    return str((access.state.fact or {}).get("name", "the state"))


def _undeclared_keys(route: Route, access: StateAccess) -> tuple[str, ...]:
    """Return the keys that a router reads and that LangGraph never hands to it."""
    declared = access.declared or frozenset()
    uses = (use for use in access.routers if use.name == f"the router after {route.start}")
    use = next(uses, None)
    reads = use.reads if use else ()
    left = declared | (use.default_keys if use else frozenset())
    return tuple(dict.fromkeys(place.key for place in reads if place.key not in left))


def _by_undeclared_keys(
    evaluator: StateEvaluator, route: Route, access: StateAccess
) -> Iterator[DeadWay]:
    """Yield the ways that a router takes by keys that LangGraph never hands to it."""
    keys = _undeclared_keys(route, access)
    held = DictValue(dict.fromkeys(sorted(access.declared or ()), UNKNOWN))
    lost = _lost(evaluator, route, access.holding(held)) if keys else None
    if lost:
        state = _state_name(access)
        sentence = (
            f"the router after {route.start} returns {listed(lost.names)} only by {listed(keys)},"
            f" which {state} does not declare: this way is never taken"
        )
        nodes = tuple(name for name in lost.names if name in route.targets)
        yield lost.way(route, "dead_route", sentence, keys=keys, nodes=nodes)


def _by_states(reader: RouterStates, route: Route, earlier: dict[str, Earlier]) -> DeadWay | None:
    """Return the ways that a router takes in none of the states that it may get, with words."""

    def lost_by(rows: Mapping[str, Earlier], without: Iterable[str] = ()) -> _Lost | None:
        states = [
            DictValue({k: v for k, v in state.entries.items() if k not in without}, is_open=True)
            for state in reader.states(route, rows)
        ]
        held = [reader.access.holding(state) for state in states]
        return _lost(reader.evaluator, route, *held) if held else None

    lost = lost_by(earlier)
    if lost is None:
        return None
    # What is needed for it.
    for key, row in list(earlier.items()):
        fewer = {name: other for name, other in earlier.items() if name != key}
        if lost_by(fewer):
            earlier = fewer
            continue
        for inner in row.lists:
            rows = {**earlier, key: earlier[key].without(inner)}
            earlier = rows if lost_by(rows) else earlier
    keys = {*earlier} | reader.written_by(route)
    needed = sorted(keys)
    for key in sorted(keys):
        others = [other for other in needed if other != key]
        needed = others if lost_by(earlier, keys - {*others}) else needed
    settled = [earlier[key] for key in needed if key in earlier]
    fillers = dict(row.fillers[inner] for row in settled for inner in row.lists)
    names = [*fillers, *([route.start] if reader.written & {*needed} else [])]
    verb = "has" if len(names) == 1 else "have"
    sentence = (
        f"the router after {route.start} returns {listed(lost.names)} in no run: what"
        f" {joined(names) or 'the nodes before it'} {verb} written to {listed(needed)} rules it out"
    )
    kind = "needless_route" if fillers else "dead_route"
    return lost.way(route, kind, sentence, other=next(iter(fillers.values()), None))


def _by_own_tests(reader: RouterStates, route: Route, texts: AbstractSet[str]) -> DeadWay | None:
    """Return the ways to which no texts under its keys lead a router."""
    keys = sorted(reader.tested(route) & texts)
    if not keys or len(keys) > MOST_TEXTS:
        return None
    states = [DictValue({**case}, is_open=True) for case in text_cases(keys)]
    reader.evaluator.fuel = FUEL_PER_ROUTER
    loss = _lost(reader.evaluator, route, *map(reader.access.holding, states))
    if loss is None:
        return None
    sentence = (
        f"the router after {route.start} returns {listed(loss.names)} in no run: its other tests of"
        f" {listed(keys)} rule it out"
    )
    return loss.way(route, "dead_route", sentence)


def always_filled(symbols: SymbolTable, access: StateAccess) -> dict[str, Filled]:
    files, functions = symbols.codebase.files, FilledKeys(symbols)
    return {
        name: functions.of(FunctionRef(files[use.path], site))
        for name, use in access.nodes.items()
        if (site := site_of(symbols, use)) is not None
    }


def filled_keys(
    symbols: SymbolTable,
    access: StateAccess,
    always: Mapping[str, Filled],
    keys: Iterable[str],
) -> dict[str, dict[str, _Filled]]:
    """Return for those of the keys that no node empties the nodes that always fill them."""
    rows = reducers_of(symbols, access.state.site)
    reducers = {row["field"]: row.get("applies") or row["reducer"] for row in rows}
    filled: dict[str, dict[str, _Filled]] = {}
    for key in sorted(keys):
        writers = {name: use for name, use in access.nodes.items() if may_write(use, key)}
        is_kept = reducers.get(key, "").endswith(KEEPING)
        merges = is_kept and not reducers.get(key, "").endswith("add")
        writes = {
            name: replace(write, merges=merges)
            for name, use in writers.items()
            if (write := _filled(use, key, always.get(name, {})))
        }
        if writes and (is_kept or len(writes) == len(writers)):
            filled[key] = writes
    return filled


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


def _empty_inputs(inputs: Sequence[Value]) -> dict[str, Value]:
    """Return the keys that every input of the graph holds empty."""
    given = [choice for value in inputs for choice in choices_of(value)]
    rows = [value.entries for value in given if isinstance(value, DictValue) and not value.is_open]
    if not rows or len(rows) < len(given):
        return {}
    return {
        str(key): value
        for key, value in rows[0].items()
        if all(_is_nothing(row.get(key, UNKNOWN)) for row in rows)
    }


def _is_nothing(value: Value) -> bool:
    return not isinstance(value, Function) and truth_of(value) is False


def never_returned(evaluator: StateEvaluator, route: Route, held: Value) -> list[str]:
    """Return what the router returns, but not with this state; [] where not all is known."""
    lost = _lost(evaluator, route, held)
    return lost.names if lost else []


def _lost(evaluator: StateEvaluator, route: Route, *held: Value) -> _Lost | None:
    """Return what the router returns with none of these states, but otherwise.

    None where it is nothing, or not all known.
    """
    readings: list[Routing] = []
    for given in (UNKNOWN, *held):
        evaluator.begin()
        try:
            readings.append(read_router(evaluator, route.router, given))
        except (OutOfFuel, RecursionError):
            return None
    anyhow, *settled = readings
    if not all(r.is_complete and r.outcomes for r in readings):
        return None
    left = {name for reading in settled for outcome in reading.outcomes for name in outcome}
    names = [name for outcome in anyhow.outcomes for name in outcome if name not in left]
    some = outcomes_of(anyhow, route)
    kept = list(dict.fromkeys(way for reading in settled for way in outcomes_of(reading, route)))
    outcomes = tuple(outcome for outcome in some if outcome not in kept)
    return _Lost(list(dict.fromkeys(names)), outcomes, tuple(kept)) if names else None


def outcomes_of(routing: Routing, route: Route) -> list[tuple[str, ...]]:
    if isinstance(route.path_map, DictValue):
        return map_outcomes(routing.outcomes, route.path_map)
    return routing.outcomes
