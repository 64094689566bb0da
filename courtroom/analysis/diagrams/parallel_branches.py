"""Parallel splits: of the code's graph by its edges, of a picture by the layout of its boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from courtroom.analysis.pdf.pdf_content import Layout, Level

if TYPE_CHECKING:
    from courtroom.models.facts import GraphFact, WiredGraph

Split = frozenset[int]
# Boxes of a row that a decision hardly leads to.
_SURE_ROW = 3

# Words of nodes that run instead of others when something failed: no branch beside them.
_EXIT = re.compile(
    r"(?:^|_)(?:no|errors?|fail\w*|fatal|skip\w*|abort\w*|fallback|missing|retry|repair|degraded"
    r"|handler|end|exit)(?:_|$)"
)


def code_splits(graph: GraphFact) -> tuple[tuple[str, ...], ...]:
    """Return the sets of nodes that run in parallel: they share a predecessor, and meet again.

    Nodes for failures are left out: a router takes them instead of the branches.
    """
    groups = (tuple(name for name in group if not is_exit(name)) for group in _all_splits(graph))
    return tuple(dict.fromkeys(group for group in groups if len(group) >= 2))


def _all_splits(graph: GraphFact) -> tuple[tuple[str, ...], ...]:
    successors = _successors(graph)
    groups = {*side_by_side(successors), *_of_unequal_length(graph, successors)}
    # A branch with one node more belongs to the split of the shorter ones.
    parts = {group for group in groups for whole in groups if set(group) < set(whole)}
    return tuple(sorted(groups - parts))


def _of_unequal_length(
    graph: GraphFact, successors: Mapping[str, set[str]]
) -> set[tuple[str, ...]]:
    """Return the splits whose branches meet after different numbers of nodes.

    Only plain edges part them: of the targets of a router one may run instead of another.
    """
    groups = set()
    for source, targets in _successors(graph, routed=False).items():
        onward = {name: _reachable(name, successors, source) for name in targets}
        apart = {name for name in targets if not (targets - {name}) & onward[name]}
        joints = {
            joint
            for name in apart
            for joint in onward[name]
            if _leading_to(joint, apart, onward)[1:]
        }
        # What follows on a meeting is no meeting of the branches that met there.
        later = {name for joint in joints for name in _reachable(joint, successors, source)}
        groups |= {_leading_to(joint, apart, onward) for joint in joints - later}
    return groups


def _leading_to(
    joint: str, names: Iterable[str], onward: Mapping[str, set[str]]
) -> tuple[str, ...]:
    return tuple(sorted(name for name in names if joint in onward[name]))


def _reachable(start: str, successors: Mapping[str, set[str]], without: str) -> set[str]:
    """Return the nodes after `start`, without END, on the ways that do not pass `without`."""
    reached: set[str] = set()
    queue = [start]
    for name in queue:
        new = successors.get(name, set()) - reached - {"END", without}
        reached |= new
        queue += sorted(new)
    return reached


def is_exit(node: str) -> bool:
    """Return whether the node's name says that it runs after a failure."""
    return _EXIT.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node).lower()) is not None


def side_by_side(successors: Mapping[str, set[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the splits of any directed graph, given the successors of its nodes."""
    groups: set[tuple[str, ...]] = set()
    for targets in successors.values():
        # END joins all branches of a graph, parallel or not, so it does not make a split.
        joints = {name for target in targets for name in successors.get(target, ())} - {"END"}
        for joint in joints:
            group = tuple(sorted(name for name in targets if joint in successors.get(name, ())))
            if len(group) >= 2:
                groups.add(group)
    return tuple(sorted(groups))


def code_widths(graph: GraphFact) -> tuple[int, ...]:
    """Return the numbers of nodes side by side in the code, from START on, with alternatives."""
    return tuple(_widths(graph, _all_splits(graph)).values())


def main_widths(graph: GraphFact) -> tuple[int, ...]:
    """Return the same numbers without the nodes that run after a failure, or instead of others."""
    return tuple(_widths(graph, code_splits(graph)).values())


def _widths(graph: GraphFact, splits: tuple[tuple[str, ...], ...]) -> dict[int, int]:
    """Return the number of nodes side by side by step, in the order of the steps."""
    steps = _steps(graph)
    by_step: dict[int, set[str]] = {}
    for group in splits:
        by_step.setdefault(min(steps.get(name, 0) for name in group), set()).update(group)
    return {step: len(by_step[step]) for step in sorted(by_step)}


def picture_splits(layout: Layout) -> tuple[Split, ...]:
    """Return the possible numbers of boxes for every split of a picture, from the top.

    Adjacent levels with several linked boxes are one split: boxes, and the tags on their lines. A
    note beside a split is a box too, so only boxes that a line reaches count.
    """
    levels = layout.levels
    linked = groupby(range(len(levels)), key=lambda number: levels[number].linked > 1)
    runs = [list(numbers) for is_linked, numbers in linked if is_linked]
    return tuple(
        _sizes([levels[number] for number in run])
        for run in runs
        if any(levels[number].is_split or _is_nearly_split(levels, number) for number in run)
    )


def _is_nearly_split(levels: Sequence[Level], number: int) -> bool:
    """Return whether lines reach all of three boxes or more on one side, and some on the other.

    Single boxes must be above and below. A line may meet a box at its corner, or stop before it.
    """
    level = levels[number]
    around = [*levels[number - 1 : number], *levels[number + 1 : number + 2]]
    fewer, more = sorted((level.above, level.below))
    is_between = [other.boxes for other in around] == [1, 1]
    return is_between and fewer > 0 and more == level.boxes >= _SURE_ROW


def picture_rows(layout: Layout) -> tuple[Split, ...]:
    """Return the numbers of boxes in the rows between single boxes, whatever their lines join.

    Rows of two are left out: a decision leads to two boxes.
    """
    runs = [list(run) for _, run in groupby(layout.levels, key=lambda level: level.boxes > 1)]
    rows = (
        frozenset(level.boxes for level in run if level.is_linked and level.boxes >= _SURE_ROW)
        for run in runs[1:-1]
    )
    return tuple(filter(None, rows))


def matching_widths(layout: Layout, graph: GraphFact) -> tuple[int, ...]:
    """Return the widths of the code's splits where the picture has them all in order, else none."""
    # A drawing may leave out the nodes for failures.
    readings = [_widths(graph, splits) for splits in (_all_splits(graph), code_splits(graph))]
    for parts in (_one_by_one, _in_groups):
        for widths in readings:
            if _are_in_order(parts(widths), picture_splits(layout)):
                return tuple(widths.values())
    return ()


def further_splits(layout: Layout, graph: GraphFact) -> tuple[int, ...]:
    """Return the widths of the splits that a picture has beside those of the code, from the top.

    None where the code has as many, with the alternatives that its routers choose from.
    """
    splits = picture_splits(layout)
    widths = list(code_widths(graph))
    further = []
    for number, sizes in enumerate(splits):
        if widths and widths[0] in sizes:
            widths.pop(0)
        elif len(splits) - number > len(widths):
            further.append(max(sizes))
    return tuple(further) if not widths else ()


def _one_by_one(widths: Mapping[int, int]) -> list[Split]:
    return [frozenset({width}) for width in widths.values()]


def _in_groups(widths: Mapping[int, int]) -> list[Split]:
    """Group the widths of consecutive steps, which a picture shows as a single split."""
    groups: list[set[int]] = []
    for step, width in widths.items():
        if step - 1 in widths:
            groups[-1].add(width)
        else:
            groups.append({width})
    return [frozenset(group) for group in groups]


def _are_in_order(widths: Sequence[Split], splits: Sequence[Split]) -> bool:
    # The iterator is shared, so that a later width is searched only below the earlier ones.
    below = iter(splits)
    return len(widths) >= 2 and all(any(width <= sizes for sizes in below) for width in widths)


def _sizes(run: list[Level]) -> Split:
    return frozenset(
        size for level in run for size in (level.boxes, level.linked, level.above, level.below)
    )


def _successors(graph: GraphFact, *, routed: bool = True) -> dict[str, set[str]]:
    """Return the successors of all nodes, on request without those that a router chooses.

    A subgraph begins at the node that contains it and ends at that node's successors.
    """
    successors: dict[str, set[str]] = {}
    for source, target in _edges_of(graph, routed=routed):
        successors.setdefault(source, set()).add(target)

    for inner in graph.subgraphs:
        outer, onward = inner.at[-1], frozenset(successors.get(inner.at[-1], ()))
        for source, target in _edges_of(inner, routed=routed):
            successors.setdefault(outer if source == "START" else source, set()).update(
                onward if target == "END" else {target}
            )

    return successors


def _edges_of(graph: WiredGraph, *, routed: bool) -> Iterator[tuple[str, str]]:
    yield from graph.edges
    if routed:
        yield from ((route.from_, target) for route in graph.conditional for target in route.to)


def _steps(graph: GraphFact) -> dict[str, int]:
    """Return the smallest number of edges between START and every node."""
    successors, steps, queue = _successors(graph), {"START": 0}, ["START"]
    for name in queue:
        for target in sorted(successors.get(name, ())):
            if target not in steps:
                steps[target] = steps[name] + 1
                queue.append(target)
    return steps
