"""Scores that the Chief Justice's code writes where the opinion of a judge is absent."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from courtroom.analysis.langgraph.judging.opinion_guards import is_without, ruled_out_tests
from courtroom.analysis.langgraph.judging.persona_names import persona_in
from courtroom.analysis.langgraph.judging.refused_opinions import IsRefused, never
from courtroom.analysis.langgraph.judging.score_changes import assignments_in
from courtroom.analysis.langgraph.judging.score_defaults import reads_score, written_number
from courtroom.analysis.locations import shown
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    walk,
    words_of,
)

SCORE_FIELDS = frozenset({"score", "final_score"})
MOST_PLACES = 8
# When the number counts: also for the last of a list in which the others move up.
ONE, EVERY = "where an opinion is absent", "where all opinions are absent"
LAST = f"for the last in its list of scores {ONE}"


def absent_opinion_scores(
    justice: Sequence[FunctionRef], is_refused: IsRefused = never
) -> list[dict[str, Any]]:
    """Return the scores by function and number, as facts: `op.score if op else 3`.

    The highest comes first. A number under every scale is none, and so is that of a record which its
    class refuses.
    """
    ruled_out = ruled_out_tests(justice)
    places: dict[tuple[str, str, float], dict[int, str]] = defaultdict(dict)
    # A nested function is read with the one around it.
    for function in (function for function in justice if function.site.outer is None):
        for line, number, when in _written(function.site.node, ruled_out):
            if is_refused(function.source, line):
                continue
            lines = places[function.source.path, function.shown_name, number]
            lines[line] = when if lines.get(line, when) == when else ONE
    return [
        shown(
            f"{name} counts {number:g} {_only([*lines.values()])}.",
            *((path, line) for line in sorted(lines)[:MOST_PLACES]),
        )
        for (path, name, number), lines in sorted(places.items(), key=lambda row: -row[0][2])
    ]


def _only(occasions: Sequence[str]) -> str:
    return occasions[0] if len(set(occasions)) == 1 else ONE


def _written(function: ast.AST, ruled_out: Collection[int]) -> Iterator[tuple[int, float, str]]:
    """Yield line and number, and the words on when the number counts."""
    filled = _filled_after(function)
    for node in walk(function):
        number = absent_default(node)
        if number is not None and not _is_idle(node, filled):
            yield getattr(node, "lineno", 1), number, LAST if _is_by_place(node) else ONE
        elif isinstance(node, ast.If) and (is_for_none := is_without(node.test)) is not None:
            if id(node) in ruled_out:
                continue
            for statement in node.body:
                when = EVERY if is_for_none else ONE
                yield from ((*verdict, when) for verdict in _verdicts(statement))
        elif isinstance(node, ast.FunctionDef):
            yield from ((*score, ONE) for score in _returned(node))
    yield from ((*score, ONE) for score in (*_kept(function), *_preset(function)))


def _filled_after(function: ast.AST) -> dict[str, int]:
    """Return the lines from which on lists have a member: below `if not scores: return ...`."""
    guards = {
        name: end for statement in getattr(function, "body", ()) for name, end in _guard(statement)
    }
    changed = {
        name
        for node in walk(function)
        if getattr(node, "lineno", 0) > guards.get(name := _stored_name(node), 0)
    }
    return {name: end for name, end in guards.items() if name not in changed}


def _guard(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    match statement:
        case ast.If(
            test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)),
            body=[*_, ast.Return() | ast.Raise()],
            orelse=[],
        ):
            yield name, statement.end_lineno or statement.lineno


def _stored_name(node: ast.AST) -> str:
    """Return the name that a node sets, deletes, takes as parameter, or calls a method of."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name
    return ""


def _is_idle(node: ast.AST, filled: Mapping[str, int]) -> bool:
    """Return whether the default is for an empty list where the list has a member."""
    match node:
        case ast.IfExp(test=ast.Name(id=name)):
            pass
        case ast.IfExp(
            test=ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
                ops=[ast.Gt()],
                comparators=[ast.Constant(value=0)],
            )
        ):
            pass
        case _:
            return False
    return name in filled and node.lineno > filled[name]


def absent_default(node: ast.AST) -> float | None:
    """Return the number of `next((o.score for o in ops), 3)`, `scores.get("Defense", 3)` and
    `op.score if op else 3`, and of an opinion with a written score.
    """
    if isinstance(node, ast.IfExp):
        sides = node.body, node.orelse
        numbers = [n for side in sides if (n := written_number(side)) is not None]
        # What has no score is there: `isinstance(op, dict)`.
        is_typed = isinstance(node.test, ast.Call) and called_name(node.test) == "isinstance"
        is_given = not is_typed and any(_is_given(side) for side in sides)
        return numbers[0] if is_given and len(numbers) == 1 else None
    if not isinstance(node, ast.Call):
        return None
    fields = fields_of(node)
    if {"judge", "score"} <= fields.keys():
        return written_number(fields["score"])
    if len(node.args) != 2:
        return None
    first, default = node.args
    if called_name(node) == "next" and isinstance(first, ast.GeneratorExp):
        return written_number(default) if _is_given(first.elt) else None
    is_of_judge = called_name(node) == "get" and persona_in(constant_text(first) or "")
    return written_number(default) if is_of_judge else None


def _is_by_place(node: ast.AST) -> bool:
    """Return true for `scores[1] if len(scores) > 1 else 3`."""
    match node:
        case ast.IfExp(body=ast.Subscript(slice=ast.Constant(value=int(place)))) if place > 0:
            return any(isinstance(p, ast.Call) and called_name(p) == "len" for p in walk(node.test))
    return False


def _is_given(node: ast.expr) -> bool:
    """Return true for `op.score`, `op["score"]` and `scores[0]`."""
    if isinstance(node, ast.Call) and node.args and called_name(node) in {"int", "float", "round"}:
        node = node.args[0]
    of_list = isinstance(node, ast.Subscript) and "scores" in words_of(last_name(node.value))
    return of_list or reads_score(node)


def _returned(function: ast.FunctionDef) -> Iterator[tuple[int, float]]:
    """Yield the number that `score(op)` returns `if op is None`, before it returns that of `op`."""
    names = {item.arg for item in function.args.args}
    returns = [node for node in walk(function) if isinstance(node, ast.Return) and node.value]
    read = {
        last_name(inner)
        for node in returns
        if node.value and any(map(_is_read, walk(node.value)))
        for inner in walk(node.value)
    }
    for node in walk(function):
        if not isinstance(node, ast.If) or not isinstance(node.body[0], ast.Return):
            continue
        denied = _denied_name(node.test)
        number = written_number(node.body[0].value)
        if denied in names & read and number is not None:
            yield node.body[0].lineno, number


def _is_read(node: ast.AST) -> bool:
    """Return true for `op.score` and `getattr(op, "score", None)`."""
    is_getattr = isinstance(node, ast.Call) and called_name(node) == "getattr"
    arguments = node.args[1:2] if isinstance(node, ast.Call) and is_getattr else []
    return reads_score(node) or [*map(constant_text, arguments)] == ["score"]


def _denied_name(test: ast.expr) -> str:
    """Return the name in `not name` and `name is None`; "" for another test."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return last_name(test.operand)
    is_none = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is)
    return last_name(test.left) if is_none and isinstance(test, ast.Compare) else ""


def _preset(function: ast.AST) -> Iterator[tuple[int, float]]:
    """Yield the numbers of `scores = {"Prosecutor": 3, ...}`, to which opinions are then written."""
    stored = {
        last_name(target.value)
        for node in walk(function)
        if isinstance(node, ast.Assign) and _is_given(node.value)
        for target in node.targets
        if isinstance(target, ast.Subscript)
    }
    for name, assigned in assignments_in(function).items():
        for table in assigned if name in stored else ():
            if not isinstance(table, ast.Dict):
                continue
            for key, value in zip(table.keys, table.values, strict=True):
                number = written_number(value) if persona_in(constant_text(key) or "") else None
                if number is not None:
                    yield value.lineno, number


def _verdicts(statement: ast.stmt) -> Iterator[tuple[int, float]]:
    """Yield line and number of a verdict that a statement writes."""
    for node in walk(statement):
        values: list[ast.expr] = []
        if isinstance(node, ast.Return) and node.value is not None:
            values = node.value.elts[:1] if isinstance(node.value, ast.Tuple) else [node.value]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            values = [
                value
                for target in node.targets
                for name, value in zip(getattr(target, "elts", ()), node.value.elts, strict=False)
                if words_of(last_name(name))[-1:] == ["score"]
            ]
        elif isinstance(node, ast.Assign) and any(
            words_of(last_name(target))[-1:] == ["score"] for target in node.targets
        ):
            values = [node.value]
        elif isinstance(node, ast.Call):
            values = [value for name, value in fields_of(node).items() if name in SCORE_FIELDS]
        for value in values:
            number = written_number(value)
            if number is not None:
                yield value.lineno, number


def _kept(function: ast.AST) -> Iterator[tuple[int, float]]:
    """Yield a number set before a loop over opinions: `defense = 3; for op in ops: ...`."""
    values = assignments_in(function)
    for name, assigned in values.items():
        if persona_in(name) and any(_is_given(value) for value in assigned[1:]):
            number = written_number(assigned[0])
            if number is not None:
                yield assigned[0].lineno, number
