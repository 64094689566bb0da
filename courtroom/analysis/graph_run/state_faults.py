"""Faults of the state that LangGraph's own runs show: two writes in one step, doubled lists."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Annotated, Any, TypedDict

from courtroom.analysis.graph_run.stub_graph import StubGraph, StubState
from courtroom.analysis.graph_run.stub_runs import OutOfTasks, StubRun, StubRunner

ROOT = "__root__"
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


def has_state_risk(graph: StubGraph, runs: Iterable[StubRun]) -> bool:
    """Return whether a run with the state can show more than one without."""
    state = graph.state
    if state is None:
        return False
    return bool(_returning(state)) or any(_shared_keys(state, run) for run in runs)


def state_faults(graph: StubGraph, runs: Iterable[StubRun]) -> StateFaults:
    """Run the combinations of routes again, with the state."""
    import asyncio

    return asyncio.run(_StateRuns(graph).faults(tuple(runs)))


def open_writes(graph: StubGraph, runs: Iterable[StubRun]) -> str:
    """Return why two writes of one step may meet that are not sure to, "" where none can."""
    state = graph.state
    if state is None:
        return graph.state_gap
    for run in runs:
        for names in run.steps:
            for key, kept in state.kept.items():
                writers = [n for n in dict.fromkeys(names) if key in _possible(state, n)]
                surely = [name for name in writers if key in state.sure.get(name, {})]
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
    conflicts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    doubled: dict[str, dict[str, None]] = field(default_factory=dict)

    async def faults(self, runs: tuple[StubRun, ...]) -> StateFaults:
        state = self.graph.state
        if state is None:
            return StateFaults()
        try:
            for run in runs:
                while _shared_keys(state, run) - self.conflicts.keys():
                    if not await self._writes_again(state, run):
                        break
            if _returning(state):
                for run in runs:
                    await self._adds(state, run)
        except OutOfTasks:
            # What was seen stays true.
            pass
        return StateFaults(
            tuple(KeyFault(key, nodes) for key, nodes in self.conflicts.items()),
            tuple(KeyFault(key, tuple(nodes)) for key, nodes in self.doubled.items()),
        )

    async def _writes_again(self, state: StubState, run: StubRun) -> bool:
        """Run with all writes that are sure; return whether LangGraph refuses one more."""
        from langgraph.errors import InvalidUpdateError

        schema: Any = dict if ROOT in state.kept else self._write_schema(state)

        def update(node: str, given: Mapping[str, Any]) -> dict[str, Any]:
            sure = state.sure.get(node, {})
            fresh = state.fresh.get(node, {})
            return {
                "begin" if key == ROOT else key: node
                for key in sure
                if key == ROOT or key in fresh or key in given
            }

        runner = StubRunner(self.graph)
        compiled = runner.compiled(schema, update)
        fresh_keys = {key for fresh in state.fresh.values() for key in fresh}
        given = {
            key: "given"
            for key, kept in state.kept.items()
            if kept == "last" and key not in fresh_keys
        }
        try:
            await runner.run(compiled, run.choices, {"begin": True, **given})
        except InvalidUpdateError as error:
            last = runner.log.steps[max(runner.log.steps)]
            for key in state.kept:
                writers = tuple(name for name in last if key in state.sure.get(name, {}))
                if f"At key '{key}'" in str(error) and key not in self.conflicts:
                    self.conflicts[key] = tuple(dict.fromkeys(writers))
                    return True
        return False

    def _write_schema(self, state: StubState) -> Any:
        """Keys that LangGraph has refused once are merged, so that the next one comes up."""
        merged = Annotated[Any, _keep_last]
        keys: dict[str, Any] = {
            key: Any if kept == "last" and key not in self.conflicts else merged
            for key, kept in state.kept.items()
        }
        return _typed_dict({"begin": Any, **keys})

    async def _adds(self, state: StubState, run: StubRun) -> None:
        """Run with the lists that operator.add joins; every value that is added is another one."""
        keys = [key for key, kept in state.kept.items() if kept == "add"]
        lists: dict[str, Any] = dict.fromkeys(keys, Annotated[list[int], operator.add])
        schema: Any = _typed_dict({"begin": Any, **lists})
        numbers = count()
        returning: dict[str, dict[str, None]] = {}

        def update(node: str, given: Mapping[str, Any]) -> dict[str, Any]:
            values: dict[str, Any] = {}
            for key in keys:
                if key in state.returned.get(node, {}):
                    values[key] = list(given.get(key, ())[:MAX_RETURNED])
                    if values[key]:
                        returning.setdefault(key, {})[node] = None
                if key in state.fresh.get(node, {}):
                    values[key] = [*values.get(key, ()), next(numbers)]
            return values

        runner = StubRunner(self.graph)
        await runner.run(runner.compiled(schema, update), run.choices, {"begin": True})
        for key, nodes in returning.items():
            values = runner.final.get(key, ())
            if len(values) > len(set(values)):
                self.doubled.setdefault(key, {}).update(nodes)


def _keep_last(_: Any, value: Any) -> Any:
    return value


def _typed_dict(keys: dict[str, Any]) -> Any:
    make: Any = TypedDict
    return make("_Keys", keys, total=False)
