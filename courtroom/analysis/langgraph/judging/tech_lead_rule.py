"""The rule of functionality: under a condition the Tech Lead's score decides, or it weighs more than the others'."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.judging.score_changes import (
    SCORE_WORDS,
    ScoreChange,
    assignments_in,
    words_in,
)
from courtroom.analysis.python.call_graph import Place
from courtroom.analysis.python.tree_walk import walk, words_of

CAPS = frozenset(words_of("cap capped floor ceiling limit max maximum penalty"))
OTHER_JUDGES = frozenset(words_of("prosecutor prosecution defense defence"))


def is_tech_lead(words: Iterable[str]) -> bool:
    found = set(words)
    return "techlead" in found or {"tech", "lead"} <= found


def lead_decides(changes: list[ScoreChange]) -> Iterator[tuple[Place, int]]:
    """Under a condition, the Tech Lead's score alone, or weighted above the others, becomes the score."""
    for change in changes:
        if not change.guard or not is_tech_lead(
            change.guard | change.block | words_in(change.value)
        ):
            continue
        assigned = assignments_in(change.place.site.node)
        alone = (
            isinstance(change.value, ast.Name | ast.Attribute) and not words_in(change.value) & CAPS
        )
        of_lead = is_tech_lead(words_in(change.value)) or not words_in(change.value) & SCORE_WORDS
        of_lead = of_lead or _is_from_lead(change.value, assigned)
        on_architecture = change.guard & {"architecture", "orchestration"} and is_tech_lead(
            change.guard
        )
        decides = (alone and of_lead) or on_architecture or _is_blend_with_lead(change.value)
        if decides or _is_weighted(change.value):
            yield change.place, change.line


def _is_from_lead(value: ast.expr, assigned: dict[str, list[ast.expr]]) -> bool:
    """`tech_score` was taken from the Tech Lead's opinion, and from no other judge's."""
    words = _words_behind(value, assigned)
    behind = [
        inner
        for name in _names_in(value)
        for given in assigned.get(name, [])
        for inner in _names_in(given)
    ]
    words = words.union(*(words_in(given) for name in behind for given in assigned.get(name, [])))
    return is_tech_lead(words) and not words & OTHER_JUDGES


def _names_in(node: ast.AST) -> list[str]:
    return [inner.id for inner in walk(node) if isinstance(inner, ast.Name)]


def _is_blend_with_lead(value: ast.expr) -> bool:
    """(score + tech_lead.score) / 2: the Tech Lead's score once more, and no other judge's."""
    words = words_in(value)
    halves = (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Div)
        and isinstance(value.left, ast.BinOp)
    )
    return halves and is_tech_lead(words) and bool(words & SCORE_WORDS) and not words & OTHER_JUDGES


def _is_weighted(value: ast.expr) -> bool:
    products = [n for n in walk(value) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
    factors = {factor for product in products if (factor := _factor(product)) is not None}
    return bool(products) and (len(factors) > 1 or any(factor > 1 for factor in factors))


def _factor(product: ast.BinOp) -> float | None:
    for side in (product.left, product.right):
        if isinstance(side, ast.Constant) and isinstance(side.value, int | float):
            return float(side.value)
    return None


def lead_weighs_more(places: list[Place]) -> Iterator[tuple[Place, int]]:
    """A table or a sum in which the Tech Lead weighs more than another judge."""
    seen: set[str] = set()
    for place in places:
        assigned = {**_constants(place), **assignments_in(place.site.node)}
        for node in walk(place.site.node):
            if _favours_lead(node, assigned):
                yield place, getattr(node, "lineno", place.site.node.lineno)
        if place.source.path not in seen:
            seen.add(place.source.path)
            for statement in place.source.tree.body:
                if isinstance(statement, ast.Assign | ast.AnnAssign) and any(
                    _favours_lead(node, {}) for node in walk(statement)
                ):
                    yield place, statement.lineno


def _favours_lead(node: ast.AST, assigned: dict[str, list[ast.expr]]) -> bool:
    if isinstance(node, ast.Dict):
        weights = [
            (words_in(key), value) for key, value in zip(node.keys, node.values, strict=True) if key
        ]
        return _outweighs([(words, _number(value, assigned)) for words, value in weights])
    if isinstance(node, ast.IfExp) and is_tech_lead(words_in(node.test)):
        others = [
            number
            for inner in walk(node.orelse)
            if (number := _number(inner, assigned)) is not None
        ]
        own = _number(node.body, assigned)
        return own is not None and bool(others) and own > min(others)
    if isinstance(node, ast.List | ast.Tuple):
        pairs = [
            pair.elts for pair in node.elts if isinstance(pair, ast.Tuple) and len(pair.elts) == 2
        ]
        return _outweighs([(words_in(judge), _number(weight, assigned)) for judge, weight in pairs])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        products = [
            n for n in walk(node) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)
        ]
        factors = [(_words_behind(product, assigned), _factor(product)) for product in products]
        doubled = any(
            factor is not None and factor > 1 and is_tech_lead(words) for words, factor in factors
        )
        return doubled or _outweighs(factors)
    return False


def _words_behind(node: ast.expr, assigned: dict[str, list[ast.expr]]) -> frozenset[str]:
    """Its words and those of what its names were assigned: `t` is the Tech Lead's when it was taken from there."""
    given = (value for name in _names_in(node) for value in assigned.get(name, []))
    return words_in(node).union(*map(words_in, given))


def _number(node: ast.AST, assigned: dict[str, list[ast.expr]]) -> float | None:
    """A number, or a name that was given one."""
    given = assigned.get(node.id, []) if isinstance(node, ast.Name) else []
    value = given[0] if len(given) == 1 else node
    if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
        return float(value.value)
    return None


def _constants(place: Place) -> dict[str, list[ast.expr]]:
    """What the names of the place's file are given at its top."""
    return {
        target.id: [statement.value]
        for statement in place.source.tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _outweighs(weights: list[tuple[frozenset[str], float | None]]) -> bool:
    lead = [weight for words, weight in weights if weight is not None and is_tech_lead(words)]
    others = [weight for words, weight in weights if weight is not None and not is_tech_lead(words)]
    return bool(lead and others) and max(lead) > min(others)
