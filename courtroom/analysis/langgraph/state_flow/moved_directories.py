"""Nodes that change the working directory of the process while others run beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.graph_values import GraphBuilder
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef

MOVES = frozenset({"os.chdir", "os.fchdir", "contextlib.chdir"})


def moved_directories(
    call_graph: CallGraph,
    builder: GraphBuilder | None,
    nodes: Mapping[str, FunctionRef],
    in_use: Sequence[FunctionRef],
) -> Iterator[FlowFault]:
    """Yield the calls by which a node moves the directory of the nodes that one edge starts with it.

    The directory belongs to the process: their relative paths lead elsewhere meanwhile.
    """
    moves = {function.key: line for function in in_use if (line := _move(call_graph, function))}
    for name, node in nodes.items() if builder and moves else ():
        beside = _beside(builder, name) if builder else []
        for function in call_graph.reachable_from([node]) if beside else ():
            line = moves.pop(function.key, 0)
            if line:
                sentence = (
                    f"{function.shown_name}() changes the working directory of the whole process in"
                    f" the node {name}, which runs beside {joined(beside)}"
                )
                yield FlowFault("moved_directory", sentence, function.source.path, line)


def _move(call_graph: CallGraph, function: FunctionRef) -> int:
    """Return the line where the function itself changes the directory, 0 without one."""
    if "chdir" not in function.source.text:
        return 0
    calls = (
        site.node.lineno
        for site, dotted in call_graph.symbols.calls(function.source)
        if dotted in MOVES and site.function is function.site
    )
    return next(calls, 0)


def _beside(builder: GraphBuilder, node: str) -> list[str]:
    """Return the nodes that an edge from the same start runs in the same step."""
    starts = {start for start, end in builder.plain_edges if end == node}
    return [end for start, end in builder.edges if start in starts and end not in {node, "END"}]
