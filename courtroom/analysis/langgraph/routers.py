"""Where a router can lead: every value its function may return, Send and Command included."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from courtroom.analysis.langgraph import builder_calls
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Called,
    Function,
    Instance,
    Items,
    Table,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import walk, words_of

if TYPE_CHECKING:
    from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter


@dataclass(slots=True)
class RouterReading:
    """`outcomes`: sets of nodes (or map keys) that run together. `words`: the vocabulary of its tests."""

    outcomes: list[tuple[str, ...]] = field(default_factory=list)
    sends: list[str] = field(default_factory=list)
    is_complete: bool = True
    words: frozenset[str] = frozenset()

    def add(self, outcome: tuple[str, ...]) -> None:
        if outcome and outcome not in self.outcomes:
            self.outcomes.append(outcome)


def read_router(run: Interpreter, router: Value) -> RouterReading:
    if isinstance(router, Called) and router.dotted == "functools.partial" and router.positional:
        router = router.positional[0]
    if isinstance(router, Instance):
        router = attribute_of(run, router, "__call__")
    if not isinstance(router, Function):
        return RouterReading(is_complete=False)
    reading = RouterReading(words=vocabulary(router.node))
    for value in _returned(run, router):
        _read_outcome(value, reading)
    if not reading.is_complete:
        _complete_from_annotation(router, reading)
    return reading


def read_commands(
    run: Interpreter, action: Value, *, to_parent: bool = False
) -> RouterReading | None:
    """Where a node sends control by returning Command(goto=...); None when it does not.

    `to_parent`: only what it sends, with graph=Command.PARENT, to the graph that its own is a node of.
    """
    if (
        not isinstance(action, Function)
        or isinstance(action.node, ast.Lambda)
        or not _uses_command(action)
    ):
        return None
    reading, has_parents = RouterReading(words=vocabulary(action.node)), False
    for value in _returned(run, action):
        for choice in choices_of(value):
            if isinstance(choice, Called) and choice.dotted.endswith(".Command"):
                goto = choice.keyword("goto")
                leaves = choice.keyword("graph") is not None
                has_parents |= leaves
                if goto is not None and leaves is to_parent:
                    _read_outcome(goto, reading)
    if to_parent or (has_parents and not reading.outcomes):
        return reading if reading.outcomes else None
    if not reading.outcomes:
        reading.is_complete = False
        _complete_from_annotation(action, reading)
    return reading


def _uses_command(action: Function) -> bool:
    local = {name for name, dotted in action.source.imports.items() if dotted.endswith(".Command")}
    return bool(local) and any(isinstance(n, ast.Name) and n.id in local for n in walk(action.node))


def _returned(run: Interpreter, function: Function) -> list[Value]:
    if len(run.active) >= 20:
        return [UNKNOWN]
    bound = [] if function.bound is None else [function.bound]
    return [
        choice for value in run.enter(function, bound, {}).returned for choice in choices_of(value)
    ]


def _read_outcome(value: Value, reading: RouterReading) -> None:
    """A name is one node; a list is nodes that run together; a Send names its node."""
    for choice in choices_of(value):
        if choice is None:
            continue  # a way through the function that returns nothing leads nowhere
        members = choice.members if isinstance(choice, Items) else [choice]
        if isinstance(choice, Items) and (choice.is_open or not choice.members):
            reading.is_complete = False
        names = [name for member in members for name in _names_of(member, reading)]
        reading.add(tuple(dict.fromkeys(names)))


def _names_of(member: Value, reading: RouterReading) -> list[str]:
    names: list[str] = []
    for choice in choices_of(member):
        target = choice
        is_send = isinstance(choice, Called) and choice.dotted.endswith(".Send")
        if isinstance(choice, Called) and is_send:
            target = choice.first("node")
        for one in choices_of(target):
            name = builder_calls.node_name(one)
            if name is None:
                reading.is_complete = False
                continue
            names.append(name)
            if is_send and name not in reading.sends:
                reading.sends.append(name)
    return names


def _complete_from_annotation(function: Function, reading: RouterReading) -> None:
    """`-> Literal["a", "b"]`, as LangGraph itself reads it when no map is given."""
    returns = None if isinstance(function.node, ast.Lambda) else function.node.returns
    names = [
        builder_calls.ENDS.get(constant.value, constant.value)
        for literal in walk(returns or ast.Pass())
        if isinstance(literal, ast.Subscript) and _last_name(literal.value) == "Literal"
        for constant in walk(literal.slice)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    ]
    for name in names:
        reading.add((name,))
    reading.is_complete = bool(names)


def _last_name(node: ast.expr) -> str:
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )


def through_map(outcomes: list[tuple[str, ...]], path_map: Table) -> list[tuple[str, ...]]:
    """Outcomes named by the map's keys, turned into node names; a key the map does not hold stays a name."""
    mapped: list[tuple[str, ...]] = []
    table = {
        builder_calls.node_name(key) or str(key): value for key, value in path_map.entries.items()
    }
    for outcome in outcomes:
        names = [builder_calls.node_name(table[key]) if key in table else key for key in outcome]
        found = tuple(name for name in names if name is not None)
        if found and found not in mapped:
            mapped.append(found)
    return mapped


def words_in_map(path_map: Value) -> frozenset[str]:
    if not isinstance(path_map, Table):
        return frozenset()
    return frozenset(word for key in path_map.entries for word in words_of(str(key)))


@lru_cache(maxsize=4096)
def vocabulary(node: ast.AST) -> frozenset[str]:
    """The words of a function's names and strings, its docstring apart."""
    body = getattr(node, "body", [])
    statements = body if isinstance(body, list) else [body]
    if (
        statements
        and isinstance(statements[0], ast.Expr)
        and isinstance(statements[0].value, ast.Constant)
    ):
        statements = statements[1:]
    words: set[str] = set(words_of(getattr(node, "name", "")))
    for inner in (found for statement in statements for found in walk(statement)):
        if isinstance(inner, ast.Name):
            words.update(words_of(inner.id))
        elif isinstance(inner, ast.Attribute):
            words.update(words_of(inner.attr))
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            words.update(words_of(inner.value[:400]))
    return frozenset(words)
