"""Weighted and plain means of the judges' scores, by which a report that denies averages is held."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from courtroom.analysis.python.syntax import parse_sources
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    terms_of,
    walk,
)

_JUDGE = re.compile(r"prosec|defen[cs]e|tech")
# What holds the opinions of the judges on one criterion.
_OPINIONS = re.compile(r"(?:^|_)(?:op|ops|opinions?|judges?|judge_scores)$")
_FEWEST_JUDGES = 2


def means_of_scores(sources: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return path and line of the means of several judges' scores in the Python sources.

    What a function holds whose name no code has is no mean of a run.
    """
    python = {p: text.encode() for p, text in sources.items() if p.endswith(".py")}
    files = parse_sources(python).files
    functions = [
        (path, node)
        for path, source in files.items()
        for node in walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    means = [(path, node, lines) for path, node in functions if (lines := list(_means(node)))]
    uses = Counter(name for source in files.values() for name in _used_names(source.tree))
    may_fetch_any = any(_fetches_by_name(node) for s in files.values() for node in walk(s.tree))
    places = {
        (path, line)
        for path, node, lines in means
        if may_fetch_any or node.decorator_list or _is_used(node, uses)
        for line in lines
    }
    return [{"path": path, "line": line} for path, line in sorted(places)]


def _is_used(function: ast.FunctionDef | ast.AsyncFunctionDef, uses: Counter[str]) -> bool:
    """Return true for a name that code has outside of the function itself."""
    own = sum(name == function.name for name in _used_names(function))
    return uses[function.name] > own


def _fetches_by_name(node: ast.AST) -> bool:
    """Return true for what may fetch any function, by a name that is made at run time.

    An attribute with a default, `getattr(opinion, key, None)`, is data.
    """
    if not isinstance(node, ast.Call):
        return False
    name, arguments = called_name(node), node.args
    if name == "getattr":
        return len(arguments) == 2 and constant_text(arguments[1]) is None
    return name == "globals"


def _used_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that code reads, imports and looks up."""
    for node in walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            yield last_name(node)
        elif isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _means(function: ast.AST) -> Iterator[int]:
    sums = {name for node in walk(function) for name in _summed(node)}
    for node in walk(function):
        if not isinstance(node, ast.BinOp):
            continue
        left = last_name(node.left)
        is_quotient = isinstance(node.op, ast.Div) and (
            (left and left in sums and bool(last_name(node.right)))
            or _is_sum_of_opinions(node)
            or (isinstance(node.right, ast.Constant) and _is_sum_of_judges(node.left))
        )
        is_weighted = isinstance(node.op, ast.Add) and _is_sum_of_judges(node, weighted=True)
        if is_quotient or is_weighted:
            yield node.lineno


def _summed(node: ast.AST) -> Iterator[str]:
    """Yield a name to which weighted scores of opinions are added: "total += op.score * weight"."""
    if (
        isinstance(node, ast.AugAssign)
        and isinstance(node.op, ast.Add)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Mult)
    ):
        sides = (node.value.left, node.value.right)
        if any(_is_score_of_opinion(side) for side in sides):
            yield last_name(node.target)


def _is_score_of_opinion(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "score"
        and _OPINIONS.search(last_name(node.value).lower()) is not None
    )


def _is_sum_of_opinions(node: ast.BinOp) -> bool:
    """Return whether it is "sum(op.score for op in opinions) / len(opinions)"."""
    total, count = node.left, node.right
    if not (isinstance(total, ast.Call) and called_name(total) == "sum" and total.args):
        return False
    scores = total.args[0]
    return (
        isinstance(scores, ast.GeneratorExp | ast.ListComp)
        and _is_score_of_opinion(scores.elt)
        and isinstance(count, ast.Call)
        and called_name(count) == "len"
    )


def _is_sum_of_judges(node: ast.expr, *, weighted: bool = False) -> bool:
    """Return whether all terms of a sum are scores of judges, each with a weight or some with one."""
    judges: set[str] = set()
    terms = list(terms_of(node))
    for term in terms:
        factors = [term]
        if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult):
            factors = [term.left, term.right]
        named = [factor for factor in factors if not isinstance(factor, ast.Constant)]
        if len(named) != 1 or (weighted and len(factors) == 1):
            return False
        word = _judge_of(named[0])
        if not word:
            return False
        judges.add(word)
    return len(judges) >= _FEWEST_JUDGES


def _judge_of(node: ast.expr) -> str:
    """Return the judge whose score a name or an attribute holds: "prosecutor.score"."""
    names = [last_name(node)]
    if isinstance(node, ast.Attribute) and node.attr == "score":
        names = [last_name(node.value)]
    match = _JUDGE.search(names[0].lower())
    return match[0] if match else ""
