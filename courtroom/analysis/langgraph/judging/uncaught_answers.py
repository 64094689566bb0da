"""Calls of the judges' model whose failure nothing catches on the way out of the node."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.judging.structured_calls import is_model_call
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    as_written,
    called_name,
    last_name,
    line_of_call,
    walk,
)

CATCH_ALL = frozenset({"Exception", "BaseException"})
# What may catch a failure elsewhere than in a try.
OTHER_GUARDS = frozenset({"with_fallbacks", "return_exceptions", "suppress", "add_done_callback"})
PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod"})
# Packages whose decorators record a call and raise its failure again.
TRACERS = frozenset({"langsmith"})
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

Place = tuple[str, int]


@dataclass(slots=True)
class _Calls:
    caught: set[Place] = field(default_factory=set)
    uncaught: set[Place] = field(default_factory=set)


def uncaught_answers(
    nodes: Iterable[FunctionRef], judges: Iterable[FunctionRef]
) -> list[Place] | None:
    """Return path and line of the uncaught calls of the judges' nodes; None where it does not show.

    `judges` are all functions that the nodes reach.
    """
    functions = {function.name: function for function in judges}
    starts = {node.key: node for node in nodes}
    if not starts or any(_may_catch(f, f.key in starts) for f in functions.values()):
        return None
    reader = _CallReader(functions)
    try:
        calls = [reader.calls_of(node) for node in starts.values()]
    except RecursionError:
        return None  # functions call each other too deeply to be followed
    # A model that is asked in a way of its own may be caught there; a node may ask none.
    if not any(part.caught or part.uncaught for part in calls):
        return None
    return sorted(set().union(*(part.uncaught for part in calls)))


def _may_catch(function: FunctionRef, is_node: bool) -> bool:
    """Return true for a wrapper with a try of its own, and what catches in another way."""
    site = function.site
    is_wrapper = site.outer is not None and not is_node
    has_try = any(isinstance(node, ast.Try) for node in walk(site.node))
    return (
        (is_wrapper and has_try)
        or bool(site.mentions & OTHER_GUARDS)
        or not all(_is_plain(function, node) for node in site.node.decorator_list)
    )


def _is_plain(function: FunctionRef, decorator: ast.expr) -> bool:
    """Return true for a decorator that catches nothing, such as @traceable(name="Prosecutor")."""
    maker = decorator.func if isinstance(decorator, ast.Call) else decorator
    if last_name(maker) in PLAIN_DECORATORS:
        return True
    origin = function.source.imports.get(as_written(maker).partition(".")[0], "")
    return origin.partition(".")[0] in TRACERS


@dataclass(slots=True)
class _CallReader:
    """Reader of functions by their names; each is read once, and one that calls itself adds nothing."""

    functions: Mapping[str, FunctionRef]
    _read: dict[tuple[str, int], _Calls] = field(default_factory=dict)

    def calls_of(self, function: FunctionRef) -> _Calls:
        if function.key in self._read:
            return self._read[function.key]
        calls = self._read[function.key] = _Calls()
        stack: list[tuple[ast.AST, bool]] = [(part, False) for part in function.site.node.body]
        while stack:
            node, is_guarded = stack.pop()
            if isinstance(node, NESTED):
                continue
            if isinstance(node, ast.Try):
                inside = is_guarded or _catches_all(node)
                stack += [(part, inside) for part in node.body]
                others = [*node.handlers, *node.orelse, *node.finalbody]
                stack += [(part, is_guarded) for part in others]
                continue
            if isinstance(node, ast.Call):
                inner = self._of_call(node, function)
                calls.caught |= inner.caught
                places = calls.caught if is_guarded else calls.uncaught
                places |= inner.uncaught
            stack += [(part, is_guarded) for part in ast.iter_child_nodes(node)]
        return calls

    def _of_call(self, call: ast.Call, function: FunctionRef) -> _Calls:
        called = self.functions.get(called_name(call))
        if called is not None:
            return self.calls_of(called)
        place = function.source.path, line_of_call(call)
        return _Calls(uncaught={place} if is_model_call(call) else set())


def _catches_all(node: ast.Try) -> bool:
    """Return true where a handler takes every exception, and none raises again."""
    names = {
        last_name(part)
        for handler in node.handlers
        for part in (walk(handler.type) if handler.type is not None else ())
    }
    is_wide = bool(names & CATCH_ALL) or any(handler.type is None for handler in node.handlers)
    raises = (isinstance(part, ast.Raise) for handler in node.handlers for part in walk(handler))
    return is_wide and not any(raises)
