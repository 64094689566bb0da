"""Graph that the entry point really builds, rebuilt from the source without running any of it."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.langgraph import builder_calls
from courtroom.analysis.langgraph.graph_evaluator import GraphEvaluator
from courtroom.analysis.langgraph.graph_values import (
    BUILDER_METHODS,
    GRAPH_CLASSES,
    GraphBuilder,
    Route,
    is_graph_class,
)
from courtroom.analysis.langgraph.other_graphs import other_graphs
from courtroom.analysis.langgraph.subgraphs import Subgraph, conditional_routes, subgraphs_of
from courtroom.analysis.langgraph.unfollowed_calls import calls_not_followed
from courtroom.analysis.project.aside_kinds import kind_of_folder
from courtroom.analysis.python.call_graph import CallGraph
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of, linearized
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Class,
    Function,
    Instance,
    Module,
    Value,
)
from courtroom.analysis.python.tree_walk import called_name

# Statements and expressions that are evaluated for one repository, and for one starting point.
TOTAL_FUEL = 300_000
FUEL_PER_ROOT = 80_000
FROM_ENTRY, FROM_MODULE, FROM_FUNCTION, FROM_ASIDE = 3, 2, 1, 0
USUAL_ENTRY_MODULES = frozenset({"main", "__main__", "run", "app", "cli", "graph", "server", "api"})
# Folders whose scripts explain the program, beside those that are set apart from every product.
EXPLAINING = frozenset({"docs", "template", "templates"})
# Classes of web applications: what a server loads runs the program.
APPLICATIONS = frozenset({"FastAPI", "Starlette", "Flask", "Quart", "Litestar", "Sanic", "FastMCP"})
# Calls by which code runs functions in parallel without LangGraph.
RUNNERS = frozenset(
    {
        "asyncio.gather",
        "asyncio.wait",
        "asyncio.TaskGroup",
        "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.ProcessPoolExecutor",
        "threading.Thread",
        "multiprocessing.Pool",
        "multiprocessing.Process",
    }
)
RUNNER_WORDS = frozenset(name.partition(".")[0] for name in RUNNERS)
# Libraries whose scripts are run whole, by a command of theirs.
APP_LIBRARIES = ("streamlit", "chainlit", "gradio")


@dataclass(slots=True)
class Candidate:
    """Graph that may be the main one; `rank` tells from which kind of start it was built.

    `is_cut`: the code that builds it was too long to be followed to its end.
    """

    builder: GraphBuilder
    rank: int
    evaluator: GraphEvaluator
    is_cut: bool = False
    routes: list[Route] = field(default_factory=list)
    subgraphs: list[Subgraph] = field(default_factory=list)
    # The functions that were followed while the graph was built.
    entered: frozenset[int] = frozenset()

    def read_inside(self, *, enters_functions: bool) -> None:
        self.evaluator.fuel = FUEL_PER_ROOT
        self.evaluator.follows_changes = False
        self.entered = frozenset(self.evaluator.entered)
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
    outermost first. `is_open`: there may be a graph, but something stopped the search.
    """

    builder: GraphBuilder | None
    reason: str = ""
    routes: list[Route] = field(default_factory=list)
    subgraphs: list[Subgraph] = field(default_factory=list)
    is_open: bool = False
    # Name, path and line of what stands in for a graph of LangGraph: nothing is known of its ways.
    own_runner: tuple[str, str, int] | None = None
    # The same of the class that stands in for it, where all that is added is known and it is run.
    home_made: GraphReading | None = None
    # Modules that were executed while the graph was read.
    modules: dict[str, Module] = field(default_factory=dict)
    # The values with which the code runs the main graph.
    inputs: list[Value] = field(default_factory=list)


def read_graph(symbols: SymbolTable, texts: Mapping[str, str]) -> GraphReading:
    """Return the main graph.

    `texts`: every pyproject.toml and langgraph.json by path, which may declare the entry point.
    """
    search = _GraphSearch(symbols, texts)
    candidates = search.candidates()
    if not candidates:
        reason, is_open = search.reason_for_no_graph()
        runner = None if is_open or search.sites else search.own_runner()
        home_made = None if is_open or runner is None else _home_made(symbols, texts)
        return GraphReading(None, reason, is_open=is_open, own_runner=runner, home_made=home_made)
    # A single construction of a graph cannot have another one inside a function of its nodes.
    main = _main_candidate(candidates, enters_functions=len(search.sites) > 1)
    builder_calls.add_default_handler(main.builder)
    _note_gaps(main)
    for builder, routes in [
        (main.builder, main.routes),
        *((s.builder, s.routes) for s in main.subgraphs),
    ]:
        builder.refusals = builder_calls.refusals_of(builder, routes)
    inputs = [value for builder, value in main.evaluator.inputs if builder is main.builder]
    return GraphReading(
        main.builder,
        "",
        main.routes,
        main.subgraphs,
        modules=main.evaluator.modules,
        inputs=inputs,
    )


def _home_made(symbols: SymbolTable, texts: Mapping[str, str]) -> GraphReading | None:
    """Return the graph that a StateGraph of the repository's own holds and runs."""
    search = _GraphSearch(symbols, texts, is_home_made=True)
    candidates = [
        candidate
        for candidate in search.candidates()
        if candidate.builder in candidate.evaluator.invoked
    ]
    if not candidates:
        return None
    main = _main_candidate(candidates, enters_functions=False)
    home = main.builder.home_made
    if home is not None:
        # What stands in the classes of the builder itself is read by its names.
        lines = [(node.lineno, node.end_lineno or node.lineno) for node in home.source.classes]
        main.evaluator.skipped.setdefault(home.source.path, []).extend(lines)
    _note_gaps(main)
    if main.builder.unresolved or main.is_cut:
        return None
    return GraphReading(main.builder, "", main.routes, modules=main.evaluator.modules)


def _note_gaps(main: Candidate) -> None:
    """Name the calls that may add to the main graph and were not followed."""
    builder = main.builder
    for gap in main.evaluator.gaps:
        builder.add_unresolved(gap)
    for reason in calls_not_followed(main.evaluator, main.entered):
        builder.add_unresolved(reason)


def _main_candidate(candidates: list[Candidate], *, enters_functions: bool) -> Candidate:
    """Return the best candidate that no other one runs inside, of each graph its best reading."""
    best: dict[tuple[str, int], Candidate] = {}
    for candidate in candidates:
        site = candidate.builder.site
        # max() keeps the first of equals: the earlier start.
        options = best.get(site, candidate), candidate
        best[site] = max(options, key=lambda option: (not option.is_cut, option.sort_key))
        # A start that is cut off still tells that the program builds this graph.
        best[site].rank = max(option.rank for option in options)

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

    def __init__(
        self, symbols: SymbolTable, texts: Mapping[str, str], *, is_home_made: bool = False
    ) -> None:
        self.symbols = symbols
        self.is_home_made = is_home_made
        self.texts = texts
        self.fuel = TOTAL_FUEL
        self.own_graph_classes: list[tuple[str, str, int]] = []
        self.unresolved: list[str] = []
        self.evaluated: set[int] = set()
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
        if is_graph_class([dotted], func):
            return True

        own_class = self.symbols.find_class(source, func)
        if own_class is None:
            # A class that the code fetches by name, such as getattr(module, "StateGraph").
            return dotted == "StateGraph" and "langgraph" in source.text
        if is_graph_class(self.symbols.base_names(own_class.source, own_class.node)):
            return True
        if own_class.node.name in GRAPH_CLASSES:
            node = own_class.node
            self.own_graph_classes.append((node.name, own_class.source.path, node.lineno))
            return self.is_home_made
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

    def reason_for_no_graph(self) -> tuple[str, bool]:
        """Return why there is no graph, and whether there may be one all the same."""
        if self.unresolved:
            return f"a StateGraph is built, but {self.unresolved[0]}", True
        if self.sites:
            return self._reason_at_sites()
        made_elsewhere = other_graphs(self.symbols)
        if made_elsewhere:
            return made_elsewhere, True
        runner = self.own_runner()
        if runner is None:
            return "no LangGraph StateGraph is built anywhere in the code", False
        name, path, line = runner
        instead = (
            f"the only {name} is a class of the repository's own ({path}:{line}), not LangGraph's"
            if self.own_graph_classes
            else "no LangGraph StateGraph is built anywhere in the code, which runs functions side by"
            f" side by `{name}` ({path}:{line})"
        )
        return instead, False

    def own_runner(self) -> tuple[str, str, int] | None:
        """Return the class that the code calls its StateGraph, else what runs functions in parallel."""
        calls = (
            (dotted, source.path, site.node.lineno)
            for source in self.symbols.codebase.production
            if any(name in source.text for name in RUNNER_WORDS)
            for site, dotted in self.symbols.calls(source)
            if dotted in RUNNERS
        )
        return next(iter(self.own_graph_classes), None) or next(calls, None)

    def _reason_at_sites(self) -> tuple[str, bool]:
        source, site = self.sites[0]
        location = f"{source.path}:{site.node.lineno}"
        missed = [s for s in self.sites if id(s[1].node) not in self.evaluated]
        if missed:
            source, site = missed[0]
            place = f"{source.path}:{site.node.lineno}"
            return f"a StateGraph is made at {place}, in code that could not be followed", True
        adding = next(self._adding_calls(), None)
        if adding is not None:
            reason = f"a StateGraph is made at {location}, but the way to {adding} is not known"
            return reason, True
        return f"a StateGraph is named at {location}, but nothing is added to it", False

    def _adding_calls(self) -> Iterator[str]:
        for source in self.symbols.codebase.production:
            for site in source.calls:
                func = site.node.func
                is_adding = isinstance(func, ast.Attribute) and func.attr in BUILDER_METHODS
                if is_adding and id(site.node) not in self.evaluated:
                    yield f"{source.path}:{site.node.lineno}"

    def candidates(self) -> list[Candidate]:
        if not self.sites:
            return []
        candidates: list[Candidate] = []
        for source in self._entry_scripts():
            rank = FROM_ASIDE if is_aside(source.path) else FROM_ENTRY
            candidates += self._evaluate(rank, source, None, as_main=True)
        for source, function in self._declared_entries():
            candidates += self._evaluate(FROM_ENTRY, source, function)
        for source, handler in self._application_entries():
            candidates += self._evaluate(FROM_ENTRY, source, handler)
        for path in dict.fromkeys([*(source.path for source, _ in self.sites), *self._wiring()]):
            rank = FROM_ASIDE if is_aside(path) else FROM_MODULE
            candidates += self._evaluate(rank, self.symbols.codebase.files[path], None)
        if not any(
            candidate.rank == FROM_ENTRY and candidate.builder.nodes and not candidate.is_cut
            for candidate in candidates
        ):
            candidates += self._from_functions()

        self.unresolved = [
            reason for candidate in candidates for reason in candidate.builder.unresolved
        ]
        return [candidate for candidate in candidates if candidate.builder.nodes]

    def _wiring(self) -> Iterator[str]:
        """Yield the files that add to a graph when they are imported."""
        for source in self.symbols.codebase.production:
            if any(
                site.function is None
                and isinstance(site.node.func, ast.Attribute)
                and site.node.func.attr in BUILDER_METHODS
                for site in source.calls
            ):
                yield source.path

    def _from_functions(self) -> Iterator[Candidate]:
        """Follow functions by themselves, those that make a graph first."""
        makers = {id(site.function.node) for _, site in self.sites if site.function}
        functions = sorted(
            self._module_functions(), key=lambda entry: id(entry[1].node) not in makers
        )
        for source, site in functions:
            if self.fuel <= 0:
                return
            rank = FROM_ASIDE if is_aside(source.path) else FROM_FUNCTION
            yield from self._evaluate(rank, source, site.qualname)

    def _evaluate(
        self, rank: int, source: SourceFile, function: str | None, *, as_main: bool = False
    ) -> list[Candidate]:
        """Evaluate a module, then one function of it, and return the graphs that are built."""
        fuel = min(FUEL_PER_ROOT, self.fuel)
        evaluator = GraphEvaluator(self.symbols, self.building_names.__contains__, fuel)
        evaluator.follows_changes = True
        if self.is_home_made:
            evaluator.home_made = GRAPH_CLASSES
        try:
            module = evaluator.load_module(source, as_main=as_main)
            if function is not None:
                _call_function(evaluator, module.scope.names, function)
            is_cut = False
        except (OutOfFuel, RecursionError):
            is_cut = True
            for builder in evaluator.builders:
                builder.add_unresolved("the code is too long to be followed to its end")

        self.fuel -= fuel - max(evaluator.fuel, 0)
        self.evaluated |= evaluator.handled
        return [Candidate(builder, rank, evaluator, is_cut) for builder in evaluator.builders]

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
        for folder, target in _declared_entry_points(self.texts):
            module, _, name = target.partition(":")
            dotted = module.removesuffix(".py").strip("./").replace("/", ".")
            nested = ".".join([*PurePosixPath(folder).parts, dotted])
            source = self.symbols.by_module.get(nested) or self.symbols.find_module(dotted)
            if source is not None and name:
                yield source, name

    def _application_entries(self) -> Iterator[tuple[SourceFile, str | None]]:
        """Yield modules that a server loads, and their functions that it calls."""
        graph_modules = {source.module.rpartition(".")[2] for source, _ in self.sites}
        names = self.building_names | graph_modules
        for source in self.symbols.codebase.production:
            if is_aside(source.path) or not _is_application(source):
                continue
            if not any(name in source.text for name in names):
                continue
            yield source, None
            for site in source.functions:
                is_called = any(isinstance(d, ast.Call) for d in site.node.decorator_list)
                if is_called and site.outer is None and site.node.name in self.building_names:
                    yield source, site.qualname

    def _module_functions(self) -> Iterator[tuple[SourceFile, FunctionSite]]:
        for source in self.symbols.codebase.production:
            for site in source.functions:
                if site.node.name in self.building_names and site.outer is None:
                    yield source, site


def is_aside(path: str) -> bool:
    """Return true for a file that shows or measures the program: examples, templates."""
    folders = [part.lower() for part in PurePosixPath(path).parts[:-1]]
    return any(name in EXPLAINING or kind_of_folder(name) is not None for name in folders)


def _is_application(source: SourceFile) -> bool:
    if any(module.partition(".")[0] in APP_LIBRARIES for module in source.imported_modules):
        return True
    return any(name in source.text for name in APPLICATIONS) and any(
        site.function is None and called_name(site.node) in APPLICATIONS for site in source.calls
    )


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
            evaluator.enter(value, [], _objects_for(evaluator, value))
        return

    owner = names.get(owner_name, UNKNOWN)
    if not hasattr(owner, "node") or isinstance(owner, Function):
        return
    instance = Instance(owner)
    for name in dict.fromkeys(["__init__", method]):
        function = attribute_of(evaluator, owner, name)
        if isinstance(function, Function):
            evaluator.enter(function, [instance], {})


def _objects_for(evaluator: GraphEvaluator, function: Function) -> dict[str, Value]:
    """Return an object for each parameter without a default whose type is a class of ours.

    Its methods are known, so a node may be one of them. Its data is not: a default may be replaced.
    """
    arguments = function.node.args
    required = arguments.args[: len(arguments.args) - len(arguments.defaults)]
    objects: dict[str, Value] = {}
    for parameter in required:
        kind = evaluator.evaluate(parameter.annotation, function.scope)
        if parameter.annotation is not None and isinstance(kind, Class):
            data: dict[str, Value] = {
                name: UNKNOWN
                for owner in linearized(evaluator, kind)
                for statement in owner.node.body
                if isinstance(statement, ast.Assign | ast.AnnAssign)
                for name in _targets(statement)
            }
            evaluator.given.append(Instance(kind, data))
            objects[parameter.arg] = evaluator.given[-1]
    return objects


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _declared_entry_points(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return folder and module:function of pyproject's scripts and of langgraph.json's graphs."""
    targets: list[tuple[str, str]] = []
    for path, text in sorted(texts.items(), key=lambda entry: (entry[0].count("/"), entry[0])):
        folder = str(PurePosixPath(path).parent)
        try:
            entries = _declared_in(path, text)
        except (ValueError, AttributeError, RecursionError):
            continue  # a broken manifest names no entry point; the code is still searched
        targets += [(folder.strip("."), target) for target in entries if isinstance(target, str)]

    return targets


def _declared_in(path: str, text: str) -> list[Any]:
    if path.endswith("pyproject.toml"):
        project = tomllib.loads(text)
        scripts = project.get("project", {}).get("scripts", {})
        poetry = project.get("tool", {}).get("poetry", {}).get("scripts", {})
        return [*scripts.values(), *poetry.values()]
    if path.endswith("langgraph.json"):
        graphs = json.loads(text).get("graphs", {}).values()
        return [graph.get("path") if isinstance(graph, dict) else graph for graph in graphs]
    return []
