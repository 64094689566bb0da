"""The graph that the entry point really builds, rebuilt from the source without running any of it."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from courtroom.analysis.langgraph import builder_calls
from courtroom.analysis.langgraph.subgraphs import Subgraph, departures, subgraphs_of
from courtroom.analysis.python.call_graph import Reach
from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter, OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Builder,
    Function,
    Instance,
    Route,
)

BUILDING = frozenset(
    {
        "add_node",
        "add_edge",
        "add_conditional_edges",
        "add_sequence",
        "set_entry_point",
        "set_finish_point",
    }
)
TOTAL_FUEL = 300_000
FUEL_PER_ROOT = 80_000
MAX_FUNCTIONS = 40
FROM_ENTRY, FROM_MODULE, FROM_FUNCTION = 3, 2, 1


@dataclass(slots=True)
class Candidate:
    builder: Builder
    rank: int
    run: Interpreter
    routes: list[Route] = field(default_factory=list)
    subgraphs: list[Subgraph] = field(default_factory=list)

    def look_inside(self, *, enters: bool) -> None:
        self.run.fuel = FUEL_PER_ROOT
        self.routes = departures(self.run, self.builder)
        self.subgraphs = subgraphs_of(self.run, self.builder, self.routes, enters=enters)

    def holds(self, other: Candidate) -> bool:
        """A script that runs the real graph inside one of its own does not make it less real."""
        inside = {subgraph.builder.site for subgraph in self.subgraphs}
        return self is not other and self.rank >= other.rank and other.builder.site in inside

    @property
    def merit(self) -> tuple[bool, int, int]:
        """The main graph is no other's node, is built from an entry point, and is the largest such."""
        size = len(self.builder.nodes) + len(self.builder.edges) + len(self.builder.routes)
        return not self.builder.is_subgraph, self.rank, size


@dataclass(slots=True)
class GraphReading:
    """`builder` is None with the `reason`; `routes` are its conditional departures, Command included.

    `subgraphs` are the graphs that run at its nodes, outermost first.
    `is_out_of_sight`: a graph is built, but which nodes it gets is not known before the program runs.
    """

    builder: Builder | None
    reason: str = ""
    routes: list[Route] = field(default_factory=list)
    subgraphs: list[Subgraph] = field(default_factory=list)
    is_out_of_sight: bool = False


def read_graph(names: Names, texts: Mapping[str, str]) -> GraphReading:
    """`texts`: pyproject.toml and langgraph.json, which may say what the entry point is."""
    search = GraphSearch(names, texts)
    candidates = search.candidates()
    if not candidates:
        return GraphReading(None, search.why_nothing(), is_out_of_sight=bool(search.out_of_sight))
    main = _outermost(candidates, enters=len(search.sites) > 1)
    return GraphReading(main.builder, "", main.routes, main.subgraphs)


def _outermost(candidates: list[Candidate], *, enters: bool) -> Candidate:
    """The main graph: of each graph its best reading, and of these the best that no other runs inside."""
    best: dict[tuple[str, int], Candidate] = {}
    for one in candidates:
        known = best.get(one.builder.site)
        best[one.builder.site] = (
            one if known is None else max(known, one, key=lambda both: both.merit)
        )
    for one in best.values():
        one.look_inside(enters=enters)
    outer = [one for one in best.values() if not any(other.holds(one) for other in best.values())]
    return max(outer or best.values(), key=lambda one: one.merit)


class GraphSearch:
    """Follows the entry points first, then modules, then single functions, as far as the fuel lasts."""

    def __init__(self, names: Names, texts: Mapping[str, str]) -> None:
        self.names = names
        self.texts = texts
        self.fuel = TOTAL_FUEL
        self.homemade: list[str] = []
        self.out_of_sight: list[str] = []
        self.sites = [
            (source, site)
            for source in names.codebase.production
            if "Graph" in source.text
            for site, dotted in names.calls(source)
            if self._is_graph(source, dotted, site.node)
        ]
        self.hot = Reach(names).callers_of(self._building_functions()) if self.sites else set()

    def _is_graph(self, source: SourceFile, dotted: str, call: ast.Call) -> bool:
        func = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        dotted = dotted or self.names.dotted(source, func)
        if builder_calls.is_graph_class([dotted]):
            return True
        own = self.names.classes_named(source, func)
        if own is None:
            return False
        if builder_calls.is_graph_class(self.names.bases(own.source, own.node)):
            return True
        if own.node.name in builder_calls.GRAPH_CLASSES:
            self.homemade.append(f"{own.source.path}:{own.node.lineno}")
        return False

    def _building_functions(self) -> set[str]:
        named = {site.function.node.name for _, site in self.sites if site.function}
        for source in self.names.codebase.production:
            for site in source.calls:
                func = site.node.func
                if site.function and isinstance(func, ast.Attribute) and func.attr in BUILDING:
                    named.add(site.function.node.name)
        return named | {
            s.function.owner.name for _, s in self.sites if s.function and s.function.owner
        }

    def why_nothing(self) -> str:
        if self.out_of_sight:
            return f"a StateGraph is built, but {self.out_of_sight[0]}"
        if self.sites:
            source, site = self.sites[0]
            return f"a StateGraph is named at {source.path}:{site.node.lineno}, but nothing is added to it"
        if self.homemade:
            return f"the only StateGraph is a class of the repository's own ({self.homemade[0]}), not LangGraph's"
        return "no LangGraph StateGraph is built anywhere in the code"

    def candidates(self) -> list[Candidate]:
        if not self.sites:
            return []
        found: list[Candidate] = []
        for source in self._entry_scripts():
            found += self._follow(FROM_ENTRY, source, None, as_main=True)
        for source, function in self._declared_entries():
            found += self._follow(FROM_ENTRY, source, function)
        for path in dict.fromkeys(source.path for source, _ in self.sites):
            found += self._follow(FROM_MODULE, self.names.codebase.files[path], None)
        if not any(one.rank == FROM_ENTRY for one in found):
            for source, function in list(self._hot_functions())[:MAX_FUNCTIONS]:
                found += self._follow(FROM_FUNCTION, source, function)
        self.out_of_sight = [words for one in found for words in one.builder.unresolved]
        return [one for one in found if one.builder.nodes]

    def _follow(
        self, rank: int, source: SourceFile, function: str | None, *, as_main: bool = False
    ) -> list[Candidate]:
        run = Interpreter(self.names, self.hot.__contains__, min(FUEL_PER_ROOT, self.fuel))
        given = run.fuel
        try:
            module = run.module(source, as_main=as_main)
            if function is not None:
                _call_function(run, module.scope.names, function)
        except (OutOfFuel, RecursionError):
            for builder in run.builders:
                builder.note("the code is too long to be followed to its end")
        self.fuel -= given - max(run.fuel, 0)
        return [Candidate(builder, rank, run) for builder in run.builders]

    def _entry_scripts(self) -> Iterator[SourceFile]:
        telling = self.hot | self._graph_modules()
        scripts = [source for source in self.names.codebase.production if "__main__" in source.text]
        for source in sorted(scripts, key=_likely_entry):
            if any(name in source.text for name in telling):
                yield source

    def _graph_modules(self) -> set[str]:
        return {source.module.rpartition(".")[2] for source, _ in self.sites}

    def _declared_entries(self) -> Iterator[tuple[SourceFile, str]]:
        for target in declared_entry_points(self.texts):
            module, _, name = target.partition(":")
            source = self.names.module(module.removesuffix(".py").strip("./").replace("/", "."))
            if source is not None and name:
                yield source, name

    def _hot_functions(self) -> Iterator[tuple[SourceFile, str]]:
        for source in self.names.codebase.production:
            for site in source.functions:
                if site.node.name in self.hot and site.outer is None:
                    yield source, site.qualname


def _likely_entry(source: SourceFile) -> tuple[bool, int, str]:
    """Scripts that are usually started come first: fuel may not last for all."""
    stem = source.module.rpartition(".")[2]
    usual = stem in {"main", "__main__", "run", "app", "cli", "graph"} or stem.startswith(
        ("run_", "main_")
    )
    return not usual, source.path.count("/"), source.path


def _call_function(run: Interpreter, scope: Mapping[str, Any], qualname: str) -> None:
    """Call a module's function, or a method on a fresh instance of its class, with unknown arguments."""
    owner_name, _, method = qualname.rpartition(".")
    if not owner_name:
        value = run.resolve(scope.get(qualname, UNKNOWN))
        if isinstance(value, Function):
            run.enter(value, [], {})
        return
    owner = scope.get(owner_name, UNKNOWN)
    if not hasattr(owner, "node") or isinstance(owner, Function):
        return
    instance = Instance(owner)
    for name in dict.fromkeys(["__init__", method]):
        function = attribute_of(run, owner, name)
        if isinstance(function, Function):
            run.enter(function, [instance], {})


def declared_entry_points(texts: Mapping[str, str]) -> list[str]:
    """module:function of pyproject's scripts and of langgraph.json's graphs."""
    targets: list[str] = []
    for path, text in sorted(texts.items()):
        try:
            if path.endswith("pyproject.toml"):
                project = tomllib.loads(text)
                scripts = project.get("project", {}).get("scripts", {})
                poetry = project.get("tool", {}).get("poetry", {}).get("scripts", {})
                targets += [
                    target
                    for target in [*scripts.values(), *poetry.values()]
                    if isinstance(target, str)
                ]
            elif path.endswith("langgraph.json"):
                graphs = json.loads(text).get("graphs", {})
                targets += [target for target in graphs.values() if isinstance(target, str)]
        except (ValueError, AttributeError, RecursionError):
            continue  # a broken manifest names no entry point; the code is still searched
    return targets
