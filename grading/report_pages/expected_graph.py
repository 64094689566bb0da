"""The graph that the rubric requires, drawn from its graph_topology checks alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from grading.engine.report import Check, Report
from grading.report_pages.graph_layout import Drawing, Edge, drawing_of, sketch_of

Layer = tuple[str, ...]

REQUIRED_PARTS = {
    "exists": "A graph",
    "detectives_parallel": "Detectives side by side",
    "fan_in_before_judges": "Their evidence joined before the judges",
    "judges_parallel": "Judges side by side",
    "fan_in_before_justice": "Their opinions joined before the verdict",
    "conditional_error_route": "A route of its own for what fails",
}
DETECTIVES: Layer = ("a detective", "another detective")
JUDGES: Layer = ("a judge", "another judge")
FAILURE = "the report of a failure"


@dataclass(frozen=True, slots=True)
class RequiredPart:
    """`met` is null where it could not be established; `reason` is the report's."""

    words: str
    met: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class ExpectedGraph:
    """`words` says what `drawing` shows; both say no more than the rubric asks for."""

    words: str
    drawing: Drawing | None
    asked: tuple[RequiredPart, ...]


def expected_graph_of(report: Report, rubric: Mapping[str, Any]) -> ExpectedGraph | None:
    """Return the graph that the report's rubric requires, or None if it requires no shape."""
    outcomes = {check.check: check for criterion in report.criteria for check in criterion.checks}
    asked = {
        check["aspect"]: outcomes[check["id"]]
        for criterion in rubric["criteria"]
        for check in criterion.get("checks", ())
        if _is_asked(check) and check["id"] in outcomes
    }
    layers = _layers(asked)
    if len(layers) < 2:
        return None
    has_route = "conditional_error_route" in asked
    rows = [
        RequiredPart(words, asked[aspect].met, asked[aspect].reason)
        for aspect, words in REQUIRED_PARTS.items()
        if aspect in asked
    ]
    return ExpectedGraph(
        _words(layers, has_route), drawing_of(sketch_of(_edges(layers, has_route), {})), tuple(rows)
    )


def _is_asked(check: Mapping[str, Any]) -> bool:
    return check.get("kind") == "graph_topology" and check.get("polarity", "positive") == "positive"


def _layers(asked: Mapping[str, Check]) -> list[Layer]:
    """Return the layers in the order in which they run; none where the rubric requires none."""
    joined = "fan_in_before_judges" in asked
    opinions = "fan_in_before_justice" in asked
    inner = [
        (joined or "detectives_parallel" in asked, DETECTIVES),
        (joined, ("the joined evidence",)),
        (opinions or "judges_parallel" in asked, JUDGES),
        (joined and not opinions and "judges_parallel" not in asked, ("the judges",)),
        (opinions, ("the verdict",)),
    ]
    layers = [layer for is_there, layer in inner if is_there]
    if not layers and "conditional_error_route" in asked:
        layers = [("a step that may fail",)]
    return [("START",), *layers, ("END",)] if layers else []


def _edges(layers: Sequence[Layer], has_route: bool) -> tuple[Edge, ...]:
    edges = [
        Edge(source, target, False)
        for layer, following in pairwise(layers)
        for source in layer
        for target in following
    ]
    if has_route:
        edges += [Edge(source, FAILURE, True) for source in _may_fail(layers)]
        edges.append(Edge(FAILURE, "END", False))
    return tuple(edges)


def _may_fail(layers: Sequence[Layer]) -> Layer:
    """Return where the route begins: at the join if one is required, else at the first layer."""
    return next((layer for layer in layers if layer == ("the joined evidence",)), layers[1])


def _words(layers: Sequence[Layer], has_route: bool) -> str:
    words = ", then ".join(" beside ".join(layer) for layer in layers)
    route = (
        f" From {' and '.join(_may_fail(layers))} a conditional route to {FAILURE}."
        if has_route
        else ""
    )
    return f"{words}.{route}"
