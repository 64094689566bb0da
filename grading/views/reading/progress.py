"""How far an audit has come, in steps a person can follow."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from grading.enums import AuditState
from grading.models import Audit, OpinionRecord
from grading.views.reading.judges import JUDGES

STAGES_OF_STEPS = (
    ("Opening the case", "the repository is copied and its commit fixed", ("", "context_builder")),
    (
        "Detectives look",
        "history, code, report and drawings, side by side",
        ("repo_investigator", "doc_analyst", "vision_inspector"),
    ),
    ("Evidence is joined", "each quote is held against its file and line", ("evidence_aggregator",)),
    (
        "Judges argue",
        "Prosecutor, Defense and Tech Lead on each criterion",
        ("prosecutor", "defense", "tech_lead", "judge_collector", "rehearing"),
    ),
    (
        "The Chief Justice decides",
        "written rules, applied to the arguments",
        ("chief_justice", "degraded_report"),
    ),
)


@dataclass(frozen=True, slots=True)
class Step:
    """`state` is past, now, ahead or stopped: the CSS class, and said in words beside it."""

    words: str
    about: str
    state: str


@dataclass(frozen=True, slots=True)
class Progress:
    """`sentence` says what is being waited for, and is all that a screen reader is told of a change."""

    steps: tuple[Step, ...]
    sentence: str


def progress_of(audit: Audit, position: int | None) -> Progress:
    """`position` is the audit's place in the queue, 1 for the next; null when it is not waiting."""
    current, now = _current(audit), "stopped" if audit.state == AuditState.FAILED else "now"
    queue = Step("In the queue", f"place {position}" if position else "", _state_of(-1, current, now))
    steps = tuple(
        Step(words, about, _state_of(index, current, now))
        for index, (words, about, _stages) in enumerate(STAGES_OF_STEPS)
    )
    received = Step("Received", "what you handed in is stored", "past")
    return Progress((received, queue, *steps), _sentence(audit, position, current))


def _current(audit: Audit) -> int:
    """The index of the step that the audit is at or stopped at; -1 while no worker has it."""
    if audit.has_report:
        return len(STAGES_OF_STEPS)
    if audit.state in {AuditState.RECEIVED, AuditState.QUEUED} or audit.started_at is None:
        return -1
    found = (index for index, (_, _, stages) in enumerate(STAGES_OF_STEPS) if audit.stage in stages)
    return next(found, 0)


def _state_of(index: int, current: int, now: str) -> str:
    if index == current:
        return now
    return "past" if index < current else "ahead"


def _sentence(audit: Audit, position: int | None, current: int) -> str:
    if audit.has_report:
        return "The report is ready."
    if audit.state == AuditState.FAILED:
        where = STAGES_OF_STEPS[current][0] if current >= 0 else "In the queue"
        return f"The audit stopped at “{where}”: there is no verdict."
    if current >= 0:
        return f"{STAGES_OF_STEPS[current][0]}."
    if position is None or position <= 1:
        return "Next in the queue: waiting for a free worker."
    return f"Place {position} in the queue: {position - 1} before you."


def criteria_judged(audit: Audit) -> int:
    """How many criteria all three judges are done with, also those on which one gave no usable answer."""
    answered = OpinionRecord.objects.filter(audit=audit).values("criterion_id")
    return answered.annotate(judges=Count("judge", distinct=True)).filter(judges=len(JUDGES)).count()
