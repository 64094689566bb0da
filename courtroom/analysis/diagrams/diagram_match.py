"""Compare a diagram of any kind with the code's graph: its names, parallel splits and edges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from courtroom.analysis.diagrams.diagram_graph import Chart
from courtroom.analysis.diagrams.parallel_branches import code_splits, is_exit, side_by_side
from courtroom.models.facts import GraphFact

Kind = Literal["accurate", "parallel_shown", "generic", "linear", "none"]
Agreement = Literal[
    "agrees", "split_not_in_code", "line_where_code_splits", "incomplete", "other_subject"
]

_TERMINALS = {"start", "end"}
# Parts of a node's name that diagrams often leave out.
_TITLES = re.compile(r"(?:node|judge|judges|agent|attorney)$")
# A router stands between the nodes of the code, and is none.
_CHOICE = re.compile(r"\?|\brout(?:er|ing)|_router|\bconditional|\bdecision|\bif\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]{3,}")
_MOST_STRANGERS = 4
# A diagram with fewer nodes of the code is about another subject.
_MIN_NODES = 2


@dataclass(frozen=True, slots=True)
class Sketch:
    """Diagram reduced to labels and connections.

    `splits` are the labels that are side by side. `lines` join labels; `arrows` are those with a
    known direction. `page` is None for a diagram of the repository, `last_page` for one that ends on
    the page where it begins. `has_loose_lines`: more of its labels may be joined than `lines` say.
    """

    page: int | None
    labels: tuple[str, ...]
    splits: tuple[tuple[str, ...], ...]
    is_chain: bool
    lines: tuple[tuple[str, str], ...] = ()
    arrows: tuple[tuple[str, str], ...] = ()
    last_page: int | None = None
    has_loose_lines: bool = False


def sketch_of(chart: Chart, page: int | None = None) -> Sketch:
    """Build a sketch from a chart. Its arrows define the splits, as edges do in code."""
    arrows = tuple((chart.labels[source], chart.labels[target]) for source, target in chart.edges)
    successors: dict[str, set[str]] = {}
    for source, target in arrows:
        successors.setdefault(source, set()).add(target)
    splits = side_by_side(successors)
    is_chain = not splits and all(len(names) == 1 for names in successors.values())
    return Sketch(page, chart.labels, splits, is_chain, arrows, arrows)


def kind_of(sketch: Sketch, graph: GraphFact | None) -> Kind:
    """Return the kind of diagram, as diagram_kind defines it."""
    if graph is not None and _matches(sketch, graph):
        return "accurate"
    if len(sketch.splits) >= 2 or (graph is not None and _has_all_splits(sketch, graph)):
        return "parallel_shown"
    return "linear" if sketch.is_chain else "generic"


def shows_a_split(sketch: Sketch, graph: GraphFact) -> bool:
    """Return whether the diagram has at least one of the code's splits, in full."""
    return any(_has_split(sketch, group, graph) for group in code_splits(graph))


def agreement(sketch: Sketch, graph: GraphFact) -> Agreement:
    """Return the most serious difference between the diagram and the code.

    split_not_in_code: nodes are side by side that do not run in parallel; line_where_code_splits:
    nodes that run in parallel are drawn one after the other; incomplete: neither, but a split, an
    edge between drawn nodes, or a node that every run passes is missing.
    """
    groups = [set(group) for group in code_splits(graph)]
    if len(_drawn_nodes(sketch, graph)) < _MIN_NODES:
        return "other_subject"

    splits = [_named_in(split, graph) for split in sketch.splits]
    # A chart draws the targets that a router chooses from as it draws branches.
    chosen = [set(route.to) for route in graph.conditional]
    if any(
        len(split) >= 2 and not any(len(split & group) >= 2 for group in (*groups, *chosen))
        for split in splits
    ):
        return "split_not_in_code"
    if any(_is_in_line(sketch, group, graph) for group in groups):
        return "line_where_code_splits"

    is_like_code = _matches(sketch, graph) if groups else not _lacks_edges(sketch, graph)
    # What a page cuts off may name the others.
    has_nodes = sketch.has_loose_lines or not lacks_nodes(sketch, graph)
    return "agrees" if is_like_code and has_nodes else "incomplete"


def differences(sketch: Sketch, graph: GraphFact) -> list[str]:
    """Return what keeps the diagram from having the parallel splits of the code, as clauses."""
    groups = code_splits(graph)
    apart = [group for group in groups if not _has_split(sketch, group, graph)]
    in_line = [group for group in groups if _is_in_line(sketch, set(group), graph)]
    drawn, nodes = _drawn_nodes(sketch, graph), main_nodes(graph)
    parts = [f"not drawn side by side: {' | '.join(group)} of the code" for group in apart]
    parts += [f"a line joins two of {' | '.join(group)}" for group in in_line]
    if 2 * len(drawn) < len(nodes):
        parts.append(f"it names {len(drawn)} of the {node_count(graph)} nodes of the code")
    return parts


def strangers(sketch: Sketch, graph: GraphFact) -> list[str]:
    """Return the labels of linked boxes that name no node of the code, nor a choice of the way."""
    linked = dict.fromkeys(label for line in sketch.lines for label in line if label.strip())
    words = [_words(name) for name in all_nodes(graph)]
    return [
        label
        for label in linked
        if not _named_in([label], graph)
        and _key(label) not in _TERMINALS
        and not _CHOICE.search(label)
        and not any(_are_alike(own, _words(label)) for own in words)
    ][:_MOST_STRANGERS]


def undrawn(sketch: Sketch, graph: GraphFact) -> list[str]:
    """Return the nodes of the code that the diagram does not name.

    None of a graph with subgraphs: their nodes may stand for the node that contains them.
    """
    if graph.subgraphs:
        return []
    drawn = _drawn_nodes(sketch, graph)
    labels = [_words(label) for label in sketch.labels]
    return [
        name
        for name in all_nodes(graph)
        if name not in drawn and not any(_are_alike(_words(name), label) for label in labels)
    ][:_MOST_STRANGERS]


def lacks_nodes(sketch: Sketch, graph: GraphFact) -> bool:
    """Return whether more nodes for runs without failures are undrawn than boxes may stand for."""
    # A box without a name that is known may be one of them.
    unknown = len(strangers(sketch, graph)) + sketch.labels.count("")
    return sum(not is_exit(name) for name in undrawn(sketch, graph)) > unknown


def undrawn_edges(sketch: Sketch, graph: GraphFact) -> list[str]:
    """Return the code's edges between drawn nodes that no line follows, also over other boxes.

    None where lines are not known, or lead to a box of another name and not on: it may be a frame
    around nodes. None of a graph with subgraphs, as of undrawn.
    """
    return [f"{source} → {target}" for source, target in _missing_edges(sketch, graph)]


def _missing_edges(sketch: Sketch, graph: GraphFact) -> list[tuple[str, str]]:
    if not sketch.arrows or sketch.has_loose_lines or graph.subgraphs:
        return []
    named = {label: _ends_in(label, graph) for label in sketch.labels}
    passed = {label for label, names in named.items() if not names}
    onward, back = _steps_of(sketch)

    missing = []
    for source, target in dict.fromkeys(_edges(graph)):
        begins, ends = (
            {label for label, names in named.items() if name in names} for name in (source, target)
        )
        reached, before = _walk(begins, onward, passed), _walk(ends, back, passed)
        leads_on = (reached & passed) <= onward.keys() and (before & passed) <= back.keys()
        if begins and ends and not ends & (begins | reached) and leads_on:
            missing.append((source, target))
    return missing


def _edges(graph: GraphFact) -> list[tuple[str, str]]:
    routes = ((route.from_, target) for route in graph.conditional for target in route.to)
    return [*graph.edges, *routes]


def _ends_in(label: str, graph: GraphFact) -> set[str]:
    """Return the ends of the code's edges that a label names."""
    return {_key(label).upper()} if _key(label) in _TERMINALS else _named_in([label], graph)


def _steps_of(sketch: Sketch) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the labels after each label, and before it. A line without a head leads both ways."""
    directed = {*sketch.arrows}
    plain = [line for line in sketch.lines if not {line, line[::-1]} & directed]
    onward: dict[str, set[str]] = {}
    back: dict[str, set[str]] = {}
    for source, target in (*directed, *plain, *(line[::-1] for line in plain)):
        onward.setdefault(source, set()).add(target)
        back.setdefault(target, set()).add(source)
    return onward, back


def _walk(starts: set[str], steps: Mapping[str, set[str]], passed: set[str]) -> set[str]:
    """Return the labels that the steps lead to, over no other than those that may be passed."""
    reached: set[str] = set()
    queue = [*starts]
    for label in queue:
        new = steps.get(label, set()) - reached
        reached |= new
        queue += new & passed
    return reached


def _lacks_edges(sketch: Sketch, graph: GraphFact) -> bool:
    """Return whether an edge is missing that a run without failures passes, by a split or alone."""
    in_splits = {name for group in code_splits(graph) for name in group}
    return any(
        ((source, target) in graph.edges or target in in_splits)
        and not any(is_exit(name) or _key(name) in _TERMINALS for name in (source, target))
        for source, target in _missing_edges(sketch, graph)
    )


def _are_alike(node: set[str], label: set[str]) -> bool:
    return len(node & label) >= min(2, len(node))


def _words(text: str) -> set[str]:
    """Return the stems of the words of a name or label, also of one in CamelCase."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return {re.sub(r"(?:ers?|ors?|e?s|ing|e)$", "", word) for word in _WORD.findall(split.lower())}


def _is_in_line(sketch: Sketch, group: set[str], graph: GraphFact) -> bool:
    """Return whether a line joins two nodes of the group, so that one would wait for the other."""
    ends = (_named_in(line, graph) & group for line in sketch.lines)
    return any(len(members) >= 2 for members in ends)


def _matches(sketch: Sketch, graph: GraphFact) -> bool:
    """Return whether the diagram has the code's splits, their edges and at least half its nodes."""
    return (
        _has_all_splits(sketch, graph)
        and 2 * len(_drawn_nodes(sketch, graph)) >= len(main_nodes(graph))
        and not any(_is_in_line(sketch, set(group), graph) for group in code_splits(graph))
        and not _lacks_edges(sketch, graph)
    )


def _has_all_splits(sketch: Sketch, graph: GraphFact) -> bool:
    groups = code_splits(graph)
    return len(groups) >= 2 and all(_has_split(sketch, group, graph) for group in groups)


def all_nodes(graph: GraphFact) -> list[str]:
    """Return the nodes of the graph and of those inside its nodes, without its start and end."""
    # A diagram may show the nodes of a subgraph or the node that contains it.
    graphs = (graph, *graph.subgraphs)
    names = dict.fromkeys(name for wired in graphs for name in wired.nodes)
    return [name for name in names if _key(name) not in _TERMINALS]


def node_count(graph: GraphFact) -> int:
    """Return the number of nodes of the code, also of those called "end" and those for failures."""
    return len({name for wired in (graph, *graph.subgraphs) for name in wired.nodes})


def main_nodes(graph: GraphFact) -> list[str]:
    """Return the nodes that a run without failures passes, which a diagram should show."""
    return [name for name in all_nodes(graph) if not is_exit(name)]


def _drawn_nodes(sketch: Sketch, graph: GraphFact) -> set[str]:
    return _named_in(sketch.labels, graph)


def _named_in(labels: Iterable[str], graph: GraphFact) -> set[str]:
    """Return the code's nodes that any of these labels names."""
    texts = list(labels)
    return {name for name in all_nodes(graph) if any(_is_name_of(text, name) for text in texts)}


def _has_split(sketch: Sketch, group: Sequence[str], graph: GraphFact) -> bool:
    """Return whether a drawn split has as many branches, and names most of the group's nodes."""
    return _is_drawn_from_one_box(sketch, group, graph) or any(
        len(split) == len(group)
        and sum(any(_is_name_of(label, name) for label in split) for name in group) >= 2
        for split in sketch.splits
    )


def _is_drawn_from_one_box(sketch: Sketch, group: Sequence[str], graph: GraphFact) -> bool:
    """Return whether arrows lead from a box to every node of the group, beside ways for failures.

    So a split is drawn too whose branches have different lengths.
    """
    targets: dict[str, list[str]] = {}
    for source, target in sketch.arrows:
        targets.setdefault(source, []).append(target)
    return any(
        all(any(_is_name_of(label, name) for label in labels) for name in group)
        and all(
            any(name in group or is_exit(name) for name in _named_in([label], graph))
            for label in labels
        )
        and len(set(labels)) >= len(group)
        for labels in targets.values()
    )


def _key(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _is_name_of(label: str, node: str) -> bool:
    """Return whether a label names a node, with more words around it or cut ("repo_invest.")."""
    label, name = _key(label), _key(node)
    short = _TITLES.sub("", name) or name
    return short in label or (len(label) >= 6 and name.startswith(label))
