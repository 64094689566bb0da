"""LangGraph's builder and compiled graph as abstract values."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from courtroom.analysis.python.symbolic_execution.values import (
    External,
    LibraryObject,
    Value,
    choices_of,
)

GRAPH_CLASSES = frozenset({"StateGraph", "MessageGraph", "Graph"})
# Methods of a compiled graph that run it.
RUN_METHODS = frozenset({"invoke", "ainvoke", "stream", "astream", "batch", "abatch"})
# LangGraph's own values of START and END.
END_NAMES = {"__start__": "START", "__end__": "END"}


@dataclass(slots=True)
class Route:
    """One conditional departure.

    Each of `outcomes` is the set of nodes that run together when it is taken. `sends` are the
    targets that Send starts. `words` is the vocabulary of the router.
    """

    start: str
    outcomes: list[tuple[str, ...]]
    targets: list[str]
    path: str
    line: int
    words: frozenset[str] = frozenset()
    sends: tuple[str, ...] = ()


@dataclass(slots=True)
class GraphBuilder(LibraryObject):
    """LangGraph graph as far as it is built; `path` and `line` are those of its construction.

    `edges` holds the path and the line of each. `unresolved` names what is not known before a run.
    """

    path: str
    line: int
    state: Value
    state_expression: ast.expr | None
    nodes: dict[str, Value] = field(default_factory=dict)
    edges: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    routes: list[Route] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    is_subgraph: bool = False

    @property
    def site(self) -> tuple[str, int]:
        return self.path, self.line

    def add_unresolved(self, reason: str) -> None:
        if reason not in self.unresolved:
            self.unresolved.append(reason)


@dataclass(frozen=True, slots=True)
class CompiledGraph(LibraryObject):
    is_truthy: ClassVar[bool | None] = True

    builder: GraphBuilder


def is_graph_class(dotted_names: Iterable[str]) -> bool:
    return any(
        name.startswith("langgraph.") and name.rpartition(".")[2] in GRAPH_CLASSES
        for name in dotted_names
    )


def graph_in(value: Value) -> GraphBuilder | None:
    """Return the graph that a value is, may be, or compiles."""
    for choice in choices_of(value):
        if isinstance(choice, CompiledGraph):
            return choice.builder
        if isinstance(choice, GraphBuilder):
            return choice
    return None


def node_name(value: Value) -> str | None:
    """Return the name of a node; None when it is not known.

    START and END have these names, whatever they are imported as.
    """
    if isinstance(value, str):
        return END_NAMES.get(value, value)
    if isinstance(value, External):
        name = value.dotted.rpartition(".")[2]
        return name if name in {"START", "END"} else None
    return None
