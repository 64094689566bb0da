"""Scores that the code writes where an answer holds none, or holds no opinion of a criterion."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.judging.score_changes import assignments_in, words_in
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    walk,
)

# A record with a score and one of these is an opinion.
OF_OPINION = frozenset(
    {"judge", "argument", "reasoning", "rationale", "criterion_id", "cited_evidence"}
)
# A lower score lies under every scale: it marks a failure.
LOWEST = 1
SCORE = "score"
# Assignments that are followed from an opinion's score to the answer.
MOST_STEPS = 5
# What a criterion is not in where no detective looked at it: then nothing was left out by an answer.
EVIDENCE = frozenset({"evidence", "evidences", "facts", "findings"})


def written_number(node: ast.AST | None) -> float | None:
    """Return the number that stands for a score in the code; None for a mark of a failure, too."""
    number = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(number, int | float) or isinstance(number, bool):
        return None
    return number if number >= LOWEST else None


def defaults_of_answers(function: ast.AST) -> Iterator[tuple[ast.AST, float]]:
    """Yield where a missing score is read as a number: `answer.get("score", 3)`.

    It counts where an opinion is made of it, or where it is put into the answer itself.
    """
    values = assignments_in(function)
    once: dict[int, tuple[ast.AST, float]] = {}
    for node in walk(function):
        fields = fields_of(node)
        if SCORE in fields and not OF_OPINION.isdisjoint(fields):
            for part in behind(fields[SCORE], values):
                number = _default(part)
                if number is not None:
                    once.setdefault(id(part), (part, number))
        elif (number := _filled_in(node)) is not None:
            once.setdefault(id(node), (node, number))
    yield from once.values()


def behind(score: ast.expr, values: dict[str, list[ast.expr]]) -> Iterator[ast.AST]:
    """Yield the parts of an expression, and of what the names in it are assigned."""
    queue, names = [score], set[str]()
    while queue and len(names) <= MOST_STEPS:
        for part in walk(queue.pop()):
            yield part
            if isinstance(part, ast.Name) and part.id not in names:
                names.add(part.id)
                queue += values.get(part.id, [])


def _default(node: ast.AST) -> float | None:
    """Return the number of `x.get("score", 3)`, `getattr(x, "score", 3)`, `x["score"] or 3`."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        is_score = any(reads_score(part) for part in walk(node.values[0]))
        return written_number(node.values[-1]) if is_score else None
    if not isinstance(node, ast.Call):
        return None
    name, arguments = called_name(node), node.args
    key = 1 if name == "getattr" else 0
    if name not in {"get", "getattr", "pop"} or len(arguments) != key + 2:
        return None
    return written_number(arguments[key + 1]) if constant_text(arguments[key]) == SCORE else None


def reads_score(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and called_name(node) == "get" and node.args:
        return constant_text(node.args[0]) == SCORE
    if isinstance(node, ast.Subscript):
        return constant_text(node.slice) == SCORE
    return isinstance(node, ast.Attribute) and node.attr == SCORE


def _filled_in(node: ast.AST) -> float | None:
    """Return the number of `x.setdefault("score", 3)` and `if "score" not in x: x["score"] = 3`."""
    if isinstance(node, ast.Call) and called_name(node) == "setdefault" and len(node.args) == 2:
        is_score = constant_text(node.args[0]) == SCORE
        return written_number(node.args[1]) if is_score else None
    if not isinstance(node, ast.If) or not _is_absence(node.test):
        return None
    test = node.test
    if not isinstance(test, ast.Compare) or constant_text(test.left) != SCORE:
        return None
    values = (
        part.value
        for part in node.body
        if isinstance(part, ast.Assign)
        if any(isinstance(t, ast.Subscript) and reads_score(t) for t in part.targets)
    )
    return next((n for value in values if (n := written_number(value)) is not None), None)


def _is_absence(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn)


def left_out_by_answers(function: ast.AST) -> Iterator[ast.stmt]:
    """Yield what runs for a criterion that no answer names: `if key not in judged:`.

    `missing = expected - judged` names them as well, for a loop over them.
    """
    assigned = assignments_in(function)
    for node in walk(function):
        if isinstance(node, ast.For | ast.AsyncFor):
            values = assigned.get(last_name(node.iter), [])
            left_out = values[0] if len(values) == 1 else node.iter
            if isinstance(left_out, ast.BinOp) and isinstance(left_out.op, ast.Sub):
                judged = left_out.right
                if EVIDENCE.isdisjoint(words_in(judged)) and last_name(judged):
                    yield from node.body
        if isinstance(node, ast.If) and _is_absence(node.test):
            compared = node.test.comparators[0] if isinstance(node.test, ast.Compare) else node.test
            if EVIDENCE.isdisjoint(words_in(compared)) and last_name(compared):
                yield from node.body
