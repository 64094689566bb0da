"""Steps for the wiring of the graph: what starts together, what joins, where errors lead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.analysis.python.tree_walk import words_of
from courtroom.checks.error_routes import OpenRoute, open_routes, routes_that_stop_nothing
from courtroom.checks.graph_topology import dead_routes, is_chain, single_ways
from courtroom.checks.phrases import listed, place_of
from courtroom.checks.subjects import lacks_graph
from courtroom.synthesis.advice.graph_steps import at_graph, edge_words, flow_steps, route_steps
from courtroom.synthesis.advice.work import (
    Step,
    Work,
    arrows,
    code_list,
    code_name,
    filled,
    placed,
)

# Names of a list that a person would write out; judges of each criterion are made in a loop.
MOST_TARGETS = 9
# The group of nodes that an aspect is about, and what they are called.
GROUPS = {
    "detectives_parallel": ("detective", "the detectives"),
    "judges_parallel": ("judge", "the judges"),
    "fan_in_before_judges": ("detective", "the detectives"),
    "fan_in_before_justice": ("judge", "the judges"),
}
# A part of the name of the key under which each layer returns what it makes.
RESULTS = {"detective": "eviden", "judge": "opinion"}
# The fact on where each layer is joined.
JOINS = {"detective": "fan_in_before_judges", "judge": "fan_in_before_justice"}
# The role of the nodes that join a layer, by that of the layer after it.
# Node for runs in which the clone failed, in words and as a snippet calls it.
REPORTS = "It writes what failed where {justice} writes the report, and gives no scores."
# Evidence alone tells no failure: a report may be read where the clone failed.
TESTED = (
    " Let the router test what the node that clones returns of its failure: an error that it raises"
    " ends the run before the router."
)
FAILED = "report_failure"
# Words by which a router tells of a failure.
FAILURES = frozenset({"abort", "error", "errors", "fail", "failed", "failure", "missing", "stop"})
JOIN_ROLES = {"judge": "join", "justice": "justice"}


def reducer_steps(advice: str, work: Work) -> Iterator[Step]:
    """Put a graph of LangGraph before the rubric's advice, where nothing applies a reducer."""
    text = filled(advice, work.names)
    if text and lacks_graph(work.facts):
        yield Step(f"Once LangGraph builds the graph, {text[0].lower()}{text[1:]}", is_exact=True)


def topology_steps(aspect: str, work: Work) -> Iterator[Step]:
    dead = dead_routes(work.facts) if aspect == "conditional_error_route" else []
    if dead:
        yield from route_steps(dead)
        places = {(fault["path"], fault["line"]) for fault in dead}
        yield from (_route_alone(route, work) for route in open_routes(work.facts, places) or ())
    elif aspect.endswith("parallel") and work.facts.get(aspect):
        yield from flow_steps(_is_lost_to_a_router, work)
        for row in work.facts.get("empty_detectives") or () if "detective" in aspect else ():
            action = f"Return from {row['name']} the evidence that it finds: it returns none."
            yield replace(placed(action, row), is_exact=True)
    elif aspect == "conditional_error_route" and work.facts.get(aspect):
        routes = [_route_alone(route, work) for route in routes_that_stop_nothing(work.facts)]
        # Routes that change a run and do not count are dead, or test the graph's inputs alone.
        yield from routes or [*route_steps(single_ways(work.facts))] or [_error_route(work)]
    elif aspect == "conditional_error_route":
        yield _error_route(work)
    elif aspect in GROUPS:
        role, words = GROUPS[aspect]
        nodes = work.nodes(role)
        if len(nodes) < 2:
            action = f"Make each of {words} a node of its own, with an edge from one node."
            yield at_graph(action + _reducer_first(role, work), work)
        elif aspect.endswith("parallel"):
            yield _start_together(nodes, role, work)
        else:
            yield _join(nodes, "judge" if role == "detective" else "justice", work)


def _is_lost_to_a_router(fault: Mapping[str, Any]) -> bool:
    """Return whether a router reads a key that the state does not declare."""
    readers = fault.get("nodes", ())
    return fault["kind"] == "undeclared_read" and any(n.startswith("the router") for n in readers)


def _start_together(nodes: Sequence[str], role: str, work: Work) -> Step:
    """Start all nodes from the one that starts the first of them, and lead all to what follows."""
    inner = [row for row in work.edges if {*row[0]} <= {*nodes}]
    route = next((r for r in work.routes if {*r["to"]} & {*nodes} and r["from"] not in nodes), None)
    plain = next((row for row in work.edges if row[0][1] in nodes and row[0][0] not in nodes), None)
    removed = f"; remove {edge_words([edge for edge, _, _ in inner])}" if inner else ""
    # Where the layer is not joined, the step that joins it makes these edges.
    is_joined = work.facts.get(JOINS[role]) is not False
    added = _missing_exits(nodes, work) if is_joined else ""
    if route is not None:
        action = f"Let the router after {route['from']} return {listed(nodes)} together"
        return placed(f"{action}{removed}{added}.", route)
    start = plain[0][0] if plain else None
    if start is None:
        return at_graph(f"Start {listed(nodes)} by edges from one node{removed}{added}.", work)
    snippet = work.builder and (
        f"for name in {code_list(nodes)}:\n    {work.builder}.add_edge({code_name(start)}, name)"
    )
    row = inner[0] if inner else plain
    path, line = (row[1], row[2]) if row else (None, None)
    action = f"Start {listed(nodes)} from {start}, by one edge each{removed}{added}."
    before = _own_entries_first(nodes, work) or _reducer_first(role, work)
    return Step(action + before, path, line, snippet)


def _reducer_first(role: str, work: Work) -> str:
    """Warn, with a space before it, where the state has no reducer for what the layer returns."""
    state, reducers = work.facts.get("state_class"), work.facts.get("reducers")
    if state is None or reducers is None:
        return ""
    if any(RESULTS[role] in row["field"].lower() for row in reducers):
        return ""
    return (
        f" Before that, give the key of {state['name']} that they all write a reducer"
        f" ({place_of(state['path'], state['line'])}): without one LangGraph stops where two nodes"
        " of a step write it."
    )


def _own_entries_first(nodes: Sequence[str], work: Work) -> str:
    """Warn where nodes hand on what they got: in one step LangGraph stops at the second."""
    rows = (work.facts.get("graph_run") or {}).get("doubled") or ()
    again = [node for node in nodes if any(node in row["nodes"] for row in rows)]
    if len(again) < 2:
        return ""
    return (
        f" Before that, let {listed(again)} return only what each of them changes: now they return"
        " all that they got, and LangGraph stops where two nodes of a step write a key without a"
        " reducer."
    )


def _missing_exits(nodes: Sequence[str], work: Work) -> str:
    """Name the edges that some of the nodes still need to what comes after the others."""
    exits = [edge for edge, _, _ in work.edges if edge[0] in nodes and edge[1] not in nodes]
    routed = {route["from"] for route in work.routes}
    targets = list(dict.fromkeys(end for _, end in exits))
    if len(targets) != 1:
        return ""
    left = {start for start, _ in exits} | routed
    edges = [(node, targets[0]) for node in nodes if node not in left]
    return f"; add {edge_words(edges)}" if edges else ""


def _join(nodes: Sequence[str], next_role: str, work: Work) -> Step:
    """Join the nodes where some of them lead already, else in the node that follows them."""
    ahead = work.nodes_before(nodes)
    after = [n for n in work.nodes(JOIN_ROLES[next_role]) if n not in ahead]
    exits = [row for row in work.edges if row[0][0] in nodes]
    ends = [end for (_, end), _, _ in exits if end not in nodes]
    joins = [
        end for end in ends if role_by_name(end) in {"join", ""} and end not in {*ahead, "END"}
    ]
    target = next(iter([*(end for end in ends if end in after), *joins, *after]), None)
    snippet = None
    if target and work.builder:
        snippet = f"{work.builder}.add_edge({code_list(nodes)}, {code_name(target)})"
    where = f"in {target}" if target else "in one node"
    follows = "the judges start" if next_role == "judge" else "the verdict is made"
    replaced = [edge for edge, _, _ in exits if edge[1] == target]
    # An edge beside the list would start the node a second time.
    instead = f" in place of {arrows(replaced)}" if replaced else ""
    action = (
        f"Join {listed(nodes)} {where} before {follows}: one edge from the list of them{instead}"
        " waits for all."
    )
    if is_chain("detective" if next_role == "judge" else "judge", work.facts):
        action += (
            " It is for branches: start them together first, as they now run one after another."
        )
    if not exits:
        return at_graph(action, work, snippet)
    _, path, line = next((row for row in exits if row[0][1] == target), exits[0])
    return Step(action, path, line, snippet)


def _error_route(work: Work) -> Step:
    """Route past the judges where the clone failed, to a node that tells of it: END would leave the
    report empty.
    """
    merged = _merged_failure(work)
    if merged is not None:
        return merged
    judges = work.nodes("judge")
    rows = [row for row in work.edges if row[0][1] in judges and row[0][0] not in judges]
    starts = {edge[0] for edge, _, _ in rows}
    if len(starts) != 1 or "START" in starts:
        action = (
            f"Lead past the judges, by a conditional edge, to a new node where {_failure(work)}."
            f" {_reports(work)}"
        )
        return at_graph(action, work)
    (start,) = starts
    targets = [edge[1] for edge, _, _ in rows]
    # What the run opened is closed on this way too.
    clean_ups = (e[0] for e, _, _ in work.edges if e[1] == "END" and "clean" in e[0].lower())
    end = next(clean_ups, "END")
    snippet = None
    is_long = len(targets) > MOST_TARGETS
    if work.builder and not is_long:
        import_line = "from langgraph.graph import END\n\n\n" if end == "END" else ""
        snippet = (
            f"{import_line}def next_nodes(state):\n"
            "    has_failed = ...  # put here what the node returns where it failed\n"
            f"    return {code_name(FAILED)} if has_failed else {code_list(targets)}\n\n"
            f"{work.builder}.add_node({code_name(FAILED)}, {FAILED})\n"
            f"{work.builder}.add_edge({code_name(FAILED)}, {code_name(end)})\n"
            f"{work.builder}.add_conditional_edges(\n"
            f"    {code_name(start)}, next_nodes, {code_list([*targets, FAILED])}\n)"
        )
    edges = (
        f"the {len(rows)} edges from {start} to the judges"
        if is_long
        else edge_words([row[0] for row in rows])
    )
    action = (
        f"Replace {edges} by a conditional edge that leads to a new node where {_failure(work)},"
        f" and from there to {end}. {_reports(work)}"
    )
    if set(judges) - set(targets) and work.facts.get("judges_parallel") is False:
        action += (
            f" Once the judges start together, let the conditional edge lead to {listed(judges)},"
            " in place of the edges to them."
        )
    return Step(action, rows[0][1], rows[0][2], snippet)


def _failure(work: Work) -> str:
    return "the clone failed" if _has_clone(work) else "nothing was found"


def _has_clone(work: Work) -> bool:
    """Return whether a run makes a clone, as far as is known."""
    function = work.facts.get("clone_function") or {"is_uncalled": True}
    return not function.get("is_uncalled")


def _merged_failure(work: Work) -> Step | None:
    """Return the step for a router whose word for a failure leads where its other words lead."""
    for row in work.graph.get("conditional") or ():
        word = next((w for w in row.get("merged", ()) if FAILURES & {*words_of(w)}), None)
        if word is not None and row.get("path"):
            action = (
                f"Let the word `{word}` of the router after {row['from']} lead to a new node in place"
                f" of {row['to'][0]}, and from there to END."
                f" {REPORTS.format(justice=listed(work.verdict_nodes) or 'the Chief Justice')}"
            )
            return placed(action, row)
    return None


def _reports(work: Work) -> str:
    """Sentences on the new node, and on what its router tests."""
    reports = REPORTS.format(justice=listed(work.verdict_nodes) or "the Chief Justice")
    tested = TESTED if _has_clone(work) else ""
    return f"{reports}{tested}{_single_way(work)}"


def _single_way(work: Work) -> str:
    """Sentence, with a space before it, on a route that may serve: it leads to one node alone, and
    no other node runs beside the one that it is after.
    """
    ahead = work.nodes_before(work.nodes("judge"))
    runs = (work.facts.get("graph_run") or {}).get("runs", ())
    steps = [step for run in runs for step in run["steps"]]
    alone = {step[0] for step in steps if len(step) == 1}
    beside = {node for step in steps if len(step) > 1 for node in step}
    ways = (r for r in work.routes if len({*r["to"]}) == 1)
    route = next((r for r in ways if r["from"] in (ahead & alone) - beside), None)
    if route is None:
        return ""
    place = place_of(route["path"], route["line"])
    return (
        f" The conditional edge after {route['from']} ({place}), which leads to {route['to'][0]}"
        " alone, may serve for it."
    )


def _route_alone(route: OpenRoute, work: Work) -> Step:
    """Leave it to the route what runs after its node."""
    rows = [row for row in work.edges if row[0][0] == route.start and row[0][1] != "END"]
    ends = (r["to"] for r in work.routes if (r["path"], r["line"]) == route.place)
    others = [end for end in next(ends, ()) if end not in {"END", *route.nodes, *route.ways}]
    beside = f" beside {listed(others)}" if route.verdict and others else ""
    action = (
        f"Remove {edge_words([row[0] for row in rows])}: let the router after {route.start} return"
        f" {listed(route.nodes)}{beside} where nothing failed. Where its add_conditional_edges has a"
        " mapping, add these names to it."
    )
    return Step(action, rows[0][1], rows[0][2])
