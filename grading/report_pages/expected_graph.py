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
    "detectives_parallel": "At least two detectives run in parallel",
    "fan_in_before_judges": "Evidence is joined before the judges",
    "judges_parallel": "Judges run in parallel",
    "fan_in_before_justice": "Opinions are joined before the verdict",
    "conditional_error_route": "A separate route for failures",
}
DETECTIVES: Layer = ("a detective", "another detective")
JUDGES: Layer = ("a judge", "another judge")
FAILURE = "a failure report"


@dataclass(frozen=True, slots=True)
class RequiredPart:
    """One required part; `met` is None where it could not be established."""

    words: str
    met: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class ExpectedGraph:
    """Expected graph; `words` is the text alternative of `drawing`."""

    words: str
    drawing: Drawing | None
    parts: tuple[RequiredPart, ...]


def expected_graph_of(report: Report, rubric: Mapping[str, Any]) -> ExpectedGraph | None:
    """Return the graph that the report's rubric requires, or None if it requires no shape."""
    outcomes = {check.check: check for criterion in report.criteria for check in criterion.checks}
    required = {
        check["aspect"]: outcomes[check["id"]]
        for criterion in rubric["criteria"]
        for check in criterion.get("checks", ())
        if _is_required(check) and check["id"] in outcomes
    }

    layers = _layers(required)
    if len(layers) < 2:
        return None

    has_route = "conditional_error_route" in required
    rows = [
        RequiredPart(words, _is_there(required[aspect]), required[aspect].reason)
        for aspect, words in REQUIRED_PARTS.items()
        if aspect in required
    ]

    return ExpectedGraph(
        _words(layers, has_route),
        drawing_of(sketch_of(_edges(layers, has_route), {}, {})),
        tuple(rows),
    )


def _is_there(check: Check) -> bool | None:
    return False if check.not_applicable else check.met


def _is_required(check: Mapping[str, Any]) -> bool:
    # A negative check forbids its aspect, so it adds nothing to the drawing.
    return check.get("kind") == "graph_topology" and check.get("polarity", "positive") == "positive"


def _layers(required: Mapping[str, Check]) -> list[Layer]:
    """Return the layers in the order in which they run; none where the rubric requires none."""
    joined = "fan_in_before_judges" in required
    opinions = "fan_in_before_justice" in required
    inner = [
        (joined or "detectives_parallel" in required, DETECTIVES),
        (joined, ("the joined evidence",)),
        (opinions or "judges_parallel" in required, JUDGES),
        # Where only a join is required, one box stands for the judges after it.
        (joined and not opinions and "judges_parallel" not in required, ("the judges",)),
        (opinions, ("the verdict",)),
    ]
    layers = [layer for is_there, layer in inner if is_there]

    if not layers and "conditional_error_route" in required:
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
        edges += [Edge(source, FAILURE, True) for source in _failure_sources(layers)]
        edges.append(Edge(FAILURE, "END", False))
    return tuple(edges)


def _failure_sources(layers: Sequence[Layer]) -> Layer:
    """Return where the route begins: at the join if one is required, else at the first layer."""
    return next((layer for layer in layers if layer == ("the joined evidence",)), layers[1])


def _words(layers: Sequence[Layer], has_route: bool) -> str:
    words = ", then ".join(" in parallel with ".join(layer) for layer in layers)
    if not has_route:
        return f"{words}."
    sources = " and ".join(_failure_sources(layers))
    return f"{words}. A conditional route leads from {sources} to {FAILURE}."
