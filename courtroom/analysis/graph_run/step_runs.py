"""Runs of a stub graph by LangGraph's rules of steps, without LangGraph.

Importing LangGraph takes longer than all else that an audit does with a graph. Its rules for nodes
without code are few, and tests hold these runs against its own on random graphs. A graph that it
may refuse, and one with a deferred node, is left to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from courtroom.analysis.graph_run.stub_graph import ROOT, StubGraph
from courtroom.analysis.graph_run.stub_runs import (
    ConflictingWrites,
    RunLog,
    StubRun,
    StubRunner,
    Update,
)

# Characters that LangGraph refuses in names, and names of its own.
RESERVED_CHARACTERS, TERMINALS = frozenset("|:"), frozenset({"START", "END"})

# A node of the next step, and whether Send starts it with a state of its own.
Task = tuple[str, bool]


def follows_plain_steps(graph: StubGraph) -> bool:
    """Return whether LangGraph is sure to compile the graph, and defers no node of it."""
    names = frozenset(graph.nodes)
    starts, ends = names | {"START"}, names | {"END"}
    firsts = [*(edge.starts for edge in graph.edges), *((r.start,) for r in graph.routes)]
    return (
        not graph.deferred
        and not names & TERMINALS
        and all(map(_is_plain_name, names))
        and any("START" in first for first in firsts)
        and all(starts.issuperset(first) for first in firsts)
        and all(edge.end in ends for edge in graph.edges)
        and all(
            ends.issuperset(outcome) for r in graph.routes for outcome in (*r.outcomes, r.never)
        )
        and not any(edge.is_join and "START" in edge.starts for edge in graph.edges)
    )


def _is_plain_name(name: str) -> bool:
    return bool(name) and not name.startswith("__") and RESERVED_CHARACTERS.isdisjoint(name)


class StepRunner(StubRunner):
    """Runner of graphs that follow plain steps.

    All nodes of a step get the state as the step before left it. A node runs once in a step for
    all edges and routes that lead to it, and once more for each Send. A join starts its node when
    all its starts have run since the last time.
    """

    def load(self, kept: Mapping[str, str], update: Update) -> None:
        self._kept, self._update = kept, update

    def run(
        self, choices: Mapping[int, int], state: Mapping[str, Any], *, turns: bool = True
    ) -> StubRun:
        self.log = RunLog(choices, self.log.tasks_left, turns)
        self._arrived: dict[int, set[str]] = {}
        self.final = {}

        current = dict(state)
        tasks = self._following(["START"])
        passed: set[Hashable] = set()
        for step in range(1, self.limit + 1):
            here = (tuple(tasks), repr(self._arrived))
            # What was there already comes again and again where no router turns.
            if not tasks or (here in passed and not turns):
                break
            passed.add(here)
            current |= self._step(step, tasks, current)
            tasks = self._following(name for name, _ in tasks)

        if not tasks:
            self.final = current
        return self.log.run(self.graph, has_end=not tasks)

    def _step(self, step: int, tasks: list[Task], state: dict[str, Any]) -> dict[str, Any]:
        """Run the nodes of a step; return what they change in the state."""
        writes: dict[str, list[Any]] = {}
        for name, is_apart in tasks:
            self.log.enter(name, step)
            update = self._update(name, {} if is_apart else state)
            if update is not None:
                values = {ROOT: update} if ROOT in self._kept else update
                for key in values.keys() & self._kept.keys():
                    writes.setdefault(key, []).append(values[key])

        changes: dict[str, Any] = {}
        for key, how in self._kept.items():
            values_of_key = writes.get(key, [])
            if how == "last" and len(values_of_key) > 1:
                raise ConflictingWrites(key)
            if how == "add":
                changes[key] = sum(values_of_key, state.get(key, []))
            elif values_of_key:
                changes[key] = values_of_key[-1]
        return changes

    def _following(self, names: Iterable[str]) -> list[Task]:
        """Return what starts after these nodes have run."""
        following: dict[str, None] = {}
        sent: list[Task] = []
        for name in names:
            for number, edge in enumerate(self.graph.edges):
                if edge.is_join and name in edge.starts:
                    self._arrived.setdefault(number, set()).add(name)
                elif name in edge.starts:
                    following[edge.end] = None
            for number, route in enumerate(self.graph.routes):
                if route.start != name:
                    continue
                for end in route.outcomes[self.log.choose(number, route)]:
                    if end in route.sends and end in self.graph.nodes:
                        sent.append((end, not self.graph.is_handed(route, end)))
                    else:
                        following[end] = None

        following |= dict.fromkeys(self._joined())
        following.pop("END", None)
        return [*((name, False) for name in following), *sent]

    def _joined(self) -> list[str]:
        """Return the ends of the joins whose starts have all run, and begin them anew."""
        edges = self.graph.edges
        full = [n for n, arrived in self._arrived.items() if arrived == set(edges[n].starts)]
        for number in full:
            del self._arrived[number]
        return [edges[number].end for number in full]
