"""Reports that a run gives: code that the run reaches makes their text and writes it out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.markdown_reports import MarkdownReport
from courtroom.analysis.langgraph.judging.text_flow import Place, TextFlow
from courtroom.analysis.python.call_graph import CLASS_METHODS, CallGraph, FunctionRef
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import called_name, constant_text, last_name, walk

# Decorators that call nothing by themselves.
PLAIN_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "property", "cached_property", "abstractmethod", "traceable"}
)
# Marks of code that may read what another program has written.
READERS = ("json.load", "model_validate", "parse_raw", "read_text", "open(", "sqlite", "connect(")
GRAPH_MAKERS = frozenset({"StateGraph", "compile"})
# Calls that show a text, those of Streamlit among them.
SCREENS = re.compile(r"print\(|echo\(|\bst\.(?:markdown|download_button|write|code|text)\(")
Root = tuple[SourceFile, FunctionSite | None]


class _Standing(Enum):
    """Relation of code to a run of the graph."""

    RUN = "run"
    OPEN = "open"
    READER = "a program that does not run the graph and reads files"
    OTHER = "a program that does not run the graph"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Delivery:
    """Report and whether a run writes it out: at `place`, or None for the reason `gap`.

    Of a report that is not written, `place` with its `note` shows why. `returned_by` are the keys
    of the functions that return its text on that way.
    """

    report: MarkdownReport
    is_written: bool | None
    place: tuple[SourceFile, int]
    note: str = ""
    gap: str = ""
    returned_by: frozenset[tuple[str, int]] = frozenset()


@dataclass
class DeliveryReader:
    """Reader of the way of reports.

    `graph_path` is the file that builds the graph, `starts` are files that a declaration names as
    programs.
    """

    call_graph: CallGraph
    layers: Layers
    graph_path: str = ""
    starts: frozenset[str] = frozenset()
    _reaches: dict[str, bool] = field(default_factory=dict)

    def read(self, report: MarkdownReport) -> Delivery:
        """Follow a report from the code that makes it to a file, a screen or a page."""
        maker = report.function
        home = maker.source, maker.site.node.lineno
        name = maker.shown_name
        standing = self._standing(maker.source, maker.site)
        if standing is not _Standing.RUN:
            return _unreached(report, standing, home, name, "makes")

        flow = TextFlow(self.call_graph, report.texts)
        flow.follow(maker)
        written = self._standings(flow.written)
        if _Standing.RUN in written:
            source, _, line = written[_Standing.RUN]
            return Delivery(report, True, (source, line), returned_by=frozenset(flow.results))
        handed = self._standings(flow.handed)
        for standing in (_Standing.RUN, _Standing.OPEN, _Standing.READER):
            if standing in handed:
                source, _, line = handed[standing]
                gap = f"{source.path}:{line} hands the report to code that could not be followed"
                return Delivery(report, None, home, gap=gap)
        if not flow.is_complete:
            return Delivery(report, None, home, gap=f"the text of {name}() goes too many ways")
        for standing in (_Standing.OPEN, _Standing.READER, _Standing.OTHER, _Standing.DEAD):
            if standing in written:
                source, site, line = written[standing]
                writer = site.node.name if site else source.module
                return _unreached(report, standing, (source, line), writer, "writes")
        if flow.cut:
            source, _, line = flow.cut[0]
            return Delivery(report, False, (source, line), "only a part of the report is written")
        return Delivery(report, False, home, f"no code writes out what {name}() makes")

    def is_of_run(self, function: FunctionRef) -> bool:
        """Return whether code that runs the graph leads to a function."""
        return self._standing(function.source, function.site) is _Standing.RUN

    def _standings(self, places: list[Place]) -> dict[_Standing, Place]:
        """Return the first place of each standing, one of the Chief Justice before others."""
        standings: dict[_Standing, Place] = {}
        for place in sorted(places, key=self._order_of):
            standings.setdefault(self._standing(place[0], place[1]), place)
        return standings

    def _order_of(self, place: Place) -> tuple[bool, bool, bool]:
        """Sort a file before a screen and Markdown before JSON."""
        source, site, line = place
        text = source.text.split("\n")[line - 1].lower()
        is_shown = SCREENS.search(text) is not None
        is_of_justice = site is not None and FunctionRef(source, site).key in self._of_justice
        return is_shown, "json" in text, not is_of_justice

    def _standing(self, source: SourceFile, site: FunctionSite | None) -> _Standing:
        leading = self._leading_to(source, site)
        roots = [row for row in leading if self._is_root(*row)]
        homes = [home for home, _ in roots]
        is_node = any(FunctionRef(home, root).key in self._nodes for home, root in roots if root)
        if is_node or (roots and not self._nodes) or any(map(self._reaches_graph, homes)):
            return _Standing.RUN
        if roots:
            reads = any(mark in home.text for home in homes for mark in READERS)
            return _Standing.READER if reads else _Standing.OTHER
        functions = [FunctionRef(home, called) for home, called in leading if called]
        return _Standing.OPEN if self._is_any_named(functions) else _Standing.DEAD

    @cached_property
    def _nodes(self) -> frozenset[tuple[str, int]]:
        return frozenset(function.key for function in self.layers.nodes.values())

    @cached_property
    def _of_justice(self) -> frozenset[tuple[str, int]]:
        return frozenset(function.key for function in self.layers.justice)

    def _leading_to(self, source: SourceFile, site: FunctionSite | None) -> list[Root]:
        """Return a function and all code that leads to it."""
        leading: dict[tuple[str, int], Root] = {}
        queue: list[Root] = [(source, site)]
        while queue:
            home, current = queue.pop(0)
            key = home.path, current.node.lineno if current else 0
            if key not in leading:
                leading[key] = home, current
                queue += self._callers(FunctionRef(home, current)) if current else ()
        return list(leading.values())

    def _is_root(self, source: SourceFile, site: FunctionSite | None) -> bool:
        """Return true for code that is run by itself: a file, a node, a route, what others call."""
        if site is None or FunctionRef(source, site).key in self._nodes:
            return True
        if {_decorator_name(node) for node in site.node.decorator_list} - PLAIN_DECORATORS:
            return True
        if site.owner is not None or site.outer is not None:
            return False
        if any(True for _ in self._callers(FunctionRef(source, site))):
            return False
        # Whoever calls such a function runs the graph.
        return source.path in self.starts or self._leads_to_graph([FunctionRef(source, site)])

    def _callers(self, function: FunctionRef) -> Iterator[Root]:
        site = function.site
        is_of_class = function.name in CLASS_METHODS and site.owner is not None
        name = site.owner.name if is_of_class and site.owner else function.name
        for source in self.call_graph.symbols.codebase.production:
            if name not in source.text:
                continue
            for caller in source.functions:
                if name in caller.mentions and caller is not site:
                    callees = self.call_graph.callees(FunctionRef(source, caller))
                    if any(callee.key == function.key for callee in callees):
                        yield source, caller
            callees = self.call_graph.callees_on_import(source)
            if any(callee.key == function.key for callee in callees):
                yield source, None

    def _reaches_graph(self, source: SourceFile) -> bool:
        """Return true for a file whose code leads to the graph."""
        if source.path not in self._reaches:
            starts = [FunctionRef(source, site) for site in source.functions]
            starts += self.call_graph.callees_on_import(source)
            is_named = bool(self._graph_names(source))
            self._reaches[source.path] = is_named or self._leads_to_graph(starts)
        return self._reaches[source.path]

    def _leads_to_graph(self, starts: list[FunctionRef]) -> bool:
        reached = self.call_graph.reachable_from(starts)
        return any(
            function.key in self._nodes
            or any(name in function.site.mentions for name in self._graph_names(function.source))
            for function in reached
        )

    def _graph_names(self, source: SourceFile) -> list[str]:
        """Return the names that a file has for a graph that the graph's file makes on import."""
        symbols = self.call_graph.symbols
        home = symbols.codebase.files.get(self.graph_path)
        if home is None:
            return []
        made = [
            name
            for name, statement in symbols.top_level_names(home).items()
            if isinstance(value := getattr(statement, "value", None), ast.Call)
            if self._makes_graph(called_name(value))
        ]
        if source is home:
            return made
        dotted_names = {f"{home.module}.{name}" for name in made}
        names = source.imports.items()
        return [name for name, dotted in names if symbols.canonical(dotted, source) in dotted_names]

    def _makes_graph(self, name: str) -> bool:
        makers = self.call_graph.symbols.functions_by_name.get(name, [])
        return name in GRAPH_MAKERS or any(site.mentions & GRAPH_MAKERS for _, site in makers)

    def _is_any_named(self, functions: Sequence[FunctionRef]) -> bool:
        """Return true where other code names one of these functions, and could not be followed."""
        names = {function.name for function in functions}
        if any(name.startswith("__") for name in names):
            return True
        inside = {id(node) for function in functions for node in walk(function.site.node)}
        return any(
            last_name(node) in names or constant_text(node) in names
            for source in self.call_graph.symbols.codebase.production
            if any(name in source.text for name in names)
            for statement in source.tree.body
            if not (isinstance(statement, ast.Assign) and _is_all(statement))
            for node in walk(statement)
            if id(node) not in inside
        ) or any("globals()" in function.source.text for function in functions)


def _unreached(
    report: MarkdownReport,
    standing: _Standing,
    place: tuple[SourceFile, int],
    name: str,
    does: str,
) -> Delivery:
    if standing is _Standing.OPEN:
        return Delivery(report, None, place, gap=f"what runs {name}() could not be followed")
    if standing is _Standing.READER:
        gap = (
            f"{name}() {does} the report in a program that does not run the graph and reads files,"
            " perhaps what a run wrote"
        )
        return Delivery(report, None, place, gap=gap)
    if standing is _Standing.DEAD:
        note = f"nothing calls {name}(), which {does} the report"
    else:
        note = f"{name}() {does} the report in a program that does not run the graph"
    return Delivery(report, False, place, note)


def _decorator_name(node: ast.expr) -> str:
    return last_name(node.func if isinstance(node, ast.Call) else node)


def _is_all(statement: ast.Assign) -> bool:
    return any(last_name(target) == "__all__" for target in statement.targets)
