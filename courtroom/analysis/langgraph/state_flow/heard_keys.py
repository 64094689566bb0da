"""Keys of the evidence that are there in every run in which a judge is heard.

A detective that writes its key on each way but the one that records an error makes it so, where the
error leads the graph past the judges. The graph is followed with that error in its state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.langgraph.routers import read_router
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, run_node
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_evaluator import StateEvaluator
from courtroom.analysis.langgraph.state_flow.dead_routes import outcomes_of
from courtroom.analysis.langgraph.state_flow.earlier_writes import KEEPING
from courtroom.analysis.langgraph.state_flow.run_order import certain_steps, earliest_steps
from courtroom.analysis.langgraph.state_parts import is_empty
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
    join,
)
from courtroom.analysis.python.tree_walk import words_of

OPINIONS = frozenset({"opinion", "opinions"})
# Largest number of statements and expressions that a question follows.
FUEL = 120_000
# Rounds in which the nodes that an error leads to become more.
MOST_ROUNDS = 4
State = dict[str, Value]


@dataclass
class HeardKeys:
    """Reader of one graph; `roles` are those of its nodes."""

    symbols: SymbolTable
    graph: GraphReading
    access: StateAccess
    roles: Mapping[str, str]

    def is_filled(self, field: str, key: str) -> bool:
        """Return whether something lies under the key of a field wherever there are opinions."""
        builder, uses = self.graph.builder, self.access.nodes
        if builder is None or builder.unresolved or not self._keeps(field) or not self._opinions:
            return False
        if any(use.writes_gap or any(c.key == field for c in use.changes) for use in uses.values()):
            return False
        writers = [
            name
            for name, use in uses.items()
            if any(w.key == field and key in w.inner for up in use.updates for w in up.writes)
        ]
        if len(writers) != 1 or uses[writers[0]].is_optional or not self._behind_of(writers[0]):
            return False
        try:
            self._evaluator.begin()
            self._evaluator.fuel = FUEL
            return self._is_filled_by(writers[0], field, key)
        except (OutOfFuel, RecursionError):
            return False

    @cached_property
    def _evaluator(self) -> StateEvaluator:
        return StateEvaluator(self.symbols, lambda _: False, FUEL, modules=self.graph.modules)

    @cached_property
    def _reducers(self) -> Mapping[str, str]:
        rows = reducers_of(self.symbols, self.access.state.site)
        return {row["field"]: row.get("applies") or row["reducer"] for row in rows}

    @cached_property
    def _opinions(self) -> frozenset[str]:
        judges = (use for name, use in self.access.nodes.items() if self.roles.get(name) == "judge")
        keys = (write.key for use in judges for write in use.writes)
        return frozenset(key for key in keys if OPINIONS.intersection(words_of(key)))

    def _keeps(self, key: str) -> bool:
        return self._reducers.get(key, "").endswith(KEEPING)

    def _may_speak(self, use: StateUse) -> bool:
        """Return whether a node may write an opinion."""
        return any(write.key in self._opinions and not write.is_empty for write in use.writes)

    def _behind_of(self, node: str) -> frozenset[str]:
        """Return the nodes that only run after this one, which every run has; none without judges."""
        builder = self.graph.builder
        step = certain_steps(builder).get(node) if builder else None
        if builder is None or step is None:
            return frozenset()
        earliest = earliest_steps(builder, self.graph.routes)
        behind = frozenset(name for name in earliest if earliest[name] > step)
        speaking = {name for name, use in self.access.nodes.items() if self._may_speak(use)}
        return behind if speaking & {*earliest} <= behind else frozenset()

    def _is_filled_by(self, node: str, field: str, key: str) -> bool:
        updates = self._updates(node, {})
        lacking = [update for update in updates or () if not _holds(update, field, key)]
        if updates is None or len(lacking) == len(updates):
            return False
        return not any(self._leads_to_opinions(node, update) for update in lacking)

    def _updates(self, node: str, state: State) -> list[DictValue] | None:
        """Return what a node returns with a state; None where that is not all known."""
        source = self.symbols.codebase.files.get(self.access.nodes[node].path)
        builder = self.graph.builder
        if source is None or builder is None:
            return None
        given = DictValue(dict(state), is_open=True)
        returned = choices_of(run_node(self._evaluator, builder.nodes[node], source, given))
        rows = [row if isinstance(row, DictValue) else None for row in returned]
        if any(row is None or row.is_open or row.doubt is not None for row in rows):
            return None
        return [row for row in rows if row is not None]

    def _leads_to_opinions(self, writer: str, update: DictValue) -> bool:
        """Return whether any judge may be heard in a run in which a node returns this update."""
        reached: frozenset[str] = frozenset()
        for _ in range(MOST_ROUNDS):
            now = self._reached(writer, update, reached)
            if now is None:
                return True
            if now <= reached:
                return False
            reached |= now
        return True

    def _reached(
        self, writer: str, update: DictValue, before: frozenset[str]
    ) -> frozenset[str] | None:
        """Return the nodes that may run, None where one of them gives an opinion."""
        reached, queue = {"START"}, ["START"]
        behind_it = self._behind_of(writer) - self.access.sent
        for node in queue:  # the list grows while it is read
            use = self.access.nodes.get(node)
            is_behind = node == writer or node in behind_it
            state = self._state(update, before - {node, writer}) if is_behind else {}
            returned = self._updates(node, state) if use else []
            if use and self._may_speak(use) and self._speaks(returned):
                return None
            behind = self._behind(state, [update] if node == writer else returned)
            for target in self._targets(node, behind):
                if target not in reached:
                    reached.add(target)
                    queue.append(target)
        return frozenset(reached) - {"START", "END"}

    def _speaks(self, returned: list[DictValue] | None) -> bool:
        return returned is None or any(
            not is_empty(row.entries[key])
            for row in returned
            for key in self._opinions & {*row.entries}
        )

    def _state(self, update: DictValue, nodes: frozenset[str]) -> State:
        """Return what is known of the state: the update, and the keys that nodes may add to dicts."""
        state: State = {}
        for key in filter(self._keeps, sorted(self._reducers)):
            value = update.entries.get(key)
            if isinstance(value, ListValue) and truth_of(value) is True:
                state[key] = ListValue(value.members, is_open=True)
                continue
            possible = self._possible_keys(key, nodes)
            certain = value.entries if isinstance(value, DictValue) and not value.is_open else {}
            if possible is not None and (value is None or certain):
                every = {**dict.fromkeys(sorted(possible), UNKNOWN), **certain}
                state[key] = join([DictValue(dict(certain)), DictValue(every)])
        return state

    def _possible_keys(self, key: str, nodes: frozenset[str]) -> frozenset[str] | None:
        """Return the keys that inputs and nodes may put under a key of the state; None for any."""
        given = [row.entries.get(key) for row in self._inputs]
        is_known = bool(given) and all(isinstance(v, DictValue) and not v.is_open for v in given)
        uses = [self.access.nodes[node] for node in nodes]
        rows = [w for use in uses for up in use.updates for w in up.writes if w.key == key]
        is_changed = any(place.key == key for use in uses for place in use.changes)
        if not is_known or is_changed or any(write.is_inner_open for write in rows):
            return None
        keys = (str(k) for value in given if isinstance(value, DictValue) for k in value.entries)
        return frozenset(keys).union(*(write.inner for write in rows))

    @cached_property
    def _inputs(self) -> list[DictValue]:
        rows = [choice for value in self.graph.inputs for choice in choices_of(value)]
        return [row if isinstance(row, DictValue) else DictValue({}, is_open=True) for row in rows]

    def _behind(self, state: State, returned: list[DictValue] | None) -> State:
        """Return the state behind a node: what it writes into known dicts is certain there."""
        behind = dict(state)
        for key, value in state.items():
            dicts = [choice for choice in choices_of(value) if isinstance(choice, DictValue)]
            rows = [row.entries.get(key, DictValue()) for row in returned or ()]
            added = [row.entries for row in rows if isinstance(row, DictValue)]
            if returned is None or (dicts and len(added) < len(rows)):
                del behind[key]
            elif dicts and added:
                behind[key] = join(
                    [DictValue({**d.entries, **new}) for d in dicts for new in added]
                )
        return behind

    def _targets(self, node: str, state: State) -> Iterator[str]:
        builder = self.graph.builder
        yield from (end for start, end in (builder.edges if builder else ()) if start == node)
        for route in self.graph.routes:
            if route.start == node:
                yield from self._route_targets(route, state)

    def _route_targets(self, route: Route, state: State) -> list[str]:
        if route.sends or not route.is_complete or route.router is None:
            return route.targets
        routing = read_router(self._evaluator, route.router, DictValue(dict(state), is_open=True))
        if not routing.is_complete or routing.sends:
            return route.targets
        return [name for outcome in outcomes_of(routing, route) for name in outcome]


def _holds(update: DictValue, field: str, key: str) -> bool:
    """Return whether something lies under a key of a field of an update."""
    field_value = update.entries.get(field)
    value = field_value.entries.get(key) if isinstance(field_value, DictValue) else None
    return isinstance(value, DictValue | ListValue) and truth_of(value) is True
