"""Faults that the runs of a stub graph show: nodes that run twice or never, endless loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from courtroom.analysis.graph_run.stub_graph import StubGraph, StubRoute
from courtroom.analysis.graph_run.stub_runs import Exploration, StubRun

Choices = dict[int, int]
# Node runs of one run that are followed: each knows all before it.
MAX_FOLLOWED = 1000


@dataclass(frozen=True, slots=True, eq=False)
class _NodeRun:
    """One run of a node in a step, with the node runs that started it; START is step 0."""

    node: str
    step: int
    starters: tuple[_NodeRun, ...] = ()
    # All node runs before it, by their paths of starters.
    before: frozenset[_NodeRun] = frozenset()

    @property
    def is_repetition(self) -> bool:
        """Return true when it follows an earlier run of the node: the node lies on a loop."""
        return any(earlier.node == self.node for earlier in self.before)


@dataclass(frozen=True, slots=True)
class Repeat:
    """Node that branches of different lengths start several times, without a loop.

    `fork` is the last node that all the branches share, `lengths` the steps from there, `steps` the
    steps of the run. `starters` are the nodes before it on each branch. `choices` are those of the
    run, as far as the repeat needs them. `followers` run as often because they come after it;
    `routed` are those of them that only routers with several outcomes lead to, after the nodes
    `routers`.
    """

    node: str
    fork: str
    lengths: tuple[int, ...]
    steps: tuple[int, ...]
    starters: tuple[tuple[str, ...], ...]
    followers: tuple[str, ...] = ()
    routed: tuple[str, ...] = ()
    routers: tuple[str, ...] = ()
    choices: Choices = field(default_factory=dict)


def repeats(graph: StubGraph, exploration: Exploration) -> list[Repeat]:
    """Return each node that runs several times, once, on the routes that need fewest choices."""
    of_runs = [(run, _repeats_in(graph, run)) for run in exploration.runs]
    results: dict[str, Repeat] = {}
    for run, its_repeats in of_runs:
        for repeat in its_repeats:
            choices = _needed_choices(repeat.node, run, of_runs)
            earlier = results.get(repeat.node)
            if earlier is None or len(choices) < len(earlier.choices):
                results[repeat.node] = replace(repeat, choices=choices)
    return [_with_followers(graph, repeat, of_runs) for repeat in results.values()]


def _with_followers(
    graph: StubGraph, repeat: Repeat, of_runs: Sequence[tuple[StubRun, list[Repeat]]]
) -> Repeat:
    """Return the repeat with what follows it on any of its routes."""
    followers = {
        name
        for run, its_repeats in of_runs
        if repeat.choices.items() <= run.choices.items()
        for other in its_repeats
        if other.node == repeat.node
        for name in other.followers
    }
    certain = [repeat.node]
    for name in certain:  # the list grows while it is read
        ends = [edge.end for edge in graph.edges if edge.starts == (name,)]
        ends += [
            end for r in graph.routes if r.start == name for end in r.outcomes[0] * _is_fixed(r)
        ]
        certain += [end for end in dict.fromkeys(ends) if end in followers - {*certain}]
    routed = tuple(name for name in graph.nodes if name in followers.difference(certain))
    routers = dict.fromkeys(
        r.start
        for r in graph.routes
        if r.start in {repeat.node, *followers} and not _is_fixed(r)
        if any(not followers.isdisjoint(outcome) for outcome in r.outcomes)
    )
    return replace(
        repeat,
        followers=tuple(name for name in graph.nodes if name in followers),
        routed=routed,
        routers=tuple(routers) if routed else (),
    )


def _is_fixed(route: StubRoute) -> bool:
    return len(route.outcomes) == 1


def is_followed_whole(exploration: Exploration) -> bool:
    """Return whether no repeat can have been missed."""
    sizes = (sum(map(len, run.steps)) for run in exploration.runs if run.has_end)
    return exploration.is_complete and max(sizes, default=0) <= MAX_FOLLOWED


def _needed_choices(
    node: str, run: StubRun, of_runs: Sequence[tuple[StubRun, list[Repeat]]]
) -> Choices:
    """Return the choices of a run without which the node does not run several times.

    None where it does on all routes on which it runs; one where each run with it has the repeat.
    """
    runs = [
        (other, any(repeat.node == node for repeat in its_repeats))
        for other, its_repeats in of_runs
        if any(node in step for step in other.steps)
    ]
    if all(is_repeated for _, is_repeated in runs):
        return {}
    for route, outcome in run.choices.items():
        if all(again for other, again in runs if other.choices.get(route) == outcome):
            return {route: outcome}
    return run.choices


def _repeats_in(graph: StubGraph, run: StubRun) -> list[Repeat]:
    first_runs: dict[str, list[_NodeRun]] = {}
    for node_run in islice(_node_runs(graph, run), MAX_FOLLOWED):
        if not node_run.is_repetition:
            first_runs.setdefault(node_run.node, []).append(node_run)
    repeated = {node: runs for node, runs in first_runs.items() if len(runs) > 1}

    # What comes after a repeated node is repeated by it, whatever its own branches are.
    after = {
        node: {earlier.node for run in runs for earlier in run.before} & repeated.keys()
        for node, runs in repeated.items()
    }
    return [
        _repeat(node, runs, tuple(other for other in repeated if node in after[other]))
        for node, runs in repeated.items()
        if not after[node]
    ]


def _repeat(node: str, runs: list[_NodeRun], followers: tuple[str, ...]) -> Repeat:
    shared = frozenset.intersection(*(run.before for run in runs))
    fork = max(shared, key=lambda earlier: earlier.step)
    return Repeat(
        node=node,
        fork=fork.node,
        lengths=tuple(run.step - fork.step for run in runs),
        steps=tuple(run.step for run in runs),
        starters=tuple(tuple(starter.node for starter in run.starters) for run in runs),
        followers=followers,
    )


def _node_runs(graph: StubGraph, run: StubRun) -> Iterator[_NodeRun]:
    """Yield the runs of all nodes in order, each with what started it."""
    start = _NodeRun("START", 0)
    waiting: dict[str, list[_NodeRun]] = {}
    arrived: dict[int, dict[str, _NodeRun]] = {}

    for step, names in enumerate([("START",), *run.steps]):
        current = []
        for name in dict.fromkeys(names):
            starters = tuple(dict.fromkeys(waiting.pop(name, ())))
            before = frozenset(starters).union(*(starter.before for starter in starters))
            current.append(start if not step else _NodeRun(name, step, starters, before))
        for node_run in current:
            for target in _targets(graph, run, node_run.node, step):
                waiting.setdefault(target, []).append(node_run)
            for number, edge in enumerate(graph.edges):
                if edge.is_join and node_run.node in edge.starts:
                    arrived.setdefault(number, {})[node_run.node] = node_run
        for number, starters_by_node in list(arrived.items()):
            edge = graph.edges[number]
            if starters_by_node.keys() == set(edge.starts):
                waiting.setdefault(edge.end, []).extend(arrived.pop(number).values())
        yield from current if step else ()


def _targets(graph: StubGraph, run: StubRun, node: str, step: int) -> Iterator[str]:
    """Yield the nodes that a node's run starts by edges and routes of its own."""
    for edge in graph.edges:
        if edge.starts == (node,):
            yield edge.end
    for at, route, outcome in run.taken:
        if at == step and graph.routes[route].start == node:
            yield from graph.routes[route].outcomes[outcome]


def steps_of(graph: StubGraph, exploration: Exploration) -> dict[str, list[int]]:
    """Return for each node the steps in which it runs, on any of the routes."""
    steps: dict[str, set[int]] = {name: set() for name in graph.nodes}
    for run in exploration.runs:
        for step, names in enumerate(run.steps, start=1):
            for name in names:
                steps[name].add(step)
    return {name: sorted(numbers) for name, numbers in steps.items()}


def nodes_never_run(graph: StubGraph, exploration: Exploration) -> list[str]:
    """Return the nodes that run on no route and that no edge or router leads to.

    A way that no run takes leads there too: it is a fault of its router.
    """
    ran = _ran(exploration) | _reachable(graph, by_dead_ways=True)
    return [name for name in graph.nodes if name not in ran]


def unreached_gap(graph: StubGraph, exploration: Exploration) -> str:
    """Return which node ran in no run although something leads to it, "" where there is none."""
    missed = [name for name in graph.nodes if name not in _ran(exploration)]
    reachable = _reachable(graph, by_dead_ways=False)
    doubtful = [name for name in missed if name in reachable]
    if not doubtful:
        return ""
    return f"no run reached {doubtful[0]}, although an edge or a router leads to it"


def _ran(exploration: Exploration) -> set[str]:
    return {name for run in exploration.runs for step in run.steps for name in step}


def _reachable(graph: StubGraph, *, by_dead_ways: bool) -> set[str]:
    reached = ["START"]
    for name in reached:  # the list grows while it is read
        ends = [edge.end for edge in graph.edges if name in edge.starts]
        ends += [
            end
            for route in graph.routes
            if route.start == name
            for outcome in (*route.outcomes, route.named, route.never * by_dead_ways)
            for end in outcome
        ]
        reached += [end for end in dict.fromkeys(ends) if end not in reached]
    return set(reached)


def endless_loop(graph: StubGraph, exploration: Exploration) -> list[str]:
    """Return the nodes that run until the recursion limit on every route on which they run."""
    loop = _looping_nodes(graph, exploration)
    return [] if _may_leave(graph, loop) else loop


def endless_gap(graph: StubGraph, exploration: Exploration) -> str:
    """Return which loop may end although no run left it, "" where there is none."""
    loop = _looping_nodes(graph, exploration)
    return f"no run left the loop of {loop[0]}, but a router may" if _may_leave(graph, loop) else ""


def _may_leave(graph: StubGraph, loop: list[str]) -> bool:
    # A router without a map may have a way out that was misread, unless it was read to its end.
    return any(
        route.start in loop and not (route.is_mapped or route.never) for route in graph.routes
    )


def _looping_nodes(graph: StubGraph, exploration: Exploration) -> list[str]:
    if not exploration.is_complete:
        return []
    endless = [run for run in exploration.runs if not run.has_end]
    ending = {
        name for run in exploration.runs if run.has_end for step in run.steps for name in step
    }
    # The last half of the steps: what runs there twice lies on the loop or follows it.
    late = [[name for step in run.steps[len(run.steps) // 2 :] for name in step] for run in endless]
    looping = {name for names in late for name in names if names.count(name) > 1}
    return [name for name in graph.nodes if name in looping and name not in ending]
