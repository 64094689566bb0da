"""Conditions that never hold.

They read an empty table, a constant, a state key nobody declares, or ask for evidence nobody makes,
for want of evidence without which no judge is heard, or for a criterion that the work has not. A text
that is compared with a number ends in a TypeError.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from courtroom.analysis.langgraph.judging.made_evidence import MadeEvidence, filter_of
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    tests_around,
    walk,
)
from courtroom.analysis.security.value_origins import assigned_values

# getattr(object, name, default).
GETATTR_WITH_DEFAULT = 3
# Assignments and calls that are followed back.
MAX_STEPS = 8
# Characters of a condition that a sentence shows.
MOST_SHOWN = 60
FILLING_METHODS = frozenset(
    {"append", "extend", "add", "update", "setdefault", "insert", "__setitem__"}
)
STATE_NAMES = frozenset({"state", "graph_state", "agent_state"})
ARGUMENTS = frozenset({"argument", "arguments"})
Question = Callable[[ast.expr, FunctionRef, int], bool]
# Annotations of a text, and of a dict of texts.
TEXT_TYPES = frozenset({"str", "dict[str, str]", "Dict[str, str]", "Mapping[str, str]"})


@dataclass(frozen=True, slots=True)
class DeadConditions:
    """Reader of conditions in `functions`, the code of one layer.

    `state_keys` are the keys that the graph's state declares; None when they are not known.
    LangGraph drops all others, so reading one gives the default. `is_heard_with` tells of a field of
    the state and a key whether something lies there wherever a judge is heard, `lacks_criterion` of a
    test whether it waits for an id that no criterion has, `is_passed_by_none` of a filter of the state
    whether all that code writes there stays behind in it.
    """

    symbols: SymbolTable
    functions: list[FunctionRef]
    state_keys: frozenset[str] | None
    evidence: MadeEvidence | None = None
    is_heard_with: Callable[[str, str], bool] | None = None
    lacks_criterion: Callable[[ast.AST, FunctionRef], bool] | None = None
    is_passed_by_none: Callable[[ast.expr, FunctionRef], bool] | None = None

    def never_holds(self, test: ast.expr, function: FunctionRef) -> bool:
        return self._is_falsy(test, function, MAX_STEPS)

    def dead_part(self, function: FunctionRef, line: int) -> str:
        """Return the part of a line's conditions that never holds, "" where it is none or long."""
        tests = tests_around(function.site.node, line)
        joined = (test.values if _is_and(test) else [test] for test in tests)
        dead = (part for parts in joined for part in parts if self.never_holds(part, function))
        part = next(dead, None)
        text = ast.unparse(part) if part is not None else ""
        return text if len(text) <= MOST_SHOWN else ""

    def _is_falsy(self, node: ast.expr, function: FunctionRef, steps: int) -> bool:
        if steps == 0:
            return False
        if isinstance(node, ast.Constant):
            return not node.value
        wanted = filter_of(node) or node
        if self._none_meets(wanted) or self._compares_in_vain(node, function, steps):
            return True
        questions = (self.lacks_criterion, self.is_passed_by_none)
        if any(question is not None and question(node, function) for question in questions):
            return True
        if isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set):
            return not (node.keys if isinstance(node, ast.Dict) else node.elts)
        if isinstance(node, ast.BoolOp):
            parts = [self._is_falsy(value, function, steps) for value in node.values]
            if isinstance(node.op, ast.And):
                return any(parts) or self._hears_without_key(node.values, function)
            return all(parts)
        if isinstance(node, ast.Name):
            return self._is_falsy_name(node.id, function, steps)
        if isinstance(node, ast.Call):
            return self._is_falsy_call(node, function, steps)
        return False

    def _compares_in_vain(self, test: ast.expr, function: FunctionRef, steps: int) -> bool:
        """Return true for `cap is not None` where the cap is always None, and for `score <= 2` where
        each call of the function hands over a text.
        """
        match test:
            case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                return self._gives_none(left, function, steps - 1)
            case ast.Compare(
                left=ast.Name(id=name),
                ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()],
                comparators=[ast.Constant(value=int() | float())],
            ) if name in parameter_names(function) and not assigned_values(function.site, name):
                passed = list(self._arguments_for(name, function))
                return bool(passed) and all(
                    value is not None and _is_text(value, caller) for value, caller in passed
                )
        return False

    def _none_meets(self, test: ast.expr) -> bool:
        return self.evidence is not None and self.evidence.none_meets(test)

    def _hears_without_key(self, parts: Sequence[ast.expr], function: FunctionRef) -> bool:
        """Return true for an argument of a judge without evidence that is there for every judge."""
        denied = (p for p in parts if isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.Not))
        places = [place for p in denied if (place := self._place_of(p.operand, function))]
        if self.is_heard_with is None or not places:
            return False
        has_argument = any(self._reads_argument(part, function) for part in parts)
        return has_argument and any(self.is_heard_with(*place) for place in places)

    def _place_of(self, node: ast.expr, function: FunctionRef) -> tuple[str, str] | None:
        """Return field and key of `state["evidences"].get("repo")`, also by names for its parts."""
        owner, key = _lookup(node)
        if key is None:
            return None
        if isinstance(owner, ast.Name):
            values = list(assigned_values(function.site, owner.id))
            owner = values[0] if len(values) == 1 else owner
        if isinstance(owner, ast.BoolOp):
            owner = owner.values[0]
        state, field = _lookup(owner)
        return (field, key) if field is not None and last_name(state) in STATE_NAMES else None

    def _reads_argument(self, part: ast.expr, function: FunctionRef) -> bool:
        names = {node.id for node in walk(part) if isinstance(node, ast.Name)}
        values = [v for name in sorted(names) for v in assigned_values(function.site, name)]
        read = (node for value in (part, *values) for node in walk(value))
        return any(isinstance(node, ast.Attribute) and node.attr in ARGUMENTS for node in read)

    def _gives_none(self, node: ast.expr, function: FunctionRef, steps: int) -> bool:
        """Return true where a value is None in every run, as what a function returns may be."""
        if steps <= 0 or _is_none(node):
            return steps > 0
        if isinstance(node, ast.Name):
            values = assigned_values(function.site, node.id)
            return bool(values) and all(self._gives_none(v, function, steps - 1) for v in values)
        name = called_name(node) if isinstance(node, ast.Call) else ""
        called = [other for other in self.functions if other.name == name]
        return bool(called) and all(
            self._gives_nothing(other, steps, self._gives_none) for other in called
        )

    def _gives_nothing(self, called: FunctionRef, steps: int, is_nothing: Question) -> bool:
        """Return true where every value that a function returns is nothing, or never returned."""
        node = called.site.node
        nodes = list(walk(node))
        if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in nodes):
            return False
        returned = (n.value for n in nodes if isinstance(n, ast.Return) and n.value)
        return all(
            is_nothing(value, called, steps)
            or any(self._is_falsy(test, called, steps) for test in tests_around(node, value.lineno))
            for value in returned
        )

    def _is_falsy_call(self, call: ast.Call, function: FunctionRef, steps: int) -> bool:
        name = called_name(call)
        called = [other for other in self.functions if other.name == name]
        if called:
            return all(self._gives_nothing(other, steps - 1, self._is_falsy) for other in called)
        defaults = call.args[2:] if name == "getattr" else call.args[1:]
        if not all(self._is_falsy(default, function, steps - 1) for default in defaults):
            return False
        if name == "getattr" and len(call.args) == GETATTR_WITH_DEFAULT:
            return self._is_undeclared(call.args[0], call.args[1])
        if name == "get" and isinstance(call.func, ast.Attribute) and call.args:
            receiver = call.func.value
            return self._is_undeclared(receiver, call.args[0]) or self._is_falsy(
                receiver, function, steps - 1
            )
        return False

    def _is_undeclared(self, receiver: ast.expr, key: ast.expr) -> bool:
        name = constant_text(key)
        is_state = last_name(receiver) in STATE_NAMES
        return (
            is_state
            and name is not None
            and self.state_keys is not None
            and name not in self.state_keys
        )

    def _is_falsy_name(self, name: str, function: FunctionRef, steps: int) -> bool:
        idle = self.evidence.idle_nodes(function.site.node) if self.evidence else frozenset()
        if _is_filled(function, name, idle):
            return False
        values = [v for v in assigned_values(function.site, name) if id(v) not in idle]
        if values:
            return all(self._is_falsy(value, function, steps - 1) for value in values)
        if name in parameter_names(function):
            passed = list(self._arguments_for(name, function))
            return bool(passed) and all(
                value is not None and self._is_falsy(value, caller, steps - 1)
                for value, caller in passed
            )
        statement = self.symbols.top_level_names(function.source).get(name)
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        # A table at the top of a file may be filled anywhere: only constants count.
        return isinstance(value, ast.Constant) and not value.value and value.value is not None

    def _arguments_for(
        self, parameter: str, function: FunctionRef
    ) -> Iterator[tuple[ast.expr | None, FunctionRef]]:
        """Yield what every call of the function passes; None where that is not known."""
        for caller in self.functions:
            if function.name not in caller.site.mentions:
                continue
            calls = [
                node
                for node in walk(caller.site.node)
                if isinstance(node, ast.Call) and called_name(node) == function.name
            ]
            # Mentioned without a call: passed on, so its arguments are not known.
            if not calls:
                yield None, caller
            for call in calls:
                yield argument_of(call, parameter, function), caller


def _is_text(node: ast.expr, function: FunctionRef) -> bool:
    """Return true for what is a text, or is annotated as one: `arguments: dict[str, str]`."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        return isinstance(node, ast.JoinedStr) or isinstance(node.value, str)
    owner, key = _lookup(node)
    if not isinstance(owner, ast.Name) or assigned_values(function.site, owner.id):
        return False
    arguments = function.site.node.args
    given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    types = [
        ast.unparse(item.annotation) for item in given if item.arg == owner.id if item.annotation
    ]
    return any(
        of_owner in TEXT_TYPES and ("[" in of_owner) is (key is not None) for of_owner in types
    )


def _is_and(test: ast.expr) -> TypeGuard[ast.BoolOp]:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _lookup(node: ast.expr) -> tuple[ast.expr, str | None]:
    """Return owner and key of `owner.get("key")` or `owner["key"]`; no key for anything else."""
    if isinstance(node, ast.Subscript):
        return node.value, constant_text(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        return node.func.value, constant_text(node.args[0]) if node.func.attr == "get" else None
    return node, None


def argument_of(call: ast.Call, parameter: str, function: FunctionRef) -> ast.expr | None:
    """Return what a call passes for a parameter; None when it passes nothing that can be told."""
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    names = parameter_names(function)
    position = names.index(parameter)
    if function.site.owner is not None and names[0] in {"self", "cls"}:
        position -= 1
    is_plain = not any(isinstance(argument, ast.Starred) for argument in call.args)
    return call.args[position] if is_plain and 0 <= position < len(call.args) else None


def parameter_names(function: FunctionRef) -> list[str]:
    arguments = function.site.node.args
    return [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _is_filled(function: FunctionRef, name: str, idle: frozenset[int]) -> bool:
    """Return true when an empty table gets members after it was made, by code that is not idle."""
    for node in walk(function.site.node):
        if id(node) in idle:
            continue
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            holder: ast.expr = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in FILLING_METHODS:
                continue
            holder = node.func.value
        elif isinstance(node, ast.AugAssign):
            holder = node.target
        else:
            continue
        if last_name(holder) == name:
            return True
    return False
