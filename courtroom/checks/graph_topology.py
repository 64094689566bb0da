"""The kind `graph_topology`: parallel branches and joins of the graph that the code builds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.checks.error_routes import OpenRoute, Place, open_routes
from courtroom.checks.from_facts import (
    Sentences,
    decided,
    from_facts,
    from_stored_facts,
    line_clue,
    nothing,
    of_absence,
    unknown,
    with_place,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import (
    MOST_NAMED,
    clauses,
    listed,
    more_of_this_kind,
    number_of,
    place_of,
    places_of,
)
from courtroom.checks.result import MOST_CLUES, Clue, Finding, present
from courtroom.checks.state_flow import fault_sentence
from courtroom.checks.subjects import Part, Subjects, no_graph_sentence, unreached
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation
    from courtroom.analysis.survey import Survey

SENTENCES: dict[str, Sentences] = {
    "detectives_parallel": (
        "At least two detectives run in parallel.",
        "No two detectives run in parallel.",
    ),
    "judges_parallel": ("The judges run in parallel.", "The judges do not all run in parallel."),
    "fan_in_before_judges": (
        "Evidence is joined before the judges.",
        "Evidence is not joined before the judges.",
    ),
    "fan_in_before_justice": (
        "Opinions are joined before the verdict.",
        "Opinions are not joined before the verdict.",
    ),
    "conditional_error_route": (
        "A conditional edge has a way for an error or for missing evidence.",
        "No conditional edge has a way for an error or for missing evidence.",
    ),
}

FAULTS = {
    "exists": "No StateGraph is built.",
    "conditional_error_route": "No conditional edge routes errors.",
}
NEVER_ROUTES = "The conditional edge that would route errors never does"
STOPS_NOTHING = "The conditional edge that would route errors stops nothing"
STOPS_NO_VERDICT = "The conditional edge that would route errors does not stop the verdict"
TESTS_INPUTS = "The conditional edges route missing inputs alone"
INTO_A_LOOP = "One of these ways leads round a loop that some run never leaves."
LEAST_PARALLEL = 2
CONCURRENT = "Here one node starts calls side by side."
FAILURE_REPORT = "Here evidence of a failure is made, with found=False."
NO_BRANCHES = {
    "fan_in_before_judges": "No branches of detectives are joined before the judges.",
    "fan_in_before_justice": "No branches of judges are joined before the verdict.",
}
EMPTY = "No two detectives that return anything run in parallel."
RETURNS_NOTHING = "This detective returns an empty update on every way."
# The layer without which nothing is parallel, and nothing is joined before it.
WITHOUT: dict[str, Part] = {"judges_parallel": "judges", "fan_in_before_justice": "justice"}
JOINED_LAYERS = {"fan_in_before_judges": "detective", "fan_in_before_justice": "judge"}
# What a join holds together, and what comes after it.
JOINED = {
    "fan_in_before_judges": "the evidence before the judges",
    "fan_in_before_justice": "the opinions before the verdict",
}


class GraphTopology(CheckBase):
    kind: Literal["graph_topology"] = "graph_topology"
    aspect: Literal[
        "exists",
        "detectives_parallel",
        "judges_parallel",
        "fan_in_before_judges",
        "fan_in_before_justice",
        "conditional_error_route",
    ]


def topology(check: GraphTopology, survey: Survey) -> Finding:
    """The wiring of the main graph, in one aspect."""
    if check.aspect == "exists":
        return _graph_exists(survey)
    value = survey.facts.get(check.aspect)
    if value is None:
        return unknown(check.aspect, survey)
    dead = _dead(check.aspect, survey)
    if value and dead:
        clues = [line_clue(fault, fault_sentence(fault)) for fault in dead]
        places = {(fault["path"], fault["line"]) for fault in dead}
        beside = open_routes(survey.facts, places) or []
        words = [fault_sentence(dead[0]), *(route.sentence for route in beside[:1])]
        # A split that no run takes is none; an edge for errors is there, and does nothing.
        fault = NEVER_ROUTES if check.aspect == "conditional_error_route" else ""
        return present(" ".join(words), clues, met=False, fault=fault)
    if value and check.aspect == "conditional_error_route":
        return _error_route(check, survey)
    part = None if value else WITHOUT.get(check.aspect)
    absence = part and unreached(part, survey.facts)
    if absence:
        return of_absence(absence)
    finding = _wiring(check, survey, value)
    is_partly = check.aspect in (survey.facts.get("partly_parallel") or {})
    has_reservation = finding.has_reservation or (value and is_partly)
    finding = replace(finding, has_reservation=has_reservation)
    if check.aspect == "conditional_error_route":
        return _with_merged(finding, survey)
    return _without_empty(finding, survey) if check.aspect == "detectives_parallel" else finding


def _with_merged(finding: Finding, survey: Survey) -> Finding:
    """The finding that no route is for errors, with routers of which all words lead to one node."""
    rows = [row for row in _routes(survey.facts) if row.get("merged") and row["path"]]
    if not rows:
        return finding
    row = rows[0]
    sentence = (
        f"The router after `{row['from']}` tells {_names(row['merged'])} apart, and the map leads from"
        f" each of them to `{row['to'][0]}`"
    )
    words = with_place(f"{sentence}.", row["path"], row["line"])
    clues = (line_clue(row, f"{sentence}."), *finding.clues)
    reason = f"{finding.reason} {words}{more_of_this_kind(len(rows) - 1)}"
    return replace(finding, reason=reason, clues=clues[:MOST_CLUES])


def _routes(facts: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return (facts.get("graph") or {}).get("conditional") or ()


def _without_empty(finding: Finding, survey: Survey) -> Finding:
    """The finding on parallel detectives, of which one that always returns nothing is none."""
    empty = survey.facts.get("empty_detectives") or ()
    if not empty or not finding.met:
        return finding
    names = list(dict.fromkeys(row["name"] for row in empty))
    verb = "returns" if len(names) == 1 else "return"
    sentence = f"{_names(names)} always {verb} an empty update ({places_of(empty)})."
    clues = (*(line_clue(row, RETURNS_NOTHING) for row in empty), *finding.clues)
    edges = survey.fact_locations.get("detectives_parallel", ())
    together = {edge.note.rpartition(" → ")[2] for edge in edges}
    if together and len(together - {*names}) < LEAST_PARALLEL:
        return present(f"Of those that are wired so, {sentence}", clues, met=False, fault=EMPTY)
    reason = f"{finding.reason} {sentence}"
    return replace(finding, reason=reason, clues=clues[:MOST_CLUES], has_reservation=True)


def _wiring(check: GraphTopology, survey: Survey, value: bool) -> Finding:
    locations = _proofs(check.aspect, survey) if value else ()
    locations = locations or survey.fact_locations.get(check.aspect, ())
    holds, fails = _sentences(check.aspect, survey)
    early_join = _early_join(check.aspect, locations, survey)
    holds = early_join or holds
    notes = list(dict.fromkeys(location.note for location in locations))
    more = len(notes) - MOST_NAMED
    # "1 more" is no shorter than the edge itself.
    edges = "; ".join(notes) if more < 2 else f"{'; '.join(notes[:MOST_NAMED])} and {more} more"
    sentence = (holds if value else fails).removesuffix(".") + (f": {edges}" if edges else "")
    layer = JOINED_LAYERS.get(check.aspect)
    why = _without_branches(layer, survey.facts) if layer and not value else ""
    if locations and why:
        fault = NO_BRANCHES[check.aspect]
        sentence = f"{fault.removesuffix('.')}: {edges}."
        finding = decided(value, locations, survey, ("", sentence))
        return replace(finding, reason=f"{finding.reason} {why}", fault=fault)
    if locations:
        finding = decided(value, locations, survey, (f"{sentence}.", f"{sentence}."))
        finding = replace(finding, has_reservation=bool(finding.met and early_join))
        return _with_concurrent(check.aspect, finding, survey)
    graph = survey.facts.get("graph")
    if graph is None:
        return nothing(f"{sentence}.", "a StateGraph", survey, met=value)
    # A graph without an edge that decides, or of a stored report.
    return present(f"{sentence}.", [_graph_clue(graph)], met=value)


def _without_branches(layer: str, facts: Mapping[str, Any]) -> str:
    """Return why there are no branches of a layer to join, "" where there may be some."""
    if is_chain(layer, facts):
        return f"The {layer}s run one after another: there are no branches to join."
    nodes = (facts.get("graph") or {}).get("nodes", ())
    names = [node for node in nodes if role_by_name(node) == layer]
    if len(names) != 1:
        return ""
    return f"`{names[0]}` is the only node of {layer}s: there are no branches to join."


def _with_concurrent(aspect: str, finding: Finding, survey: Survey) -> Finding:
    """The finding on a layer that is not parallel, with what runs side by side inside a node."""
    rows = [
        row
        for row in survey.facts.get("concurrent_calls") or ()
        if f"{role_by_name(row['name'])}s_parallel" == aspect
    ]
    if finding.met is not False or not rows:
        return finding
    words = " and ".join(f"`{row['name']}`" for row in rows[:MOST_NAMED])
    sentence = (
        f"{words} {'starts' if len(rows) == 1 else 'start'} calls side by side inside"
        f" {'one node' if len(rows) == 1 else 'themselves'} ({places_of(rows)}): the graph has no"
        " branches for them."
    )
    clues = (*finding.clues, *(line_clue(row, CONCURRENT) for row in rows))
    return replace(finding, reason=f"{finding.reason} {sentence}", clues=clues[:MOST_CLUES])


def is_chain(layer: str, facts: Mapping[str, Any]) -> bool:
    """Return whether an edge leads from each node of a layer but the last to another one."""
    graph = facts.get("graph") or {}
    nodes = [node for node in graph.get("nodes", ()) if role_by_name(node) == layer]
    inner = [(start, end) for start, end in graph.get("edges", ()) if {start, end} <= {*nodes}]
    starts, ends = {start for start, _ in inner}, {end for _, end in inner}
    return len(nodes) > 1 and len(starts) == len(ends) == len(inner) == len(nodes) - 1


def _error_route(check: GraphTopology, survey: Survey) -> Finding:
    """The routes for errors, with what runs whatever they choose."""
    blind = input_routes(survey)
    if blind:
        clues = [line_clue(fault, fault_sentence(fault)) for fault in blind]
        reason = f"{fault_sentence(blind[0])}{more_of_this_kind(len(blind) - 1)}"
        return present(reason, clues, met=False, fault=TESTS_INPUTS)
    finding = _wiring(check, survey, value=True)
    places = {(way.path, way.line_start) for way in _proofs(check.aspect, survey)}
    locations = survey.fact_locations.get(check.aspect, ())
    # Those that no run takes prove nothing, and are told beside those that do.
    ways = places | {(way.path, way.line_start) for way in locations}
    never = [row for row in _route_faults(survey.facts) if (row["path"], row["line"]) in ways]
    rows = (survey.facts.get("state_flow") or {}).get("faults", ())
    loops = [row for row in rows if row["kind"] == "endless_loop"]
    rounds = [INTO_A_LOOP for row in loops if (row["path"], row["line"]) in ways]
    reason = " ".join([finding.reason, *map(fault_sentence, never[:1]), *rounds[:1]])
    finding = replace(finding, reason=reason, has_reservation=bool(never or rounds))
    finding = _with_counting(finding, places, survey)
    routes = open_routes(survey.facts, places)
    if routes is None:
        return finding
    reason = f"{routes[0].sentence}{more_of_this_kind(len(routes) - 1)}"
    if all(route.stops_nothing for route in routes):
        fault = STOPS_NOTHING if all(route.is_idle for route in routes) else STOPS_NO_VERDICT
        return present(reason, list(map(_route_clue, routes)), met=False, fault=fault)
    return replace(finding, reason=f"{finding.reason} {reason}", has_reservation=True)


def _with_counting(finding: Finding, places: set[Place], survey: Survey) -> Finding:
    """The finding on routes, with those for which evidence of a failure counts as any other."""
    facts = survey.facts.get("counting_routes") or ()
    rows = [row for row in facts if (row["path"], row["line"]) in places]
    if not rows:
        return finding
    row, report = rows[0], rows[0]["report"]
    sentence = (
        f"The router after `{row['name']}` does not ask whether what stands under"
        f" {_names(row['keys'])} was found: evidence of a failure counts for it as well, as made with"
        f" found=False at {place_of(report['path'], report['line'])}."
    )
    clues = (*finding.clues, line_clue(report, FAILURE_REPORT))
    reason = f"{finding.reason} {sentence}{more_of_this_kind(len(rows) - 1)}"
    return replace(finding, reason=reason, clues=clues[:MOST_CLUES], has_reservation=True)


def input_routes(survey: Survey) -> list[Mapping[str, Any]]:
    """Return the faults of the routes for errors where each of them tests the graph's inputs alone."""
    faults = (survey.facts.get("state_flow") or {}).get("faults", ())
    rows = {(row["path"], row["line"]): row for row in faults if row["kind"] == "input_route"}
    proofs = _proofs("conditional_error_route", survey)
    places = list(dict.fromkeys((way.path, way.line_start) for way in proofs))
    return [rows[place] for place in places] if places and rows.keys() >= {*places} else []


def _route_clue(route: OpenRoute) -> Clue:
    path, line = route.place
    return line_clue({"path": path, "line": line}, route.sentence)


def _dead(aspect: str, survey: Survey) -> list[Mapping[str, Any]]:
    """Return the faults by which no run takes the ways that would prove the aspect."""
    if aspect == "conditional_error_route":
        return dead_routes(survey.facts) or _dead_error_routes(survey)
    if not aspect.endswith("parallel"):
        return []
    faults = [row for row in _route_faults(survey.facts) if row.get("nodes")]
    never = {"END"}.union(*(fault["nodes"] for fault in faults))
    edges = [
        location.note.rpartition(" → ")[2] for location in survey.fact_locations.get(aspect, ())
    ]
    together = sum(max(len({*way.split(" + ")} - never) for way in e.split(" or ")) for e in edges)
    return faults if edges and together < LEAST_PARALLEL else []


def _route_faults(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    faults = (facts.get("state_flow") or {}).get("faults", ())
    return [fault for fault in faults if fault["kind"] in {"dead_route", "needless_route"}]


def dead_routes(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the faults of all routes, where a run takes one way of each alone."""
    graph = facts.get("graph") or {}
    routes = [row for row in graph.get("conditional", ()) if len(row["to"]) > 1]
    dead = single_ways(facts)
    return dead if len(dead) == len(routes) and not graph.get("subgraphs") else []


def _dead_error_routes(survey: Survey) -> list[Mapping[str, Any]]:
    """Return the faults of all routes for errors, where a run takes one way of each alone."""
    dead = {(fault["path"], fault["line"]): fault for fault in single_ways(survey.facts)}
    locations = survey.fact_locations.get("conditional_error_route", ())
    places = list(dict.fromkeys((place.path, place.line_start) for place in locations))
    is_known = dead.keys() >= {*places} and not (survey.facts.get("graph") or {}).get("subgraphs")
    return [dead[place] for place in places] if is_known else []


def single_ways(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the faults of the routes of which a run takes one way alone."""
    dead = {(fault["path"], fault["line"]): fault for fault in _route_faults(facts)}
    routes = (facts.get("graph") or {}).get("conditional", ())
    faults = [(dead.get((row["path"], row["line"])), len(row["to"]) == 2) for row in routes]
    return [
        fault for fault, has_two in faults if fault and (has_two or fault.get("leaves_single_way"))
    ]


def _sentences(aspect: str, survey: Survey) -> Sentences:
    """The two sentences, with the nodes that run apart where only some of a layer are parallel."""
    order = (survey.facts.get("partly_parallel") or {}).get(aspect)
    if order is None:
        return SENTENCES[aspect]
    apart = clauses(
        f"{_names(order[when])} {'runs' if len(order[when]) == 1 else 'run'} {when} them"
        for when in ("before", "after")
        if order[when]
    )
    layer, together = aspect.removesuffix("_parallel"), order["together"]
    count = sum(map(len, order.values()))
    sentence = (
        f"{len(together)} of {count} {layer} run in parallel, {_names(together)}; {apart}."
        if len(together) > 1
        else f"Of the {layer}, {_names(together)} runs several times in parallel, and {apart}."
    )
    return sentence, sentence


def _repeats(survey: Survey) -> Sequence[Mapping[str, Any]]:
    return (survey.facts.get("graph_run") or {}).get("repeated") or ()


def _proofs(aspect: str, survey: Survey) -> Sequence[SourceLocation]:
    """Return the edges that decide, without those that start a node a first time too early.

    A route with two ways, one of which no run takes, decides nothing.
    """
    if aspect == "conditional_error_route":
        dead = {(fault["path"], fault["line"]) for fault in single_ways(survey.facts)}
        locations = survey.fact_locations.get(aspect, ())
        return [place for place in locations if (place.path, place.line_start) not in dead]
    early = {
        f"{start} → {row['node']}"
        for row in _repeats(survey)
        for start in row["starters"][0]
        if aspect.endswith("parallel")
    }
    locations = survey.fact_locations.get(aspect, ())
    return [location for location in locations if location.note not in early]


def _early_join(aspect: str, edges: Sequence[SourceLocation], survey: Survey) -> str:
    """The sentence on a join that runs several times, "" for one that runs once."""
    if aspect not in JOINED:
        return ""
    ends = {edge.note.rpartition(" → ")[2] for edge in edges}
    what = JOINED[aspect]
    for row in _repeats(survey):
        may = "may run" if row["choices"] else "runs"
        if row["node"] in ends:
            steps = listed(map(str, row["steps"]))
            return f"`{row['node']}` joins {what}, but does not wait: it {may} in steps {steps}."
        for name in sorted(ends & {*row["followers"]}):
            again = "may run" if name in row.get("routed", ()) else may
            return f"`{name}` joins {what}, but {again} again, as `{row['node']}` does."
    return ""


def _names(nodes: Sequence[str]) -> str:
    return listed(f"`{node}`" for node in nodes)


def _graph_exists(survey: Survey) -> Finding:
    graph = survey.facts.get("graph")
    if graph is not None:
        place = place_of(graph["path"], graph["state_graph_line"])
        rows = graph.get("optional_nodes") or ()
        reason = f"{place} builds a graph of {number_of(len(graph['nodes']) - len(rows), 'node')}"
        if rows:
            names, are = _names([row["node"] for row in rows]), "is" if len(rows) == 1 else "are"
            reason += f"; {names} {are} added in some runs alone ({places_of(rows)})"
        return present(f"{reason}.", [_graph_clue(graph)])

    if (runner := survey.facts.get("own_runner")) is not None:
        reason = no_graph_sentence(runner)
        return present(reason, [line_clue(runner, reason)], met=False)
    # The survey looked for a graph when it could say that nothing runs in parallel.
    if survey.facts.get("detectives_parallel") is None:
        return unknown("graph", survey)
    return nothing(survey.reasons.get("graph", "No StateGraph is built."), "a StateGraph", survey)


def _graph_clue(graph: Mapping[str, Any]) -> Clue:
    line = {"path": graph["path"], "line": graph["state_graph_line"]}
    return line_clue(line, "The StateGraph is made here.")


def _fault(check: GraphTopology) -> str:
    return FAULTS.get(check.aspect) or SENTENCES[check.aspect][1]


def _subjects(check: GraphTopology) -> Subjects:
    if check.aspect in {"judges_parallel", "fan_in_before_judges"}:
        return Subjects(("graph", "judges", "judges_run"))
    if check.aspect == "fan_in_before_justice":
        return Subjects(("graph", "justice_run"))
    return Subjects(("graph",), "no_graph" if check.aspect == "exists" else None)


KIND = CheckKind(
    model=GraphTopology,
    detective="RepoInvestigator",
    detect=from_facts(topology),
    replay=from_stored_facts(topology),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Shape of the graph",
        about="What runs in parallel, where it joins, where errors lead.",
    ),
    order=80,
)
