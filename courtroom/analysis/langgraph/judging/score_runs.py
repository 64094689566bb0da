"""Runs of a function of the Chief Justice over all scores that three judges can give.

Scores are numbers, and what else a function reads is open: a test of it is run both ways. Code that
is not covered ends the search, so a claim on all runs rests on all of them.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from courtroom.analysis.langgraph.judging.dead_conditions import parameter_names
from courtroom.analysis.langgraph.judging.score_expressions import ExpressionReader, Names
from courtroom.analysis.langgraph.judging.score_values import (
    JUDGES,
    Judge,
    Left,
    NotCovered,
    Open,
    Scores,
    by_name,
    key_of,
    spelling_in,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk

# Expressions that a search evaluates at most, in all and for three scores; calls inside each other.
MOST_STEPS = 400_000
MOST_STEPS_OF_TRIPLE = 8_000
# Scores of three judges that are tried before some run comes to the rule.
MOST_UNREACHED = 25
MOST_CALLS = 4
USUAL_SCALE = range(1, 6)
# Scores of a scale that is run through.
MOST_SCORES = 10
_TABLES = frozenset({"dict", "mapping", "defaultdict"})

# Runners of statements by type; a run does not cover the others.
_STATEMENTS: dict[str, str] = {
    **dict.fromkeys(("Assign", "AnnAssign"), "_assign"),
    "AugAssign": "_add",
    "If": "_choose",
    **dict.fromkeys(("For", "AsyncFor"), "_loop"),
    "Return": "_return",
    **dict.fromkeys(("Continue", "Break", "Raise"), "_leave"),
    "Expr": "_evaluate",
    "Try": "_try",
    **dict.fromkeys(("With", "AsyncWith"), "_enter"),
    **dict.fromkeys(("FunctionDef", "AsyncFunctionDef"), "_define"),
    **dict.fromkeys(("Pass", "Import", "ImportFrom", "Assert"), "_pass"),
}
# Answers of open tests, by the number of the tested value.
Way = tuple[tuple[int, bool], ...]


@dataclass
class ScoreSearch:
    """Search among the runs of `functions` for every three scores of the scale."""

    functions: Mapping[str, FunctionRef]
    scale: range = USUAL_SCALE
    _left: int = MOST_STEPS
    _left_of_triple: int = MOST_STEPS_OF_TRIPLE
    _numbers: dict[Hashable, int] = field(default_factory=dict)
    _constants: dict[str, dict[str, Any]] = field(default_factory=dict)
    _names: dict[int, tuple[list[str], bool]] = field(default_factory=dict)
    _names_set: dict[int, set[str]] = field(default_factory=dict)
    _generators: dict[int, bool] = field(default_factory=dict)

    def is_idle(self, function: FunctionRef, rule: frozenset[int]) -> bool | None:
        """Return whether the statements at the lines `rule` change nothing that a run gives.

        None where that is not certain, or no run comes there.
        """
        if len(self.scale) > MOST_SCORES:
            return None
        is_reached = False
        try:
            triples = list(itertools.product(self.scale, repeat=3))
            # Scores far apart first: they soon tell that a rule counts.
            triples.sort(key=lambda scores: min(scores) - max(scores))
            for number, triple in enumerate(triples):
                if number == MOST_UNREACHED and not is_reached:
                    return None
                self._left_of_triple = MOST_STEPS_OF_TRIPLE
                counts, is_met = self._counts(
                    function, rule, dict(zip(JUDGES, triple, strict=True))
                )
                is_reached = is_reached or is_met
                if counts:
                    return False
        except (NotCovered, RecursionError, TypeError, ValueError, ArithmeticError, IndexError):
            return None
        return True if is_reached else None

    def _counts(
        self, function: FunctionRef, rule: frozenset[int], scores: Scores
    ) -> tuple[bool, bool]:
        """Return whether some way through the open tests differs without the rule, or comes there."""
        is_reached = False
        ways: list[Way] = [()]
        while ways:
            way = ways.pop()
            decided = dict(way)
            run = _Run(self, scores, decided, rule=rule)
            result = run.result_of(function)
            is_reached = is_reached or run.is_reached
            if run.is_changed:
                other = _Run(self, scores, decided, rule=rule, is_left_out=True)
                if result != other.result_of(function):
                    return True, True
            order = list(decided.items())
            for place in range(len(way), len(order)):
                key, value = order[place]
                ways.append((*order[:place], (key, not value)))
        return False, is_reached

    def step(self) -> None:
        self._left -= 1
        self._left_of_triple -= 1
        if min(self._left, self._left_of_triple) < 0:
            raise NotCovered

    def open_value(self, *key: Hashable) -> Open:
        return Open(self._numbers.setdefault(key, len(self._numbers)))

    def names_set_in(self, loop: ast.For | ast.AsyncFor) -> set[str]:
        if id(loop) not in self._names_set:
            inner = (node for statement in loop.body for node in walk(statement))
            self._names_set[id(loop)] = {
                node.id
                for node in inner
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
        return self._names_set[id(loop)]

    def is_generator(self, function: ast.AST) -> bool:
        if id(function) not in self._generators:
            yields = (isinstance(node, ast.Yield | ast.YieldFrom) for node in walk(function))
            self._generators[id(function)] = any(yields)
        return self._generators[id(function)]

    def names_in(self, node: ast.AST) -> tuple[list[str], bool]:
        """Return the names that an expression reads, and whether it reads a score of what they hold."""
        if id(node) not in self._names:
            inner = list(walk(node))
            names = sorted({part.id for part in inner if isinstance(part, ast.Name)})
            has_score = any(
                (part.attr if isinstance(part, ast.Attribute) else constant_text(part)) == "score"
                for part in inner
            )
            self._names[id(node)] = names, has_score
        return self._names[id(node)]

    def constant(self, function: FunctionRef, name: str) -> Any:
        source = function.source
        if source.path not in self._constants:
            self._constants[source.path] = dict(_constants_of(source.tree))
        value = self._constants[source.path].get(name, self.open_value("name", name))
        return [*value] if isinstance(value, list) else value


def _constants_of(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        value = statement.value
        members = value.elts if isinstance(value, ast.Tuple | ast.List | ast.Set) else [value]
        if not all(isinstance(member, ast.Constant) for member in members):
            continue
        literal = ast.literal_eval(value)
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, list(literal) if isinstance(literal, set | tuple) else literal


@dataclass
class _Run(ExpressionReader):
    """One run, with the statements at the lines `rule` or without them."""

    rule: frozenset[int] = frozenset()
    is_left_out: bool = False
    is_reached: bool = False
    is_changed: bool = False

    def result_of(self, function: FunctionRef) -> Hashable:
        """Return all that a run gives: what it returns, and what it hands to other code."""
        names = {name: self.parameter(name, function) for name in parameter_names(function)}
        handed = [value for value in names.values() if isinstance(value, list | dict)]
        value = self.call(function, names)
        # A list or table that a caller hands in may be changed in place.
        return (key_of(value), tuple(self.given), *map(key_of, handed))

    def parameter(self, name: str, function: FunctionRef) -> Any:
        arguments = function.site.node.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        annotation = next((a.annotation for a in every if a.arg == name), None)
        is_table = last_name(_head(annotation)).lower() in _TABLES
        value = by_name(name, self.scores)
        if is_table and isinstance(value, list):
            return {Judge(p): v for p, v in zip(JUDGES, value, strict=True)}
        return self.opened("name", name) if value is None or is_table else value

    def call(self, function: FunctionRef, names: Names) -> Any:
        if len(self.calls) > MOST_CALLS or self.search.is_generator(function.site.node):
            raise NotCovered
        self.calls.append(function)
        try:
            self._body(function.site.node.body, names)
        except Left as left:
            return left.value
        finally:
            self.calls.pop()
        return None

    # -- statements -------------------------------------------------------------------------------

    def _body(self, body: Sequence[ast.stmt], names: Names) -> None:
        for statement in body:
            is_of_rule = self._is_of_rule(statement)
            if is_of_rule and self.is_left_out:
                continue
            if not is_of_rule:
                self._statement(statement, names)
                continue
            self.is_reached = True
            # What is no plain setting of a name may count even where no name changes.
            self.is_changed |= not _sets_name(statement)
            before = key_of(names)
            self._statement(statement, names)
            self.is_changed |= before != key_of(names)

    def _is_of_rule(self, statement: ast.stmt) -> bool:
        is_in_rule = statement.lineno in self.rule and self.calls[0] is self.calls[-1]
        return is_in_rule and (
            not isinstance(statement, ast.For | ast.With | ast.Try | ast.FunctionDef)
        )

    def _statement(self, node: ast.stmt, names: Names) -> None:
        self.search.step()
        runner = _STATEMENTS.get(type(node).__name__)
        if runner is None:
            raise NotCovered
        getattr(self, runner)(node, names)

    def _assign(self, node: ast.Assign | ast.AnnAssign, names: Names) -> None:
        if node.value is not None:
            value = self.value(node.value, names)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self.set(target, value, names)

    def _add(self, node: ast.AugAssign, names: Names) -> None:
        if not isinstance(node.target, ast.Name):
            raise NotCovered
        held = self.value(ast.Name(node.target.id, ast.Load()), names)
        self.set(node.target, self.joined(node.op, held, self.value(node.value, names)), names)

    def _choose(self, node: ast.If, names: Names) -> None:
        self._body(node.body if self.holds(node.test, names) else node.orelse, names)

    def _return(self, node: ast.Return, names: Names) -> None:
        raise Left("return", self.value(node.value, names) if node.value else None)

    def _leave(self, node: ast.stmt, _: Names) -> None:
        kind = type(node).__name__.lower()
        raise Left(kind, kind)

    def _evaluate(self, node: ast.Expr, names: Names) -> None:
        self.value(node.value, names)

    def _enter(self, node: ast.With | ast.AsyncWith, names: Names) -> None:
        self._body(node.body, names)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> None:
        names[node.name] = self.opened("function", id(node))

    def _pass(self, _: ast.stmt, __: Names) -> None:
        """Do nothing: such a statement sets no score."""

    def _try(self, node: ast.Try, names: Names) -> None:
        # No error is looked for: what a handler does is left out on both sides.
        self._body([*node.body, *node.orelse, *node.finalbody], names)

    def set(self, target: ast.expr, value: Any, names: Names) -> None:
        if isinstance(target, ast.Name):
            if isinstance(value, Open):
                own = by_name(target.id, self.scores)
                value = value if own is None else own
            names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value if isinstance(value, list) and len(value) == len(target.elts) else None
            for place, part in enumerate(target.elts):
                inner = self.opened("part", place, key_of(value)) if parts is None else parts[place]
                self.set(part, inner, names)
        elif isinstance(target, ast.Subscript):
            holder, key = self.value(target.value, names), self.value(target.slice, names)
            if isinstance(holder, dict):
                holder[spelling_in(holder, key)] = value
            else:
                self.give("item", holder, key, value)
        elif isinstance(target, ast.Attribute):
            self.give(target.attr, self.value(target.value, names), value)
        else:
            raise NotCovered

    def _loop(self, node: ast.For | ast.AsyncFor, names: Names) -> None:
        members = self.value(node.iter, names)
        is_open = not isinstance(members, list)
        if is_open:
            # A round begins with what the rounds before it may have left.
            for name in sorted(self.search.names_set_in(node) & set(names)):
                names[name] = self.opened("left", id(node), name)
            members = [self.opened("member", key_of(members))]
        for member in members:
            self.set(node.target, member, names)
            try:
                self._body(node.body, names)
            except Left as left:
                if left.kind in {"return", "raise"}:
                    raise
                if left.kind == "break":
                    break
        if is_open:
            # What a round leaves behind may be read by the next one, or after the loop.
            self.give(
                "kept",
                *(names[name] for name in sorted(self.search.names_set_in(node) & set(names))),
            )


def _sets_name(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return bool(targets) and all(isinstance(target, ast.Name) for target in targets)


def _head(annotation: ast.expr | None) -> ast.AST:
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return head or ast.Pass()
