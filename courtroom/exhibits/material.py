"""Material of one audit: the sheets that can be shown, and the outline that says what is where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from courtroom.analysis.python.source_files import is_test_path, is_vendored
from courtroom.analysis.python.tree_walk import words_of
from courtroom.exhibits.room import Request
from courtroom.exhibits.sheets import Sheet
from courtroom.exhibits.text_blocks import block_around
from courtroom.exhibits.units import Outline, Unit, unique
from courtroom.models.evidence import Evidence
from courtroom.models.facts import Facts


@dataclass(frozen=True)
class Material:
    """`sheets` by name: files by path, pages and tables by their names.

    `evidence` is by check id, `paths` are those of the tree, vendored ones left out.
    """

    outline: Outline
    sheets: Mapping[str, Sheet]
    facts: Facts
    evidence: Mapping[str, Sequence[Evidence]] = field(default_factory=dict)
    paths: Sequence[str] = ()

    @cached_property
    def functions(self) -> list[Unit]:
        """Return the functions and methods that are no tests."""
        return [
            unit
            for unit in self.outline
            if unit.kind == "function"
            and not is_test_path(unit.path)
            and not is_vendored(unit.path)
        ]

    def unit_at(self, path: str, line: int) -> Unit | None:
        """Return the whole unit a line belongs to, if it is one of a parsed file."""
        return self.outline.innermost(path, line)

    def around(self, path: str, line: int, title: str, most: int | None = None) -> Request | None:
        """Return a request for the unit, section or block that holds a line."""
        unit = self.unit_at(path, line)
        if unit is not None:
            return self.whole(unit, title, focus=(line,), most=most)
        sheet = self.sheets.get(path)
        if sheet is None or line > len(sheet.lines):
            return None
        first, last = block_around(sheet.lines, line, path)
        return Request(path, first, last, title, (line,), most)

    def whole(
        self, unit: Unit, title: str, focus: Iterable[int] = (), most: int | None = None
    ) -> Request:
        return Request(unit.path, unit.first, unit.last, title, tuple(focus), most)

    def matching(
        self, units: Iterable[Unit], pattern: re.Pattern[str], title: str, most: int
    ) -> Iterator[Request]:
        """Yield requests for the lines of units that match, whole units where they are small."""
        for unit in units:
            focus = self.lines_matching(unit, pattern)
            if focus:
                yield self.whole(unit, title, focus, most)

    def lines_matching(self, unit: Unit, pattern: re.Pattern[str]) -> list[int]:
        sheet = self.sheets.get(unit.path)
        lines = sheet.lines[unit.first - 1 : unit.last] if sheet else ()
        return [n for n, text in enumerate(lines, start=unit.first) if pattern.search(text[:1000])]

    def functions_named(self, words: frozenset[str]) -> list[Unit]:
        """Return functions with one of the words in their own name or that of their class."""
        return [unit for unit in self.functions if words & set(words_of(unit.qualname))]

    def neighbours(self, units: Sequence[Unit]) -> Iterator[tuple[Unit, bool]]:
        """Yield what the units call (true) and what calls them (false), one level away."""
        known = set(units)
        for unit in units:
            for callee in self.outline.callees(unit):
                if callee not in known:
                    known.add(callee)
                    yield callee, True
        for unit in units:
            for caller in self.outline.callers(unit):
                if caller not in known and not is_test_path(caller.path):
                    known.add(caller)
                    yield caller, False

    # -- what the facts point at

    @cached_property
    def builder(self) -> list[Unit]:
        """Return the functions that build the graph, that of the StateGraph first."""
        graph = self.facts.graph
        if graph is None:
            return []
        places = [(graph.path, graph.state_graph_line)]
        places += zip(graph.edge_paths, graph.edge_lines, strict=False)
        places += [(c.path, c.line) for c in graph.conditional if c.path and c.line]
        for inner in graph.subgraphs:
            places.append((inner.path, inner.state_graph_line))
        units = (self.unit_at(path, line) for path, line in places)
        return unique(unit for unit in units if unit is not None)

    @cached_property
    def nodes(self) -> list[Unit]:
        """Return the functions that the graph's builder mentions: its nodes and routers."""
        mentioned = [unit for unit in self._mentioned_by_builder() if unit.kind == "function"]
        classes = [unit for unit in self._mentioned_by_builder() if unit.kind == "class"]
        calls = [u for c in classes for u in self.outline.named(f"{c.qualname}.__call__")]
        return unique([*mentioned, *calls])

    def _mentioned_by_builder(self) -> list[Unit]:
        graph = self.facts.graph
        if graph is None:
            return []
        units = [unit for builder in self.builder for unit in self.outline.callees(builder)]
        if not self.builder:
            # The graph is built at the top level of its module.
            names = (name for _, name in self.outline.mentions.get(graph.path, ()))
            units = [unit for name in names for unit in self.outline.targets(graph.path, name)]
        return unique(units)
