"""Calls inside one node that run functions side by side, of which a graph shows nothing."""

from __future__ import annotations

import ast
from typing import Any

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.topology import RUNNERS
from courtroom.analysis.python.call_graph import CallGraph
from courtroom.analysis.python.tree_walk import walk

ROLES = frozenset({"detective", "judge"})


def concurrent_calls(call_graph: CallGraph, layers: Layers) -> list[dict[str, Any]]:
    """Return the first such call of each node of the detectives and the judges, with its place."""
    rows = []
    for name, function in layers.nodes.items():
        if layers.roles[name] not in ROLES:
            continue
        place = next(
            (
                (reached.source.path, node.lineno)
                for reached in call_graph.reachable_from([function])
                for node in walk(reached.site.node)
                if isinstance(node, ast.Call)
                if call_graph.symbols.dotted_name(reached.source, node.func) in RUNNERS
            ),
            None,
        )
        if place:
            rows.append({"name": name, "path": place[0], "line": place[1]})
    return rows
