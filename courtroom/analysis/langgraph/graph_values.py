"""LangGraph's builder and compiled graph as abstract values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import ClassVar

from courtroom.analysis.python.symbolic_execution.values import (
    CallResult,
    Class,
    Doubt,
    External,
    Instance,
    LibraryObject,
    Value,
    choices_of,
)

GRAPH_CLASSES = frozenset({"StateGraph", "MessageGraph", "Graph"})
BUILDER_METHODS = frozenset(
    {
        "add_node",
        "add_edge",
        "add_conditional_edges",
        "add_sequence",
        "set_entry_point",
        "set_finish_point",
        "set_conditional_entry_point",
    }
)
# Methods of a compiled graph that run it.
RUN_METHODS = frozenset({"invoke", "ainvoke", "stream", "astream", "batch", "abatch"})
# LangGraph's own values of START and END.
END_NAMES = {"__start__": "START", "__end__": "END"}


@dataclass(slots=True)
class Route:
    """One conditional departure.

    Each of `outcomes` is the set of nodes that run together when it is taken. `sends` are the
    targets that Send starts. `words` is the vocabulary of the router. Not `is_complete`: nodes may
    run together in other ways than the outcomes say. `unreturned` are keys of the map that the
    router never returns, each with the node to which only it leads.
    """

    start: str
    outcomes: list[tuple[str, ...]]
    targets: list[str]
    path: str
    line: int
    words: frozenset[str] = frozenset()
    sends: tuple[str, ...] = ()
    doubt: Doubt | None = None
    is_mapped: bool = False
    # The router itself; None for a node's Command.
    router: Value = field(default=None, compare=False, repr=False)
    path_map: Value = field(default=None, compare=False, repr=False)
    is_complete: bool = True
    unreturned: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class GraphBuilder(LibraryObject):
    """LangGraph graph as far as it is built; `path` and `line` are those of its construction.

    `caller` is where a function that only makes the graph was called: nodes are added there.
    `edges` holds the path and the line of each, those of `joins` as well: a join waits for all its
    starts, each of `plain_edges` for its own. `deferred` nodes wait until nothing else is left to
    run. `unresolved` names what is not known before a run, `refusals` why LangGraph does not
    compile it. `doubtful` holds, for each node and edge that only some runs add, under what;
    `made_under` are the doubts under which the graph itself is made. `own` is its own part, when a
    class of the repository inherits from StateGraph.
    """

    path: str
    line: int
    state: Value
    state_expression: ast.expr | None
    nodes: dict[str, Value] = field(default_factory=dict)
    node_places: dict[str, tuple[str, int]] = field(default_factory=dict)
    edges: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    plain_edges: set[tuple[str, str]] = field(default_factory=set)
    joins: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    deferred: set[str] = field(default_factory=set)
    routes: list[Route] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    doubtful: dict[str | tuple[str, str], list[Doubt]] = field(default_factory=dict)
    routers: set[tuple[str, str]] = field(default_factory=set)
    destinations: dict[str, list[str] | None] = field(default_factory=dict)
    made_under: tuple[Doubt, ...] = ()
    own: Instance | None = None
    default_handler: Value = None
    # Further schemas whose keys the state has as well: input_schema=, output_schema=.
    schemas: list[Value] = field(default_factory=list)
    # Nodes whose inside is a library's, in words.
    ready_made: list[str] = field(default_factory=list)
    caller: tuple[str, int] | None = None
    is_compiled: bool = False
    is_subgraph: bool = False
    # The class of the repository's own that stands in for LangGraph's.
    home_made: Class | None = None

    @property
    def instance(self) -> Instance | None:
        return self.own

    @property
    def site(self) -> tuple[str, int]:
        return self.path, self.line

    @property
    def place(self) -> tuple[str, int]:
        """Place where the code that builds the graph begins it."""
        return self.caller or self.site

    def add_unresolved(self, reason: str) -> None:
        if reason not in self.unresolved:
            self.unresolved.append(reason)

    def optional_parts(self) -> dict[str | tuple[str, str], Doubt]:
        """Return the nodes and edges that only some runs add, each with the first doubt."""
        return {part: doubts[0] for part, doubts in self.doubtful.items() if not _cover_all(doubts)}

    def doubts(self) -> list[Doubt]:
        """Return why some runs build another graph than others, each once."""
        of_routes = [route.doubt for route in self.routes if route.doubt is not None]
        return list(dict.fromkeys([*self.optional_parts().values(), *of_routes]))

    def open_questions(self) -> list[str]:
        """Return in words all that keeps this from being the graph of every run."""
        places = dict.fromkeys((doubt.path, doubt.line) for doubt in self.doubts())
        optional = [
            f"{path}:{line}: which nodes and edges are added here depends on the run"
            for path, line in places
        ]
        refusals = [f"LangGraph refuses to compile it: {reason}" for reason in self.refusals]
        return [*self.unresolved, *self.ready_made, *optional, *refusals]


def _cover_all(doubts: list[Doubt]) -> bool:
    """Return true when every alternative of one statement adds the same."""
    covered: dict[int, set[int]] = {}
    for doubt in doubts:
        if doubt.count:
            covered.setdefault(id(doubt.group), set()).add(doubt.index)
        if doubt.count and len(covered[id(doubt.group)]) == doubt.count:
            return True
    return False


@dataclass(frozen=True, slots=True)
class CompiledGraph(LibraryObject):
    is_truthy: ClassVar[bool | None] = True

    builder: GraphBuilder
    name: str = "LangGraph"

    @property
    def identity(self) -> object:
        return self.builder


def is_graph_class(dotted_names: Iterable[str], func: ast.expr | None = None) -> bool:
    """Return whether a class is LangGraph's builder; `func` is the expression that calls it.

    The package itself has no such name: `langgraph.StateGraph(...)` makes nothing. A name that is
    imported from it may be the second choice of a `try`.
    """
    at_root = isinstance(func, ast.Attribute)
    return any(
        name.startswith("langgraph.")
        and name.rpartition(".")[2] in GRAPH_CLASSES
        and not (at_root and name.count(".") == 1)
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


def is_missing(action: Value, modules: AbstractSet[str]) -> bool:
    """Return true where a node's function, class or what wraps it comes from one of the modules."""
    dotted = action.dotted if isinstance(action, External | CallResult) else ""
    wrapped = action.positional[:1] if isinstance(action, CallResult) else ()
    return any(dotted.startswith(f"{module}.") for module in modules) or any(
        is_missing(inner, modules) for inner in wrapped
    )


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
