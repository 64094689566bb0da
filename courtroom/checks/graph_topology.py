"""The kind `graph_topology`: parallel branches and joins of the graph that the code builds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from courtroom.checks.from_facts import (
    Sentences,
    decided,
    from_facts,
    from_stored_facts,
    line_clue,
    nothing,
    unknown,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import MOST_NAMED, clauses, listed, number_of, place_of
from courtroom.checks.result import Clue, Finding, present
from courtroom.checks.state_flow import fault_sentence
from courtroom.checks.subjects import Subjects
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey

SENTENCES: dict[str, Sentences] = {
    "detectives_parallel": (
        "The detectives run in parallel.",
        "The detectives do not run in parallel.",
    ),
    "judges_parallel": ("The judges run in parallel.", "The judges do not all run in parallel."),
    "fan_in_before_judges": (
        "Evidence is joined before the judges run.",
        "Evidence is not joined before the judges run.",
    ),
    "fan_in_before_justice": (
        "Opinions are joined before the Chief Justice runs.",
        "Opinions are not joined before the Chief Justice runs.",
    ),
    "conditional_error_route": (
        "A conditional edge leads elsewhere on an error or on missing evidence.",
        "No conditional edge leads elsewhere on an error or on missing evidence.",
    ),
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
    dead = dead_routes(survey.facts) if check.aspect == "conditional_error_route" else []
    if value and dead:
        clues = [line_clue(fault, fault_sentence(fault)) for fault in dead]
        return present(fault_sentence(dead[0]), clues, met=False)
    locations = survey.fact_locations.get(check.aspect, ())
    holds, fails = _sentences(check.aspect, survey)
    edges = "; ".join(dict.fromkeys(location.note for location in locations[:MOST_NAMED]))
    sentence = (holds if value else fails).removesuffix(".") + (f": {edges}" if edges else "")
    if locations:
        return decided(value, locations, survey, (f"{sentence}.", f"{sentence}."))
    graph = survey.facts.get("graph")
    if graph is None:
        return nothing(f"{sentence}.", "a StateGraph", survey, met=value)
    # A graph without an edge that decides, or of a stored report.
    return present(f"{sentence}.", [_graph_clue(graph)], met=value)


def dead_routes(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the faults of all routes, where each has two ways and no run takes one of them."""
    graph = facts.get("graph") or {}
    faults = (facts.get("state_flow") or {}).get("faults", ())
    dead = {(f["path"], f["line"]): f for f in faults if f["kind"] == "dead_route"}
    routes = [row for row in graph.get("conditional", ()) if len(row["to"]) > 1]
    places = [(row["path"], row["line"]) for row in routes if len(row["to"]) == 2]
    is_all = len(places) == len(routes) and not graph.get("subgraphs")
    return [dead[place] for place in places] if is_all and {*places} <= dead.keys() else []


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
    layer = aspect.removesuffix("_parallel")
    sentence = f"Of the {layer}, {_names(order['together'])} run in parallel, and {apart}."
    return sentence, sentence


def _names(nodes: Sequence[str]) -> str:
    return listed(f"`{node}`" for node in nodes)


def _graph_exists(survey: Survey) -> Finding:
    graph = survey.facts.get("graph")
    if graph is not None:
        place = place_of(graph["path"], graph["state_graph_line"])
        reason = f"{place} builds a graph of {number_of(len(graph['nodes']), 'node')}."
        return present(reason, [_graph_clue(graph)])

    # The survey looked for a graph when it could say that nothing runs in parallel.
    if survey.facts.get("detectives_parallel") is None:
        return unknown("graph", survey)
    return nothing(survey.reasons.get("graph", "No StateGraph is built."), "a StateGraph", survey)


def _graph_clue(graph: Mapping[str, Any]) -> Clue:
    line = {"path": graph["path"], "line": graph["state_graph_line"]}
    return line_clue(line, "The StateGraph is made here.")


def _fault(check: GraphTopology) -> str:
    return "No StateGraph is built." if check.aspect == "exists" else SENTENCES[check.aspect][1]


def _subjects(check: GraphTopology) -> Subjects:
    if check.aspect in {"judges_parallel", "fan_in_before_judges"}:
        return Subjects(("graph", "judges"))
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
