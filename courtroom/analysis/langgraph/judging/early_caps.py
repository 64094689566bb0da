"""Caps for security after which no rule asks the facts: a score that they would lower stays."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from courtroom.analysis.langgraph.judging.loose_rules import LooseRule
from courtroom.analysis.langgraph.judging.score_changes import assignments_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, last_name, walk

Place = tuple[FunctionRef, int]


def early_caps(
    functions: Iterable[FunctionRef], caps: Sequence[Place], facts: Sequence[Place]
) -> Iterator[LooseRule]:
    """Yield functions that return a capped score, or leave facts to an `elif`, before they ask them.

    `caps` and `facts` are the lines of the two rules. Facts that are asked before count, and below
    the lowest of the scores they leave nothing.
    """
    caps = [place for place in caps if not _takes_lowest(*place)]
    if not caps or not facts:
        return
    for function in functions:
        rules = _Rules(function, caps), _Rules(function, facts)
        body = function.site.node.body
        if (line := _early(body, *rules)) is not None:
            sentence = (
                f"{function.shown_name}() does not come to the rule of facts where the cap for"
                " security holds: a score that facts would lower further stays where the cap leaves it"
            )
            yield LooseRule(function, line, sentence)


def _takes_lowest(function: FunctionRef, line: int) -> bool:
    """Return true for `min(3, min(scores))`."""
    values = assignments_in(function.site.node)
    for node in walk(function.site.node):
        if isinstance(node, ast.Call) and node.lineno == line and called_name(node) == "min":
            parts = [
                *node.args,
                *(v for part in node.args for v in values.get(last_name(part), ())),
            ]
            further = (part for part in parts if part is not node)
            if any(isinstance(p, ast.Call) and called_name(p) == "min" for p in further):
                return True
    return False


class _Rules:
    """Lines of a rule in a function, and the names of the other functions that apply it."""

    def __init__(self, function: FunctionRef, places: Sequence[Place]) -> None:
        self.lines = {line for home, line in places if home.key == function.key}
        self.names = {home.name for home, _ in places if home.key != function.key}

    def are_in(self, nodes: Iterable[ast.AST]) -> bool:
        return any(
            getattr(part, "lineno", 0) in self.lines
            or (isinstance(part, ast.Call) and called_name(part) in self.names)
            for node in nodes
            for part in walk(node)
        )


def _early(body: Sequence[ast.stmt], cap: _Rules, facts: _Rules) -> int | None:
    """Return the line of a cap after which the facts behind it are not asked; None without one."""
    for place, statement in enumerate(body):
        inner = _inner_bodies(statement)
        if isinstance(statement, ast.If) and not facts.are_in([statement.test, *statement.body]):
            before, behind = body[:place], body[place + 1 :]
            leaves = isinstance(statement.body[-1], ast.Return)
            follows = [*statement.orelse, *(behind if leaves else ())]
            is_cap = cap.are_in(statement.body) or (leaves and _is_result(statement, before, cap))
            if is_cap and facts.are_in(follows) and not facts.are_in(before):
                return statement.lineno
        for block in inner:
            if (line := _early(block, cap, facts)) is not None:
                return line
        if facts.are_in([statement]):
            return None
    return None


def _inner_bodies(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    blocks = (getattr(statement, name, None) for name in ("body", "orelse", "finalbody"))
    return [block for block in blocks if isinstance(block, list)]


def _is_result(statement: ast.If, before: Sequence[ast.stmt], cap: _Rules) -> bool:
    """Return true for `score = cap(...); if score is not None: return score`."""
    returned = statement.body[-1]
    name = last_name(returned.value) if isinstance(returned, ast.Return) and returned.value else ""
    set_by = [node for node in before if isinstance(node, ast.Assign)]
    last = next(
        (node for node in reversed(set_by) if any(last_name(t) == name for t in node.targets)), None
    )
    tested = {last_name(part) for part in walk(statement.test)}
    return bool(name) and name in tested and last is not None and cap.are_in([last.value])
