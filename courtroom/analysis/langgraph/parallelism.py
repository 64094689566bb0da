"""Facts about a graph's shape: parallel layers, fan-in, and a route for failures.

Detectives are parallel when two of them run in the same step, judges when none of them runs apart
from the others, as really wired: plain edges, lists and Send count. Alternatives of one router do
not, and neither does one node that runs several judges by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from courtroom.analysis.langgraph.flat_graph import SEPARATOR, FlatGraph, flatten, own_name
from courtroom.analysis.langgraph.graph_facts import Departure, Edge, route_words
from courtroom.analysis.langgraph.graph_values import GraphBuilder, Route
from courtroom.analysis.langgraph.node_roles import LOOSE_JOIN_WORDS, is_single
from courtroom.analysis.langgraph.subgraphs import Subgraph
from courtroom.analysis.python.tree_walk import words_of

FAILURE_WORDS = frozenset(
    words_of(
        """error errors fail failed fails failure failures abort aborted fatal insufficient missing
        invalid degraded degrade fallback empty exit stop skip halt crash critical unavailable
        incomplete sufficient exception exceptions evidence evidences terminate retry"""
    )
)
# A way past something proves no failure by itself: skip_vision may be for a report without pictures.
WEAK_WORDS = frozenset({"exit", "stop", "skip"})
# A router with one outcome decides nothing.
MIN_ROUTE_OUTCOMES = 2
# Splits of nodes without a role are looked for in graphs up to this size: the search is quadratic.
MOST_EDGES = 2_000


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

    def link(self, start: str, end: str) -> None:
        self.after.setdefault(start, set()).add(end)
        self.before.setdefault(end, set()).add(start)


def _wiring_of(graph: FlatGraph) -> Wiring:
    wiring = Wiring(sent=graph.sent)
    layers = {"detective": wiring.detectives, "judge": wiring.judges, "justice": wiring.justice}
    for name, role in graph.roles.items():
        layers.get(role, []).append(name)

    fixed: dict[str, set[str]] = {}
    for start, end in graph.edges:
        fixed.setdefault(start, set()).add(end)
        wiring.link(start, end)

    outcomes: dict[str, list[tuple[str, ...]]] = {}
    for route in graph.routes:
        outcomes.setdefault(route.start, []).extend(route.outcomes)
        for target in route.targets:
            wiring.link(route.start, target)

    for start in {*fixed, *outcomes}:
        # Plain edges are taken whatever the router chooses.
        always = fixed.get(start, set())
        wiring.together[start] = [
            frozenset(always | set(outcome)) for outcome in outcomes.get(start, [()])
        ]
    return wiring


def _reachable(wiring: Wiring, start: str, without: frozenset[str] = frozenset()) -> set[str]:
    """Return every node after `start`, and `start`, on paths that do not pass through `without`."""
    reached: set[str] = set()
    queue = [start]
    while queue:
        node = queue.pop()
        if node in reached or node in without:
            continue
        reached.add(node)
        queue.extend(wiring.after.get(node, ()))
    return reached


def _parallel_pairs(wiring: Wiring, layer: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of a layer's nodes that run in parallel.

    A node that Send starts several times is paired with itself.
    """
    pairs = [(node, node) for node in layer if node in wiring.sent]
    for first, second in itertools.combinations(layer, 2):
        if any(
            _is_parallel(wiring, start, group, first, second) for start, group in _fan_outs(wiring)
        ):
            pairs.append((first, second))
    return pairs


@dataclass(frozen=True, slots=True)
class LayerOrder:
    """Nodes of a layer that run in parallel, and its single detectives or judges that run apart."""

    together: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


def _layer_order(
    wiring: Wiring, layer: Sequence[str], role: str, pairs: Sequence[tuple[str, str]]
) -> LayerOrder:
    parallel = {node for pair in pairs for node in pair}
    # judges_start and clone_repo are no judge and no detective of their own.
    apart = [
        node
        for node in layer
        if node not in parallel
        and is_single(own_name(node), role)
        and LOOSE_JOIN_WORDS.isdisjoint(words_of(own_name(node)))
    ]
    steps = _steps_from(wiring, "START")
    reached = set().union(*(_reachable(wiring, node) for node in parallel))
    first = min((steps[node] for node in parallel if node in steps), default=0)
    before = [
        node
        for node in apart
        if steps.get(node, first) < first and parallel & _reachable(wiring, node)
    ]
    after = [node for node in apart if node not in before and node in reached]
    together = [node for node in layer if node in parallel]
    return LayerOrder(*(tuple(map(_readable, names)) for names in (together, before, after)))


def _has_split(wiring: Wiring, nodes: AbstractSet[str]) -> bool:
    """Return whether two of these nodes, or several runs of one, start side by side."""
    if not wiring.sent.isdisjoint(nodes):
        return True
    for start, group in _fan_outs(wiring):
        without = frozenset({start})
        reached = {node: _reachable(wiring, node, without) for node in group & nodes}
        for first, second in itertools.combinations(reached, 2):
            if second not in reached[first] and first not in reached[second]:
                return True
    return False


def _fan_outs(wiring: Wiring) -> list[tuple[str, frozenset[str]]]:
    return [
        (start, group)
        for start, groups in wiring.together.items()
        for group in groups
        if len(group) > 1
    ]


def _is_parallel(
    wiring: Wiring, start: str, group: frozenset[str], first: str, second: str
) -> bool:
    # Without the fan-out itself: a loop back through it is a later step.
    without = frozenset({start})
    if second in _reachable(wiring, first, without) or first in _reachable(wiring, second, without):
        return False

    return any(
        first in _reachable(wiring, left, without) and second in _reachable(wiring, right, without)
        for left, right in itertools.permutations(sorted(group), 2)
    )


def _fan_in(
    wiring: Wiring, pairs: list[tuple[str, str]], layer: list[str], goals: list[str]
) -> str:
    """Return the first node outside `layer` in which a parallel pair meets and that leads to a
    goal; "" where there is none.
    """
    joins: dict[str, int] = {}
    for first, second in pairs:
        steps = _steps_from(wiring, first)
        without = frozenset(layer) - {first, second}
        shared = _reachable(wiring, first, without) & _reachable(wiring, second, without)
        for node in shared - set(layer) - {"END"}:
            leads_to_goal = not goals or bool(_reachable(wiring, node) & set(goals))
            # A node paired with itself is started several times: its successor joins the runs.
            is_join = first == second or _arrivals(wiring, node, (first, second)) > 1
            if leads_to_goal and is_join:
                joins[node] = steps.get(node, 0)
        if joins:
            break
    return min(joins, key=lambda node: (joins[node], node), default="")


def _steps_from(wiring: Wiring, start: str) -> dict[str, int]:
    """Return the fewest steps from `start` to each node after it."""
    steps = {start: 0}
    # The queue grows while it is walked.
    queue = [start]
    for node in queue:
        for end in wiring.after.get(node, ()):
            if end not in steps:
                steps[end] = steps[node] + 1
                queue.append(end)
    return steps


def _arrivals(wiring: Wiring, node: str, starts: Iterable[str]) -> int:
    """Count the nodes before `node` that come after one of `starts`, these included."""
    without = frozenset({node})
    reached = set().union(*(_reachable(wiring, start, without) for start in starts))
    return len(wiring.before.get(node, set()) & reached)


def _deciding_routes(routes: Iterable[Route], wiring: Wiring) -> Iterator[Route]:
    """Yield the conditional edges with at least two outcomes, before the judges.

    Those after the judges count only when they lead back to a detective: their failures are no
    longer those of the evidence.
    """
    after_judges = _after_judges(wiring)
    for route in routes:
        is_late = route.start in after_judges and not _leads_to_detective(wiring, route.start)
        if not is_late and len(set(route.outcomes)) >= MIN_ROUTE_OUTCOMES:
            yield route


def _after_judges(wiring: Wiring) -> set[str]:
    after = {node for judge in wiring.judges for node in _reachable(wiring, judge) - {judge}}
    # What also runs before them only lies behind a way back.
    return after - _reachable(wiring, "START", frozenset(wiring.judges))


def _error_routes(routes: Iterable[Route]) -> list[Route]:
    """Return the routers with a word of failure or of evidence; weak words count where none has."""
    words = [(route, _failure_words(route)) for route in routes]
    certain = [route for route, its_words in words if its_words - WEAK_WORDS]
    return certain or [route for route, its_words in words if its_words]


def _failure_words(route: Route) -> frozenset[str]:
    targets = {target for outcome in route.outcomes for target in outcome}
    target_words = {word for target in targets for word in words_of(own_name(target))}
    return (route.words | target_words) & FAILURE_WORDS


def _bypass(routes: Iterable[Route], wiring: Wiring) -> Route | None:
    """Return a router before the judges that may pass them by.

    Its way past them where they lead back to it is the end of a loop.
    """
    judges, after_judges = set(wiring.judges), _after_judges(wiring)
    detectives = frozenset(wiring.detectives)
    looped = set().union(*(_reachable(wiring, judge, detectives) for judge in judges))
    for route in routes:
        if route.start in looped:
            continue
        leads_there = {
            any(not judges.isdisjoint(_reachable(wiring, node)) for node in outcome)
            for outcome in route.outcomes
        }
        if route.start not in after_judges and leads_there == {True, False}:
            return route
    return None


def _leads_to_detective(wiring: Wiring, node: str) -> bool:
    return any(detective in _reachable(wiring, node) for detective in wiring.detectives)


@dataclass(frozen=True, slots=True)
class Flags:
    """Facts about a graph's shape; one that cannot be told is null, and `reasons` holds why.

    `departures` are the edges and routes that decide each. `orders` are those of the layers that
    are parallel in part, by the flag.
    """

    values: dict[str, bool | None]
    reasons: dict[str, str]
    departures: dict[str, list[Departure]]
    orders: dict[str, LayerOrder]


def flags_of(
    builder: GraphBuilder, routes: list[Route], subgraphs: Sequence[Subgraph] = ()
) -> Flags:
    """Return the five facts about a graph's shape; splits and joins inside a subgraph count.

    A split that is there is true, whatever else was not followed. That there is none can be told
    only of a graph that is known to its end, and in every run alike.
    """
    shape = _shape(builder, routes, subgraphs)
    values, unclear_layers = shape.values, shape.unclear
    certain_values = _shape(
        _certain_part(builder), [r for r in routes if not r.doubt], subgraphs
    ).values
    unresolved = next(
        iter([*builder.unresolved, *(u for s in subgraphs for u in s.builder.unresolved)]), ""
    )
    optional = _optional_words(builder)

    flags: dict[str, bool | None] = dict(values)
    reasons: dict[str, str] = {}
    for name, value in values.items():
        if value is not certain_values[name] and optional:
            reasons[name] = optional
        elif not value and unresolved:
            reasons[name] = unresolved
        elif not value and name in unclear_layers:
            reasons[name] = unclear_layers[name]
        if name in reasons:
            flags[name] = None
    orders = {name: order for name, order in shape.orders.items() if flags[name] is not None}
    return Flags(flags, reasons, shape.departures, orders)


def _certain_part(builder: GraphBuilder) -> GraphBuilder:
    optional = builder.optional_parts()
    edges = {edge: place for edge, place in builder.edges.items() if edge not in optional}
    return replace(builder, edges=edges)


def _optional_words(builder: GraphBuilder) -> str:
    doubt = next(iter(builder.doubts()), None)
    return f"which edges there are depends on the run ({doubt.path}:{doubt.line})" if doubt else ""


@dataclass(frozen=True, slots=True)
class _Shape:
    """The facts, why some that are false are not known, and what decides each."""

    values: dict[str, bool]
    unclear: dict[str, str]
    departures: dict[str, list[Departure]]
    orders: dict[str, LayerOrder]


def _shape(builder: GraphBuilder, routes: list[Route], subgraphs: Sequence[Subgraph]) -> _Shape:
    graph = flatten(builder, routes, subgraphs)
    wiring = _wiring_of(graph)
    detectives = _parallel_pairs(wiring, wiring.detectives)
    judges = _parallel_pairs(wiring, wiring.judges)
    detectives_and_judges = [*wiring.detectives, *wiring.judges]
    evidence_join = _fan_in(wiring, detectives, detectives_and_judges, wiring.judges)
    opinion_join = _fan_in(wiring, judges, wiring.judges, wiring.justice)
    deciding = list(_deciding_routes(graph.routes, wiring))
    error_routes = _error_routes(deciding)
    orders = {
        "detectives_parallel": _layer_order(wiring, wiring.detectives, "detective", detectives),
        "judges_parallel": _layer_order(wiring, wiring.judges, "judge", judges),
    }
    orders = {
        name: order
        for name, order in orders.items()
        if order.together and (order.before or order.after)
    }
    are_judges_parallel = bool(judges) and "judges_parallel" not in orders
    values = {
        "detectives_parallel": bool(detectives),
        "judges_parallel": are_judges_parallel,
        "fan_in_before_judges": bool(evidence_join),
        "fan_in_before_justice": bool(opinion_join),
        "conditional_error_route": bool(error_routes),
    }
    edges = {
        "detectives_parallel": _into_layer(wiring, wiring.detectives, detectives),
        "judges_parallel": _into_layer(
            wiring, wiring.judges, judges if are_judges_parallel else []
        ),
        "fan_in_before_judges": _into_join(wiring, evidence_join, wiring.detectives),
        "fan_in_before_justice": _into_join(wiring, opinion_join, wiring.judges),
    }
    departures = {name: _departures(graph, pairs) for name, pairs in edges.items()}
    departures["conditional_error_route"] = list(map(_departure_of, error_routes))
    unclear = _unclear_layers(wiring, graph)
    bypass = _bypass(deciding, wiring)
    if bypass is not None:
        unclear["conditional_error_route"] = (
            f"the router after {_readable(bypass.start)} ({bypass.path}:{bypass.line}) may pass the"
            " judges by, and no word of it tells on what"
        )
    return _Shape(values, unclear, departures, orders)


def _into_layer(
    wiring: Wiring, layer: Sequence[str], parallel: Iterable[tuple[str, str]]
) -> set[Edge]:
    """Return the edges into the nodes that run in parallel, or into the layer where none do."""
    nodes = {node for pair in parallel for node in pair}
    starts_outside = nodes or set()
    return {
        (start, node)
        for node in nodes or layer
        for start in wiring.before.get(node, ())
        if start not in starts_outside
    }


def _into_join(wiring: Wiring, join: str, layer: Sequence[str]) -> set[Edge]:
    """Return the edges into the join, or out of the layer where there is none."""
    if join:
        without = frozenset({join})
        reached = set().union(*(_reachable(wiring, node, without) for node in layer))
        return {(start, join) for start in wiring.before.get(join, ()) if start in reached}
    return {(node, end) for node in layer for end in wiring.after.get(node, ()) if end not in layer}


def _departures(graph: FlatGraph, edges: AbstractSet[Edge]) -> list[Departure]:
    """Return the departures that make these edges, in the order of the code."""
    plain = [
        Departure(*place, f"{_readable(edge[0])} → {_readable(edge[1])}")
        for edge, place in graph.places.items()
        if edge in edges
    ]
    routed = [
        _departure_of(route)
        for route in graph.routes
        if route.line and any((route.start, target) in edges for target in route.targets)
    ]
    return [*plain, *routed]


def _departure_of(route: Route) -> Departure:
    return Departure(route.path, route.line, _readable(route_words(route)))


def _readable(name: str) -> str:
    return name.replace(SEPARATOR, " / ")


def _unclear_layers(wiring: Wiring, graph: FlatGraph) -> dict[str, str]:
    """Return the facts that cannot be told: some nodes run in parallel, and none has the role."""
    unnamed = {name for name, role in graph.roles.items() if role == ""}
    is_large = sum(map(len, wiring.after.values())) > MOST_EDGES
    if not is_large and not _has_split(wiring, unnamed):
        return {}
    splits = f"the graph has over {MOST_EDGES:,} edges" if is_large else "nodes run in parallel"
    unclear: dict[str, str] = {}
    for layer, role, facts in (
        (wiring.detectives, "a detective", ("detectives_parallel", "fan_in_before_judges")),
        (wiring.judges, "a judge", ("judges_parallel", "fan_in_before_justice")),
    ):
        if not layer:
            reason = f"{splits}, but no node's name or file tells that it is {role}"
            unclear.update(dict.fromkeys(facts, reason))
    return unclear
