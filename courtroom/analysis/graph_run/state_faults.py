"""Faults of the state that runs with it show: two writes in one step, doubled lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from courtroom.analysis.graph_run.stub_graph import ROOT, StubGraph, StubState
from courtroom.analysis.graph_run.stub_runs import (
    BEGIN,
    ConflictingWrites,
    OutOfTasks,
    StubRun,
    StubRunner,
)

# Values of a list that a stub returns: a list that is doubled on a loop stays small.
MAX_RETURNED = 8


@dataclass(frozen=True, slots=True)
class KeyFault:
    """Key of the state with the nodes that break it."""

    key: str
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateFaults:
    """`conflicts`: LangGraph stops, as nodes of one step write a key that takes one write.

    `doubled`: lists that operator.add joins with what the nodes got of them.
    """

    conflicts: tuple[KeyFault, ...] = ()
    doubled: tuple[KeyFault, ...] = ()


def state_faults(
    graph: StubGraph, runs: Iterable[StubRun], runner_of: Callable[[StubGraph], StubRunner]
) -> StateFaults:
    """Run the combinations of routes again, with the state."""
    return _StateRuns(graph, runner_of).faults(tuple(runs))


def open_writes(graph: StubGraph, runs: Iterable[StubRun]) -> str:
    """Return why two writes of one step may meet that are not sure to, "" where none can."""
    state = graph.state
    if state is None:
        return graph.state_gap
    apart = graph.sent_apart()
    for run in runs:
        for names in run.steps:
            for key, kept in state.kept.items():
                writers = [n for n in dict.fromkeys(names) if key in _possible(state, n)]
                surely = [
                    name
                    for name in writers
                    # What Send hands over may lack a key that its node returns.
                    if key in state.sure.get(name, {})
                    and (name not in apart or key in state.fresh.get(name, {}))
                ]
                if kept == "last" and len(writers) > 1 and len(surely) < 2:
                    pair = " and ".join(writers[:2])
                    return f"whether {pair} write {key} in the same run depends on the run"
    return ""


def _possible(state: StubState, node: str) -> set[str]:
    return {*state.fresh.get(node, ()), *state.returned.get(node, ())}


def _returning(state: StubState) -> set[str]:
    """Return the keys under operator.add that some node returns."""
    keys = {key for returned in state.returned.values() for key in returned}
    return {key for key in keys if state.kept[key] == "add"}


def _shared_keys(state: StubState, run: StubRun) -> set[str]:
    """Return the keys for one write that several nodes of one step are sure to write."""
    keys: set[str] = set()
    for names in run.steps:
        written = [key for name in set(names) for key in state.sure.get(name, ())]
        keys |= {key for key in written if written.count(key) > 1 and state.kept[key] == "last"}
    return keys


@dataclass
class _StateRuns:
    graph: StubGraph
    runner_of: Callable[[StubGraph], StubRunner]
    conflicts: dict[str, dict[str, None]] = field(default_factory=dict)
    doubled: dict[str, dict[str, None]] = field(default_factory=dict)

    def faults(self, runs: tuple[StubRun, ...]) -> StateFaults:
        state = self.graph.state
        if state is None:
            return StateFaults()
        try:
            for run in runs:
                while _shared_keys(state, run) - self.conflicts.keys():
                    if not self._writes_again(state, run):
                        break
            if _returning(state):
                for run in runs:
                    self._adds(state, run)
        except OutOfTasks:
            # What was seen stays true.
            pass
        return StateFaults(self._in_order(self.conflicts), self._in_order(self.doubled))

    def _in_order(self, faults: Mapping[str, Mapping[str, None]]) -> tuple[KeyFault, ...]:
        """Return the faults in the order of the state's keys and of the nodes."""
        kept = self.graph.state.kept if self.graph.state else ()
        return tuple(
            KeyFault(key, tuple(name for name in self.graph.nodes if name in faults[key]))
            for key in kept
            if key in faults
        )

    def _writes_again(self, state: StubState, run: StubRun) -> bool:
        """Run with all writes that are sure; return whether LangGraph refuses one more.

        Keys that it has refused once are merged, so that the next one comes up.
        """

        def update(node: str, given: Mapping[str, Any]) -> dict[str, Any]:
            sure = state.sure.get(node, {})
            fresh = state.fresh.get(node, {})
            return {
                "begin" if key == ROOT else key: node
                for key in sure
                if key == ROOT or key in fresh or key in given
            }

        runner = self.runner_of(self.graph)
        merged = {key: "merge" for key, kept in state.kept.items() if kept != "last"}
        runner.load({**state.kept, **merged, **dict.fromkeys(self.conflicts, "merge")}, update)
        fresh_keys = {key for fresh in state.fresh.values() for key in fresh}
        given = {
            key: "given"
            for key, kept in state.kept.items()
            if kept == "last" and key not in fresh_keys
        }
        try:
            runner.run(run.choices, {**BEGIN, **given}, turns=run.turns)
        except ConflictingWrites as conflict:
            key = str(conflict)
            last = runner.log.steps[max(runner.log.steps)]
            if key in state.kept and key not in self.conflicts:
                self.conflicts[key] = {n: None for n in last if key in state.sure.get(n, {})}
                return True
        return False

    def _adds(self, state: StubState, run: StubRun) -> None:
        """Run with the lists that operator.add joins; every value that is added is another one."""
        keys = [key for key, kept in state.kept.items() if kept == "add"]
        empty_until = self._empty_until(run)
        numbers = count()
        returning: dict[str, dict[str, None]] = {}
        doubled: set[str] = set()

        def update(node: str, given: Mapping[str, Any]) -> dict[str, Any]:
            values: dict[str, Any] = {}
            # A run that does not end has no final state.
            doubled.update(_repeating(given, keys))
            for key in keys:
                is_empty = max(runner.log.steps) <= empty_until.get(key, 0)
                is_fresh = key in state.fresh.get(node, {}) and not is_empty
                is_in_place = is_fresh and key in state.in_place.get(node, ())
                if is_in_place and key not in given:
                    # LangGraph begins with an empty list, which it hands over.
                    values[key] = [number := next(numbers), number]
                    returning.setdefault(key, {})[node] = None
                    continue
                if is_in_place and len(given[key]) < MAX_RETURNED:
                    given[key].append(next(numbers))
                if key in state.returned.get(node, {}):
                    values[key] = list(given.get(key, ())[:MAX_RETURNED])
                    if values[key]:
                        returning.setdefault(key, {})[node] = None
                if is_fresh and not is_in_place:
                    values[key] = [*values.get(key, ()), next(numbers)]
            return values

        runner = self.runner_of(self.graph)
        runner.load(dict.fromkeys(keys, "add"), update)
        runner.run(run.choices, BEGIN, turns=run.turns)
        doubled.update(_repeating(runner.final, keys))
        for key in returning.keys() & doubled:
            self.doubled.setdefault(key, {}).update(returning[key])

    def _empty_until(self, run: StubRun) -> dict[str, int]:
        """Return the last step until which the routes that were taken need a key to be empty, by key."""
        steps: dict[str, int] = {}
        for step, number, outcome in run.taken:
            empty = self.graph.routes[number].empty
            steps |= dict.fromkeys(empty[outcome] if empty else (), step)
        return steps


def _repeating(state: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """Return the keys under which a value stands more than once."""
    return [key for key in keys if len(state.get(key, ())) > len(set(state.get(key, ())))]
