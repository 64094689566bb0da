"""Material of one audit: the sheets that can be shown, and the outline that says what is where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.languages import LANGUAGES, language_of
from courtroom.analysis.project.project_files import TESTS
from courtroom.analysis.python.source_files import is_test_path, is_vendored
from courtroom.analysis.python.tree_walk import words_of
from courtroom.exhibits.room import Request
from courtroom.exhibits.sheets import Sheet
from courtroom.exhibits.text_blocks import MOST_LINES, block_around
from courtroom.exhibits.units import Outline, Unit, unique
from courtroom.models.evidence import Evidence
from courtroom.models.facts import Facts

# Characters that one unit may take at once, where others matter as much.
SMALL, MEDIUM, LARGE = 900, 2500, 7000
# Blocks of one file that a pattern brings.
MOST_BLOCKS = 5
_BLOCK_LANGUAGES = frozenset(LANGUAGES) - {
    "Markdown",
    "YAML",
    "JSON",
    "TOML",
    "CSS",
    "HTML",
    "Jupyter",
}
# A getter or a table of so few lines hands a value on; hands that a value goes through.
SHORT_UNIT, MOST_HANDS = 12, 2

_DECLARED = re.compile(r"\s+([A-Za-z_]\w*)\s*:")


@dataclass(frozen=True)
class Material:
    """`sheets` by name: files by path, pages and tables by their names.

    `evidence` is by check id, `paths` are those of the tree, vendored ones left out, `room` is in
    characters of one criterion.
    """

    outline: Outline
    sheets: Mapping[str, Sheet]
    facts: Facts
    evidence: Mapping[str, Sequence[Evidence]] = field(default_factory=dict)
    paths: Sequence[str] = ()
    room: int = 24_000

    @cached_property
    def functions(self) -> list[Unit]:
        """Return the functions and methods that are no tests."""
        return [
            unit
            for unit in self.outline
            if unit.kind == "function" and not self.is_test(unit) and not is_vendored(unit.path)
        ]

    def unit_at(self, path: str, line: int) -> Unit | None:
        """Return the whole unit a line belongs to, if it is one of a parsed file."""
        return self.outline.innermost(path, line)

    def unit_of(self, request: Request) -> Unit | None:
        """Return the unit that a request is for, if it is one."""
        units = self.outline.units.get(request.sheet, ())
        span = request.first, request.last
        return next((unit for unit in units if (unit.first, unit.last) == span), None)

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
        span = unit.first, unit.last
        return Request(unit.path, *span, title, tuple(focus), most, unit.qualname)

    def wholes(
        self, units: Iterable[Unit], title: str, most: int | None = None
    ) -> Iterator[Request]:
        return (self.whole(unit, title, most=most) for unit in units)

    def neighbours(self, units: Sequence[Unit]) -> Iterator[Request]:
        """Yield requests for what the units call, and for the calls to them."""
        for unit in self.called_by(units):
            yield self.whole(unit, "is called by what is shown", most=MEDIUM)
        for unit, lines in self.callers_of(units):
            yield self.whole(unit, "calls what is shown", lines, MEDIUM)

    def by_signs(self, units: Iterable[Unit], pattern: re.Pattern[str]) -> list[Unit]:
        """Return the units by the number of different matches of a pattern, the most first."""

        def signs(unit: Unit) -> int:
            lines = self.sheets[unit.path].lines[unit.first - 1 : unit.last]
            return len({sign for line in lines for sign in pattern.findall(line[:1000])})

        return sorted((u for u in units if u.path in self.sheets), key=lambda unit: -signs(unit))

    def matching(
        self, units: Iterable[Unit], pattern: re.Pattern[str], title: str, most: int
    ) -> Iterator[Request]:
        """Yield requests for the lines of units that match, whole units where they are small."""
        for unit in units:
            focus = self.lines_matching(unit, pattern)
            if focus:
                yield self.whole(unit, title, focus, most)

    def matching_text(self, pattern: re.Pattern[str], title: str, most: int) -> Iterator[Request]:
        """Yield requests for the blocks that match in code of other languages than Python."""
        for path, sheet in self.sheets.items():
            is_code = sheet.kind == "code" and language_of(path) in _BLOCK_LANGUAGES
            if not is_code or path in self.outline.units or matches(path, TESTS):
                continue
            lines = enumerate(sheet.lines[:MOST_LINES], start=1)
            for number, _ in islice(
                ((n, text) for n, text in lines if pattern.search(text[:1000])), MOST_BLOCKS
            ):
                request = self.around(path, number, title, most)
                if request is not None:
                    yield request

    def lines_matching(self, unit: Unit, pattern: re.Pattern[str]) -> list[int]:
        sheet = self.sheets.get(unit.path)
        lines = sheet.lines[unit.first - 1 : unit.last] if sheet else ()
        return [n for n, text in enumerate(lines, start=unit.first) if pattern.search(text[:1000])]

    def functions_named(self, words: frozenset[str]) -> list[Unit]:
        """Return functions with one of the words in their own name or that of their class."""
        return [unit for unit in self.functions if words & words_in(unit)]

    def called_by(self, units: Sequence[Unit], levels: int = 1) -> Iterator[Unit]:
        """Yield functions and values that the units call, level by level.

        A class that holds data is left out, any other one stands for its methods; so is what is
        used all over the sources, such as a logger.
        """
        reached, current = set(units), list(units)
        for _ in range(levels):
            callees = unique(c for unit in current for c in self._opened_callees(unit))
            current = [unit for unit in callees if unit not in reached and not self.is_test(unit)]
            reached.update(current)
            yield from sorted(current, key=lambda unit: unit.kind != "function")

    def _opened_callees(self, unit: Unit) -> Iterator[Unit]:
        for callee in self.outline.callees(unit):
            if self.outline.is_common(callee):
                continue
            yield from self.methods(callee) if callee.kind == "class" else (callee,)

    def methods(self, unit: Unit) -> list[Unit]:
        """Return the methods of a class and of its bases, none for a class that holds data."""
        if self._is_model(unit):
            return []
        family = [unit, *self.outline.bases(unit)]
        return [part for member in family for part in self.outline.parts(member)]

    def callers_of(self, units: Sequence[Unit]) -> Iterator[tuple[Unit, list[int]]]:
        """Yield what calls the units or, for methods that nothing calls, their classes."""
        for unit in units:
            callers = self.outline.callers(unit)
            if not callers and unit.owner:
                for owner in self.outline.named(unit.owner):
                    callers |= self.outline.callers(owner) if owner.path == unit.path else {}
            for caller, lines in callers.items():
                if caller not in units and not self.is_test(caller):
                    yield caller, lines

    def users_of(self, units: Sequence[Unit]) -> dict[Unit, list[int]]:
        """Return what calls the units and, where that only hands them on, what calls it."""
        users: dict[Unit, list[int]] = {}
        current = list(units)
        for _ in range(MOST_HANDS):
            callers = [(u, lines) for u, lines in self.callers_of(current) if u not in units]
            for unit, lines in callers:
                users[unit] = sorted({*users.get(unit, ()), *lines})
            current = unique(u for u, _ in callers if u.last - u.first < SHORT_UNIT)
        return users

    def is_test(self, unit: Unit) -> bool:
        """Return whether a unit is no part of the product: a test, a fixture, an example."""
        scope = self.facts.scope
        return is_test_path(unit.path) if scope is None else not scope.holds(unit.path)

    def evidence_lines(self, path: str, checks: Iterable[str] | None = None) -> list[int]:
        """Return the lines of a file that evidence begins at: of the checks, or of any."""
        ids = self.evidence if checks is None else checks
        places = (item.location for check in ids for item in self.evidence.get(check, ()))
        return sorted({p.line_start for p in places if p.path == path and p.line_start})

    # -- what the facts point at

    @cached_property
    def state_fields(self) -> list[str]:
        """Return the fields that the state's class declares itself; none where it inherits some."""
        state = self.facts.state_class
        unit = self.unit_at(state.path, state.line) if state else None
        if unit is None or unit.kind != "class" or self.outline.bases(unit):
            return []
        texts = self.sheets[unit.path].lines[unit.first - 1 : unit.last]
        fields = (_DECLARED.match(text[:200]) for text in texts)
        return list(dict.fromkeys(field[1] for field in fields if field))

    @cached_property
    def builder(self) -> list[Unit]:
        """Return the functions that build the graph, that of the StateGraph first.

        Statements of a module that build it are one unit of kind "module".
        """
        places = self._wiring()
        units = {place: self.unit_at(*place) for place in places}
        inside = [unit for unit in units.values() if unit is not None and unit.kind == "function"]
        outside = [place for place in places if units[place] not in inside]
        modules = dict.fromkeys(path for path, _ in outside)
        return unique([*inside, *(self._module_part(path, outside) for path in modules)])

    def _wiring(self) -> list[tuple[str, int]]:
        """Return the places where graph and subgraphs are made, and their edges and routes."""
        graph = self.facts.graph
        if graph is None:
            return []
        places = [(graph.path, graph.state_graph_line)]
        places += zip(graph.edge_paths, graph.edge_lines, strict=False)
        places += [(c.path, c.line) for c in graph.conditional if c.path and c.line]
        places += [(inner.path, inner.state_graph_line) for inner in graph.subgraphs]
        return places

    def _module_part(self, path: str, places: Sequence[tuple[str, int]]) -> Unit:
        lines = [line for own, line in places if own == path]
        last = max(lines)
        if path in self.sheets:
            # The last statement may go on below the line that is known.
            last = max(last, block_around(self.sheets[path].lines, last, path)[1])
        return Unit(path, "module", "", min(lines), last)

    @cached_property
    def nodes(self) -> list[Unit]:
        """Return the functions that the graph's builder mentions: its nodes and routers.

        Of a class that serves as a node these are its methods, and those it inherits.
        """
        units: list[Unit] = []
        for unit in self._mentioned_by_builder():
            if unit.kind == "function":
                units.append(unit)
            elif unit.kind == "class":
                units += self.methods(unit)
        return unique(unit for unit in units if not self.is_test(unit))

    def _is_model(self, unit: Unit) -> bool:
        """Return whether a class holds data: it has no method, or is the state."""
        state = self.facts.state_class
        return not self.outline.parts(unit) or bool(state and state.name == unit.name)

    def _mentioned_by_builder(self) -> list[Unit]:
        return unique(u for builder in self.builder for u in self.outline.callees(builder))


def words_in(unit: Unit) -> set[str]:
    """Return the words of a unit's name and of the names around it."""
    return set(words_of(unit.qualname.replace(".", " ")))
