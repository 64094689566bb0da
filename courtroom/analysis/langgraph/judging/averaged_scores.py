"""Scores of the Chief Justice that are the plain mean of the judges' scores."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from courtroom.analysis.langgraph.judging.score_changes import Assignments, assignments_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, last_name, terms_of, walk, words_of

MEANS = frozenset({"mean", "fmean"})
JUDGES = 3
# Names of what is averaged: scores, but no scores of whole criteria, and no part of the judges'.
_SCORES = frozenset({"score", "scores"})
_OTHER_SCORES = frozenset(
    words_of(
        "criteria criterion result results overall final total other others non no without weighted"
        " weights confidence dimension dimensions valid"
    )
)
# Words of the judges, by which a test asks for an opinion, and an average of one is none of all.
_PERSONAS = (
    {"prosecutor", "pros", "p"},
    {"defense", "defence", "def", "d"},
    {"tech", "techlead", "t"},
)
_OPINIONS = frozenset(words_of("op ops opinion opinions judge judges lead")).union(*_PERSONAS)
# A function of such a name says what it computes; its caller makes the verdict of it.
_HELPERS = frozenset(words_of("mean average avg variance spread overall weighted aggregate total"))
_ROUNDING = frozenset(words_of("round int float max min clamp clip bound"))


def averaged_scores(
    functions: Iterable[FunctionRef], *, in_texts: bool = False
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield function and line of each plain mean of the judges' scores that becomes a verdict.

    What is taken where an opinion is missing is none, nor a mean that another score is mixed with.
    `in_texts`: a mean that a text gives is a verdict, too.
    """
    for function in functions:
        reading = _Function(function.site.node, in_texts=in_texts)
        for node in walk(function.site.node):
            if not isinstance(node, ast.Call | ast.BinOp):
                continue
            values = averaged_values(node)
            if values is not None and reading.is_verdict(node, values, function.name):
                yield function, node.lineno


@dataclass
class _Function:
    """One function: the parents of its nodes, and what its names are set to."""

    node: ast.AST
    in_texts: bool = False
    _followed: set[str] = field(default_factory=set)

    @cached_property
    def _parents(self) -> dict[int, ast.AST]:
        return {id(child): node for node in walk(self.node) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _assigned(self) -> Assignments:
        return assignments_in(self.node)

    def is_verdict(self, mean: ast.expr, values: ast.expr, function: str) -> bool:
        self._followed.clear()
        return (
            self._are_of_judges(values, function)
            and not self._is_fallback(mean)
            and self._becomes_score(mean, is_helper=bool(_HELPERS.intersection(words_of(function))))
        )

    def _are_of_judges(self, values: ast.expr, function: str) -> bool:
        own = _names_in(values)
        # `scores = [s for s in scores if ...] or scores` leaves some of them out in some cases.
        behind = [
            value
            for name in own
            for value in self._assigned.get(name, ())
            if name not in _names_in(value)
        ]
        words = {word for node in (values, *behind) for word in _words(node)}
        named = sum(bool(words & persona) for persona in _PERSONAS)
        are_scores = bool(words.union(words_of(function)) & _SCORES)
        return are_scores and named in {0, JUDGES} and not words & _OTHER_SCORES

    def _is_fallback(self, mean: ast.expr) -> bool:
        """Return true for a value in place of a missing one: `tech.score if tech else mean(...)`."""
        own = _names_in(mean)
        child: ast.AST = mean
        while (parent := self._parents.get(id(child))) is not None:
            if (
                isinstance(parent, ast.If | ast.IfExp)
                and child is not parent.test
                and _asks_presence(parent.test, is_else=not _is_in_body(child, parent))
                and not own.intersection(_names_in(parent.test))
            ):
                return True
            child = parent
        return False

    def _becomes_score(self, node: ast.expr, *, is_helper: bool) -> bool:
        """Return whether the value is returned, or given as a score, at most rounded before."""
        child: ast.AST = node
        while (parent := self._parents.get(id(child))) is not None:
            if isinstance(parent, ast.Return):
                return not is_helper
            if isinstance(parent, ast.FormattedValue):
                return self.in_texts
            if isinstance(parent, ast.keyword):
                return "score" in words_of(parent.arg or "") and not _is_overall(parent.arg or "")
            if isinstance(parent, ast.Assign | ast.AnnAssign):
                return any(
                    self._becomes_score(read, is_helper=is_helper)
                    for target in _targets(parent)
                    for read in self._reads_of(target)
                )
            if not _keeps(parent, child):
                return False
            child = parent
        return False

    def _reads_of(self, name: str) -> list[ast.Name]:
        if name in self._followed or _is_overall(name):
            return []
        self._followed.add(name)
        names = (node for node in walk(self.node) if isinstance(node, ast.Name))
        return [node for node in names if node.id == name and isinstance(node.ctx, ast.Load)]


def averaged_values(node: ast.Call | ast.BinOp) -> ast.expr | None:
    """Return what a node is the plain mean of: `mean(x)`, `sum(x) / len(x)`, `(a + b + c) / 3`."""
    if isinstance(node, ast.Call):
        return node.args[0] if called_name(node) in MEANS and node.args else None
    if not isinstance(node.op, ast.Div | ast.FloorDiv):
        return None
    left, right = node.left, node.right
    if isinstance(left, ast.Call):
        is_count = any(isinstance(n, ast.Call) and called_name(n) == "len" for n in walk(right))
        is_sum = called_name(left) == "sum" and bool(left.args)
        return left.args[0] if is_sum and (is_count or _is_number(right, JUDGES)) else None
    terms = list(terms_of(left))
    is_plain = len(terms) == JUDGES and all(last_name(term) for term in terms)
    return left if is_plain and _is_number(right, JUDGES) else None


def _is_number(node: ast.expr, number: int) -> bool:
    return isinstance(node, ast.Constant) and node.value == number


def _keeps(parent: ast.AST, child: ast.AST) -> bool:
    """Return whether the value of the parent is the child's, at most rounded or kept in bounds."""
    if isinstance(parent, ast.Call):
        is_argument = child in parent.args
        return is_argument and bool(_ROUNDING.intersection(words_of(called_name(parent))))
    if isinstance(parent, ast.IfExp):
        return child is not parent.test
    if isinstance(parent, ast.Tuple):
        return parent.elts[0] is child
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
        return isinstance(parent.right, ast.Constant)
    return False


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """Return the names that are set; of a tuple the first, as `_keeps` takes its first value."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    firsts = (t.elts[0] if isinstance(t, ast.Tuple) and t.elts else t for t in targets)
    return [target.id for target in firsts if isinstance(target, ast.Name)]


def _is_in_body(child: ast.AST, parent: ast.If | ast.IfExp) -> bool:
    return child is parent.body or (isinstance(parent.body, list) and child in parent.body)


def _asks_presence(test: ast.expr, *, is_else: bool) -> bool:
    """Return true for a test for an opinion, None, a number of them, or a sum of no weights.

    Of `criterion in GRAPH and lead` the else is for every other criterion, with a lead too.
    """
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, is_else = test.operand, not is_else
    if isinstance(test, ast.BoolOp):
        parts = [_asks_presence(part, is_else=is_else) for part in test.values]
        return all(parts) if is_else and isinstance(test.op, ast.And) else any(parts)
    if isinstance(test, ast.Compare):
        sides = (test.left, *test.comparators)
        return any(
            (isinstance(side, ast.Constant) and side.value in {None, 0})
            or (isinstance(side, ast.Call) and called_name(side) == "len")
            for side in sides
        )
    return bool(_OPINIONS.intersection(words_of(last_name(test))))


def _names_in(node: ast.AST) -> set[str]:
    return {inner.id for inner in walk(node) if isinstance(inner, ast.Name)}


def _words(node: ast.AST) -> Iterator[str]:
    for inner in walk(node):
        if isinstance(inner, ast.Name | ast.Attribute):
            yield from words_of(last_name(inner))
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield from words_of(inner.value)


def _is_overall(name: str) -> bool:
    return bool({"overall", "total", "aggregate"}.intersection(words_of(name)))
