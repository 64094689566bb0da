"""Changes of a score under a condition, and the words of that condition."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.rule_tables import conditions_by_function
from courtroom.analysis.langgraph.routers import MAX_STRING, vocabulary
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

# Names for a bound of a score, which a helper may have found: `score_cap = security_cap(...)`.
CAP_WORDS = frozenset(words_of("cap ceiling limit maximum"))
SCORE_WORDS = frozenset(
    words_of("score scores final cap capped rating points weighted grade resolved adjusted")
)
DISTANCE_WORDS = frozenset(
    words_of("variance spread range gap diff difference distance delta divergence disagreement")
)
VERDICT_WORDS = frozenset(words_of("pass passed fail failed partial reject rejected"))
COPY_CALLS = frozenset({"model_copy", "copy", "replace", "_replace"})
OPINIONS = frozenset({"opinion", "opinions"})
NUMBER_CALLS = frozenset({"min", "max", "round", "int", "float", "sum", "clamp"})
# A text with so many spaces is a sentence for a reader, no key or name.
SENTENCE_SPACES = 3

# For each local name of a function, the values it is assigned.
Assignments = dict[str, list[ast.expr]]
Tests = tuple[ast.expr, ...]


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """Statement that sets a score.

    `guard` are the words of all conditions around it, `own_guard` those of its own tests, `block`
    those of the branch it stands in.
    `is_dead`: one of the conditions never holds. `target` are the words of the name that is set.
    `tests` are the conditions themselves, also those whose else branch it stands in; `own_tests`
    are those without the earlier tests of an elif. `holds` are the own tests that are true here.
    """

    function: FunctionRef
    line: int
    value: ast.expr
    guard: frozenset[str]
    block: frozenset[str]
    is_dead: bool = False
    target: frozenset[str] = frozenset()
    tests: Tests = ()
    own_tests: Tests = ()
    holds: Tests = ()
    own_guard: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Branch:
    """Conditions around a statement, by the fields of ScoreChange."""

    guard: frozenset[str] = frozenset()
    block: frozenset[str] = frozenset()
    is_dead: bool = False
    tests: Tests = ()
    own_tests: Tests = ()
    holds: Tests = ()
    own_guard: frozenset[str] = frozenset()
    is_else: bool = False


@dataclass
class ChangeReader:
    """Reader of the changes in functions; a condition has the words of the predicates it calls."""

    functions: list[FunctionRef]
    dead_conditions: DeadConditions | None = None

    @cached_property
    def _by_name(self) -> dict[str, FunctionRef]:
        return {function.name: function for function in self.functions}

    @cached_property
    def _conditions(self) -> dict[str, ast.expr]:
        return conditions_by_function(self.functions)

    def changes(self) -> list[ScoreChange]:
        return [change for function in self.functions for change in self._changes_in(function)]

    def _changes_in(self, function: FunctionRef) -> Iterator[ScoreChange]:
        assigned = assignments_in(function.site.node)
        whole = self._whole(function)
        stack = [(statement, whole) for statement in reversed(function.site.node.body)]
        while stack:
            node, branch = stack.pop()
            if isinstance(node, ast.If):
                # The body is pushed last, so that it is read before the else branch.
                for inner in (
                    self._else_branch(node, branch, assigned),
                    self._body_branch(node, branch, assigned, function),
                ):
                    statements = node.orelse if inner.is_else else node.body
                    stack.extend((statement, inner) for statement in reversed(statements))
                continue

            value = _assigned_score(node) or _returned_by_name(node, assigned)
            is_number = isinstance(node, ast.Return) and value is not None and not is_verdict(value)
            if is_number and not vocabulary(function.site.node) & SCORE_WORDS:
                # A number of something else, in code that names no score.
                value = None
            if value is not None:
                inline = self._inline_guard(value, assigned)
                target = _target_words(node)
                yield ScoreChange(
                    function,
                    node.lineno,
                    value,
                    branch.guard | inline,
                    branch.block,
                    branch.is_dead,
                    target,
                    branch.tests,
                    branch.own_tests,
                    branch.holds,
                    branch.own_guard | inline,
                )
            for skip in _skips_in(node):
                words = self.words_of_test(skip.test, assigned)
                yield ScoreChange(
                    function,
                    skip.lineno,
                    skip.test,
                    branch.guard | words,
                    branch.block,
                    branch.is_dead,
                    own_tests=(skip.test,),
                    own_guard=branch.own_guard | words,
                )
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner_statements = reversed(_inner_statements(node))
                stack.extend((statement, branch) for statement in inner_statements)

    def _whole(self, function: FunctionRef) -> _Branch:
        """Return the conditions of all that a function does: that of its row in a table."""
        test = self._conditions.get(function.name)
        if test is None:
            return _Branch()
        words = self.words_of_test(test, {})
        is_dead = self._never_holds(test, function)
        tests = (test,)
        return _Branch(
            words, is_dead=is_dead, tests=tests, own_tests=tests, holds=tests, own_guard=words
        )

    def _body_branch(
        self, node: ast.If, branch: _Branch, assigned: Assignments, function: FunctionRef
    ) -> _Branch:
        words = self.words_of_test(node.test, assigned)
        return _Branch(
            branch.guard | words,
            _words_in_block(node.body),
            branch.is_dead or self._never_holds(node.test, function),
            (*branch.tests, node.test),
            (*branch.own_tests, node.test),
            (*branch.holds, *([] if _denied(node.test) else [node.test])),
            branch.own_guard | words,
        )

    def _else_branch(self, node: ast.If, branch: _Branch, assigned: Assignments) -> _Branch:
        is_elif = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        denied = _denied(node.test)
        words = self.words_of_test(node.test, assigned)
        return _Branch(
            branch.guard | words,
            _words_in_block(node.orelse),
            branch.is_dead,
            (*branch.tests, node.test),
            branch.own_tests if is_elif else (*branch.own_tests, node.test),
            (*branch.holds, *([denied] if denied else [])),
            branch.own_guard if is_elif else branch.own_guard | words,
            is_else=True,
        )

    def _never_holds(self, test: ast.expr, function: FunctionRef) -> bool:
        conditions = self.dead_conditions
        return conditions is not None and conditions.never_holds(test, function)

    def _inline_guard(self, value: ast.expr, assigned: Assignments) -> frozenset[str]:
        """Return the words of the tests in `cap if insecure else score`."""
        tests = [node.test for node in walk(value) if isinstance(node, ast.IfExp)]
        return frozenset(word for test in tests for word in self.words_of_test(test, assigned))

    def words_of_test(self, test: ast.expr, assigned: Assignments) -> frozenset[str]:
        """Return a test's words, those of its names' values, and those of functions it calls."""
        words = set(words_in(test))
        for node in walk(test):
            if isinstance(node, ast.Name):
                for value in _telling_values(node, assigned):
                    words |= words_in(value) | self._words_of_called(value)
        return frozenset(words | self._words_of_called(test))

    def is_flag(self, value: ast.expr) -> bool:
        """Return true for a call of a function that is annotated to return a bool."""
        called = self._by_name.get(called_name(value)) if isinstance(value, ast.Call) else None
        return called is not None and last_name(called.site.node.returns or value) == "bool"

    def _words_of_called(self, node: ast.expr) -> set[str]:
        names = {called_name(inner) for inner in walk(node) if isinstance(inner, ast.Call)}
        functions = [self._by_name[name] for name in names if name in self._by_name]
        return {word for function in functions for word in vocabulary(function.site.node)}


def assignments_in(function: ast.AST) -> Assignments:
    """Return for each local name the values it is assigned anywhere in a function."""
    assigned: Assignments = {}
    for node in walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                for place, part in enumerate(parts):
                    if isinstance(part, ast.Name):
                        value = _part_of(node.value, place, len(parts))
                        assigned.setdefault(part.id, []).append(value)
        elif (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.value is not None
        ):
            assigned.setdefault(node.target.id, []).append(node.value)

    return assigned


def _telling_values(name: ast.Name, assigned: Assignments) -> list[ast.expr]:
    """Return the values of a name in a test whose words tell of the condition."""
    # A sentence is output: its words test nothing; what is assigned below the test tells nothing.
    values = [
        value
        for value in assigned.get(name.id, [])
        if not _is_sentence(value) and value.lineno <= name.lineno
    ]
    words = set(words_of(name.id))
    # A score's own assignments would bring the words of every other rule.
    is_bound = bool(words & CAP_WORDS) and len(values) == 1 and isinstance(values[0], ast.Call)
    return values if is_bound or not words & SCORE_WORDS else []


def _part_of(value: ast.expr, place: int, count: int) -> ast.expr:
    """Return what a, b, c = value gives to the name at `place`: all of it where that is not plain.

    Of `(by_judge[name] for name in ("Prosecutor", "Defense", "TechLead"))` it is the listed text.
    """
    members = value
    if isinstance(value, ast.ListComp | ast.GeneratorExp):
        lists = [g.iter for g in value.generators if _has_members(g.iter, count)]
        members = lists[0] if len(lists) == 1 else value
    elif isinstance(value, ast.Call) and called_name(value) == "map" and len(value.args) > 1:
        members = value.args[1]
    is_plain = count > 1 and _has_members(members, count)
    return members.elts[place] if is_plain and isinstance(members, ast.List | ast.Tuple) else value


def _has_members(node: ast.expr, count: int) -> bool:
    return (
        isinstance(node, ast.List | ast.Tuple)
        and len(node.elts) == count
        and not any(isinstance(member, ast.Starred) for member in node.elts)
    )


def names_never_read(function: ast.AST) -> frozenset[str]:
    """Return the local names that a function sets and never reads."""
    names = [node for node in walk(function) if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    shared = (node for node in walk(function) if isinstance(node, ast.Global | ast.Nonlocal))
    return frozenset({node.id for node in names} - read).difference(
        *(node.names for node in shared)
    )


def words_in(node: ast.AST) -> frozenset[str]:
    """Return the words of the names, attributes, keywords and strings of an expression."""
    words: set[str] = set()
    for inner in walk(node):
        if isinstance(inner, ast.keyword):
            text = inner.arg
        else:
            text = last_name(inner) or constant_text(inner)
        if text:
            words.update(words_of(text[:MAX_STRING]))
    return frozenset(words)


def _is_sentence(value: ast.expr) -> bool:
    text = constant_text(value)
    is_long = text is not None and text.count(" ") >= SENTENCE_SPACES
    return is_long or isinstance(value, ast.JoinedStr)


def _words_in_block(statements: Iterable[ast.stmt]) -> frozenset[str]:
    return frozenset(word for statement in statements for word in words_in(statement))


def _denied(test: ast.expr) -> ast.expr | None:
    """Return what `not x` and `x is None` deny."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is):
        right = test.comparators[0]
        return test.left if isinstance(right, ast.Constant) and right.value is None else None
    return None


def is_score_name(node: ast.expr) -> bool:
    """Return true for a name, attribute or item whose own words name a score."""
    while isinstance(node, ast.Subscript):
        node = node.value
    words = words_of(last_name(node))
    # `score_variance` is how far scores lie apart.
    is_distance = bool(words) and words[-1] in DISTANCE_WORDS
    return words == ["overall"] or (bool(SCORE_WORDS.intersection(words)) and not is_distance)


def is_distance_of_scores(node: ast.AST) -> bool:
    """Return true for `abs(prosecutor.score - defense.score)`."""
    if not isinstance(node, ast.Call) or called_name(node) != "abs" or len(node.args) != 1:
        return False
    difference = node.args[0]
    return (
        isinstance(difference, ast.BinOp)
        and isinstance(difference.op, ast.Sub)
        and is_score_name(difference.left)
        and is_score_name(difference.right)
    )


def is_range_of_scores(node: ast.AST) -> bool:
    """Return true for `max(scores) - min(scores)`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    ends = [end for end in (node.left, node.right) if isinstance(end, ast.Call)]
    is_range = [called_name(end) for end in ends] == ["max", "min"]
    return is_range and all(SCORE_WORDS & words_in(end) for end in ends)


def _inner_statements(node: ast.stmt) -> list[ast.stmt]:
    bodies = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    bodies += [handler.body for handler in getattr(node, "handlers", [])]
    bodies += [case.body for case in getattr(node, "cases", [])]
    return [statement for body in bodies for statement in body if isinstance(statement, ast.stmt)]


def _assigned_score(node: ast.stmt) -> ast.expr | None:
    """Return the value that a statement gives to a score, or returns as one."""
    replaced = _replaced_score(getattr(node, "value", None))
    if replaced is not None:
        return replaced
    if isinstance(node, ast.Assign) and any(is_score_name(target) for target in node.targets):
        return _unless_empty(node.value)
    if isinstance(node, ast.AnnAssign | ast.AugAssign) and is_score_name(node.target):
        return _unless_empty(node.value)
    if isinstance(node, ast.Expr):
        return _listed_score(node.value)
    if isinstance(node, ast.Return) and node.value is not None:
        parts = _returned_parts(node.value)
        return next((part for part in parts if _is_number_like(part) or is_verdict(part)), None)
    return None


def _replaced_score(value: ast.expr | None) -> ast.expr | None:
    """Return the 1 of `opinion.model_copy(update={"score": 1})` and `replace(opinion, score=1)`."""
    if not isinstance(value, ast.Call) or called_name(value) not in COPY_CALLS:
        return None
    for keyword in value.keywords:
        if keyword.arg == "score":
            return keyword.value
        if keyword.arg == "update" and isinstance(keyword.value, ast.Dict):
            scores = _returned_parts(keyword.value)
            return scores[0] if scores else None
    return None


def _returned_by_name(node: ast.stmt, assigned: Assignments) -> ast.expr | None:
    """Return the score behind a name that is set once: `s = lead.score`, `return s, "by lead"`."""
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Tuple):
        return None
    names = (part.id for part in node.value.elts if isinstance(part, ast.Name))
    values = (assigned[name][0] for name in names if len(assigned.get(name, ())) == 1)
    return next(filter(_is_number_like, values), None)


def _returned_parts(value: ast.expr) -> list[ast.expr]:
    """Return the members of a tuple, the scores in a dict or a new record, or the value itself."""
    if isinstance(value, ast.Tuple):
        return value.elts
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        return [item for key, item in pairs if key is not None and words_in(key) & SCORE_WORDS]
    if isinstance(value, ast.Call):
        scores = [k.value for k in value.keywords if set(words_of(k.arg or "")) & SCORE_WORDS]
        return [value, *scores]
    return [value]


def _skips_in(node: ast.stmt) -> Iterator[ast.If]:
    """Yield tests of a loop that pass over an opinion before it, or its score, is put in a list."""
    if not isinstance(node, ast.For | ast.While):
        return
    for position, statement in enumerate(node.body):
        if not isinstance(statement, ast.If) or not isinstance(statement.body[-1], ast.Continue):
            continue
        rest = (inner for later in node.body[position + 1 :] for inner in walk(later))
        if any(_listed_score(inner) is not None or _keeps(inner, node) for inner in rest):
            yield statement


def _keeps(node: ast.AST, loop: ast.For | ast.While) -> bool:
    """Return true for `kept.append(opinion)` in a loop over opinions."""
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return False
    if not isinstance(node, ast.Call) or called_name(node) != "append":
        return False
    is_kept = [last_name(argument) for argument in node.args] == [loop.target.id]
    return is_kept and bool(words_in(loop.iter) & OPINIONS)


def _listed_score(node: ast.AST) -> ast.expr | None:
    """Return the score that `weighted_scores.append(score * 0.5)` puts in a list."""
    if not isinstance(node, ast.Call) or called_name(node) != "append" or len(node.args) != 1:
        return None
    is_list_of_scores = isinstance(node.func, ast.Attribute) and is_score_name(node.func.value)
    return node.args[0] if is_list_of_scores and _is_number_like(node.args[0]) else None


def _target_words(node: ast.stmt) -> frozenset[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return frozenset(word for target in targets if target for word in words_in(target))


def _unless_empty(value: ast.expr | None) -> ast.expr | None:
    """Return the value unless it means that there is no score yet: None, False, an empty list."""
    if value is None or isinstance(value, ast.List | ast.Dict | ast.JoinedStr):
        return None
    if isinstance(value, ast.Constant) and (
        value.value is None or isinstance(value.value, bool | str)
    ):
        return None
    return value


def is_verdict(node: ast.expr) -> bool:
    """Return true for a verdict in words: "FAIL", VERDICT_PARTIAL, Verdict.PASS."""
    text = constant_text(node) or (last_name(node) if last_name(node).isupper() else "")
    return bool(set(words_of(text)) & VERDICT_WORDS) and len(words_of(text)) <= 2


def is_lift(change: ScoreChange) -> bool:
    """Return true for the best verdict in words, and for `if score < 4: score = 5`."""
    value = change.value
    if is_verdict(value):
        return bool({*words_of(constant_text(value) or last_name(value))} & {"pass", "passed"})
    number = constant_number(value)
    return number is not None and any(
        isinstance(test, ast.Compare)
        and is_score_name(test.left)
        and isinstance(test.ops[0], ast.Lt | ast.LtE)
        and (limit := constant_number(test.comparators[0])) is not None
        and limit <= number
        for condition in change.holds
        for test in (condition.values if is_conjunction(condition) else [condition])
    )


def constant_number(node: ast.AST) -> float | None:
    number = node.value if isinstance(node, ast.Constant) else None
    return float(number) if isinstance(number, int | float) else None


def is_conjunction(test: ast.expr) -> TypeGuard[ast.BoolOp]:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)


def _is_number_like(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.Call):
        return called_name(node) in NUMBER_CALLS
    if isinstance(node, ast.BinOp):
        return _is_number_like(node.left) or _is_number_like(node.right)
    if isinstance(node, ast.IfExp):
        return _is_number_like(node.body) or _is_number_like(node.orelse)
    is_item = isinstance(node, ast.Subscript) and constant_text(node.slice) is not None
    return (is_item or isinstance(node, ast.Name | ast.Attribute)) and is_score_name(node)
