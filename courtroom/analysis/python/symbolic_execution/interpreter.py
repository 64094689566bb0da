"""Follows Python code without running it, far enough to see which graph it builds and which text it assembles.

Straight-line code, loops over known lists, functions, methods and closures are followed; where a test is not
known both branches are. Nothing is executed: the only effects are on the values of `values.py`. Work is
bounded by fuel, so that no input can keep it busy.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbolic_execution import calls, expressions, statements
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Builder,
    Flow,
    Frame,
    Function,
    Module,
    Pending,
    Scope,
    Value,
    join,
)

MAX_DEPTH = 12
SMALL_BODY = 8


class OutOfFuel(Exception):
    """The code is too large to be followed to its end; what was seen so far stands."""


@dataclass
class Interpreter:
    """One bounded reading. `follow` says by name which functions are worth entering besides small ones.

    `reads_data`: JSON files of the repository that the code loads are known values. `called`: the graphs that
    the code run so far invokes, in order.
    """

    names: Names
    follow: Callable[[str], bool]
    fuel: int = 60_000
    reads_data: bool = True
    builders: list[Builder] = field(default_factory=list)
    called: list[Builder] = field(default_factory=list)
    modules: dict[str, Module] = field(default_factory=dict)
    active: list[ast.AST] = field(default_factory=list)
    nesting: int = 0

    def burn(self) -> None:
        self.fuel -= 1
        if self.fuel <= 0:
            raise OutOfFuel

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        return None if node is None else expressions.evaluate(self, node, scope)

    def module(self, source: SourceFile, *, as_main: bool = False) -> Module:
        """The module with its top level followed once; as_main: as `python file.py` would."""
        known = self.modules.get(source.path)
        if known is not None:
            return known
        module = Module(source, Scope(source))
        module.scope.names["__name__"] = "__main__" if as_main else source.module
        self.modules[source.path] = module
        self.block(source.tree.body, Frame(module.scope))
        return module

    def resolve(self, value: Value) -> Value:
        if not isinstance(value, Pending):
            return value
        scope = self.module(value.module).scope
        found = scope.names.get(value.name, UNKNOWN)
        return UNKNOWN if found is value else self.resolve(found)

    def enter(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Frame:
        """Follow a function's body and return its frame: its locals and everything it may return."""
        frame = Frame(Scope(function.source, function.scope))
        calls.bind(self, function, positional, keywords, frame.scope)
        self.active.append(function.node)
        try:
            if isinstance(function.node, ast.Lambda):
                frame.returned.append(self.evaluate(function.node.body, frame.scope))
            elif self.block(function.node.body, frame) is not Flow.OUT:
                frame.returned.append(None)
        finally:
            self.active.pop()
        return frame

    def call(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        if not self._is_worth_entering(function):
            return UNKNOWN
        returned = self.enter(function, positional, keywords).returned
        certain: list[Value] = [value for value in returned if value is not None]
        return join(certain or returned)

    def _is_worth_entering(self, function: Function) -> bool:
        if len(self.active) >= MAX_DEPTH or any(node is function.node for node in self.active):
            return False
        if isinstance(function.node, ast.Lambda):
            return True
        return len(function.node.body) <= SMALL_BODY or self.follow(function.node.name)

    def store(self, target: ast.expr, value: Value, frame: Frame) -> None:
        statements.store(self, target, value, frame)

    def block(self, body: Sequence[ast.stmt], frame: Frame) -> Flow:
        for statement in body:
            self.burn()
            flow = self._statement(statement, frame)
            if flow is not Flow.ON:
                return flow
        return Flow.ON

    def _statement(self, node: ast.stmt, frame: Frame) -> Flow:
        handler = statements.HANDLERS.get(type(node))
        return handler(self, node, frame) if handler else Flow.ON
