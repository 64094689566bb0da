"""Criteria of the work's rubric that its judges' code leaves out.

A loop over the criteria is read for each criterion of the rubric: a test may leave it out by what
the rubric says of it or for want of evidence with a fitting goal, a written list may not have it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.state_flow.condition_values import (
    MAX_DEPTH,
    ConditionReader,
    key_of,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, FlowReading, Place, listed
from courtroom.analysis.langgraph.state_flow.possible_goals import GOAL, OPEN, written_goals
from courtroom.analysis.langgraph.state_flow.single_opinions import single_opinions
from courtroom.analysis.project.unjudged_criteria import LISTS, rubrics_of
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    constant_text,
    last_name,
    walk,
    words_of,
)

RUBRIC_WORDS = frozenset(words_of("rubric dimension dimensions dims criterion criteria"))
OPINION_WORDS = frozenset(words_of("opinion opinions judgment judgments"))
# Criteria that a list has which is one of the rubric's.
LEAST_LISTED = 2
# More criteria, or a longer loop, are nobody's writing.
MOST_CRITERIA, MOST_NODES = 100, 3000
LEFT_OUT = "left out by a test"
# Characters of a test that a sentence gives.
MOST_OF_TEST = 80
Criterion = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Gap:
    """Criteria that a loop of a function leaves out, with the line that does it.

    `open_test` may leave out more, by what a run stores.
    """

    criteria: tuple[str, ...]
    function: FunctionRef
    line: int
    words: str
    open_test: ast.expr | None = None

    @property
    def place(self) -> tuple[str, int]:
        return self.function.source.path, self.line


def left_out_criteria(
    symbols: SymbolTable, call_graph: CallGraph, layers: Layers, reading: FlowReading
) -> None:
    """Add a fault for the judges from whom the same criteria are kept in the same way.

    Without a rubric in JSON there is nothing that a loop could be held against.
    """
    rubrics = rubrics_in(rubrics_of(symbols.codebase))
    judges = [name for name in layers.nodes if layers.roles[name] == "judge"]
    if rubrics and not judges:
        reading.leave_open(("left_out_criterion",), "no node of a judge is known")
        return
    functions = {name: call_graph.reachable_from([layers.nodes[name]]) for name in judges}
    rows: list[FlowFault] = []
    for path, criteria in rubrics.items():
        gaps = {name: _gaps_of(symbols, criteria, reached) for name, reached in functions.items()}
        rows += _faults(path, criteria, gaps)
        if len(criteria) > 1:
            single = single_opinions(symbols, functions)
            rows += _faults_of_single(path, len(criteria), single)
        tests = (gap for judge in gaps.values() for gap in judge if gap.open_test is not None)
        reading.leave_open(("left_out_criterion",), next(map(_depends_on_run, tests), ""))
    if rows and len(rubrics) > 1:
        # By which of them a run judges is not known.
        reading.leave_open(("left_out_criterion",), "there are several rubrics")
    else:
        reading.add(rows)


def _faults(
    path: str, criteria: Sequence[Criterion], gaps: Mapping[str, Sequence[_Gap]]
) -> Iterator[FlowFault]:
    judges = list(gaps)
    alike: dict[tuple[tuple[str, ...], str], list[tuple[str, _Gap]]] = {}
    for name, rows_of_judge in gaps.items():
        gap = _common_gap(criteria, rows_of_judge)
        if gap is not None:
            alike.setdefault((gap.criteria, gap.words), []).append((name, gap))
    for (left_out, words), rows in alike.items():
        names = [name for name, _ in rows]
        subject = "the judges give" if len(names) == len(judges) else _givers(names)
        share = f"{len(left_out)} of the {len(criteria)} criteria of {path}"
        sentence = f"{subject} no opinion on {share} ({listed(left_out)}), {words}"
        (source, line), *further = dict.fromkeys(gap.place for _, gap in rows)
        yield FlowFault("left_out_criterion", sentence, source, line, places=tuple(further))


def _faults_of_single(path: str, count: int, places: Mapping[str, Place]) -> Iterator[FlowFault]:
    if places:
        (source, line), *further_places = dict.fromkeys(places.values())
        judges = listed([*places])
        sentence = f"Each run of {judges} asks for one opinion, and {path} has {count} criteria"
        yield FlowFault("left_out_criterion", sentence, source, line, places=tuple(further_places))


def _givers(names: Sequence[str]) -> str:
    return f"{listed(names)} {'gives' if len(names) == 1 else 'give'}"


def rubrics_in(texts: Mapping[str, str]) -> dict[str, list[Criterion]]:
    """Return the criteria of each rubric in JSON by its path; the same criteria count once."""
    rubrics: dict[str, list[Criterion]] = {}
    for path, text in texts.items():
        try:
            rubric = json.loads(text)
        except (ValueError, RecursionError):
            continue
        lists = [rubric.get(key) for key in LISTS] if isinstance(rubric, dict) else []
        rows = [row for rows in lists if isinstance(rows, list) for row in rows]
        is_whole = all(
            isinstance(row, dict) and isinstance(criterion_key(row), str) for row in rows
        )
        if 0 < len(rows) <= MOST_CRITERIA and is_whole and rows not in rubrics.values():
            rubrics[path] = rows
    return rubrics


def _gaps_of(
    symbols: SymbolTable, criteria: Sequence[Criterion], functions: Sequence[FunctionRef]
) -> list[_Gap]:
    """Return what each judging loop of a judge leaves out."""
    return [
        gap
        for function in functions
        for loop in judging_loops(function)
        for gap in [_of_loop(symbols, criteria, function, loop)]
        if gap is not None
    ]


def judging_loops(function: FunctionRef) -> Iterator[ast.For | ast.AsyncFor]:
    """Yield the loops of a function that make or keep opinions."""
    nodes = walk(function.site.node)
    for loop in (node for node in nodes if isinstance(node, ast.For | ast.AsyncFor)):
        if _judges(loop.body) and sum(1 for _ in walk(loop)) <= MOST_NODES:
            yield loop


def _common_gap(criteria: Sequence[Criterion], gaps: Sequence[_Gap]) -> _Gap | None:
    """Return what all loops leave out, at the line of the first."""
    common = [
        key for key in (gaps[0].criteria if gaps else ()) if all(key in g.criteria for g in gaps)
    ]
    if not common or len(common) == len(criteria):
        return None
    return _Gap(tuple(common), gaps[0].function, gaps[0].line, gaps[0].words)


def _depends_on_run(gap: _Gap) -> str:
    path, line = gap.function.source.path, getattr(gap.open_test, "lineno", gap.line)
    test = ast.unparse(gap.open_test) if gap.open_test else ""
    return f"{path}:{line}: it was not established which criteria pass the test `{test}`"


def _of_loop(
    symbols: SymbolTable,
    criteria: Sequence[Criterion],
    function: FunctionRef,
    loop: ast.For | ast.AsyncFor,
) -> _Gap | None:
    """Return what a loop leaves out, nothing where it leaves out none; None for another loop."""
    reader = LoopReader(symbols, function, loop)
    source, filters = reader.source_of(loop.iter)
    open_test = next((t for t, name in filters if _is_of_run(reader, t, name, criteria)), None)
    rows = reader.listed_criteria(source, criteria)
    if rows is not None:
        absent = tuple(criterion_key(c) for c in criteria if criterion_key(c) not in rows)
        words = "absent from the list that is judged"
        return _Gap(absent, function, loop.iter.lineno, words, open_test)
    if not isinstance(loop.target, ast.Name) or RUBRIC_WORDS.isdisjoint(words_in(source)):
        return None
    left_out: list[str] = []
    line, words = loop.lineno, ""
    for criterion in criteria:
        names = {loop.target.id: criterion}
        test = next((t for t, name in filters if reader.truth(t, {name: criterion}) is False), None)
        by_filter = _Ending(test, _test_words(test)) if test is not None else None
        ending = by_filter or reader.run(loop.body, names)
        if ending is not None:
            left_out.append(criterion_key(criterion))
            line = ending.test.lineno if ending.test is not None else line
            words = ending.words
    return _Gap(tuple(left_out), function, line, words, open_test)


def _is_of_run(
    reader: LoopReader, test: ast.expr, name: str, criteria: Sequence[Criterion]
) -> bool:
    """Return true for a test whether a criterion is in what only a run holds: `d in evidences`."""
    is_membership = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In)
    return is_membership and any(reader.truth(test, {name: c}) is None for c in criteria)


def criterion_key(criterion: Criterion) -> Any:
    return criterion.get("id") or criterion.get("name")


def _test_words(test: ast.expr) -> str:
    """Return the reason with a short test as it is written; an "or" in it would say another thing."""
    text = ast.unparse(test)
    is_short = len(text) <= MOST_OF_TEST and " or " not in text
    return f"left out by the test `{text}`" if is_short else LEFT_OUT


@dataclass(frozen=True, slots=True)
class _Ending:
    """End of a round of the loop without an opinion, and the test that leads to it."""

    test: ast.expr | None
    words: str = LEFT_OUT


@dataclass
class LoopReader(ConditionReader):
    """Reader of the expressions in a loop over criteria."""

    loop: ast.For | ast.AsyncFor
    _goals: list[str] | None = field(default=None)
    _has_goals: bool = False

    def run(self, statements: Sequence[ast.stmt], names: Mapping[str, Any]) -> _Ending | None:
        """Return how a round ends without an opinion, None where it may come to one."""
        ending = self._through(statements, names, None)
        return ending if isinstance(ending, _Ending) else None if ending else _Ending(None)

    def _through(
        self, statements: Sequence[ast.stmt], names: Mapping[str, Any], test: ast.expr | None
    ) -> _Ending | bool:
        """Return the ending, true for an opinion, false where the next statement runs."""
        for statement in statements:
            if isinstance(statement, ast.Continue):
                return _Ending(test, self._reason(test))
            if isinstance(statement, ast.Try | ast.With | ast.AsyncWith):
                end = self._through(statement.body, names, test)
            elif isinstance(statement, ast.If):
                end = self._branch(statement, names)
            else:
                end = _judges([statement])
            if end:
                return end
        return False

    def _branch(self, statement: ast.If, names: Mapping[str, Any]) -> _Ending | bool:
        truth = self.truth(statement.test, names)
        if truth is None:
            return _judges(statement.body) or _judges(statement.orelse)
        block = statement.body if truth else statement.orelse
        other = statement.orelse if truth else statement.body
        end = self._through(block, names, statement.test)
        if not end and _judges(other) and not _judges(self.loop.body, but=statement):
            return _Ending(statement.test, self._reason(statement.test))
        return end

    def _reason(self, test: ast.expr | None) -> str:
        if test is None:
            return LEFT_OUT
        names = {node.id for node in walk(test) if isinstance(node, ast.Name)}
        if any(self.tests_into(name) for name in names):
            return "left out for want of evidence with a goal that fits"
        return _test_words(test)

    def source_of(self, value: ast.expr) -> tuple[ast.expr, list[tuple[ast.expr, str]]]:
        """Return what a loop's rows are taken from, with the tests that they pass, by their name."""
        filters: list[tuple[ast.expr, str]] = []
        for _ in range(MAX_DEPTH):
            if isinstance(value, ast.ListComp | ast.GeneratorExp) and len(value.generators) == 1:
                (generator,) = value.generators
                target = last_name(generator.target)
                if not (isinstance(value.elt, ast.Name) and value.elt.id == target):
                    break
                filters += [(test, target) for test in generator.ifs]
                value = generator.iter
            elif isinstance(value, ast.Name) and (own := self.assigned(value.id)) is not None:
                if not isinstance(own, ast.ListComp):
                    break
                value = own
            else:
                break
        return value, filters

    def listed_criteria(self, value: ast.expr, criteria: Sequence[Criterion]) -> set[str] | None:
        """Return the ids in a written list of criteria; None for all else."""
        for _ in range(MAX_DEPTH):
            own = self.assigned(value.id) if isinstance(value, ast.Name) else None
            value = own or value
        if not isinstance(value, ast.List | ast.Tuple):
            return None
        ids = set(map(criterion_key, criteria))
        rows = [
            {t for node in walk(row) if (t := constant_text(node)) in ids} for row in value.elts
        ]
        if len(rows) < LEAST_LISTED or not all(len(row) == 1 for row in rows):
            return None
        return {str(key) for row in rows for key in row}

    def truth(
        self, test: ast.expr, names: Mapping[str, Any], depth: int = MAX_DEPTH
    ) -> bool | None:
        """Return whether a test holds, also one of a list that no evidence passes into."""
        truth = super().truth(test, names, depth)
        if truth is None and isinstance(test, ast.Name) and test.id not in names:
            return False if self.is_empty(test.id, names) else None
        return truth

    def is_empty(self, name: str, names: Mapping[str, Any]) -> bool:
        """Return true for a list that no evidence passes into, by the goals that are written."""
        tests = self.tests_into(name)
        goals = self._written_goals() if tests else None
        return bool(goals) and all(
            any(
                self.truth(test, {**names, item: {GOAL: goal}}) is False
                for test in rows
                for item in _items_of(test)
            )
            for rows in tests
            for goal in goals or ()
        )

    def tests_into(self, name: str) -> list[list[ast.expr]]:
        """Return the tests on each way into a list of evidence; [] for another value."""
        ways: list[list[ast.expr]] = []
        for node in walk(self.loop):
            if isinstance(node, ast.Assign) and any(last_name(t) == name for t in node.targets):
                value = node.value
                if isinstance(value, ast.ListComp):
                    ways.append([test for g in value.generators for test in g.ifs])
                elif not (isinstance(value, ast.List) and not value.elts):
                    return []
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if last_name(node.func.value) == name and node.func.attr == "append":
                    around = [n for n in walk(self.loop) if isinstance(n, ast.If)]
                    ways.append([n.test for n in around if _holds(n, node)])
                elif last_name(node.func.value) == name and node.func.attr in {"extend", "insert"}:
                    return []
        return ways if all(any(_items_of(test) for test in way) for way in ways) else []

    @property
    def has_goals(self) -> bool:
        """Return true where every goal that the code writes is known."""
        return self._written_goals() is not None

    def _written_goals(self) -> list[str] | None:
        if not self._has_goals:
            goals = written_goals(self.symbols, self.symbols.codebase.data)
            is_whole = goals and not any(OPEN in goal for goal in goals)
            self._goals, self._has_goals = [*(goals or ())] if is_whole else None, True
        return self._goals


def _holds(node: ast.If, inner: ast.AST) -> bool:
    return any(part is inner for statement in node.body for part in walk(statement))


def _items_of(test: ast.expr) -> set[str]:
    """Return the names of records whose goal a test reads."""
    keys = (key_of(node) for node in walk(test) if isinstance(node, ast.expr))
    return {last_name(owner) for key, owner in filter(None, keys) if key == GOAL} - {""}


def _judges(statements: Sequence[ast.AST], but: ast.AST | None = None) -> bool:
    """Return true for code that makes or keeps an opinion: `opinions.append(...)`, `Opinion(...)`."""
    return any(
        isinstance(node, ast.Call) and not OPINION_WORDS.isdisjoint(words_in(node.func))
        for statement in statements
        if statement is not but
        for node in walk(statement)
    )


def words_in(node: ast.AST) -> set[str]:
    return {
        word
        for part in walk(node)
        for word in words_of(last_name(part) or constant_text(part) or "")
    }
