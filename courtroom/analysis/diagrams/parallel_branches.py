"""What runs side by side: in the code's graph by its edges, in a picture by how its boxes stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from courtroom.analysis.pdf.pdf_content import Layout, Level
from courtroom.models.facts import GraphFact, WiredGraph

Split = frozenset[int]


def code_splits(graph: GraphFact) -> tuple[tuple[str, ...], ...]:
    """The sets of nodes that run side by side: the same node before them, the same node after them."""
    return side_by_side(_successors(graph))


def side_by_side(after: Mapping[str, set[str]]) -> tuple[tuple[str, ...], ...]:
    """`code_splits` of any directed graph, given what comes after each node."""
    groups: set[tuple[str, ...]] = set()
    for targets in after.values():
        for joint in {name for target in targets for name in after.get(target, ())} - {"END"}:
            group = tuple(sorted(name for name in targets if joint in after.get(name, ())))
            groups |= {group} if len(group) >= 2 else set()
    return tuple(sorted(groups))


def code_widths(graph: GraphFact) -> tuple[int, ...]:
    """How many nodes stand side by side in each of the code's splits, from START on."""
    steps = _steps(graph)
    by_step: dict[int, set[str]] = {}
    for group in code_splits(graph):
        by_step.setdefault(min(steps.get(name, 0) for name in group), set()).update(group)
    return tuple(len(by_step[step]) for step in sorted(by_step))


def picture_splits(layout: Layout) -> tuple[Split, ...]:
    """For each split of a picture, from the top, how many boxes it may have.

    Neighbouring levels of several boxes are one split: boxes and the tags on their lines. A tag or a note
    beside a split is a box too, so what counts is how many boxes a line reaches.
    """
    runs: list[list[Level]] = [[]]
    for level in layout.levels:
        if level.linked >= 2:
            runs[-1].append(level)
        elif runs[-1]:
            runs.append([])
    return tuple(_sizes(run) for run in runs if any(_splits(level) for level in run))


def matches(layout: Layout, graph: GraphFact) -> bool:
    """Each of the code's splits is drawn, in the code's order and with as many boxes as it has nodes."""
    coded, drawn = code_widths(graph), iter(picture_splits(layout))
    return len(coded) >= 2 and all(any(width in sizes for sizes in drawn) for width in coded)


def _splits(level: Level) -> bool:
    """Lines come to several boxes and leave several: neither the last row nor a row of headings."""
    return level.above >= 2 and level.below >= 2


def _sizes(run: list[Level]) -> Split:
    return frozenset(
        size for level in run for size in (level.boxes, level.linked, level.above, level.below)
    )


def _successors(graph: GraphFact) -> dict[str, set[str]]:
    """What comes after each node; a graph inside a node begins at that node and ends where its way goes on."""
    after: dict[str, set[str]] = {}
    for source, target in _departures(graph):
        after.setdefault(source, set()).add(target)
    for inner in graph.subgraphs:
        entered, onward = inner.at[-1], frozenset(after.get(inner.at[-1], ()))
        for source, target in _departures(inner):
            after.setdefault(entered if source == "START" else source, set()).update(
                onward if target == "END" else {target}
            )
    return after


def _departures(graph: WiredGraph) -> Iterator[tuple[str, str]]:
    yield from graph.edges
    yield from ((route.from_, target) for route in graph.conditional for target in route.to)


def _steps(graph: GraphFact) -> dict[str, int]:
    """How many edges lie between START and a node, at least."""
    after, steps, reached = _successors(graph), {"START": 0}, ["START"]
    for name in reached:
        for target in sorted(after.get(name, ())):
            if target not in steps:
                steps[target] = steps[name] + 1
                reached.append(target)
    return steps
