"""Searches for evidence by a goal that no code writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.langgraph.state_flow.other_keys import objects_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    walk,
    words_of,
)

GOAL = "goal"
# What stands in a goal for the values of an f-string.
OPEN = "\0"
# Values that are followed from a goal.
MOST_STEPS = 40


def missed_goals(
    symbols: SymbolTable, data: Mapping[str, str], in_use: Sequence[FunctionRef]
) -> Iterator[FlowFault]:
    """Yield comparisons of a goal with a text, where every goal that is written is known."""
    searches = [
        (function, compare, text)
        for function in in_use
        for compare, text in _searches(symbols, function.site.node)
    ]
    goals = written_goals(symbols, data) if searches else None
    if not goals:
        return
    for function, compare, text in searches:
        if any(may_be(goal, text) for goal in goals):
            continue
        whole = (goal for goal in sorted(goals) if OPEN not in goal)
        near = next((goal for goal in whole if goal.startswith(text)), "")
        otherwise = f", only {near!r}" if near else ""
        sentence = (
            f"{function.shown_name}() looks for evidence with the goal {text!r}; no code writes that"
            f" goal{otherwise}"
        )
        place = goals[near] if near else None
        yield FlowFault("other_key", sentence, function.source.path, compare.lineno, place)


def may_be(goal: str, text: str) -> bool:
    """Return whether a written goal is this text, or an f-string that may make it."""
    head, is_open, tail = goal.partition(OPEN)
    return text.startswith(head) and text.endswith(tail) if is_open else goal == text


def _searches(symbols: SymbolTable, function: FunctionNode) -> Iterator[tuple[ast.Compare, str]]:
    """Yield `item.goal == "text"`, but not one of several that an "or" joins."""
    joined = (n for n in walk(function) if isinstance(n, ast.BoolOp) and isinstance(n.op, ast.Or))
    alternatives = {id(part) for node in joined for part in walk(node)}
    for node in walk(function):
        match node:
            case ast.Compare(
                left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str() as text)]
            ):
                if _is_goal(symbols, left) and id(node) not in alternatives:
                    yield node, text


def _is_goal(symbols: SymbolTable, node: ast.expr) -> bool:
    """Return true for a goal of a record, and for a function that only gives one."""
    match node:
        case ast.Attribute(attr="goal") | ast.Subscript(slice=ast.Constant(value="goal")):
            return True
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value="goal"), *_]):
            return True
        case ast.Call(func=ast.Name(id=name)):
            homes = symbols.functions_by_name.get(name, [])
            returns = [
                n.value
                for _, site in homes
                for n in walk(site.node)
                if isinstance(n, ast.Return) and n.value
            ]
            is_named = GOAL in words_of(name) and len(homes) == 1 and bool(returns)
            return is_named and all(_mentions_goal(value) for value in returns)
    return False


def _mentions_goal(value: ast.expr) -> bool:
    return any(
        constant_text(node) == GOAL or (isinstance(node, ast.Attribute) and node.attr == GOAL)
        for node in walk(value)
    )


def written_goals(
    symbols: SymbolTable, data: Mapping[str, str]
) -> dict[str, tuple[str, int] | None] | None:
    """Return every goal that a record of the product gets, with its place; None where not known.

    Of an f-string the beginning and the end are known, on both sides of OPEN.
    """
    goals: dict[str, tuple[str, int] | None] = {}
    records = {
        node.name
        for source in symbols.codebase.production
        for node in source.classes
        if any(
            isinstance(part, ast.AnnAssign) and getattr(part.target, "id", "") == GOAL
            for part in node.body
        )
    }
    for source in symbols.codebase.production:
        homes = {id(n): site.node for site in source.functions for n in walk(site.node)}
        for node in walk(source.tree):
            if isinstance(node, ast.Attribute) and node.attr == GOAL:
                if isinstance(node.ctx, ast.Store):
                    return None
                continue
            value = fields_of(node).get(GOAL)
            if value is None:
                if (
                    isinstance(node, ast.Call)
                    and called_name(node) in records
                    and not _copies(node)
                ):
                    return None
                continue
            texts = _Texts(symbols, homes.get(id(node)), data).of(value)
            if texts is None:
                return None
            # The place of a goal of the rubric is not in the code.
            place = (source.path, value.lineno) if isinstance(value, ast.Constant) else None
            goals |= {text: place for text in texts if text not in goals}
    return goals


def _copies(call: ast.Call) -> bool:
    """Return true for `Evidence(**item)` and `Evidence(**item | {...})`: the goal is that of item."""
    match call:
        case ast.Call(args=[], keywords=[ast.keyword(arg=None, value=value)]):
            is_changed = isinstance(value, ast.BinOp) and GOAL not in fields_of(value.right)
            item = value.left if isinstance(value, ast.BinOp) and is_changed else value
            return isinstance(item, ast.Name)
    return False


@dataclass(slots=True)
class _Texts:
    """Texts that a goal may be in a function, None where they are not known before a run."""

    symbols: SymbolTable
    home: FunctionNode | None
    data: Mapping[str, str]
    steps: int = MOST_STEPS

    def of(self, value: ast.expr) -> list[str] | None:
        self.steps -= 1
        if self.steps < 0:
            return None
        if _is_goal(self.symbols, value):
            return []  # the goal of another record
        match value:
            case ast.Constant(value=str() as text):
                return [text]
            case ast.JoinedStr(values=parts):
                ends = [constant_text(part) or "" for part in (parts[:1] + parts[-1:])]
                return [OPEN.join(ends)] if any(ends) else None
            case ast.IfExp(body=body, orelse=other):
                return self.of_all([body, other])
            case ast.BoolOp(values=parts):
                return self.of_all(parts)
            case ast.Name(id=name):
                return self.of_all(self.assigned(name)) if self.assigned(name) else None
            case ast.Call(
                func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as key), *default]
            ):
                otherwise = constant_text(default[0]) if default else ""
                return _of_rubric(key, otherwise, self.data)
            case ast.Subscript(slice=ast.Constant(value=str() as key)):
                return _of_rubric(key, "", self.data)
        return None

    def of_all(self, values: Sequence[ast.expr]) -> list[str] | None:
        texts: list[str] = []
        for value in values:
            more = self.of(value)
            if more is None:
                return None
            texts += more
        return texts

    def assigned(self, name: str) -> list[ast.expr]:
        """Return what the name is assigned, nothing where it is filled in another way as well."""
        if self.home is None:
            return []
        assigns = [n for n in walk(self.home) if isinstance(n, ast.Assign)]
        targets = {id(t): n.value for n in assigns for t in n.targets if isinstance(t, ast.Name)}
        stores = [
            n
            for n in walk(self.home)
            if (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
            or (isinstance(n, ast.arg) and n.arg == name)
        ]
        values = [targets[id(store)] for store in stores if id(store) in targets]
        return values if len(values) == len(stores) else []


def _of_rubric(key: str, default: str | None, data: Mapping[str, str]) -> list[str] | None:
    """Return what the criteria of the JSON files hold under a key; the default where one has none."""
    criteria = [entry for _, entry in objects_in(data) if isinstance(entry.get("id"), str)]
    values: list[Any] = [entry.get(key) for entry in criteria]
    if not values or default is None:
        return None
    texts = [value for value in dict.fromkeys(map(str, values)) if value in values]
    return [*texts, *([default] * (None in values))]
