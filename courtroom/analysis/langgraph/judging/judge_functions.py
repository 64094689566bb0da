"""Functions of the repository that make up the judges and the Chief Justice.

The graph's own nodes name them. Where there is no graph, or a node's function is not known, the
names of functions decide.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.langgraph.graph_evaluator import GraphEvaluator
from courtroom.analysis.langgraph.graph_values import is_missing
from courtroom.analysis.langgraph.judging.structured_calls import SCHEMA_BINDERS
from courtroom.analysis.langgraph.node_roles import JUDGE_WORDS, JUSTICE_WORDS, role_of
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.values import (
    CallResult,
    Function,
    Instance,
    OneOf,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import walk, words_of

# Functions around a node that are followed: decorators, partials, closures.
MAX_WRAPPED = 20


@dataclass(frozen=True, slots=True)
class Layers:
    """Functions of the layers.

    `nodes` holds the function of every node, `roles` its role. `judges` and `justice` are those of
    the layer with all that they reach; `in_use` are all that a run reaches. `unfollowed` are the
    nodes whose code could not be followed, by role; what a missing module should hold is not there.
    """

    nodes: dict[str, FunctionRef]
    roles: dict[str, str]
    judges: list[FunctionRef]
    justice: list[FunctionRef]
    in_use: list[FunctionRef]
    unfollowed: dict[str, list[str]]


def read_layers(symbols: SymbolTable, call_graph: CallGraph, graph: GraphReading) -> Layers:
    nodes: dict[str, FunctionRef] = {}
    roles: dict[str, str] = {}
    starts: dict[str, list[FunctionRef]] = {"judge": [], "justice": []}
    unfollowed: dict[str, list[str]] = {}
    for name, role, action in _nodes(graph):
        functions = _functions_of(symbols, action)
        is_absent = is_missing(action, symbols.missing_modules) or _is_plain_lambda(action)
        if not functions and not is_absent:
            unfollowed.setdefault(role, []).append(name)
        if functions:
            # A wrapper is nested in the function that makes it: the node's own work is not.
            own = (function for function in functions if function.site.outer is None)
            role = role or ("judge" if _asks_as_judge(call_graph, functions) else "")
            nodes[name], roles[name] = next(own, functions[0]), role
            starts.setdefault(role, []).extend(reversed(functions))

    judges, justice = starts["judge"], starts["justice"]
    return Layers(
        nodes,
        roles,
        call_graph.reachable_from(judges or _functions_named(symbols, JUDGE_WORDS)),
        call_graph.reachable_from(justice or _functions_named(symbols, JUSTICE_WORDS)),
        call_graph.reachable_from([*itertools.chain(*starts.values()), *_entry_functions(symbols)]),
        unfollowed,
    )


def _nodes(graph: GraphReading) -> Iterator[tuple[str, str, Value]]:
    """Yield every node's name, role and action.

    A node inside another one that has no role of its own takes that of the outer one.
    """
    for name, action in graph.builder.nodes.items() if graph.builder else ():
        yield name, role_of(name, action), action
    for subgraph in graph.subgraphs:
        outer_role = role_of(subgraph.at[-1], None)
        for name, action in subgraph.builder.nodes.items():
            yield " / ".join([*subgraph.at, name]), role_of(name, action) or outer_role, action


def _asks_as_judge(call_graph: CallGraph, functions: list[FunctionRef]) -> bool:
    """Return true when a node without a role binds a model to a schema in the judges' code."""
    return any(
        function.site.mentions & SCHEMA_BINDERS
        and set(words_of(f"{function.source.module.replace('.', ' ')} {function.name}"))
        & JUDGE_WORDS
        for function in call_graph.reachable_from(functions)
    )


def _is_plain_lambda(action: Value) -> bool:
    """Return true for a lambda that calls nothing: it is read whole."""
    return (
        isinstance(action, Function)
        and isinstance(action.node, ast.Lambda)
        and not any(isinstance(node, ast.Call) for node in walk(action.node))
    )


def _functions_of(symbols: SymbolTable, action: Value) -> list[FunctionRef]:
    """Return the functions that a node runs, from the outermost wrapper to what it wraps."""
    functions: list[FunctionRef] = []
    queue: list[Value] = [action]
    visited: set[int] = set()
    while queue and len(visited) < MAX_WRAPPED:
        value = queue.pop(0)
        if id(value) in visited:
            continue
        visited.add(id(value))
        if isinstance(value, CallResult):
            queue += [*value.positional[:1], *(item for _, item in value.keywords)]
        elif isinstance(value, OneOf):
            # A wrapper for coroutines beside that for plain functions wraps the same node.
            queue += value.choices
        elif isinstance(value, Instance):
            # A callable object: its class holds the code, its attributes what it wraps.
            evaluator = GraphEvaluator(symbols, lambda _: False)
            queue += [attribute_of(evaluator, value, "__call__"), *value.attributes.values()]
        elif isinstance(value, Function):
            function = _site_of(symbols, value)
            functions += [function] if function is not None else []
            queue += _closure(value)

    return functions


def _site_of(symbols: SymbolTable, function: Function) -> FunctionRef | None:
    if isinstance(function.node, ast.Lambda):
        return _function_called_in(symbols, function.node)
    sites = [site for site in function.source.functions if site.node is function.node]
    return FunctionRef(function.source, sites[0]) if sites else None


def _closure(function: Function) -> Iterator[Value]:
    """Yield the functions and objects that a nested function was given by the one around it."""
    for node in walk(function.node):
        if not isinstance(node, ast.Name):
            continue
        scope = function.scope.find(node.id)
        # A module's own names are followed by the call graph.
        if scope is not None and scope.parent is not None:
            yield from choices_of(scope.names[node.id])


def _function_called_in(symbols: SymbolTable, node: ast.Lambda) -> FunctionRef | None:
    """Return the one function of the repository that `lambda state: judge(state)` calls."""
    names = {
        inner.func.id
        for inner in walk(node)
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name)
    }
    functions = [
        FunctionRef(*entry)
        for name in sorted(names)
        for entry in symbols.functions_by_name.get(name, [])
    ]
    return functions[0] if len(functions) == 1 else None


# Names alone may match too much, so this is only for a layer without a node in a graph.
def _functions_named(symbols: SymbolTable, words: frozenset[str]) -> list[FunctionRef]:
    """Return functions and methods that have one of the words in their own or class's name."""
    return [
        FunctionRef(source, site)
        for source in symbols.codebase.production
        for site in source.functions
        if set(words_of(f"{site.owner.name if site.owner else ''} {site.node.name}")) & words
    ]


def _entry_functions(symbols: SymbolTable) -> list[FunctionRef]:
    """Return functions that a `python file.py` of the repository calls from its main block."""
    return [
        FunctionRef(source, site)
        for source in symbols.codebase.production
        if "__main__" in source.text
        for names in [_names_in_main_block(source)]
        for site in source.functions
        if site.node.name in names
    ]


def _names_in_main_block(source: SourceFile) -> set[str]:
    blocks = [node for node in source.tree.body if isinstance(node, ast.If)]
    return {inner.id for block in blocks for inner in walk(block) if isinstance(inner, ast.Name)}
