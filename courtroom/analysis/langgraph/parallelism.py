"""What a graph's shape amounts to: which layers run in parallel, where they join, where failures are routed.

A layer is parallel when two of its nodes run in the same step, as really wired: plain edges, lists and Send
count; alternatives of one router do not, and neither does one node that runs several judges by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.flat_graph import FlatGraph, flattened, own_name
from courtroom.analysis.langgraph.subgraphs import Subgraph
from courtroom.analysis.python.symbolic_execution.values import Builder, Route
from courtroom.analysis.python.tree_walk import words_of

TROUBLE_WORDS = frozenset(
    words_of(
        """error errors fail failed fails failure failures abort aborted fatal insufficient missing invalid degraded
    degrade fallback empty exit stop skip halt crash critical unavailable incomplete sufficient exception
    exceptions evidence evidences terminate retry"""
    )
)
MIN_TROUBLE_OUTCOMES = 2


@dataclass(slots=True)
class Wiring:
    """Layers by node name, and for every node the sets of nodes that start together after it."""

    detectives: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    justice: list[str] = field(default_factory=list)
    together: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    after: dict[str, set[str]] = field(default_factory=dict)
    before: dict[str, set[str]] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)


def wiring_of(graph: FlatGraph) -> Wiring:
    wiring = Wiring(sent=graph.sent)
    layer = {"detective": wiring.detectives, "judge": wiring.judges, "justice": wiring.justice}
    for name, role in graph.roles.items():
        layer.get(role, []).append(name)
    fixed: dict[str, set[str]] = {}
    for start, end in graph.edges:
        fixed.setdefault(start, set()).add(end)
        _link(wiring, start, end)
    outcomes: dict[str, list[tuple[str, ...]]] = {}
    for route in graph.routes:
        outcomes.setdefault(route.start, []).extend(route.outcomes)
        for target in route.targets:
            _link(wiring, route.start, target)
    for start in {*fixed, *outcomes}:
        always = fixed.get(start, set())
        wiring.together[start] = [frozenset(always | set(one)) for one in outcomes.get(start, [()])]
    return wiring


def _link(wiring: Wiring, start: str, end: str) -> None:
    wiring.after.setdefault(start, set()).add(end)
    wiring.before.setdefault(end, set()).add(start)


def reachable(wiring: Wiring, start: str, without: frozenset[str] = frozenset()) -> set[str]:
    """Every node after `start`, itself included, on ways that do not pass through `without`."""
    seen: set[str] = set()
    queue = [start]
    while queue:
        node = queue.pop()
        if node in seen or node in without:
            continue
        seen.add(node)
        queue.extend(wiring.after.get(node, ()))
    return seen


def parallel_pairs(wiring: Wiring, layer: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of a layer's nodes that run side by side; a node that Send starts several times pairs with itself."""
    pairs = [(node, node) for node in layer if node in wiring.sent]
    for first, second in itertools.combinations(layer, 2):
        if any(
            _side_by_side(wiring, start, group, first, second) for start, group in _splits(wiring)
        ):
            pairs.append((first, second))
    return pairs


def _splits(wiring: Wiring) -> list[tuple[str, frozenset[str]]]:
    return [
        (start, group)
        for start, groups in wiring.together.items()
        for group in groups
        if len(group) > 1
    ]


def _side_by_side(
    wiring: Wiring, start: str, group: frozenset[str], first: str, second: str
) -> bool:
    without = frozenset({start})
    if second in reachable(wiring, first, without) or first in reachable(wiring, second, without):
        return False
    for left, right in itertools.permutations(sorted(group), 2):
        if first in reachable(wiring, left, without) and second in reachable(
            wiring, right, without
        ):
            return True
    return False


def joins(wiring: Wiring, pairs: list[tuple[str, str]], layer: list[str], goals: list[str]) -> bool:
    """Whether two nodes that run side by side come together in a node outside `layer` that leads to a goal."""
    for first, second in pairs:
        others = frozenset(layer) - {first, second}
        shared = reachable(wiring, first, others) & reachable(wiring, second, others)
        for node in shared - set(layer) - {"END"}:
            leads_on = not goals or bool(reachable(wiring, node) & set(goals))
            if leads_on and (first == second or _arrivals(wiring, node, (first, second)) > 1):
                return True
    return False


def _arrivals(wiring: Wiring, node: str, starts: Iterable[str]) -> int:
    """By how many nodes that come after one of `starts` (itself included) a node is reached."""
    without = frozenset({node})
    before = set().union(*(reachable(wiring, start, without) for start in starts))
    return len(wiring.before.get(node, set()) & before)


def has_error_route(routes: Iterable[Route], wiring: Wiring) -> bool:
    """A conditional edge with a way out for failures: it asks about them, and at least two things can follow."""
    downstream = {node for judge in wiring.judges for node in reachable(wiring, judge) - {judge}}
    for route in routes:
        late = route.start in downstream and not _loops_back(wiring, route.start)
        if late or len(set(route.outcomes)) < MIN_TROUBLE_OUTCOMES:
            continue
        words = set(route.words) | {
            word for target in route.targets for word in words_of(own_name(target))
        }
        if words & TROUBLE_WORDS:
            return True
    return False


def _loops_back(wiring: Wiring, node: str) -> bool:
    return any(detective in reachable(wiring, node) for detective in wiring.detectives)


def flags_of(
    builder: Builder, routes: list[Route], subgraphs: Sequence[Subgraph] = ()
) -> dict[str, bool]:
    """The five facts about a graph's shape; what splits or joins inside a subgraph counts."""
    graph = flattened(builder, routes, subgraphs)
    wiring = wiring_of(graph)
    detectives = parallel_pairs(wiring, wiring.detectives)
    judges = parallel_pairs(wiring, wiring.judges)
    return {
        "detectives_parallel": bool(detectives),
        "judges_parallel": bool(judges),
        "fan_in_before_judges": joins(
            wiring, detectives, [*wiring.detectives, *wiring.judges], wiring.judges
        ),
        "fan_in_before_justice": joins(wiring, judges, wiring.judges, wiring.justice),
        "conditional_error_route": has_error_route(graph.routes, wiring),
    }
