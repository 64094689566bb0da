"""A whole report, in the order in which a person asks: what is the score, why, and what to do next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grading.report_pages.criterion import CriterionView, criterion_views
from grading.report_pages.expected_graph import Expected, expected_of
from grading.report_pages.graph_drawing import Topology, topology_of

Json = Mapping[str, Any]
PRIORITIES = ("high", "medium", "low")
STEPS_SHOWN_FIRST = 3


@dataclass(frozen=True, slots=True)
class Headline:
    """`score` is null unless the audit ended in a verdict: words stand in its place then, never a number."""

    words: str
    tone: str
    score: float | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to change, and the criterion it would raise."""

    path: str | None
    line: int | None
    action: str
    snippet: str | None
    priority: str
    criterion: CriterionView


@dataclass(frozen=True, slots=True)
class ReportPage:
    """`document` is the report JSON itself, for what is printed as it stands; `points` are those that count."""

    document: Json
    headline: Headline
    points: Json | None
    criteria: tuple[CriterionView, ...]
    strongest: tuple[CriterionView, ...]
    weakest: tuple[CriterionView, ...]
    unjudged: tuple[CriterionView, ...]
    next_tasks: tuple[Task, ...]
    tasks_by_file: tuple[tuple[str, tuple[Task, ...]], ...]
    topology: Topology | None
    expected: Expected | None
    models: tuple[str, ...]


HOLDS_UP = 3  # of 5
HEADLINES = {
    "verdict": ("Verdict", "good", ""),
    "needs_review": (
        "Needs review",
        "warn",
        "At least one criterion could not be judged by a quorum, so there is no overall score until a person has looked.",
    ),
    "degraded": (
        "Not judged",
        "bad",
        "Too little of this submission could be examined. That is a failure of the examination, not a low score.",
    ),
}


def read_report(document: Json, told: Json | None = None, rubric: Json | None = None) -> ReportPage:
    """`document` is an `automaton-auditor/report@1`, as stored with an audit that ended with a report.

    `told`, in the shape of Grade.released, says what counts where people gave scores of their own;
    `rubric` is the document it was judged under, null where that is not at hand.
    """
    criteria = criterion_views(document, told, rubric)
    tasks = _tasks(document, criteria)
    scored = [criterion for criterion in criteria if criterion.score is not None]
    return ReportPage(
        document=document,
        headline=_headline(document, told),
        points=(told or document)["points"],
        criteria=criteria,
        strongest=_strongest(scored),
        weakest=_weakest(scored),
        unjudged=tuple(c for c in criteria if c.counts["needs_review"]),
        next_tasks=tasks[:STEPS_SHOWN_FIRST],
        tasks_by_file=_by_file(tasks),
        topology=topology_of(document["facts"]["graph"])
        if document["facts"].get("graph")
        else None,
        expected=expected_of(document, rubric) if rubric else None,
        models=_models(document),
    )


def _headline(document: Json, told: Json | None) -> Headline:
    """Where people gave all the scores that were missing, there is one to show, whatever the report ended in."""
    if told is not None and told["overall_score"] is not None:
        return Headline(*HEADLINES["verdict"][:2], told["overall_score"], "")
    words, tone, sentence = HEADLINES[document["status"]]
    score = document["overall_score"] if document["status"] == "verdict" and told is None else None
    return Headline(words, tone, score, sentence)


def _strongest(scored: list[CriterionView]) -> tuple[CriterionView, ...]:
    """The highest, unless even these hold nothing up."""
    highest = max((criterion.score or 0 for criterion in scored), default=0)
    return tuple(c for c in scored if c.score == highest >= HOLDS_UP)[:3]


def _weakest(scored: list[CriterionView]) -> tuple[CriterionView, ...]:
    """The lowest, unless everything stands equal."""
    scores = {criterion.score for criterion in scored}
    if len(scores) < 2:
        return ()
    lowest = min(score for score in scores if score is not None)
    return tuple(criterion for criterion in scored if criterion.score == lowest)[:3]


def _tasks(document: Json, criteria: tuple[CriterionView, ...]) -> tuple[Task, ...]:
    """High priority first, then the criteria that stand lowest, then the rubric's order."""
    tasks = [
        Task(row["path"], row["line"], row["action"], row["snippet"], row["priority"], view)
        for view, criterion in zip(criteria, document["criteria"], strict=True)
        for row in criterion["remediation"]
    ]
    return tuple(
        sorted(tasks, key=lambda task: (PRIORITIES.index(task.priority), task.criterion.score or 0))
    )


def _by_file(tasks: tuple[Task, ...]) -> tuple[tuple[str, tuple[Task, ...]], ...]:
    """Files by name, each with its tasks from top to bottom; what belongs to no file comes last, under ''."""
    files: defaultdict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        files[task.path or ""].append(task)
    ordered = sorted(files, key=lambda path: (path == "", path))
    return tuple(
        (path, tuple(sorted(files[path], key=lambda task: task.line or 0))) for path in ordered
    )


def _models(document: Json) -> tuple[str, ...]:
    """The models that judged, each once; empty for the heuristic bench."""
    references = document["judges"].values()
    return tuple(dict.fromkeys(judge["model"] for judge in references if judge["kind"] == "llm"))
