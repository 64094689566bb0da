"""Evaluator with the handlers of every expression and statement.

It follows straight-line code, loops over known lists, functions, methods and closures, far enough
to tell which graph the code builds and which text it assembles. Where a test is not known, it
follows both branches. It executes nothing: the only effects are on abstract values. Fuel bounds its
work, so that no input can keep it busy.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from courtroom.analysis.python.symbolic_execution.assignments import assign
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.expressions import EXPRESSIONS, compared
from courtroom.analysis.python.symbolic_execution.statements import STATEMENTS
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Flow,
    Frame,
    ListValue,
    Scope,
    Value,
)

# Expressions inside expressions; Python's own recursion limit lies far above.
MAX_NESTING = 120
# Members of a list that cost as much as a step: what is done with a list may go over all of it.
MEMBERS_OF_STEP = 20


class Interpreter(Evaluator):
    """Evaluator of Python code; a subclass adds the model of a library, or its own handlers."""

    expressions: ClassVar[Mapping[type, Callable[..., Value]]] = EXPRESSIONS
    statements: ClassVar[Mapping[type[ast.stmt], Callable[..., Flow]]] = STATEMENTS

    def attribute(self, owner: Value, name: str) -> Value:
        return attribute_of(self, owner, name)

    def compare(self, sign: ast.cmpop, left: Value, right: Value) -> Value:
        return compared(sign, left, right)

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        assign(self, target, value, frame)

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        if node is None:
            return None
        self.use_fuel()
        handler = self.expressions.get(type(node))
        if handler is None or self.nesting >= MAX_NESTING:
            return UNKNOWN

        self.nesting += 1
        try:
            value = handler(self, node, scope)
        finally:
            self.nesting -= 1
        if isinstance(value, ListValue):
            self.use_fuel(len(value.members) // MEMBERS_OF_STEP)
        return value

    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> Flow:
        for number, statement in enumerate(body):
            self.use_fuel()
            handler = self.statements.get(type(statement))
            flow = handler(self, statement, frame) if handler else Flow.NEXT_STATEMENT
            if flow is not Flow.NEXT_STATEMENT:
                self.skip(frame.scope, body[number + 1 :])
                return flow
        return Flow.NEXT_STATEMENT
