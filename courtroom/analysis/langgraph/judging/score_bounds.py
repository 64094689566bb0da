"""Scores that the judges' code leaves a judge for a share of found evidence.

A rule that waits for a high score on little evidence never applies where that code has lowered every
such score. Lists of evidence are short, so the shares that can be are few.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from courtroom.analysis.langgraph.judging.made_evidence import COMPARISONS
from courtroom.analysis.langgraph.judging.opinion_model import OpinionModel
from courtroom.analysis.langgraph.judging.persona_names import persona_in
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, site_of
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_flow.condition_values import ConditionReader, key_of
from courtroom.analysis.langgraph.state_parts import StatePart
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import (
    DictValue,
    External,
    ListValue,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    walk,
    words_of,
)

SCORE = "score"
FOUND = "found"
EVIDENCE = frozenset({"evidence", "evidences"})
CRITERION = frozenset({"id", "criterion", "dim", "dimension"})
# Names and calls that are followed, and items of the longest list whose shares are tried.
MOST_STEPS = 8
MOST_ITEMS = 20
# Calls inside a condition that are followed, its parts, and the ways through what bounds a score.
MOST_CALLS = 4
MOST_PARTS = 100
MOST_WAYS = 64
EXTREMES = {"min": min, "max": max}
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq)

Scores = frozenset[float]
# A condition, its function, and whether it holds or fails where the rule applies.
Part = tuple[ast.expr, FunctionRef, bool]
# A comparison with a number, and whether it holds or fails.
Limit = tuple[type[ast.cmpop], float, bool]
# What the names of a run hold: a persona, or the numbers that may be.
Names = dict[str, Scores | str]


class _OpenError(Exception):
    """Code that is not followed: any score may come of it."""


@dataclass
class ScoreBounds:
    """Reader of conditions on a judge's score and on the share of the evidence that is found.

    `longest` is the number of items in the longest list of evidence; None where it is not known.
    """

    symbols: SymbolTable
    judges: Sequence[FunctionRef]
    model: OpinionModel | None
    longest: int | None
    _known_shares: dict[tuple[int, int], bool] = field(default_factory=dict)

    def rules_out(self, test: ast.expr, function: FunctionRef) -> bool:
        """Return whether no opinion and no list of evidence can meet a test together."""
        return bool(self.reason(test, function))

    def reason(self, test: ast.expr, function: FunctionRef) -> str:
        """Return why a test never holds, by the line that bounds the score; "" for other tests."""
        parts = list(islice(self._parts(test, function, holds=True, steps=MOST_CALLS), MOST_PARTS))
        scores = [row for part in parts if (row := _score_test(part)) is not None]
        shares = [limit for part in parts if (limit := self._share_test(part)) is not None]
        if not scores or not shares or self.longest is None or self._bound is None:
            return ""
        if not _reads_by_criterion(test, function):
            return ""
        met = [s for s in _shares(self.longest) if all(_holds(s, limit) for limit in shares)]
        for persona, limit in scores:
            try:
                given = [self._scores_of(persona, share) for share in met]
            except (_OpenError, RecursionError):
                continue
            if not any(_holds(score, limit) for own in given for score in own):
                bounding, line = self._bound[0], self._bound[1].lineno
                return (
                    f"{bounding.source.path}:{line} gives {persona} no such score on such evidence"
                )
        return ""

    def _parts(
        self, test: ast.expr, function: FunctionRef, *, holds: bool, steps: int
    ) -> Iterator[Part]:
        """Yield what must hold or fail for a test to hold, also inside the predicate that it calls."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and holds and steps:
            for value in test.values:
                yield from self._parts(value, function, holds=True, steps=steps - 1)
            return
        called = self._called(test) if holds and steps else None
        if called is None or self._is_share(test, function, steps):
            yield test, function, holds
            return
        for statement in called.site.node.body:
            if isinstance(statement, ast.Return) and statement.value is not None:
                yield from self._parts(statement.value, called, holds=True, steps=steps - 1)
            elif isinstance(statement, ast.If) and _returns_nothing(statement):
                yield from self._parts(statement.test, called, holds=False, steps=steps - 1)
            elif not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign):
                return

    def _called(self, node: ast.expr) -> FunctionRef | None:
        name = called_name(node) if isinstance(node, ast.Call) else ""
        homes = self.symbols.functions_by_name.get(name, [])
        return FunctionRef(*homes[0]) if len(homes) == 1 else None

    def _share_test(self, part: Part) -> Limit | None:
        test, function, holds = part
        if not isinstance(test, ast.Compare) or not self._is_share(test.left, function, MOST_STEPS):
            return None
        return _limit(test, holds=holds)

    def _is_share(self, node: ast.expr, function: FunctionRef, steps: int, place: int = -1) -> bool:
        """Return true for the number of found items by that of all; at `place` of several values."""
        key = (id(node), place)
        if key not in self._known_shares:
            # What calls itself is no share.
            self._known_shares[key] = False
            self._known_shares[key] = self._reads_share(node, function, steps, place)
        return self._known_shares[key]

    def _reads_share(
        self, node: ast.expr, function: FunctionRef, steps: int, place: int = -1
    ) -> bool:
        if steps == 0:
            return False
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            reader = ConditionReader(self.symbols, function)
            count = reader.assigned(node.left.id) if isinstance(node.left, ast.Name) else node.left
            is_count = isinstance(count, ast.Call) and called_name(count) == "sum"
            read = (
                {last_name(n) for n in walk(count) if isinstance(n, ast.Attribute)} if count else ()
            )
            is_all = isinstance(node.right, ast.Call) and called_name(node.right) == "len"
            return is_count and is_all and FOUND in read
        if isinstance(node, ast.Name):
            value, at = _value_of(node.id, function)
            return value is not None and self._is_share(value, function, steps - 1, at)
        called = self._called(node)
        returned = (
            [n.value for n in walk(called.site.node) if isinstance(n, ast.Return)] if called else []
        )
        values = [_at(value, place) for value in returned]
        shares = [v for v in values if not (isinstance(v, ast.Constant) and v.value == 0)]
        return (
            bool(shares)
            and called is not None
            and all(v is not None and self._is_share(v, called, steps - 1) for v in shares)
        )

    @cached_property
    def _bound(self) -> tuple[FunctionRef, ast.Assign, FunctionRef] | None:
        """The only line that sets the score of an answer, with the function that bounds it."""
        rows = [
            (function, node)
            for function in self.judges
            for node in walk(function.site.node)
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Attribute) and target.attr == SCORE
        ]
        nodes = {id(node): (function, node) for function, node in rows}
        if len(nodes) != 1:
            return None
        function, node = rows[0]
        called = self._called(node.value) if isinstance(node, ast.Assign) else None
        return (function, node, called) if called and isinstance(node, ast.Assign) else None

    @cached_property
    def _written(self) -> Scores | None:
        """Scores of the opinions that code makes itself; None where one of them is computed."""
        if self.model is None:
            return None
        calls = [
            site.node
            for source in self.symbols.codebase.production
            for site in source.calls
            if called_name(site.node) == self.model.node.name
        ]
        values = [keyword_of(call, SCORE) for call in calls]
        numbers = [v.value for v in values if isinstance(v, ast.Constant)]
        is_known = len(numbers) == len(calls) and all(isinstance(n, int | float) for n in numbers)
        return (
            frozenset(float(n) for n in numbers if isinstance(n, int | float)) if is_known else None
        )

    def _scores_of(self, persona: str, share: float) -> Scores:
        """Return the scores of a persona on evidence of which a share is found."""
        if self._bound is None or self._written is None or self.model is None:
            raise _OpenError
        caller, line, bounding = self._bound
        arguments = bounding.site.node.args.args
        call = line.value
        if not isinstance(call, ast.Call) or len(call.args) != len(arguments) or call.keywords:
            raise _OpenError
        given: Names = {}
        for argument, value in zip(arguments, call.args, strict=True):
            if isinstance(value, ast.Attribute) and value.attr == SCORE:
                given[argument.arg] = frozenset(map(float, self.model.scale))
            elif self._is_share(value, caller, MOST_STEPS) and _reads_by_criterion(value, caller):
                given[argument.arg] = frozenset({share})
            elif words_of(argument.arg)[:1] in (["judge"], ["persona"], ["role"]):
                given[argument.arg] = persona
        if len(given) < 3:
            raise _OpenError
        _, returned = _Run().through(bounding.site.node.body, given)
        return returned | self._written


class _Run:
    """Run of a function that bounds a score, along each way that a test leaves open."""

    def through(self, body: Iterable[ast.stmt], names: Names) -> tuple[list[Names], Scores]:
        """Return what names hold behind statements, on each way, and the scores that are returned."""
        ways, returned = [names], Scores()
        for statement in body:
            behind: list[Names] = []
            for way in ways:
                more, scores = self._behind(statement, way)
                behind += [row for row in more if row not in behind]
                returned |= scores
            ways = behind
            if len(ways) > MOST_WAYS:
                raise _OpenError
        return ways, returned

    def _behind(self, statement: ast.stmt, names: Names) -> tuple[list[Names], Scores]:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return [names], Scores()
        if isinstance(statement, ast.Return) and statement.value is not None:
            return [], self._value(statement.value, names)
        if isinstance(statement, ast.If):
            truth = _truth(statement.test, names)
            blocks = [
                b
                for b, is_so in ((statement.body, True), (statement.orelse, False))
                if truth is not (not is_so)
            ]
            results = [self.through(block, names) for block in blocks]
            return [row for rows, _ in results for row in rows], Scores().union(
                *(s for _, s in results)
            )
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            return [
                names | {statement.targets[0].id: self._value(statement.value, names)}
            ], Scores()
        raise _OpenError

    def _value(self, node: ast.expr, names: Mapping[str, Scores | str]) -> Scores:
        if isinstance(node, ast.Name):
            value = names.get(node.id)
            if isinstance(value, frozenset):
                return value
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return frozenset({float(node.value)})
        if isinstance(node, ast.Call) and called_name(node) in EXTREMES and len(node.args) > 1:
            extremes, *more = (self._value(argument, names) for argument in node.args)
            extreme = EXTREMES[called_name(node)]
            for numbers in more:
                extremes = frozenset(extreme(a, b) for a in extremes for b in numbers)
            return extremes
        if isinstance(node, ast.Call) and called_name(node) in {"int", "round"} and node.args:
            is_cut = called_name(node) == "int"
            numbers = self._value(node.args[0], names)
            return frozenset(float(int(n) if is_cut else round(n)) for n in numbers)
        raise _OpenError


def _truth(test: ast.expr, names: Mapping[str, Scores | str]) -> bool | None:
    """Return whether a test of the persona or of the share holds; None for other tests."""
    if isinstance(test, ast.BoolOp):
        parts = [_truth(part, names) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        return decisive if decisive in parts else None if None in parts else not decisive
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name):
        return None
    held = names.get(test.left.id)
    if isinstance(held, str):
        text = constant_text(test.comparators[0])
        is_equal = len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq) and text is not None
        return persona_in(text or "") == held if is_equal else None
    limit = _limit(test, holds=True)
    if held is None or limit is None:
        return None
    truths = {_holds(number, limit) for number in held}
    return truths.pop() if len(truths) == 1 else None


def _score_test(part: Part) -> tuple[str, Limit] | None:
    """Return persona and limit of `defense.score >= 4`; None for other tests."""
    test, _, holds = part
    if not isinstance(test, ast.Compare):
        return None
    left = test.left
    owner = left.value if isinstance(left, ast.Attribute) and left.attr == SCORE else left
    is_score = owner is not left or SCORE in words_of(last_name(left))
    persona, limit = persona_in(last_name(owner)), _limit(test, holds=holds)
    return (persona, limit) if is_score and persona and limit else None


def _limit(test: ast.Compare, *, holds: bool) -> Limit | None:
    value = test.comparators[0]
    number = value.value if isinstance(value, ast.Constant) else None
    is_order = len(test.ops) == 1 and isinstance(test.ops[0], ORDERS)
    if not is_order or isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return type(test.ops[0]), float(number), holds


def _holds(number: float, limit: Limit) -> bool:
    sign, bound, holds = limit
    return COMPARISONS[sign](number, bound) is holds


def _shares(longest: int) -> list[float]:
    counts = range(1, longest + 1)
    return sorted({0.0, *(part / count for count in counts for part in range(count + 1))})


def _returns_nothing(branch: ast.If) -> bool:
    last = branch.body[0]
    value = last.value if isinstance(last, ast.Return) else ast.Constant(value=True)
    return (
        not branch.orelse
        and isinstance(value, ast.Constant | None)
        and not getattr(value, "value", None)
    )


def _value_of(name: str, function: FunctionRef) -> tuple[ast.expr | None, int]:
    """Return the only value of a name, and its place among several values that are unpacked."""
    rows: list[tuple[ast.expr, int]] = []
    for node in walk(function.site.node):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                at = [
                    n
                    for n, part in enumerate(parts)
                    if isinstance(part, ast.Name) and part.id == name
                ]
                rows += [(node.value, n if isinstance(target, ast.Tuple) else -1) for n in at]
    return rows[0] if len(rows) == 1 else (None, -1)


def _reads_by_criterion(node: ast.expr, function: FunctionRef) -> bool:
    """Return true for what is computed of `evidences.get(criterion_id, [])`."""
    waiting, followed = [node], set[str]()
    while waiting:
        names = {n.id for n in walk(waiting.pop()) if isinstance(n, ast.Name)} - followed
        followed |= names
        for value in filter(None, (_value_of(name, function)[0] for name in sorted(names))):
            pair = _owner_and_key(value)
            if pair and _is_of_criterion(*pair):
                return True
            if pair is None:
                waiting.append(value)
    return False


def _owner_and_key(value: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(value, ast.Subscript):
        return value.value, value.slice
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.args:
        return (value.func.value, value.args[0]) if value.func.attr == "get" else None
    return None


def _is_of_criterion(owner: ast.expr, key: ast.expr) -> bool:
    words = {word for node in walk(key) for word in words_of(last_name(node))}
    held = last_name(owner) or (key_of(owner) or ("", owner))[0]
    return not EVIDENCE.isdisjoint(words_of(held)) and not CRITERION.isdisjoint(words)


def longest_list(symbols: SymbolTable, access: StateAccess, inputs: Sequence[Value]) -> int | None:
    """Return the number of items in the longest list of evidence under a key of the state.

    None where a reducer joins lists, or where some node may write one that is not known.
    """
    keys = {
        write.key
        for use in access.nodes.values()
        for write in use.writes
        if not EVIDENCE.isdisjoint(words_of(write.key))
    }
    reducers = {row["field"]: row["reducer"] for row in reducers_of(symbols, access.state.site)}
    if len(keys) != 1 or any(use.writes_gap for use in access.nodes.values()):
        return None
    (key,) = keys
    if not reducers.get(key, "ior").endswith(("ior", "or_")):
        return None
    counts = [
        _items_in(choice, use, symbols)
        for use in access.nodes.values()
        for update in use.updates
        for write in update.writes
        if write.key == key
        for choice in choices_of(write.held)
    ]
    rows = [row.entries.get(key) for row in inputs if isinstance(row, DictValue)]
    counts += [_items_in(row, None, symbols) for row in rows]
    known = [count for count in counts if count is not None]
    longest = max(known, default=0)
    return longest if known and len(known) == len(counts) and longest <= MOST_ITEMS else None


def _items_in(value: Value, use: StateUse | None, symbols: SymbolTable) -> int | None:
    """Return the items of the longest list in a dict; None where some list is not known."""
    if isinstance(value, StatePart | External) and use is not None:
        return _items_stored_by(use, symbols)
    if not isinstance(value, DictValue) or value.is_open:
        return None
    lists = [choice for entry in value.entries.values() for choice in choices_of(entry)]
    is_known = all(isinstance(row, ListValue) and not row.is_open for row in lists)
    return (
        max((len(row.members) for row in lists if isinstance(row, ListValue)), default=0)
        if is_known
        else None
    )


def _items_stored_by(use: StateUse, symbols: SymbolTable) -> int | None:
    """Return the items of the longest list that a node writes into the dict that it got."""
    site = site_of(symbols, use)
    nodes = list(walk(site.node)) if site else []
    fills = {"append", "extend", "insert", "setdefault", "update"}
    if not site or any(isinstance(n, ast.Call) and called_name(n) in fills for n in nodes):
        return None
    stored = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign | ast.AugAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Subscript)
    ]
    is_known = all(isinstance(value, ast.List) for value in stored)
    return (
        max((len(v.elts) for v in stored if isinstance(v, ast.List)), default=0)
        if is_known
        else None
    )


def _at(value: ast.expr | None, place: int) -> ast.expr | None:
    if place < 0:
        return value
    members = value.elts if isinstance(value, ast.Tuple) else []
    return members[place] if place < len(members) else None
