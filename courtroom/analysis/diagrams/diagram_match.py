"""What a diagram says, however it is drawn, held against the code's graph: names, and which stand side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from courtroom.analysis.diagrams.diagram_graph import Chart
from courtroom.analysis.diagrams.parallel_branches import code_splits, side_by_side
from courtroom.models.facts import GraphFact

Kind = Literal["accurate", "parallel_shown", "generic", "linear", "none"]
Agreement = Literal[
    "agrees", "split_not_in_code", "line_where_code_splits", "incomplete", "other_subject"
]

_TERMINALS = {"start", "end"}
# Parts of a node's name that its picture often leaves out.
_TITLES = re.compile(r"(?:node|judge|judges|agent|attorney)$")
# Fewer nodes of the code than these, and the diagram is about something else.
_FEWEST_NODES = 2


@dataclass(frozen=True, slots=True)
class Sketch:
    """`splits` are the labels that stand side by side; `page` is null for a diagram of the repository.

    `lines` join labels; `arrows` are those whose direction is known.
    """

    page: int | None
    labels: tuple[str, ...]
    splits: tuple[tuple[str, ...], ...]
    is_chain: bool
    lines: tuple[tuple[str, str], ...] = ()
    arrows: tuple[tuple[str, str], ...] = ()


def sketch_of(chart: Chart, page: int | None = None) -> Sketch:
    """A chart's arrows tell what stands side by side, as edges do in code."""
    arrows = tuple((chart.labels[source], chart.labels[target]) for source, target in chart.edges)
    after: dict[str, set[str]] = {}
    for before, name in arrows:
        after.setdefault(before, set()).add(name)
    splits = side_by_side(after)
    is_chain = not splits and all(len(names) == 1 for names in after.values())
    return Sketch(page, chart.labels, splits, is_chain, arrows, arrows)


def kind_of(sketch: Sketch, graph: GraphFact | None) -> Kind:
    """Accurate: as the code has it; parallel_shown: both splits; linear: a chain; else generic."""
    if graph is not None and _matches(sketch, graph):
        return "accurate"
    if len(sketch.splits) >= 2:
        return "parallel_shown"
    return "linear" if sketch.is_chain else "generic"


def agreement(sketch: Sketch, graph: GraphFact) -> Agreement:
    """What the diagram says beside the code, the gravest difference first.

    split_not_in_code: nodes stand side by side that do not run so; line_where_code_splits: nodes that run side
    by side are drawn one after the other; incomplete: neither, but a split or most nodes of the code are missing.
    """
    groups = [set(group) for group in code_splits(graph)]
    drawn = _drawn_nodes(sketch, graph)
    if len(drawn) < _FEWEST_NODES:
        return "other_subject"
    shown = [_named_in(split, graph) for split in sketch.splits]
    if any(
        len(split) >= 2 and not any(len(split & group) >= 2 for group in groups) for split in shown
    ):
        return "split_not_in_code"
    if any(_is_in_line(sketch, group, graph) for group in groups):
        return "line_where_code_splits"
    return "agrees" if not groups or _matches(sketch, graph) else "incomplete"


def _is_in_line(sketch: Sketch, group: set[str], graph: GraphFact) -> bool:
    """Whether a line joins two of the group: what runs side by side waits for none of its own."""
    ends = (_named_in(line, graph) & group for line in sketch.lines)
    return any(len(members) >= 2 for members in ends)


def _matches(sketch: Sketch, graph: GraphFact) -> bool:
    """Both of the code's splits are drawn side by side, and most of its nodes are there."""
    groups = code_splits(graph)
    return (
        len(groups) >= 2
        and 2 * len(_drawn_nodes(sketch, graph)) >= len(_nodes(graph))
        and all(_is_shown(sketch, group) for group in groups)
    )


def _nodes(graph: GraphFact) -> list[str]:
    """Those inside others too: a picture may show either."""
    names = dict.fromkeys(name for one in (graph, *graph.subgraphs) for name in one.nodes)
    return [name for name in names if _key(name) not in _TERMINALS]


def _drawn_nodes(sketch: Sketch, graph: GraphFact) -> set[str]:
    return _named_in(sketch.labels, graph)


def _named_in(labels: Iterable[str], graph: GraphFact) -> set[str]:
    """The code's nodes that any of these labels names."""
    written = list(labels)
    return {name for name in _nodes(graph) if any(_names(label, name) for label in written)}


def _is_shown(sketch: Sketch, group: Iterable[str]) -> bool:
    members = list(group)
    return any(
        sum(any(_names(label, name) for label in split) for name in members) >= 2
        for split in sketch.splits
    )


def _key(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _names(label: str, node: str) -> bool:
    """Whether a label names a node: in any spelling, with more words around it, or cut short ("repo_invest.")."""
    written, name = _key(label), _key(node)
    short = _TITLES.sub("", name) or name
    return short in written or (len(written) >= 6 and name.startswith(written))
