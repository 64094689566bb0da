"""Runs of a stub graph in LangGraph itself, which is imported in the confined child only."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from courtroom.analysis.graph_run.stub_graph import ROOT, StubGraph, StubRoute
from courtroom.analysis.graph_run.stub_runs import (
    ConflictingWrites,
    RunLog,
    StubRun,
    StubRunner,
    Update,
)

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

MAX_LIMIT = 300
TERMINALS = {"START": "__start__", "END": "__end__"}


class LangGraphRunner(StubRunner):
    """Runner of any graph that LangGraph compiles."""

    def __init__(self, graph: StubGraph) -> None:
        super().__init__(graph)
        self.limit = min(self.limit, MAX_LIMIT)

    def load(self, kept: Mapping[str, str], update: Update) -> None:
        from langgraph.graph import StateGraph

        builder = StateGraph(_schema(kept))
        for name in self.graph.nodes:
            stub = self._stub(name, update)
            builder.add_node(name, stub, defer=name in self.graph.deferred)
        for edge in self.graph.edges:
            starts = [_name(start) for start in edge.starts]
            builder.add_edge(starts if edge.is_join else starts[0], _name(edge.end))
        for number, route in enumerate(self.graph.routes):
            ways = (*route.outcomes, route.never)
            ends = [_name(name) for names in ways for name in names]
            builder.add_conditional_edges(
                _name(route.start), self._router(number, route), ends if route.is_mapped else None
            )
        self._compiled: Any = builder.compile()

    def run(
        self, choices: Mapping[int, int], state: Mapping[str, Any], *, turns: bool = True
    ) -> StubRun:
        from langgraph.errors import GraphRecursionError, InvalidUpdateError

        self.log = RunLog(choices, self.log.tasks_left, turns)
        self.final, has_end = {}, True
        config = {"recursion_limit": self.limit}
        try:
            self.final = asyncio.run(self._compiled.ainvoke(state, config))
        except GraphRecursionError:
            has_end = False
        except InvalidUpdateError as error:
            # LangGraph names the key in quotes.
            raise ConflictingWrites(str(error).split("'")[1]) from error
        return self.log.run(self.graph, has_end=has_end)

    def _stub(self, name: str, update: Update) -> Callable[..., Awaitable[Any]]:
        # LangGraph passes `config` to a parameter of this name and type.
        async def stub(state: Any, config: RunnableConfig) -> Any:
            self.log.enter(name, config["metadata"]["langgraph_step"])
            return update(name, state)

        return stub

    def _router(self, number: int, route: StubRoute) -> Callable[..., Awaitable[list[Any]]]:
        from langgraph.types import Send

        async def choose(state: Any) -> list[Any]:
            outcome = route.outcomes[self.log.choose(number, route)]
            return [
                Send(name, state if self.graph.is_handed(route, name) else {})
                if name in route.sends and name in self.graph.nodes
                else _name(name)
                for name in outcome
            ]

        # LangGraph takes the name of each router once after a node.
        choose.__name__ = f"choose_{number}"
        return choose


def _name(name: str) -> str:
    return TERMINALS.get(name, name)


def _schema(kept: Mapping[str, str]) -> Any:
    """Return the state's class by how its keys are kept."""
    if ROOT in kept:
        return dict
    kinds: dict[str, Any] = {
        "last": Any,
        "add": Annotated[list[int], operator.add],
        "merge": Annotated[Any, _keep_last],
    }
    make: Any = TypedDict
    return make("_State", {"begin": Any, **{key: kinds[kept[key]] for key in kept}}, total=False)


def _keep_last(_: Any, value: Any) -> Any:
    return value
