"""States that a router may get, as far as the nodes up to it settle what lies under their keys.

The node before a router is followed with what is known of the state, once for each case of a list
that both of them read; what it returns is put into the state by the rules of its reducers. A router
reads what its own node has just written, and nothing of what runs beside it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.langgraph.own_reducers import (
    JOINED_BY_KEY,
    MERGES_BY_KEY,
    OPERATORS,
    operator_name,
)
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, run_node
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_evaluator import StateEvaluator
from courtroom.analysis.langgraph.state_flow.always_filled import Filled
from courtroom.analysis.langgraph.state_flow.earlier_writes import (
    KEEPING,
    Earlier,
    Entries,
    certain_members,
    earlier_writes,
    may_write,
)
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    POSITIVE,
    UNKNOWN,
    CallResult,
    DictValue,
    Function,
    ListValue,
    Positive,
    Scope,
    Template,
    Value,
    choices_of,
    join,
)

# Most statements and expressions that are followed for a router, and for all routers of a graph.
FUEL_PER_ROUTER = 30_000
TOTAL_FUEL = 90_000
# Lists of which each case is followed.
MOST_SPLIT = 2


class NotFollowed(Exception):
    """A node may return what is not known before a run."""


@dataclass
class SettledEvaluator(StateEvaluator):
    """Evaluator to which a function may return None wherever one of its ways does."""

    def truth(self, value: Value) -> bool | None:
        choices = choices_of(value)
        truths = {_truth(choice) for choice in choices}
        # A None that is left out is false as well.
        is_whole = all(isinstance(choice, Entries | Template | str) for choice in choices)
        if truths == {False} or (is_whole and len(truths) == 1):
            return truths.pop()
        return None if len(choices) > 1 else super().truth(value)

    def call(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        value = super().call(function, positional, keywords)
        return join([value, None]) if id(function.node) in self.returning_nothing else value


def _truth(value: Value) -> bool | None:
    """Return the truth of a value, True of a text in which something is written."""
    if isinstance(value, Template):
        return True if value.text.replace(HOLE, "") else None
    return truth_of(value)


@dataclass
class RouterStates:
    """Reader of the states before the routers of a graph.

    `given` are the keys that all inputs hold empty, `always` what nodes fill on all their ways.
    """

    symbols: SymbolTable
    graph: GraphReading
    access: StateAccess
    given: Mapping[str, Value]
    always: Mapping[str, Filled]
    left: int = TOTAL_FUEL
    # Keys that the node before the last router has written.
    written: set[str] = field(default_factory=set)

    @cached_property
    def evaluator(self) -> SettledEvaluator:
        modules = self.graph.modules
        return SettledEvaluator(self.symbols, lambda _: False, FUEL_PER_ROUTER, modules=modules)

    @cached_property
    def _rows(self) -> dict[str, Mapping[str, str]]:
        rows = reducers_of(self.symbols, self.access.state.site)
        return {row["field"]: row for row in rows}

    def _applies(self, key: str) -> str:
        row = self._rows.get(key)
        return (row.get("applies") or row["reducer"]) if row else ""

    def earlier(
        self, route: Route, later: set[str], done: set[str], *, is_once: bool
    ) -> dict[str, Earlier]:
        """Return by key what the nodes before that of a router have written.

        `done` have run by then, `later` have not. `is_once`: its own node has not either.
        """
        use = self.access.nodes.get(route.start)
        keys = (self.tested(route) | (use.read_keys if use else set())) & self._declared
        passed = {*self.access.nodes} - ({*later, route.start} if is_once else set())
        uses = [use for name, use in self.access.nodes.items() if name in passed]
        before = {name: self.always.get(name, {}) for name in done - {route.start}}
        rows = {
            key: earlier_writes(key, self._applies(key), uses, before, self.given.get(key, UNKNOWN))
            for key in sorted(keys)
        }
        return {key: row for key, row in rows.items() if row is not None}

    @property
    def _declared(self) -> frozenset[str]:
        return self.access.declared or frozenset()

    def tested(self, route: Route) -> frozenset[str]:
        """Return the keys that the router of a route reads."""
        name = f"the router after {route.start}"
        uses = [use for use in self.access.routers if use.name == name]
        return frozenset().union(*(use.read_keys for use in uses))

    def written_by(self, route: Route) -> set[str]:
        """Return the tested keys that the node before a router may write."""
        use = self.access.nodes[route.start]
        return {write.key for write in use.writes} & self.tested(route)

    def states(self, route: Route, earlier: Mapping[str, Earlier]) -> list[DictValue]:
        """Return the states that a router may get; none where its node is not followed."""
        use, fuel = self.access.nodes.get(route.start), min(FUEL_PER_ROUTER, self.left)
        self.written.clear()
        if use is None or fuel <= 0:
            return []
        self.evaluator.fuel = fuel
        try:
            cases = self._cases(use, self.tested(route) - earlier.keys())
            states = [state for case in cases for state in self._behind(use, earlier, case)]
        except (OutOfFuel, RecursionError, NotFollowed):
            states = []
        self.left -= fuel - max(self.evaluator.fuel, 0)
        return states

    def _cases(self, use: StateUse, tested: frozenset[str]) -> Iterator[dict[str, Value]]:
        """Yield what may lie under keys that the node and its router read."""
        read = sorted(tested & use.read_keys & self.given.keys())
        split = [key for key in read if isinstance(self.given[key], ListValue)][:MOST_SPLIT]
        counters = [key for key in read if self._is_counter(key)]
        lists: list[tuple[Value, ...]] = [
            (ListValue([UNKNOWN], is_open=True), ListValue([]), None) for _ in split
        ]
        numbers: list[tuple[Value, ...]] = [(0, POSITIVE) for _ in counters]
        for values in product(*lists, *numbers):
            yield dict(zip([*split, *counters], values, strict=True))

    def counts_up(self, use: StateUse, key: str) -> bool:
        """Return whether a node makes one of zero, in all updates that hold the key."""
        self.evaluator.fuel = FUEL_PER_ROUTER
        try:
            updates = self.updates(use, {key: 0})
        except (OutOfFuel, RecursionError, NotFollowed):
            return False
        values = [row.entries[key] for row in updates if key in row.entries]
        # A sum that is there in some runs only stands beside the zero that was there.
        return bool(values) and all(value == 1 for value in values)

    def _is_counter(self, key: str) -> bool:
        """Return whether each node that writes to the key counts it up from zero."""
        if type(self.given[key]) is not int or self._applies(key):
            return False
        uses = [use for use in self.access.nodes.values() if may_write(use, key)]
        if not uses or any(use.writes_gap for use in uses):
            return False
        return all(
            _is_count(choice)
            for use in uses
            for update in [*self.updates(use, {key: 0}), *self.updates(use, {key: POSITIVE})]
            for choice in choices_of(update.entries.get(key, 0))
        )

    def updates(self, use: StateUse, held: dict[str, Value]) -> list[DictValue]:
        """Return what a node may return with a state in which this is known."""
        source = self.symbols.codebase.files.get(use.path)
        action = self.graph.builder.nodes[use.name] if self.graph.builder else UNKNOWN
        if source is None or len(choices_of(action)) > 1:
            raise NotFollowed
        state = self.access.holding(DictValue(held, is_open=True))
        self.evaluator.begin()
        returned = choices_of(run_node(self.evaluator, action, source, state))
        if any(value is state for value in returned):
            raise NotFollowed
        return [_update_of(value) for value in [*returned, *([None] if use.is_optional else [])]]

    def _behind(
        self, use: StateUse, earlier: Mapping[str, Earlier], case: Mapping[str, Value]
    ) -> Iterator[DictValue]:
        """Yield the states behind a node, one for each update that it may return."""

        def state() -> dict[str, Value]:
            known = {key: row.value() for key, row in earlier.items()}
            return known | {key: _copied(value) for key, value in case.items()}

        changed = {place.key for place in use.changes}
        for update in self.updates(use, state()):
            self.written.update(map(str, update.entries))
            held = state()
            for key, new in update.entries.items():
                old = held.get(key, UNKNOWN)
                value = self._reduced(key, old, new)
                held[key] = value if update.doubt is None else join([old, value])
            known = {k: v for k, v in held.items() if v is not UNKNOWN and k not in changed}
            yield DictValue(known, is_open=True)

    def _reduced(self, key: str, old: Value, new: Value) -> Value:
        """Return what lies under a key when its reducer has taken an update."""
        applies = self._applies(key)
        if not applies:
            return new
        if applies.endswith(KEEPING):
            olds, news = choices_of(old), choices_of(new)
            return join([_merged(left, right, applies) for left in olds for right in news])
        own = self._own_reducer(key)
        return self.evaluator.call(own, [old, new], {}) if own else UNKNOWN

    def exactly_reduced(self, key: str, old: Value, new: Value) -> Value:
        """Return what lies under a key behind a reducer that is followed, or one of operator."""
        reducer = self._rows[key]["reducer"] if key in self._rows else ""
        if not reducer:
            return new
        self.evaluator.begin()
        own = self._own_reducer(key)
        if own:
            return self.evaluator.call(own, [old, new], {})
        name = operator_name(reducer)
        if name not in OPERATORS:
            return UNKNOWN
        sign = ast.Add() if name in {"add", "iadd", "concat"} else ast.BitOr()
        scope = Scope(next(iter(self.symbols.codebase.files.values())), names={"a": old, "b": new})
        names = ast.Name("a", ast.Load()), ast.Name("b", ast.Load())
        return self.evaluator.evaluate(ast.BinOp(names[0], sign, names[1]), scope)

    def _own_reducer(self, key: str) -> Function | None:
        name = operator_name(self._rows[key]["reducer"])
        homes = self.symbols.functions_by_name.get(name, [])
        if len(homes) != 1:
            return None
        value = self.evaluator.load_module(homes[0][0]).scope.names.get(name)
        return value if isinstance(value, Function) else None


def _update_of(value: Value) -> DictValue:
    if isinstance(value, CallResult) and value.dotted.endswith(".Command"):
        value = value.keyword("update")
    if value is None:
        return DictValue()
    if not isinstance(value, DictValue) or value.is_open:
        raise NotFollowed
    return value


def _copied(value: Value) -> Value:
    return replace(value, members=[*value.members]) if isinstance(value, ListValue) else value


def _is_count(value: Value) -> bool:
    return isinstance(value, Positive) or (type(value) is int and value >= 0)


def _merged(old: Value, new: Value, applies: str) -> Value:
    """Return what a reducer that keeps what is there makes of it and of an update."""
    if applies.endswith("add"):
        members = [*certain_members(old), *certain_members(new)]
        return ListValue(members, is_open=True) if members else UNKNOWN
    if not isinstance(new, DictValue) or new.doubt is not None:
        return UNKNOWN
    entries = dict(old.entries) if isinstance(old, DictValue) else {}
    is_open = not isinstance(old, DictValue) or old.is_open
    for key, value in new.entries.items():
        members = [*certain_members(entries.get(key, UNKNOWN)), *certain_members(value)]
        if applies not in MERGES_BY_KEY or not (key in entries or is_open):
            entries[key] = value
        elif applies == JOINED_BY_KEY and members:
            entries[key] = ListValue(members, is_open=True)
        else:
            entries[key] = UNKNOWN
    return Entries(entries, is_open=is_open or new.is_open)
