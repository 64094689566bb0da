"""Which functions of the repository make up the judges' bench and the Chief Justice.

The graph's own nodes say so; where there is no graph, or a node's function is not found, names do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.langgraph.node_roles import JUDGE_WORDS, JUSTICE_WORDS, role_of
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.call_graph import Place, Reach
from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter
from courtroom.analysis.python.symbolic_execution.values import Called, Function, Instance, Value
from courtroom.analysis.python.tree_walk import walk, words_of


@dataclass(frozen=True, slots=True)
class Layers:
    """`nodes`: the function of every node of the graph; `judges`, `justice`: those with all that lies behind them."""

    nodes: dict[str, Place]
    judges: list[Place]
    justice: list[Place]
    in_use: list[Place]


def read_layers(names: Names, reach: Reach, graph: GraphReading) -> Layers:
    nodes: dict[str, Place] = {}
    roles: dict[str, str] = {}
    for name, role, action in _steps(graph):
        place = _place_of(names, action)
        if place is not None:
            nodes[name], roles[name] = place, role
    judges = [place for name, place in nodes.items() if roles[name] == "judge"]
    justice = [place for name, place in nodes.items() if roles[name] == "justice"]
    return Layers(
        nodes,
        reach.behind(judges or _named(names, JUDGE_WORDS)),
        reach.behind(justice or _named(names, JUSTICE_WORDS)),
        reach.behind([*nodes.values(), *_entry_functions(names)]),
    )


def _steps(graph: GraphReading) -> Iterator[tuple[str, str, Value]]:
    """Every node's name, part and action; a node inside another plays that one's part if it has none of its own."""
    for name, action in graph.builder.nodes.items() if graph.builder else ():
        yield name, role_of(name, action), action
    for subgraph in graph.subgraphs:
        around = role_of(subgraph.at[-1], None)
        for name, action in subgraph.builder.nodes.items():
            yield " / ".join([*subgraph.at, name]), role_of(name, action) or around, action


def _place_of(names: Names, action: Value) -> Place | None:
    if isinstance(action, Called) and action.positional:
        return _place_of(names, action.positional[0])
    if isinstance(action, Instance):
        run = Interpreter(names, lambda _: False)
        return _place_of(names, attribute_of(run, action, "__call__"))
    if isinstance(action, Function) and isinstance(action.node, ast.Lambda):
        return _called_in(names, action.node)
    if isinstance(action, Function):
        found = [site for site in action.source.functions if site.node is action.node]
        return Place(action.source, found[0]) if found else None
    return None


def _called_in(names: Names, node: ast.Lambda) -> Place | None:
    """What `lambda state: judge(state, "Defense")` calls, when that is one function of the repository."""
    called = {
        inner.func.id
        for inner in walk(node)
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name)
    }
    found = [one for name in sorted(called) for one in names.functions_by_name.get(name, [])]
    return Place(*found[0]) if len(found) == 1 else None


def _named(names: Names, words: frozenset[str]) -> list[Place]:
    """Functions and methods whose own name, or class's name, is of the layer."""
    return [
        Place(source, site)
        for source in names.codebase.production
        for site in source.functions
        if set(words_of(f"{site.owner.name if site.owner else ''} {site.node.name}")) & words
    ]


def _entry_functions(names: Names) -> list[Place]:
    """Functions that a `python file.py` of the repository calls from its main block."""
    return [
        Place(source, site)
        for source in names.codebase.production
        if "__main__" in source.text
        for called in [_mentioned_by_main(source)]
        for site in source.functions
        if site.node.name in called
    ]


def _mentioned_by_main(source: SourceFile) -> set[str]:
    blocks = [node for node in source.tree.body if isinstance(node, ast.If)]
    return {inner.id for block in blocks for inner in walk(block) if isinstance(inner, ast.Name)}
