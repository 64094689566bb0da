"""Facts of the stub run, as courtroom.models.graph_run holds them."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from courtroom.analysis.graph_run.run_faults import (
    Choices,
    Repeat,
    endless_gap,
    endless_loop,
    is_followed_whole,
    nodes_never_run,
    repeats,
    steps_of,
    unreached_gap,
)
from courtroom.analysis.graph_run.state_faults import (
    KeyFault,
    open_writes,
    state_faults,
)
from courtroom.analysis.graph_run.step_runs import StepRunner, follows_plain_steps
from courtroom.analysis.graph_run.stub_graph import (
    Location,
    StubGraph,
    StubState,
    read_stub_graph,
)
from courtroom.analysis.graph_run.stub_runs import Exploration, StubRunner

OUTPUT_BYTES = 4 * 1024 * 1024
# Names of nodes that the runs of one graph hold in all, and steps of a run that does not end.
MAX_NAMES = 2000
SHOWN_STEPS = 12
BOUND = "the graph has more combinations of routes than were run"
REFUSED = "LangGraph refuses to compile the graph"
FAULTS = ("repeated", "idle", "endless", "conflicts", "doubled")


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """The child's side."""
    # The child ends with its answer: collecting would only slow LangGraph's import.
    gc.disable()
    return run_all([read_stub_graph(document) for document in request["graphs"]])


def run_all(graphs: Sequence[StubGraph]) -> dict[str, Any]:
    """Return the fields of courtroom.models.graph_run.GraphRunFact, the main graph coming first."""
    main, *inner = (_runs_fact(graph) for graph in graphs)
    inner_facts = [
        {**fact, "at": list(graph.at)} for fact, graph in zip(inner, graphs[1:], strict=True)
    ]
    return {**main, "inner": inner_facts}


def needs_langgraph(graph: StubGraph) -> bool:
    """Return whether only LangGraph can run the graph; what is not known is not run."""
    return not (graph.gap or graph.refusals or follows_plain_steps(graph))


def runner_of(graph: StubGraph) -> StubRunner:
    if follows_plain_steps(graph):
        return StepRunner(graph)
    # Loads asyncio: the child that reads the sources does without.
    from courtroom.analysis.graph_run.langgraph_runs import LangGraphRunner

    return LangGraphRunner(graph)


def _runs_fact(graph: StubGraph) -> dict[str, Any]:
    if graph.gap:
        return _nothing_run(graph.gap)
    refused = list(graph.refusals)
    exploration = Exploration() if refused else runner_of(graph).explore()
    if exploration.refusal:
        refused.append(exploration.refusal)
    if refused:
        return _nothing_run(REFUSED) | {"refused": refused}

    never = nodes_never_run(graph, exploration)
    state = state_faults(graph, exploration.runs, runner_of)
    fact = {
        "combinations": len(exploration.runs),
        "is_complete": exploration.is_complete,
        "steps": steps_of(graph, exploration),
        "runs": list(_shown_runs(graph, exploration)),
        "refused": [],
        "repeated": [_repeat_fact(graph, repeat) for repeat in repeats(graph, exploration)],
        "idle": [{"node": name, "place": _place(graph.places.get(name))} for name in never],
        "endless": _endless_fact(graph, endless_loop(graph, exploration)),
        "conflicts": _conflict_facts(state.conflicts, graph.state) if graph.state else [],
        "doubled": _doubled_facts(state.doubled, graph.state) if graph.state else [],
    }
    # Past a bound, what was seen stays true, and what was not seen proves nothing.
    bound = "" if exploration.is_complete else BOUND
    writes = bound or (graph.state.gap if graph.state else graph.state_gap)
    gaps = {
        "repeated": "" if is_followed_whole(exploration) else BOUND,
        "idle": bound or unreached_gap(graph, exploration),
        "endless": bound or endless_gap(graph, exploration),
        "conflicts": writes or open_writes(graph, exploration.runs),
        "doubled": writes,
    }
    unknown = {name: gaps[name] for name in FAULTS if gaps[name] and not fact[name]}
    return {**fact, **dict.fromkeys(unknown), "unknown": unknown}


def _conflict_facts(faults: Iterable[KeyFault], state: StubState) -> list[dict[str, Any]]:
    return [
        {
            **fact,
            "is_unchanged": not any(
                fact["key"] in state.fresh.get(node, ()) for node in fact["nodes"]
            ),
        }
        for fact in _key_facts(faults, state.sure)
    ]


def _doubled_facts(faults: Sequence[KeyFault], state: StubState) -> list[dict[str, Any]]:
    also = _also_returned(faults, state)
    return [
        {
            **fact,
            "is_rebuilt": all(fact["key"] in state.rebuilt.get(node, ()) for node in fact["nodes"]),
            **({"adds_nothing": True} if _add_nothing(fact["nodes"], state) else {}),
            **_in_place(fact, state),
            **({"also": also[fact["key"]]} if fact["key"] in also else {}),
        }
        for fact in _key_facts(faults, state.returned)
    ]


def doubled_alone(graph: StubGraph, state: StubState) -> list[dict[str, Any]]:
    """Return the lists that a node doubles whenever it runs, which takes no run of the graph to see."""
    filled = {key for keys in state.fresh.values() for key in keys}
    nodes = {
        key: tuple(
            node
            for node in graph.nodes
            if key in state.returned.get(node, ()) and key not in state.rebuilt.get(node, ())
        )
        for key, kept in state.kept.items()
        if kept == "add" and key in filled
    }
    faults = [KeyFault(key, names) for key, names in nodes.items() if names]
    return [
        {**fact, "is_alone": True, **_in_place(fact, state)}
        for fact in _key_facts(faults, state.returned)
    ]


def _in_place(fact: Mapping[str, Any], state: StubState) -> dict[str, bool]:
    """Return whether a node adds to the list itself under a key, which it then returns."""
    is_changed = any(fact["key"] in state.in_place.get(node, ()) for node in fact["nodes"])
    return {"is_in_place": True} if is_changed else {}


def _add_nothing(nodes: Iterable[str], state: StubState) -> bool:
    """Return whether these nodes hand back what they got and nothing else, as far as is known."""
    return not state.gap and not any(state.fresh.get(node) for node in nodes)


def _also_returned(faults: Sequence[KeyFault], state: StubState) -> dict[str, list[str]]:
    """Return the lists that nodes of a fault return as they got them, empty in a fresh run.

    They lie under the key of the first fault of a node; there are none where no state is stored.
    """
    if not state.is_stored:
        return {}
    filled = {key for keys in state.fresh.values() for key in keys}
    left = {key for key in filled if state.kept[key] == "add"} - {fault.key for fault in faults}
    also: dict[str, list[str]] = {}
    for fault in faults:
        returned = {
            key
            for node in fault.nodes
            for key in state.returned.get(node, {})
            if key not in state.rebuilt.get(node, ())
        }
        if left & returned:
            also[fault.key] = sorted(left & returned)
            left -= returned
    return also


def _key_facts(
    faults: Iterable[KeyFault], places: Mapping[str, Mapping[str, Location]]
) -> list[dict[str, Any]]:
    return [
        {
            "key": fault.key,
            "nodes": list(fault.nodes),
            "places": [
                _place(place)
                for place in dict.fromkeys(places[node][fault.key] for node in fault.nodes)
            ],
        }
        for fault in faults
    ]


def _nothing_run(reason: str) -> dict[str, Any]:
    return {
        "combinations": 0,
        "is_complete": False,
        "steps": {},
        "runs": [],
        "refused": [],
        **dict.fromkeys(FAULTS),
        "unknown": dict.fromkeys(FAULTS, reason),
    }


def _shown_runs(graph: StubGraph, exploration: Exploration) -> Iterable[dict[str, Any]]:
    left = MAX_NAMES
    for run in exploration.runs:
        steps = run.steps if run.has_end else run.steps[:SHOWN_STEPS]
        left -= sum(map(len, steps))
        if left < 0:
            return
        yield {
            "choices": _choices(graph, run.choices),
            "steps": [list(step) for step in steps],
            "has_end": run.has_end,
        }


def _choices(graph: StubGraph, choices: Choices) -> list[dict[str, Any]]:
    return [
        {"from": graph.routes[route].start, "to": list(graph.routes[route].outcomes[outcome])}
        for route, outcome in choices.items()
        if len(graph.routes[route].outcomes) > 1
    ]


def _repeat_fact(graph: StubGraph, repeat: Repeat) -> dict[str, Any]:
    starters = {name for names in repeat.starters for name in names}
    leading = [
        (edge.path, edge.line)
        for edge in graph.edges
        if edge.end == repeat.node and starters & set(edge.starts)
    ]
    leading += [
        (route.path, route.line)
        for route in graph.routes
        if route.start in starters and any(repeat.node in outcome for outcome in route.outcomes)
    ]
    return {
        "node": repeat.node,
        "fork": repeat.fork,
        "lengths": list(repeat.lengths),
        "steps": list(repeat.steps),
        "starters": [list(names) for names in repeat.starters],
        "followers": list(repeat.followers),
        "routed": list(repeat.routed),
        "routers": list(repeat.routers),
        "choices": _choices(graph, repeat.choices),
        "places": [_place(place) for place in dict.fromkeys(leading)],
        "added": _added(graph, (repeat.node, *repeat.followers)),
        "guarded": _guarded(graph, (repeat.node, *repeat.followers)),
    }


def _added(graph: StubGraph, nodes: Sequence[str]) -> list[dict[str, Any]]:
    """Return the keys under operator.add to which these nodes add something new."""
    state = graph.state
    if state is None:
        return []
    adders = {
        key: tuple(
            name
            for name in nodes
            if key in state.fresh.get(name, ())
            and key not in state.returned.get(name, ())
            and key not in state.looked_at.get(name, ())
            and name not in state.guarded
        )
        for key, kept in state.kept.items()
        if kept == "add"
    }
    faults = [KeyFault(key, names) for key, names in adders.items() if names]
    return _key_facts(faults, state.fresh)


def _guarded(graph: StubGraph, nodes: Sequence[str]) -> list[dict[str, Any]]:
    """Return the keys of which these nodes look whether they have added to them."""
    guarded = graph.state.guarded if graph.state else {}
    keys = dict.fromkeys(key for name in nodes for key in guarded.get(name, ()))
    return [
        {"key": key, "nodes": [name for name in nodes if key in guarded.get(name, ())]}
        for key in keys
    ]


def _endless_fact(graph: StubGraph, nodes: list[str]) -> list[dict[str, Any]]:
    if not nodes:
        return []
    places = [
        (edge.path, edge.line)
        for edge in graph.edges
        if edge.end in nodes and set(edge.starts) <= set(nodes)
    ]
    places += [(route.path, route.line) for route in graph.routes if route.start in nodes]
    fixed = [r for r in graph.routes if r.fixed and any({*nodes} & {*o} for o in r.outcomes)]
    places += [(route.path, route.line) for route in fixed]
    return [
        {
            "nodes": nodes,
            "places": [_place(place) for place in dict.fromkeys(places)],
            "routers": list(dict.fromkeys(route.start for route in fixed)),
            "keys": sorted({key for route in fixed for key in route.fixed}),
        }
    ]


def _place(location: Location | None) -> dict[str, Any] | None:
    return None if location is None else {"path": location[0], "line": location[1]}
