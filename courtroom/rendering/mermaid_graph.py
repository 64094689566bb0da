"""Mermaid flowchart of the audited project's graph; a graph inside a node becomes a box.

Node names are untrusted: each is quoted, with every character escaped that Mermaid would read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from courtroom.checks.phrases import listed
from courtroom.models.facts import GraphFact, Subgraph, WiredGraph
from courtroom.models.graph_run import GraphRunFact, StubRuns

# Beyond these a chart is harder to read than the code.
MOST_EDGES = 120
LONGEST_NAME = 60
# LangGraph's own names of its first and its last node.
OWN = {"START": "__start__", "END": "__end__"}
SOME_RUNS = " - in some runs"
# Arrow of a route that no run takes.
NEVER = "-. never .->"
# Steps of one node; a loop has more.
MOST_STEPS = 3


def mermaid_chart(graph: GraphFact, run: GraphRunFact | None = None) -> str | None:
    """Return the lines of the flowchart, or None when the graph has no edges or too many.

    Conditional routes are dashed, and those that no run takes are marked. The steps of a run stand behind the names of the nodes.
    """
    graphs = [graph, *graph.subgraphs]
    size = sum(
        len(wired.edges) + sum(len(route.to) for route in wired.conditional) for wired in graphs
    )

    if not 0 < size <= MOST_EDGES:
        return None
    at = {subgraph.at: subgraph for subgraph in graph.subgraphs}
    inner = {r.at: _marks(r, at[r.at]) for r in run.inner if r.at in at} if run else {}
    marks = {(): _marks(run, graph), **inner} if run else {}
    return "\n".join(["flowchart TD", *_lines(graph, "n", (), graph.subgraphs, marks)])


def _marks(runs: StubRuns, graph: WiredGraph) -> dict[str, str]:
    """Return the words behind each name, in characters that Mermaid does not read."""
    in_loop, behind = _of_loops(graph)
    # An endless loop leads to nothing.
    is_open = in_loop if runs.endless else in_loop | behind
    repeated = {name for r in runs.repeated or () for name in (r.node, *r.followers)}
    marks = {
        name: f" - {_steps(steps, ways, is_open=name in is_open)}"
        + (" - again" if name in repeated and ways == "and" else "")
        for name, steps in runs.steps.items()
        if steps and (ways := _ways(name, runs))
    }
    return marks | {idle.node: " - never" for idle in runs.idle or ()}


def _ways(name: str, runs: StubRuns) -> str:
    """Return "and" for a node that runs in all its steps on every route, "or" for one that runs in
    one of them, and "and or" where the route decides that too.
    """
    counts = {sum(name in step for step in run.steps) for run in runs.runs} - {0}
    if not counts:
        repeated = (r for r in runs.repeated or () if name in (r.node, *r.followers))
        return "and" if any(not r.choices for r in repeated) else "or"
    if counts == {1}:
        return "or"
    return "and" if counts == {len(runs.steps[name])} else "and or"


def _of_loops(graph: WiredGraph) -> tuple[set[str], set[str]]:
    """Return the nodes from which a way leads back to them, and those that they lead to."""
    ways = [*graph.edges, *((route.from_, end) for route in graph.conditional for end in route.to)]
    after: dict[str, set[str]] = {}
    for start, end in ways:
        after.setdefault(start, set()).add(end)
    reached = {name: set(ends) for name, ends in after.items()}
    for middle in after:
        for ends in reached.values():
            if middle in ends:
                ends |= reached[middle]
    in_loop = {name for name, ends in reached.items() if name in ends}
    return in_loop, set().union(*(reached[name] for name in in_loop))


def _steps(steps: Sequence[int], ways: str, *, is_open: bool) -> str:
    """Return the steps of a node: it runs in every one, in one of them, or in one or several.

    `is_open`: a loop may run it again, or later, in steps that no run of the stubs took.
    """
    more = " …" if is_open or len(steps) > MOST_STEPS else ""
    words = listed(map(str, steps[:MOST_STEPS]), "and" if ways == "and" else "or")
    several = f", or {'both' if len(steps) == 2 else 'several'}" if ways == "and or" else ""
    return f"step{'s' if ways == 'and' and len(steps) > 1 else ''} {words}{several}{more}"


def _lines(
    graph: WiredGraph,
    prefix: str,
    place: tuple[str, ...],
    subgraphs: tuple[Subgraph, ...],
    marks: Mapping[tuple[str, ...], Mapping[str, str]],
) -> Iterator[str]:
    """Yield the nodes, then the edges. `prefix` begins the ids of this graph's nodes."""
    names = _node_names(graph)
    ids = {name: f"{prefix}{number}" for number, name in enumerate(names)}
    # A node may have the name that LangGraph's own has here.
    own = {name: f"{prefix}{len(names) + n}" for n, name in enumerate(OWN) if name in graph.nodes}
    indent = "    " * (len(place) + 1)
    own_marks = {row.node: SOME_RUNS for row in graph.optional_nodes} | {**marks.get(place, {})}

    for name, node_id in ids.items():
        label = _label(name) + own_marks.get(name, "")
        inner = [subgraph for subgraph in subgraphs if subgraph.at == (*place, name)]
        if not inner:
            yield f'{indent}{node_id}["{label}"]'
            continue

        yield f'{indent}subgraph {node_id}["{label}"]'
        # The recursion ends: nesting is bounded where the facts are made.
        for number, subgraph in enumerate(inner):
            yield from _lines(subgraph, f"{node_id}_{number}_", subgraph.at, subgraphs, marks)
        yield f"{indent}end"

    for start, end in graph.edges:
        is_own = start == end and start in own
        if is_own:
            yield f'{indent}{own[start]}["{_label(OWN[start])}"]'
        begin_id = own[start] if is_own and start == "START" else ids[start]
        end_id = own[end] if is_own and end == "END" else ids[end]
        yield f"{indent}{begin_id} --> {end_id}"
    yield from (
        f"{indent}{ids[route.from_]} {NEVER if end in route.never else '-.->'} {ids[end]}"
        for route in graph.conditional
        for end in route.to
    )


def _node_names(graph: WiredGraph) -> list[str]:
    """Every node once, in the order of the edges; START and END appear in edges alone."""
    ends = [name for edge in graph.edges for name in edge]
    routed = [name for route in graph.conditional for name in (route.from_, *route.to)]
    return list(dict.fromkeys([*ends, *routed, *graph.nodes]))


def _label(name: str) -> str:
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return "".join(
        char if char.isalnum() or char in " _.-…" else f"#{ord(char)};" for char in short
    )
