"""Loops that a run does not leave: their routers lead back however many rounds have gone by.

The graph is followed from its inputs, step by step, with what is known under the keys that decide
it: those that the routers of a loop test, and those from which nodes make them. Where a node may
return several updates, one of them is taken, the same in each round.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.langgraph.routers import read_router
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, site_of
from courtroom.analysis.langgraph.state_flow.dead_routes import DeadWay, outcomes_of
from courtroom.analysis.langgraph.state_flow.earlier_writes import may_write
from courtroom.analysis.langgraph.state_flow.endless_rounds import EndlessRounds, constant_words
from courtroom.analysis.langgraph.state_flow.flow_fault import (
    FlowReading,
    Place,
    joined,
    listed,
)
from courtroom.analysis.langgraph.state_flow.loop_wiring import Wiring
from courtroom.analysis.langgraph.state_flow.router_states import NotFollowed, RouterStates
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.value_copies import (
    copied,
    copied_state,
    is_small,
    written_down,
)
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    DictValue,
    OneOf,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import called_name, walk

# Rounds after which a loop counts as endless.
ROUNDS = 30
# Runs with other choices that are followed for a graph.
MOST_RUNS = 150
# Statements and expressions that are followed for all of them, and for one call.
TOTAL_FUEL, CALL_FUEL = 200_000, 30_000
# Runs of nodes in all of them, for all loops of a graph.
MOST_STEPS = 3_000
# Calls by which a node leaves a loop after some time, or by chance.
CLOCKS = frozenset({"time", "monotonic", "perf_counter", "random", "randint", "choice"})

State = dict[str, Value]


class _Undecided(Exception):
    """A value or a way of the run cannot be known before it runs."""


@dataclass
class _Choice(Exception):
    """A node, or a router, may go on in several ways."""

    name: str
    count: int


def endless_loops(
    symbols: SymbolTable,
    graph: GraphReading,
    access: StateAccess,
    ways: Sequence[DeadWay] | None,
    reading: FlowReading,
) -> None:
    """Add the loops that some runs do not leave, and why that of others is not known."""
    builder = graph.builder
    if builder is None or builder.unresolved or builder.doubts():
        return
    reader = RouterStates(symbols, graph, access, {}, {})
    wiring = Wiring(builder, graph.routes, ways or ())
    left, steps = TOTAL_FUEL, MOST_STEPS
    for loop in wiring.loops():
        follower = _Follower(reader, graph, access, wiring, loop, left, steps)
        try:
            row = follower.endless()
            gap = "" if row or follower.may_end() else follower.gap()
        except RecursionError:
            row, gap = None, f"what a node of the loop of {joined(loop)} makes is nested too deeply"
        left, steps = follower.left, follower.steps
        reading.add([row.fault] if row else [])
        reading.leave_open(("endless_loop",), gap)


@dataclass(frozen=True, slots=True)
class _Option:
    """One update of a node, as far as it is known, with the place of its first key.

    `is_doubtful`: some of its keys are there in some runs only.
    """

    update: State
    place: Place
    is_doubtful: bool = False


@dataclass
class _Follower:
    """Runs of a graph up to one loop and round it."""

    reader: RouterStates
    graph: GraphReading
    access: StateAccess
    wiring: Wiring
    loop: tuple[str, ...]
    left: int
    steps: int
    memo: dict[tuple[str, str], list[_Option]] = field(default_factory=dict)
    outcomes: dict[tuple[int, str], list[tuple[str, ...]]] = field(default_factory=dict)
    # Outcomes that a router may choose, by its mark.
    taken: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    # State of the round before the last one.
    earlier: State = field(default_factory=dict)
    # Update that a node with several of them returned last.
    last: dict[str, _Option] = field(default_factory=dict)
    # Number of ways in which a node or a router may go on.
    counts: dict[str, int] = field(default_factory=dict)

    @cached_property
    def routes(self) -> list[Route]:
        return self.wiring.leaving(self.loop)

    @cached_property
    def tested(self) -> frozenset[str]:
        names = {f"the router after {route.start}" for route in self.routes}
        keys = {key for use in self.access.routers if use.name in names for key in use.read_keys}
        return frozenset(keys & (self.access.declared or frozenset()))

    @cached_property
    def tracked(self) -> frozenset[str]:
        """Keys that decide the loop: those tested, and those from which its nodes make them."""
        tracked = set(self.tested)
        uses = [self.access.nodes[name] for name in self.loop if name in self.access.nodes]
        for _ in uses:
            for use in uses:
                if any(may_write(use, key) for key in tracked):
                    tracked |= use.read_keys & (self.access.declared or frozenset())
        return frozenset(tracked)

    @cached_property
    def before(self) -> frozenset[str]:
        """Nodes from which a way leads to the loop, with those of the loop."""
        names = self.wiring.builder.nodes
        return frozenset(
            n for n in names if n in self.loop or not self.wiring.reached(n).isdisjoint(self.loop)
        )

    # -- a run that stays ---------------------------------------------------------------------------

    def endless(self) -> EndlessRounds | None:
        """Return the loop with the ways on which a run stays in it; None where none is known."""
        if any(_reads_clock(self.reader.symbols, self.access.nodes.get(n)) for n in self.loop):
            return None
        # The first ways of nodes and routers come first.
        waiting: list[dict[str, int]] = [{}]
        for _ in range(MOST_RUNS):
            if not waiting:
                return None
            choices = waiting.pop(0)
            try:
                state = self.stays(choices)
                row = None if state is None or self._may_count(state) else self._row(choices, state)
                if row:
                    return row
            except _Choice as choice:
                self.counts[choice.name] = choice.count
                waiting += [choices | {choice.name: n} for n in range(choice.count)]
                waiting.sort(key=self._far)
            except (_Undecided, RecursionError):
                continue
        return None

    def _far(self, choices: Mapping[str, int]) -> tuple[int, int]:
        """Return how much has to come together for a run: first what nodes before the loop return."""
        nodes = [name for name in choices if name in self.wiring.builder.nodes]
        return sum(name not in self.loop for name in nodes), sum(choices.values())

    def _may_count(self, state: State) -> bool:
        """Return whether a number, or the size of a list, may still end the loop after more rounds."""
        compared = set().union(*(_compared(self.reader.symbols, r) for r in self._router_uses()))
        moved = [
            key
            for key in sorted(self.tested & compared)
            if written_down(state.get(key)) != written_down(self.earlier.get(key))
        ]
        return not all(self._is_idle(key, state) for key in moved)

    def stays(self, choices: Mapping[str, int]) -> State | None:
        """Return the state after many rounds; None where the run leaves the loop.

        Raises _Undecided where that is not known, _Choice where a choice is missing.
        """
        state, active = self._given(), {"START"}
        arrived: dict[int, set[str]] = {}
        rounds = dict.fromkeys((route.start for route in self.routes), 0)
        for _ in range((ROUNDS + 1) * (len(self.loop) + 1) + len(self.before)):
            self.steps -= len(active)
            if self.steps < 0:
                raise _Undecided
            order = [name for name in self.wiring.builder.nodes if name in active]
            for option in [self._option(name, state, choices) for name in order]:
                state = self._merged(state, option)
            nexts: set[str] = set()
            for name in active:
                nexts |= {e for s, e in self.wiring.builder.plain_edges if s == name}
                nexts |= self._routed(name, state, choices)
                rounds[name] = rounds.get(name, 0) + 1
            for number, (starts, end) in enumerate(self.wiring.builder.joins):
                arrived.setdefault(number, set()).update(active & {*starts})
                if arrived[number] == {*starts}:
                    arrived[number] = set()
                    nexts.add(end)
            if any(rounds[route.start] > ROUNDS for route in self.routes):
                return state
            if self.routes[0].start in active:
                self.earlier = state
            active = nexts & self.before
            if not active:
                return None
        raise _Undecided

    def _given(self) -> State:
        rows = [choice for value in self.graph.inputs for choice in choices_of(value)]
        if not rows or not all(isinstance(r, DictValue) and not r.is_open for r in rows):
            return {}
        first, *others = [row.entries for row in rows if isinstance(row, DictValue)]
        return {
            key: copied(value)
            for key, value in first.items()
            if key in self.tracked
            and is_small(value)
            and all(written_down(o.get(key)) == written_down(value) for o in others)
        }

    def _option(self, name: str, state: State, choices: Mapping[str, int]) -> _Option:
        use = self.access.nodes.get(name)
        if use is None or not (use.writes_gap or self.tracked & _written(use)):
            return _Option({}, ("", 0))
        reads = use.read_keys & self.tracked
        key = (name, written_down({k: state[k] for k in sorted(reads) if k in state}))
        if key not in self.memo:
            self.memo[key] = self._options(use, state)
        options = self.memo[key]
        if len(options) == 1:
            return options[0]
        written = {k for k in reads for n in self.loop if may_write(self.access.nodes[n], k)}
        if name in self.loop and any(state.get(k, UNKNOWN) is UNKNOWN for k in written):
            # It may count there what is not known.
            raise _Undecided
        if name not in choices:
            raise _Choice(name, len(options))
        if choices[name] >= len(options):
            raise _Undecided
        self.last[name] = options[choices[name]]
        return self.last[name]

    def _options(self, use: StateUse, state: State) -> list[_Option]:
        updates = self._followed(use, state)
        keys = sorted({place.key for place in use.changes} & self.tracked)
        changed: State = dict.fromkeys(keys, UNKNOWN)
        options = [replace(option, update={**changed, **option.update}) for option in updates]
        return list({written_down(option.update): option for option in options}.values())

    def _followed(self, use: StateUse, state: State) -> list[_Option]:
        evaluator = self.reader.evaluator
        evaluator.fuel = fuel = max(min(CALL_FUEL, self.left), 1)
        try:
            updates = self.reader.updates(use, copied_state(state))
            return [self._noted(update, use) for update in updates]
        except (OutOfFuel, RecursionError, NotFollowed):
            keys = self.tracked if use.writes_gap else {w.key for w in use.writes} & self.tracked
            return [_Option(dict.fromkeys(sorted(keys), UNKNOWN), (use.path, use.line))]
        finally:
            self.left -= fuel - max(evaluator.fuel, 0)

    def _noted(self, update: DictValue, use: StateUse) -> _Option:
        held = {
            str(k): copied(v) if is_small(v) else UNKNOWN
            for k, v in update.entries.items()
            if k in self.tracked
        }
        place = (use.path, use.line)
        if held:
            place = self.reader.evaluator.place_of(update, next(iter(held)))
        return _Option(held, place, update.doubt is not None)

    def _merged(self, state: State, option: _Option) -> State:
        merged = dict(state)
        for key, new in option.update.items():
            value = self._reduced(key, copied(state.get(key, UNKNOWN)), new)
            if option.is_doubtful:
                value = OneOf([*choices_of(state.get(key, UNKNOWN)), *choices_of(value)])
            # What doubles in each round would fill the memory.
            merged[key] = copied(value) if is_small(value) else UNKNOWN
        return merged

    def _reduced(self, key: str, old: Value, new: Value) -> Value:
        evaluator = self.reader.evaluator
        evaluator.fuel = fuel = max(min(CALL_FUEL, self.left), 1)
        try:
            return self.reader.exactly_reduced(key, old, new)
        except OutOfFuel:
            return UNKNOWN
        finally:
            self.left -= fuel - max(evaluator.fuel, 0)

    def _routed(self, name: str, state: State, choices: Mapping[str, int]) -> set[str]:
        nexts: set[str] = set()
        for number, route in enumerate(self.graph.routes):
            if route.start != name:
                continue
            outcomes = self._outcomes(number, route, state)
            mark = f"route {number}"
            if len(outcomes) > 1 and name in self.loop:
                raise _Undecided
            self.taken[mark] = outcomes
            if len(outcomes) > 1 and mark not in choices:
                raise _Choice(mark, len(outcomes))
            number_taken = choices[mark] if len(outcomes) > 1 else 0
            if number_taken >= len(outcomes):
                raise _Undecided
            nexts |= {*outcomes[number_taken]}
        return nexts

    def _outcomes(self, number: int, route: Route, state: State) -> list[tuple[str, ...]]:
        key = (number, written_down({k: state[k] for k in sorted(state)}))
        if key not in self.outcomes:
            self.outcomes[key] = self._read(route, state)
        if not self.outcomes[key]:
            raise _Undecided
        return self.outcomes[key]

    def _read(self, route: Route, state: State) -> list[tuple[str, ...]]:
        evaluator = self.reader.evaluator
        evaluator.begin()
        evaluator.fuel = fuel = max(min(CALL_FUEL, self.left), 1)
        held = self.access.holding(DictValue(copied_state(state), is_open=True))
        try:
            routing = read_router(evaluator, route.router, held)
        except (OutOfFuel, RecursionError):
            return []
        finally:
            self.left -= fuel - max(evaluator.fuel, 0)
        if not routing.is_complete or routing.sends:
            return []
        return self.wiring.live(route, outcomes_of(routing, route))

    # -- words for it -------------------------------------------------------------------------------

    def _row(self, choices: Mapping[str, int], state: State) -> EndlessRounds | None:
        """Return the loop with what is needed for it; None where a node has to write what is not
        tested.
        """
        needed = [name for name in choices if not self._is_free(name, choices)]
        self.stays(choices)
        keys = [key for key in sorted(self.tested) if not self._is_idle(key, state)]
        ways: list[tuple[str, tuple[str, ...]]] = []
        for number, route in enumerate(self.graph.routes):
            if (mark := f"route {number}") in needed:
                ways.append((route.start, self.taken[mark][choices[mark]]))
        nodes = [name for name in needed if name in self.wiring.builder.nodes]
        options = {name: self.last[name] for name in nodes}
        writes = [
            (name, key, constant_words(option.update[key]), option.place)
            for name, option in options.items()
            for key in keys
            if key in option.update
        ]
        outside = {name for name in nodes if name not in self.loop}
        if outside - {name for name, *_ in writes}:
            return None
        return EndlessRounds(
            self.loop,
            tuple(dict.fromkeys(route.start for route in self.routes)),
            tuple(key for key in keys if self._is_written(key)),
            tuple(ways),
            tuple(write for write in writes if write[0] in outside),
            tuple(write for write in writes if write[0] not in outside),
            tuple(dict.fromkeys((route.path, route.line) for route in self.routes)),
        )

    def _is_free(self, name: str, choices: Mapping[str, int]) -> bool:
        """Return whether the run stays whatever this node or router does."""
        others = ({**choices, name: number} for number in range(self.counts[name]))
        return all(self._does_stay(other) for other in others)

    def _does_stay(self, choices: Mapping[str, int]) -> bool:
        try:
            state = self.stays(choices)
            return state is not None and not self._may_count(state)
        except (_Choice, _Undecided):
            return False

    def _is_idle(self, key: str, state: State) -> bool:
        """Return whether the routers decide the same without the key."""
        less = {k: v for k, v in state.items() if k != key}
        return all(self._read(route, less) == self._read(route, state) for route in self.routes)

    def _is_written(self, key: str) -> bool:
        uses = [self.access.nodes[name] for name in self.loop if name in self.access.nodes]
        return any(may_write(use, key) for use in uses)

    # -- ways out -----------------------------------------------------------------------------------

    def may_end(self) -> bool:
        """Return whether a node of the loop writes what leads out, or counts what a router compares."""
        return any(
            self._counts(use) or self._leads_out(use)
            for name in self.loop
            if (use := self.access.nodes.get(name))
        )

    def _leads_out(self, use: StateUse) -> bool:
        writes = [write for update in use.updates for write in update.writes]
        held = [
            {write.key: value}
            for write in writes
            if write.key in self.tested and not write.is_unchanged
            for value in choices_of(write.held)
            if value is not UNKNOWN and is_small(value)
        ]
        ways = (self._read(route, state) for state in held for route in self.routes)
        return any(
            outcomes and all({*self.loop}.isdisjoint(outcome) for outcome in outcomes)
            for outcomes in ways
        )

    def _counts(self, use: StateUse) -> bool:
        compared = set().union(*(_compared(self.reader.symbols, r) for r in self._router_uses()))
        keys = [key for key in sorted(self.tested & compared) if may_write(use, key)]
        return any(self.reader.counts_up(use, key) for key in keys)

    def _router_uses(self) -> list[StateUse]:
        names = {f"the router after {route.start}" for route in self.routes}
        return [use for use in self.access.routers if use.name in names]

    def gap(self) -> str:
        """Return why it is not known whether a run leaves the loop."""
        route = self.routes[0]
        return (
            f"{route.path}:{route.line}: whether the router after {route.start} leaves the loop of"
            f" {joined(self.loop)} depends on {listed(sorted(self.tested)) or 'what was not followed'},"
            " and what its nodes write there is not known before a run"
        )


def _compared(symbols: SymbolTable, use: StateUse) -> set[str]:
    """Return the keys that a router reads, where it compares by size at all."""
    site = site_of(symbols, use)
    signs = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    nodes = walk(site.node) if site else ()
    compares = any(isinstance(n, ast.Compare) and isinstance(n.ops[0], signs) for n in nodes)
    return set(use.read_keys) if compares else set()


def _written(use: StateUse) -> set[str]:
    """Return the keys that a node writes, also as they were: a reducer may add them once more."""
    return {write.key for write in use.writes} | {place.key for place in use.changes}


def _reads_clock(symbols: SymbolTable, use: StateUse | None) -> bool:
    site = site_of(symbols, use) if use else None
    nodes = walk(site.node) if site else ()
    return any(isinstance(node, ast.Call) and called_name(node) in CLOCKS for node in nodes)
