"""Calls that may add to the main graph and were not followed: each is named, none is dropped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.graph_evaluator import GraphEvaluator
from courtroom.analysis.langgraph.graph_values import BUILDER_METHODS, GRAPH_CLASSES
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import called_name, line_of_call, walk


def calls_not_followed(evaluator: GraphEvaluator, entered: frozenset[int]) -> Iterator[str]:
    """Yield in words each add_edge(...) and its like in the modules that the program loads.

    `entered` are the functions that were followed while the graph was built.
    """
    loaded = [module.source for module in evaluator.modules.values()]
    for source in loaded:
        for site in source.calls:
            func = site.node.func
            if not isinstance(func, ast.Attribute) or func.attr not in BUILDER_METHODS:
                continue
            if evaluator.is_accounted_for(source, site.node):
                continue
            if site.function is None or id(site.function.node) in entered:
                yield f"{source.path}:{line_of_call(site.node)}: {func.attr}() was not followed"
            elif _may_be_called(site.function, loaded):
                yield (
                    f"{source.path}:{line_of_call(site.node)}: {func.attr}() stands in"
                    f" {site.function.node.name}(), of which no call was followed"
                )


def _may_be_called(function: FunctionSite, loaded: list[SourceFile]) -> bool:
    """Return true for a function that is named in loaded code and adds to a graph it is handed."""
    if _makes_own_graph(function):
        return False
    name = function.node.name
    return any(
        name in other.mentions and other.node is not function.node
        for source in loaded
        if name in source.text
        for other in source.functions
    ) or any(name in _top_level_mentions(source) for source in loaded if name in source.text)


def _top_level_mentions(source: SourceFile) -> set[str]:
    statements = [
        statement
        for statement in source.tree.body
        if not isinstance(
            statement,
            ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom,
        )
    ]
    nodes = [node for statement in statements for node in walk(statement)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _makes_own_graph(function: FunctionSite) -> bool:
    """Return true when the function, or a method of its class, makes the graph it adds to."""
    home: ast.AST = function.owner or function.node
    outer = function.outer
    while outer is not None:
        home, outer = outer.owner or outer.node, outer.outer
    return any(
        isinstance(node, ast.Call) and called_name(node) in GRAPH_CLASSES for node in walk(home)
    )
