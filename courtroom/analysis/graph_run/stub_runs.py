"""Runs of a stub graph in LangGraph, one for every combination of routes, within bounds.

LangGraph is imported when a graph is run: in the confined child only.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from courtroom.analysis.graph_run.stub_graph import StubGraph, StubRoute

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

MAX_COMBINATIONS = 64
# Node runs in all combinations together; LangGraph takes about 0.2 ms for each.
MAX_TASKS = 4000
# A run that makes every choice once, and each loop between them, is over before this.
BASE_LIMIT, MAX_LIMIT = 25, 300
TERMINALS = {"START": "__start__", "END": "__end__"}


@dataclass(frozen=True, slots=True)
class StubRun:
    """One run: the nodes of each step, step 1 first, and the outcome that each router call took.

    `taken` holds (step, route, outcome) as numbers of the plan. `has_end`: it ended by itself.
    """

    steps: tuple[tuple[str, ...], ...]
    taken: tuple[tuple[int, int, int], ...] = ()
    has_end: bool = True

    @property
    def choices(self) -> dict[int, int]:
        """Return the outcome that each route took first."""
        first: dict[int, int] = {}
        for _, route, outcome in self.taken:
            first.setdefault(route, outcome)
        return first


@dataclass(frozen=True, slots=True)
class Exploration:
    """All runs of a graph, or LangGraph's `refusal`; not `is_complete` past a bound."""

    runs: tuple[StubRun, ...] = ()
    is_complete: bool = True
    refusal: str = ""


class OutOfTasks(Exception):
    """The graph runs more nodes than the bound allows."""


@dataclass
class _Log:
    """Record of the run under way; `choices` are the first outcomes of its routes."""

    choices: Mapping[int, int]
    tasks_left: int
    steps: dict[int, list[str]] = field(default_factory=dict)
    taken: list[tuple[int, int, int]] = field(default_factory=list)
    calls: Counter[int] = field(default_factory=Counter)

    def enter(self, node: str, step: int) -> None:
        self.tasks_left -= 1
        if self.tasks_left < 0:
            raise OutOfTasks
        self.steps.setdefault(step, []).append(node)

    def choose(self, route: int, count: int) -> int:
        """Return the outcome of a router's call: each further call takes the next one.

        A walk that turns like this leaves every loop that a route leaves.
        """
        outcome = (self.choices.get(route, 0) + self.calls[route]) % count
        self.calls[route] += 1
        self.taken.append((max(self.steps, default=0), route, outcome))
        return outcome


class _State(TypedDict, total=False):
    begin: bool


# What a stub returns, by its node, from the state it gets.
Update = Callable[[str, Mapping[str, Any]], dict[str, Any] | None]


def _no_update(node: str, state: Mapping[str, Any]) -> None:  # noqa: ARG001
    return None


def explore(graph: StubGraph) -> Exploration:
    """Run the graph along every combination of the routes that are reached, the earliest first."""
    run = layered_run(graph)
    if run is not None:
        return Exploration((run,))

    # Imported where it is needed: the child that reads the sources does without.
    import asyncio

    return asyncio.run(StubRunner(graph).explore())


def layered_run(graph: StubGraph) -> StubRun | None:
    """Return the run of a graph without routes, in which all ways to a node are equally long.

    LangGraph's import takes longer than the rest of a run, and such a graph has one run only: every
    node runs once, in the step after the nodes that lead to it. None for all other graphs.
    """
    if graph.routes or graph.deferred or not _is_accepted(graph):
        return None
    steps: list[tuple[str, ...]] = []
    ran: set[str] = set()
    current: tuple[str, ...] = ("START",)
    while current:
        ran |= set(current)
        following = {
            edge.end
            for edge in graph.edges
            if ran.issuperset(edge.starts) and not set(edge.starts).isdisjoint(current)
        }
        if following & ran:
            return None
        current = tuple(name for name in graph.nodes if name in following)
        steps.append(current)
    return StubRun(tuple(steps[:-1]))


def _is_accepted(graph: StubGraph) -> bool:
    """Return whether LangGraph is sure to compile the graph, by plain names of real nodes."""
    names = set(graph.nodes)
    return (
        all(name.isidentifier() and not name.startswith("__") for name in names)
        and any("START" in edge.starts for edge in graph.edges)
        and all(names.issuperset({*edge.starts} - {"START"}) for edge in graph.edges)
        and all(edge.end in names or edge.end == "END" for edge in graph.edges)
        and not any(edge.is_join and "START" in edge.starts for edge in graph.edges)
    )


class StubRunner:
    """Runs of one graph; `final` is the state at the end of the last one."""

    def __init__(self, graph: StubGraph) -> None:
        self.graph = graph
        self.log = _Log({}, MAX_TASKS)
        self.final: Mapping[str, Any] = {}
        sizes = len(graph.nodes) + sum(len(route.outcomes) for route in graph.routes)
        self.limit = min(BASE_LIMIT + 2 * sizes, MAX_LIMIT)

    async def explore(self) -> Exploration:
        """Run every combination without a state. Bounds are those of this module."""
        try:
            compiled = self.compiled(_State, _no_update)
        except ValueError as refusal:
            return Exploration(refusal=str(refusal))

        runs: list[StubRun] = []
        pending: deque[dict[int, int]] = deque([{}])
        while pending and len(runs) < MAX_COMBINATIONS:
            choices = pending.popleft()
            try:
                run = await self.run(compiled, choices, {"begin": True})
            except OutOfTasks:
                return Exploration(tuple(runs), is_complete=False)
            runs.append(run)
            pending.extend(self._alternatives(choices, run))
        return Exploration(tuple(runs), is_complete=not pending)

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

    async def run(
        self, compiled: Any, choices: dict[int, int], given: Mapping[str, Any]
    ) -> StubRun:
        """Run once. Raises OutOfTasks, and LangGraph's InvalidUpdateError."""
        from langgraph.errors import GraphRecursionError

        self.log = _Log(choices, self.log.tasks_left)
        self.final, has_end = {}, True
        try:
            self.final = await compiled.ainvoke(given, {"recursion_limit": self.limit})
        except GraphRecursionError:
            has_end = False
        order = {name: number for number, name in enumerate(self.graph.nodes)}
        steps = [
            tuple(sorted(self.log.steps.get(step, ()), key=order.__getitem__))
            for step in range(1, max(self.log.steps, default=0) + 1)
        ]
        return StubRun(tuple(steps), tuple(self.log.taken), has_end)

    def compiled(self, state: Any, update: Update) -> Any:
        """Return LangGraph's compiled graph. Raises ValueError where it refuses."""
        from langgraph.graph import StateGraph

        builder = StateGraph(state)
        for name in self.graph.nodes:
            stub = self._stub(name, update)
            builder.add_node(name, stub, defer=name in self.graph.deferred)
        for edge in self.graph.edges:
            starts = [_name(start) for start in edge.starts]
            builder.add_edge(starts if edge.is_join else starts[0], _name(edge.end))
        for number, route in enumerate(self.graph.routes):
            ends = [_name(name) for outcome in route.outcomes for name in outcome]
            builder.add_conditional_edges(
                _name(route.start), self._router(number, route), ends if route.is_mapped else None
            )
        return builder.compile()

    def _stub(self, name: str, update: Update) -> Callable[..., Awaitable[Any]]:
        # LangGraph passes `config` to a parameter of this name and type.
        async def stub(state: Any, config: RunnableConfig) -> Any:
            self.log.enter(name, config["metadata"]["langgraph_step"])
            return update(name, state)

        return stub

    def _router(self, number: int, route: StubRoute) -> Callable[..., Awaitable[list[Any]]]:
        from langgraph.types import Send

        async def choose(state: Any) -> list[Any]:  # noqa: ARG001
            outcome = route.outcomes[self.log.choose(number, len(route.outcomes))]
            return [
                Send(name, {}) if name in route.sends and name in self.graph.nodes else _name(name)
                for name in outcome
            ]

        # LangGraph takes the name of each router once after a node.
        choose.__name__ = f"choose_{number}"
        return choose


def _name(name: str) -> str:
    return TERMINALS.get(name, name)
