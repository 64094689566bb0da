"""The kind `graph_topology`: parallel branches and joins of the graph that the code builds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

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
from courtroom.checks.phrases import number_of, place_of
from courtroom.checks.result import Finding, present
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation
    from courtroom.analysis.survey import Survey

SENTENCES: dict[str, Sentences] = {
    "detectives_parallel": (
        "The detectives run in parallel.",
        "The detectives do not run in parallel.",
    ),
    "judges_parallel": ("The judges run in parallel.", "The judges do not run in parallel."),
    "fan_in_before_judges": (
        "Evidence is joined before the judges run.",
        "Evidence is not joined before the judges run.",
    ),
    "fan_in_before_justice": (
        "Opinions are joined before the Chief Justice runs.",
        "Opinions are not joined before the Chief Justice runs.",
    ),
    "conditional_error_route": (
        "A conditional edge routes errors.",
        "No conditional edge routes errors.",
    ),
}
# Edges to show for a flag of the graph. They choose what is quoted, never what is established.
EDGE_NAMES = {
    "detectives_parallel": re.compile(
        r"investigat|analyst|inspect|detective|repo|doc|vision", re.IGNORECASE
    ),
    "fan_in_before_judges": re.compile(r"aggregat|collect|join|sync|merge|evidence", re.IGNORECASE),
    "judges_parallel": re.compile(r"judge|prosecut|defen[cs]e|tech", re.IGNORECASE),
    "fan_in_before_justice": re.compile(r"justice|chief|verdict|synthes|opinion", re.IGNORECASE),
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
    # A fact without lines of its own is shown by edges of the graph.
    locations = survey.fact_locations.get(check.aspect) or _relevant_edges(
        check.aspect, survey.fact_locations.get("graph", ())
    )
    return decided(check.aspect, value, locations, survey, SENTENCES[check.aspect])


def _relevant_edges(aspect: str, edges: tuple[SourceLocation, ...]) -> tuple[SourceLocation, ...]:
    """The edges that touch the nodes in question, by their names; else all of them."""
    pattern = EDGE_NAMES.get(aspect)
    return tuple(edge for edge in edges if pattern and pattern.search(edge.note)) or edges


def _graph_exists(survey: Survey) -> Finding:
    graph = survey.facts.get("graph")
    if graph is not None:
        line = {"path": graph["path"], "line": graph["state_graph_line"]}
        place = place_of(line["path"], line["line"])
        reason = f"{place} builds a graph of {number_of(len(graph['nodes']), 'node')}."
        return present(reason, [line_clue(line, "The StateGraph is made here.")])

    # The survey looked for a graph when it could say that nothing runs in parallel.
    if survey.facts.get("detectives_parallel") is None:
        return unknown("graph", survey)
    return nothing(survey.reasons.get("graph", "No StateGraph is built."), "graph", survey)


def _fault(check: GraphTopology) -> str:
    return "No StateGraph is built." if check.aspect == "exists" else SENTENCES[check.aspect][1]


KIND = CheckKind(
    model=GraphTopology,
    detective="RepoInvestigator",
    detect=from_facts(topology),
    replay=from_stored_facts(topology),
    fault=_fault,
    label=Label(
        title="Shape of the graph",
        about="What runs in parallel, where it joins, where errors lead.",
    ),
    order=80,
)
