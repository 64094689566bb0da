"""Routes that look at whether there is evidence, where detectives make some of a failure as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, site_of
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import (
    constant_text,
    keyword_of,
    last_name,
    walk,
    words_of,
)

EVIDENCE = frozenset(words_of("evidence evidences"))
# Words by which code looks at what a piece of evidence says of itself, or at what failed.
TELLING = frozenset(
    words_of(
        "found confidence success valid ok status passed error errors failed failure failures"
        " exception exceptions missing"
    )
)


def counting_routes(
    call_graph: CallGraph, layers: Layers, graph: GraphReading, accesses: Sequence[StateAccess]
) -> list[dict[str, Any]]:
    """Return the routes whose router reads evidence alone, and no word of it on a failure.

    `report` is where a handler of the detectives makes evidence with found=False; without one
    there are none.
    """
    report = next(_failure_reports(call_graph, layers), None)
    if report is None or not accesses:
        return []
    uses = {use.name: use for use in accesses[0].routers}
    rows = []
    for route in graph.routes:
        use = uses.get(f"the router after {route.start}")
        if use is None or use.reads_gap or not _counts_alone(call_graph, use):
            continue
        rows.append(
            {
                "path": route.path,
                "line": route.line,
                "name": route.start,
                "keys": sorted(use.read_keys),
                "report": {"path": report[0], "line": report[1]},
            }
        )
    return rows


def _counts_alone(call_graph: CallGraph, use: StateUse) -> bool:
    site = site_of(call_graph.symbols, use)
    source = call_graph.symbols.codebase.files.get(use.path)
    keys = use.read_keys
    if site is None or source is None or not keys:
        return False
    if not all(EVIDENCE & {*words_of(key)} for key in keys):
        return False
    functions = call_graph.reachable_from([FunctionRef(source, site)])
    return not any(TELLING & _words_in(function.site.node) for function in functions)


def _words_in(node: ast.AST) -> set[str]:
    """Return the words of the names that code reads, and of the keys that it asks for or compares."""
    words: set[str] = set()
    for part in walk(node):
        words |= {*words_of(last_name(part))}
        if isinstance(part, ast.Subscript | ast.Call | ast.Compare):
            texts = map(constant_text, ast.iter_child_nodes(part))
            words |= {
                word for text in texts if text and text.isidentifier() for word in words_of(text)
            }
    return words


def _failure_reports(call_graph: CallGraph, layers: Layers) -> Iterator[tuple[str, int]]:
    """Yield where handlers of the detectives' code make evidence with found=False."""
    starts = [node for name, node in layers.nodes.items() if layers.roles[name] == "detective"]
    for function in call_graph.reachable_from(starts):
        for handler in walk(function.site.node):
            if not isinstance(handler, ast.ExceptHandler):
                continue
            for node in walk(handler):
                value = keyword_of(node, "found") if isinstance(node, ast.Call) else None
                if isinstance(value, ast.Constant) and value.value is False:
                    yield function.source.path, value.lineno
