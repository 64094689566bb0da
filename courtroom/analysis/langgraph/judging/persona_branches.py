"""Branches of a function that run for one persona: `if judge == "Prosecutor": ... else: ...`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.judging.persona_names import PERSONAS, persona_in
from courtroom.analysis.python.tree_walk import constant_text, walk

Branch = tuple[str, list[ast.stmt]]


def persona_branches(function: ast.AST) -> Iterator[Branch]:
    """Yield each persona with the statements that run for it alone.

    The last `else`, or what follows tests that all return, belongs to the persona that they leave.
    """
    inner_links: set[int] = set()
    for node in walk(function):
        if isinstance(node, ast.If) and id(node) not in inner_links:
            yield from _branches_of_chain(node, inner_links)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                persona = persona_in(_text_of_pattern(case.pattern))
                if persona is not None:
                    yield persona, case.body
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _rest_after_returns(node.body)


def _rest_after_returns(statements: list[ast.stmt]) -> Iterator[Branch]:
    """Yield the third persona with what follows two tests for the others that both return."""
    rest = list(PERSONAS)
    subjects: set[str] = set()
    for position, statement in enumerate(statements):
        if not isinstance(statement, ast.If):
            if len(rest) == 1 and len(subjects) == 1:
                yield rest[0], statements[position:]
                return
            continue
        subject, persona = _compared(statement.test)
        if persona is None or statement.orelse or not isinstance(statement.body[-1], ast.Return):
            return
        subjects.add(subject)
        rest = [name for name in rest if name != persona]


def _branches_of_chain(node: ast.If, inner_links: set[int]) -> Iterator[Branch]:
    rest = list(PERSONAS)
    subject = ""
    while True:
        compared, persona = _compared(node.test)
        if persona is None or (subject and compared != subject):
            return
        subject = compared
        yield persona, node.body
        rest = [name for name in rest if name != persona]
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            break
        node = node.orelse[0]
        inner_links.add(id(node))
    if len(rest) == 1:
        yield rest[0], node.orelse


def _compared(test: ast.expr) -> tuple[str, str | None]:
    """Return what a test compares with the name of a persona, and that persona."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return "", None
    if not isinstance(test.ops[0], ast.Eq):
        return "", None
    left, right = test.left, test.comparators[0]
    if constant_text(left) is not None:
        left, right = right, left
    return ast.dump(left), persona_in(constant_text(right) or "")


def _text_of_pattern(pattern: ast.pattern) -> str:
    value = pattern.value if isinstance(pattern, ast.MatchValue) else None
    return (constant_text(value) or "") if value is not None else ""
