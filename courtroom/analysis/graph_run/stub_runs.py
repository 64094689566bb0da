"""Runs of a stub graph, one for every combination of routes, within bounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from courtroom.analysis.graph_run.stub_graph import StubGraph, StubRoute

MAX_COMBINATIONS = 64
# Node runs in all combinations together; LangGraph takes about 0.2 ms for each.
MAX_TASKS = 4000
# A run that makes every choice once, and each loop between them, is over before this.
BASE_LIMIT = 25
BEGIN = {"begin": True}

# What a stub returns, by its node, from the state it gets.
Update = Callable[[str, Mapping[str, Any]], dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class StubRun:
    """One run: the nodes of each step, step 1 first, and the outcome that each router call took.

    `taken` holds (step, route, outcome) as numbers of the plan. `has_end`: it ended by itself.
    `turns`: each further call of a router took the next outcome; else all took the same.
    """

    steps: tuple[tuple[str, ...], ...]
    taken: tuple[tuple[int, int, int], ...] = ()
    has_end: bool = True
    turns: bool = True

    @property
    def choices(self) -> dict[int, int]:
        """Return the outcome that each route took first."""
        first: dict[int, int] = {}
        for _, route, outcome in self.taken:
            first.setdefault(route, outcome)
        return first

    @property
    def calls_again(self) -> bool:
        return len(self.choices) < len(self.taken)


@dataclass(frozen=True, slots=True)
class Exploration:
    """All runs of a graph, or LangGraph's `refusal`; not `is_complete` past a bound."""

    runs: tuple[StubRun, ...] = ()
    is_complete: bool = True
    refusal: str = ""


class OutOfTasks(Exception):
    """The graph runs more nodes than the bound allows."""


class ConflictingWrites(Exception):
    """Nodes of one step write a key that takes one write; the message is the key."""


@dataclass
class RunLog:
    """Record of the run under way; `choices` are the first outcomes of its routes."""

    choices: Mapping[int, int]
    tasks_left: int
    turns: bool = True
    steps: dict[int, list[str]] = field(default_factory=dict)
    taken: list[tuple[int, int, int]] = field(default_factory=list)
    calls: Counter[int] = field(default_factory=Counter)

    def enter(self, node: str, step: int) -> None:
        self.tasks_left -= 1
        if self.tasks_left < 0:
            raise OutOfTasks
        self.steps.setdefault(step, []).append(node)

    def choose(self, number: int, route: StubRoute) -> int:
        """Return the outcome of a router's call: each further call takes the next one if it turns.

        A walk that turns like this leaves every loop that a route leaves.
        """
        turned = self.calls[number] if self.turns and not route.fixed else 0
        outcome = (self.choices.get(number, 0) + turned) % len(route.outcomes)
        self.calls[number] += 1
        self.taken.append((max(self.steps, default=0), number, outcome))
        return outcome

    def run(self, graph: StubGraph, *, has_end: bool) -> StubRun:
        """Return the run, in an order that does not depend on the runner."""
        order = {name: number for number, name in enumerate(graph.nodes)}
        steps = [
            tuple(sorted(self.steps.get(step, ()), key=order.__getitem__))
            for step in range(1, max(self.steps, default=0) + 1)
        ]
        taken = sorted(self.taken, key=lambda row: row[:2])
        return StubRun(tuple(steps), tuple(taken), has_end, self.turns)


class StubRunner(ABC):
    """Runs of one graph; `final` is the state at the end of the last one."""

    def __init__(self, graph: StubGraph) -> None:
        self.graph = graph
        self.log = RunLog({}, MAX_TASKS)
        self.final: Mapping[str, Any] = {}
        sizes = len(graph.nodes) + sum(len(route.outcomes) for route in graph.routes)
        self.limit = BASE_LIMIT + 2 * sizes

    @abstractmethod
    def load(self, kept: Mapping[str, str], update: Update) -> None:
        """Make ready to run with a state, as in StubState. Raises ValueError for a refusal."""

    @abstractmethod
    def run(
        self, choices: Mapping[int, int], state: Mapping[str, Any], *, turns: bool = True
    ) -> StubRun:
        """Run once, from a state. Raises OutOfTasks and ConflictingWrites."""

    def explore(self) -> Exploration:
        """Run every combination of the routes that are reached, without a state."""
        try:
            self.load({}, _no_update)
        except ValueError as refusal:
            return Exploration(refusal=str(refusal))

        runs: list[StubRun] = []
        pending: deque[dict[int, int]] = deque([{}])
        while pending and len(runs) < MAX_COMBINATIONS:
            choices = pending.popleft()
            try:
                run = self._explored(choices)
            except OutOfTasks:
                return Exploration(tuple(runs), is_complete=False)
            runs.append(run)
            pending.extend(self._alternatives(choices, run))
        return Exploration(tuple(runs), is_complete=not pending)

    def _explored(self, choices: Mapping[int, int]) -> StubRun:
        """Return the run in which each router decides the same in all its calls, if that one ends.

        A router behind a node that runs twice is called twice, and its state has hardly changed.
        """
        run = self.run(choices, BEGIN)
        if not run.calls_again:
            return run
        left = self.log.tasks_left
        try:
            constant = self.run(choices, BEGIN, turns=False)
        except OutOfTasks:
            constant = None
        if constant is not None and constant.has_end:
            return constant
        self.log.tasks_left = left
        return run

    def _alternatives(self, choices: dict[int, int], run: StubRun) -> list[dict[int, int]]:
        """Return the combinations that differ from a run in one route that it met first."""
        alternatives = []
        decided = dict(choices)
        for route in run.choices:
            if route in choices:
                continue
            count = len(self.graph.routes[route].outcomes)
            alternatives += [{**decided, route: outcome} for outcome in range(1, count)]
            decided[route] = 0
        return alternatives


def _no_update(node: str, state: Mapping[str, Any]) -> None:  # noqa: ARG001
    return None
