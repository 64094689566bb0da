"""Page of a whole report, in reading order: the score, the reasons, the next steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading.engine.released_verdict import ReleasedVerdict
from grading.engine.report import INTEGRITY_TAG, Evidence, Location, Points, Report
from grading.report_pages.criterion import CriterionView, criterion_views
from grading.report_pages.expected_graph import ExpectedGraph, expected_graph_of
from grading.report_pages.graph_drawing import Topology, topology_of
from grading.report_pages.location_links import LinkedLocation, Work, link_location
from grading.report_pages.quotes import reveal_invisible

Json = Mapping[str, Any]
PRIORITIES = ("high", "medium", "low")
# More than three tasks at the top are no longer read as the next step.
MAX_NEXT_TASKS = 3
# A reason and the 300 characters that it quotes.
FLAG_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Headline:
    """Headline of the page; without a verdict `score` is None and `words` take its place."""

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
class NextStep:
    """Change to make next: its first place, further places, its effect, and its effort if known.

    `other_score` is the score that counts, where it is not the one that the effect begins with.
    """

    action: str
    place: LinkedLocation | None
    more_places: int
    criterion: CriterionView
    effect: str
    effort: str = ""
    other_score: int | None = None


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Possible prompt injection: its place, None where only the text is known, and why."""

    place: LinkedLocation | None
    sentence: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """Everything that the page shows; `record` is the report itself, `work` what its places are
    relative to, `points` those that count.
    """

    record: Report
    work: Work
    headline: Headline
    points: Points | None
    criteria: tuple[CriterionView, ...]
    strongest: tuple[CriterionView, ...]
    weakest: tuple[CriterionView, ...]
    unjudged: tuple[CriterionView, ...]
    next_steps: tuple[NextStep, ...]
    tasks_by_file: tuple[tuple[str, tuple[Task, ...]], ...]
    topology: Topology | None
    expected: ExpectedGraph | None
    models: tuple[str, ...]
    suspicions: tuple[Suspicion, ...]


# A score below 3 of 5 is no strength, even if it is the highest.
MIN_STRENGTH = 3
HEADLINES = {
    "verdict": ("Verdict", "good", ""),
    "needs_review": (
        "Needs review",
        "warn",
        (
            "At least one criterion has no score and says why, "
            "so there is no overall score until a person reviews it."
        ),
    ),
    "degraded": (
        "Not judged",
        "bad",
        "No criterion could be judged, and each says why. This is not a low score.",
    ),
}


def present_report(
    report: Report,
    released: ReleasedVerdict | None = None,
    rubric: Json | None = None,
    *,
    audit_address: str = "",
) -> ReportPage:
    """Prepare the page of a report.

    `released` has the results that count after a release or an override; `rubric` is the document
    of the report's rubric, None where it is not available; `audit_address` that of the audit's
    page, empty where its reader may not open it.
    """
    work = Work.of(report, audit_address)
    criteria = criterion_views(report, released, rubric, audit_address=audit_address)
    tasks = _tasks(criteria)
    scored = [criterion for criterion in criteria if criterion.score is not None]

    return ReportPage(
        record=report,
        work=work,
        headline=_headline(report, released),
        points=released.points if released else report.points,
        criteria=criteria,
        strongest=_strongest(scored),
        weakest=_weakest(scored),
        # Where none is judged, the headline says so.
        unjudged=tuple(c for c in criteria if c.counts.needs_review) if scored else (),
        # Where nothing could be judged, the headline says what to do first.
        next_steps=() if report.shortage else _next_steps(report, work, criteria, tasks),
        tasks_by_file=_by_file(tasks),
        topology=topology_of(report.facts.graph, report.facts.graph_run)
        if report.facts.graph
        else None,
        expected=expected_graph_of(report, rubric) if rubric else None,
        models=_models(report),
        suspicions=_suspicions(report, work),
    )


def _suspicions(report: Report, work: Work) -> tuple[Suspicion, ...]:
    """Return the possible prompt injections, each once, with what quotes them."""
    rows = [
        Suspicion(link_location(piece.location, work), _flag_sentence(piece))
        for piece in report.suspicions
    ]
    # Reports of an older make have the text alone.
    rows += (
        [] if rows else [Suspicion(None, _short(f"“{span}”")) for span in report.integrity.spans]
    )
    return tuple(dict.fromkeys(rows))


def _flag_sentence(piece: Evidence) -> str:
    """Return the reason, which quotes the passage; of other evidence, what it quotes."""
    is_flag = piece.check == INTEGRITY_TAG or not piece.content
    return _short(piece.rationale if is_flag else f"“{piece.content}”")


def _short(text: str) -> str:
    words = reveal_invisible(" ".join(text.split()))
    return words if len(words) <= FLAG_CHARACTERS else f"{words[: FLAG_CHARACTERS - 1]}…"


def _headline(report: Report, released: ReleasedVerdict | None) -> Headline:
    """Return the headline; a full score from people replaces any status of the report."""
    if released is not None and released.overall_score is not None:
        return Headline(*HEADLINES["verdict"][:2], released.overall_score, "")

    words, tone, sentence = HEADLINES[report.status]
    if report.shortage:
        sentence = f"{report.shortage} This is not a low score."
    score = report.overall_score if report.status == "verdict" and released is None else None
    return Headline(words, tone, score, sentence)


def _strongest(scored: list[CriterionView]) -> tuple[CriterionView, ...]:
    """Return the highest, unless even these are too low to be a strength."""
    highest = max((criterion.score or 0 for criterion in scored), default=0)
    return tuple(c for c in scored if c.score == highest >= MIN_STRENGTH)[:3]


def _weakest(scored: list[CriterionView]) -> tuple[CriterionView, ...]:
    """Return the lowest, unless all scores are equal."""
    scores = {criterion.score for criterion in scored}
    if len(scores) < 2:
        return ()
    lowest = min(score for score in scores if score is not None)
    return tuple(criterion for criterion in scored if criterion.score == lowest)[:3]


def _tasks(criteria: tuple[CriterionView, ...]) -> tuple[Task, ...]:
    """Return high priority first, then the lowest criteria, then the rubric's order."""
    tasks = [
        Task(row.path, row.line, row.action, row.snippet, row.priority, criterion)
        for criterion in criteria
        for row in criterion.record.remediation
    ]
    return tuple(
        sorted(tasks, key=lambda task: (PRIORITIES.index(task.priority), task.criterion.score or 0))
    )


def _next_steps(
    report: Report, work: Work, criteria: Iterable[CriterionView], tasks: Sequence[Task]
) -> tuple[NextStep, ...]:
    """Return the steps of the report; of a report of an older make its most urgent tasks."""
    if not report.next_steps:
        return tuple(_as_step(task, work) for task in tasks[:MAX_NEXT_TASKS])
    by_id = {criterion.record.id: criterion for criterion in criteria}
    return tuple(
        NextStep(
            step.action,
            _place_of(step.path, step.line, work),
            step.places - 1,
            by_id[step.criterion_id],
            step.effect,
            step.effort,
            None
            if by_id[step.criterion_id].score == step.score_now
            else by_id[step.criterion_id].score,
        )
        for step in report.next_steps
    )


def _as_step(task: Task, work: Work) -> NextStep:
    now = f" (now {task.criterion.score})" if task.criterion.score else ""
    place = _place_of(task.path, task.line, work)
    return NextStep(task.action, place, 0, task.criterion, f"raises {task.criterion.name}{now}")


def _place_of(path: str | None, line: int | None, work: Work) -> LinkedLocation | None:
    if not path:
        return None
    return link_location(Location(path=path, line_start=line, commit=work.commit), work)


def _by_file(tasks: tuple[Task, ...]) -> tuple[tuple[str, tuple[Task, ...]], ...]:
    """Return files by name with their tasks from top to bottom; tasks without a file come last.

    A task that several criteria ask for stands with the first of them.
    """
    files: defaultdict[str, list[Task]] = defaultdict(list)
    once = {(task.path, task.line, task.action): task for task in reversed(tasks)}
    for task in reversed(once.values()):
        files[task.path or ""].append(task)

    ordered = sorted(files, key=lambda path: (path == "", path))
    return tuple(
        (path, tuple(sorted(files[path], key=lambda task: task.line or 0))) for path in ordered
    )


def _models(report: Report) -> tuple[str, ...]:
    """Return the models that judged, each once; none for the heuristic bench."""
    judges = report.judges.values()
    return tuple(dict.fromkeys(judge.model for judge in judges if judge.kind == "llm"))
