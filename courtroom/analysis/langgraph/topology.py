"""Graph that the entry point really builds, rebuilt from the source without running any of it."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from courtroom.analysis.langgraph.graph_evaluator import GraphEvaluator
from courtroom.analysis.langgraph.graph_values import (
    GRAPH_CLASSES,
    GraphBuilder,
    Route,
    is_graph_class,
)
from courtroom.analysis.langgraph.subgraphs import Subgraph, conditional_routes, subgraphs_of
from courtroom.analysis.python.call_graph import CallGraph
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import UNKNOWN, Function, Instance

BUILDER_METHODS = frozenset(
    {
        "add_node",
        "add_edge",
        "add_conditional_edges",
        "add_sequence",
        "set_entry_point",
        "set_finish_point",
    }
)
# Statements and expressions that are evaluated for one repository, and for one starting point.
TOTAL_FUEL = 300_000
FUEL_PER_ROOT = 80_000
# Functions that are tried when no entry point builds a graph.
MAX_FUNCTIONS = 40
FROM_ENTRY, FROM_MODULE, FROM_FUNCTION = 3, 2, 1
USUAL_ENTRY_MODULES = frozenset({"main", "__main__", "run", "app", "cli", "graph"})


@dataclass(slots=True)
class Candidate:
    """Graph that may be the main one; `rank` tells from which kind of start it was built."""

    builder: GraphBuilder
    rank: int
    evaluator: GraphEvaluator
    routes: list[Route] = field(default_factory=list)
    subgraphs: list[Subgraph] = field(default_factory=list)

    def read_inside(self, *, enters_functions: bool) -> None:
        self.evaluator.fuel = FUEL_PER_ROOT
        self.routes = conditional_routes(self.evaluator, self.builder)
        self.subgraphs = subgraphs_of(
            self.evaluator, self.builder, self.routes, enters_functions=enters_functions
        )

    def contains(self, other: Candidate) -> bool:
        # A script of lower rank that runs the real graph inside one of its own does not count.
        inner_sites = {subgraph.builder.site for subgraph in self.subgraphs}
        return self is not other and self.rank >= other.rank and other.builder.site in inner_sites

    @property
    def sort_key(self) -> tuple[bool, int, int]:
        """The main graph is no other's node, is built from an entry point, and is the largest."""
        size = len(self.builder.nodes) + len(self.builder.edges) + len(self.builder.routes)
        return not self.builder.is_subgraph, self.rank, size


@dataclass(slots=True)
class GraphReading:
    """Main graph of a repository; `builder` is None with the `reason`.

    `routes` are its conditional departures, Command included. `subgraphs` run at its nodes,
    outermost first. `has_unresolved_graph`: a graph is built, but its nodes are not known before
    the program runs.
    """

    builder: GraphBuilder | None
    reason: str = ""
    routes: list[Route] = field(default_factory=list)
    subgraphs: list[Subgraph] = field(default_factory=list)
    has_unresolved_graph: bool = False


def read_graph(symbols: SymbolTable, texts: Mapping[str, str]) -> GraphReading:
    """Return the main graph.

    `texts`: pyproject.toml and langgraph.json, which may declare the entry point.
    """
    search = _GraphSearch(symbols, texts)
    candidates = search.candidates()
    if not candidates:
        has_unresolved_graph = bool(search.unresolved)
        return GraphReading(
            None, search.reason_for_no_graph(), has_unresolved_graph=has_unresolved_graph
        )
    # A single construction of a graph cannot have another one inside a function of its nodes.
    main = _main_candidate(candidates, enters_functions=len(search.sites) > 1)
    return GraphReading(main.builder, "", main.routes, main.subgraphs)


def _main_candidate(candidates: list[Candidate], *, enters_functions: bool) -> Candidate:
    """Return the best candidate that no other one runs inside, of each graph its best reading."""
    best: dict[tuple[str, int], Candidate] = {}
    for candidate in candidates:
        site = candidate.builder.site
        # max() keeps the first of equals: the earlier start.
        best[site] = max(best.get(site, candidate), candidate, key=lambda option: option.sort_key)

    for candidate in best.values():
        candidate.read_inside(enters_functions=enters_functions)
    outer = [
        candidate
        for candidate in best.values()
        if not any(other.contains(candidate) for other in best.values())
    ]
    return max(outer or best.values(), key=lambda candidate: candidate.sort_key)


class _GraphSearch:
    """Search that follows entry points first, then modules, then functions, while fuel lasts."""

    def __init__(self, symbols: SymbolTable, texts: Mapping[str, str]) -> None:
        self.symbols = symbols
        self.texts = texts
        self.fuel = TOTAL_FUEL
        self.own_graph_classes: list[str] = []
        self.unresolved: list[str] = []
        self.sites = [
            (source, site)
            for source in symbols.codebase.production
            if "Graph" in source.text
            for site, dotted in symbols.calls(source)
            if self._constructs_graph(source, dotted, site.node)
        ]
        # Names of the functions and classes that lead to the construction of a graph.
        self.building_names: set[str] = set()
        if self.sites:
            self.building_names = CallGraph(symbols).callers_of(self._building_functions())

    def _constructs_graph(self, source: SourceFile, dotted: str, call: ast.Call) -> bool:
        # A generic class, as in StateGraph[State](...).
        func = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        dotted = dotted or self.symbols.dotted_name(source, func)
        if is_graph_class([dotted]):
            return True

        own_class = self.symbols.find_class(source, func)
        if own_class is None:
            return False
        if is_graph_class(self.symbols.base_names(own_class.source, own_class.node)):
            return True
        if own_class.node.name in GRAPH_CLASSES:
            self.own_graph_classes.append(f"{own_class.source.path}:{own_class.node.lineno}")
        return False

    def _building_functions(self) -> set[str]:
        functions = [site.function for _, site in self.sites if site.function]
        names = {function.node.name for function in functions}
        names |= {function.owner.name for function in functions if function.owner}
        for source in self.symbols.codebase.production:
            for site in source.calls:
                func = site.node.func
                if (
                    site.function
                    and isinstance(func, ast.Attribute)
                    and func.attr in BUILDER_METHODS
                ):
                    names.add(site.function.node.name)

        return names

    def reason_for_no_graph(self) -> str:
        if self.unresolved:
            return f"a StateGraph is built, but {self.unresolved[0]}"
        if self.sites:
            source, site = self.sites[0]
            location = f"{source.path}:{site.node.lineno}"
            return f"a StateGraph is named at {location}, but nothing is added to it"
        if self.own_graph_classes:
            return (
                "the only StateGraph is a class of the repository's own"
                f" ({self.own_graph_classes[0]}), not LangGraph's"
            )
        return "no LangGraph StateGraph is built anywhere in the code"

    def candidates(self) -> list[Candidate]:
        if not self.sites:
            return []
        candidates: list[Candidate] = []
        for source in self._entry_scripts():
            candidates += self._evaluate(FROM_ENTRY, source, None, as_main=True)
        for source, function in self._declared_entries():
            candidates += self._evaluate(FROM_ENTRY, source, function)
        for path in dict.fromkeys(source.path for source, _ in self.sites):
            candidates += self._evaluate(FROM_MODULE, self.symbols.codebase.files[path], None)
        if not any(candidate.rank == FROM_ENTRY for candidate in candidates):
            for source, function in list(self._module_functions())[:MAX_FUNCTIONS]:
                candidates += self._evaluate(FROM_FUNCTION, source, function)

        self.unresolved = [
            reason for candidate in candidates for reason in candidate.builder.unresolved
        ]
        return [candidate for candidate in candidates if candidate.builder.nodes]

    def _evaluate(
        self, rank: int, source: SourceFile, function: str | None, *, as_main: bool = False
    ) -> list[Candidate]:
        """Evaluate a module, then one function of it, and return the graphs that are built."""
        fuel = min(FUEL_PER_ROOT, self.fuel)
        evaluator = GraphEvaluator(self.symbols, self.building_names.__contains__, fuel)
        try:
            module = evaluator.load_module(source, as_main=as_main)
            if function is not None:
                _call_function(evaluator, module.scope.names, function)
        except (OutOfFuel, RecursionError):
            for builder in evaluator.builders:
                builder.add_unresolved("the code is too long to be followed to its end")

        self.fuel -= fuel - max(evaluator.fuel, 0)
        return [Candidate(builder, rank, evaluator) for builder in evaluator.builders]

    def _entry_scripts(self) -> Iterator[SourceFile]:
        graph_modules = {source.module.rpartition(".")[2] for source, _ in self.sites}
        names = self.building_names | graph_modules
        scripts = [
            source for source in self.symbols.codebase.production if "__main__" in source.text
        ]
        for source in sorted(scripts, key=_entry_order):
            if any(name in source.text for name in names):
                yield source

    def _declared_entries(self) -> Iterator[tuple[SourceFile, str]]:
        for target in _declared_entry_points(self.texts):
            module, _, name = target.partition(":")
            dotted = module.removesuffix(".py").strip("./").replace("/", ".")
            source = self.symbols.find_module(dotted)
            if source is not None and name:
                yield source, name

    def _module_functions(self) -> Iterator[tuple[SourceFile, str]]:
        for source in self.symbols.codebase.production:
            for site in source.functions:
                if site.node.name in self.building_names and site.outer is None:
                    yield source, site.qualname


def _entry_order(source: SourceFile) -> tuple[bool, int, str]:
    """Sort scripts with a usual name first: the fuel may not last for all."""
    module = source.module.rpartition(".")[2]
    is_usual = module in USUAL_ENTRY_MODULES or module.startswith(("run_", "main_"))
    return not is_usual, source.path.count("/"), source.path


def _call_function(evaluator: GraphEvaluator, names: Mapping[str, Any], qualname: str) -> None:
    """Call a function, or a method of a new instance of its class, with unknown arguments."""
    owner_name, _, method = qualname.rpartition(".")
    if not owner_name:
        value = evaluator.resolve_name(names.get(qualname, UNKNOWN))
        if isinstance(value, Function):
            evaluator.enter(value, [], {})
        return

    owner = names.get(owner_name, UNKNOWN)
    if not hasattr(owner, "node") or isinstance(owner, Function):
        return
    instance = Instance(owner)
    for name in dict.fromkeys(["__init__", method]):
        function = attribute_of(evaluator, owner, name)
        if isinstance(function, Function):
            evaluator.enter(function, [instance], {})


def _declared_entry_points(texts: Mapping[str, str]) -> list[str]:
    """Return module:function of pyproject's scripts and of langgraph.json's graphs."""
    targets: list[str] = []
    for path, text in sorted(texts.items()):
        try:
            if path.endswith("pyproject.toml"):
                project = tomllib.loads(text)
                scripts = project.get("project", {}).get("scripts", {})
                poetry = project.get("tool", {}).get("poetry", {}).get("scripts", {})
                entries = [*scripts.values(), *poetry.values()]
            elif path.endswith("langgraph.json"):
                entries = [*json.loads(text).get("graphs", {}).values()]
            else:
                continue
        except (ValueError, AttributeError, RecursionError):
            continue  # a broken manifest names no entry point; the code is still searched
        targets += [target for target in entries if isinstance(target, str)]

    return targets
