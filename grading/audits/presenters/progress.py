"""Progress of an audit, in steps that a person can follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.timezone import localtime

from grading.audits.wait_times import Pace
from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import AuditState
from grading.models import Audit, OpinionRecord
from grading.report_pages.judge_marks import JUDGES

# From here on, times are given in minutes.
MAX_SECONDS_TEXT = 90
# Polls slow down by 400 ms for each place in the queue.
MIN_POLL_MS, POLL_MS_PER_PLACE, MAX_POLL_MS = 1500, 400, 10_000
STAGES_OF_STEPS = (
    ("Preparing", "the repository is cloned, its commit pinned", ("", "context_builder")),
    (
        "Detectives collect evidence",
        "history, code, report and diagrams, in parallel",
        ("repo_investigator", "doc_analyst", "vision_inspector"),
    ),
    (
        "Evidence is joined",
        "each quote is checked against its file and line",
        ("evidence_aggregator", "error_collector", "exhibit_selection", "screening"),
    ),
    (
        "Judges argue",
        "Prosecutor, Defense and Tech Lead on each criterion",
        ("prosecutor", "defense", "tech_lead", "judge_collector", "rehearing", "second_hearing"),
    ),
    (
        "The Chief Justice decides",
        "by written rules",
        ("chief_justice", "insufficient_evidence"),
    ),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `state` is past, now, ahead or stopped, and also the CSS class.

    `at` is its start, `seconds` its duration; None where not known, or not over.
    """

    words: str
    about: str
    state: str
    at: datetime | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress for the page.

    Screen readers hear `sentence` when `step` changes, not at every place in the queue or opinion.
    `estimate` is a sentence or "". `poll_ms` is the time until the next poll.
    """

    steps: tuple[Step, ...]
    step: str
    sentence: str
    estimate: str
    poll_ms: int


def progress_of(audit: Audit, position: int | None, pace: Pace | None) -> Progress:
    """Return the progress; `position` is the place in the queue from 1, None if not waiting."""
    current, now = _current(audit), "stopped" if audit.state == AuditState.FAILED else "now"

    # When each row of `words` began, in the same order.
    begun = [audit.submission.handed_in_at, audit.queued_at, *_beginnings(audit)]
    words = [
        ("Received", "your submission is stored"),
        ("In the queue", f"place {position}" if position else ""),
    ]
    words += [(step, about) for step, about, _stages in STAGES_OF_STEPS]

    # The first two rows come before the stages, which count from 0.
    steps = tuple(
        Step(
            step,
            about,
            _state_of(index - 2, current, now),
            at,
            _duration(at, begun[index + 1 :], audit),
        )
        for index, ((step, about), at) in enumerate(zip(words, begun, strict=True))
    )

    return Progress(
        steps=steps,
        step=f"{'ended' if audit.is_final else 'step'}-{current + 1}",
        sentence=_sentence(audit, position, current),
        estimate=_estimate(audit, position, pace),
        poll_ms=_poll_ms(position),
    )


def _beginnings(audit: Audit) -> list[datetime | None]:
    """Return when each step of this run began; the first begins when a worker claims the audit."""
    times = audit.stage_times if audit.started_at else {}
    begun = [
        min(
            (datetime.fromisoformat(times[stage]) for stage in stages if stage in times),
            default=None,
        )
        for _words, _about, stages in STAGES_OF_STEPS
    ]

    return [audit.started_at, *begun[1:]]


def _duration(at: datetime | None, later: Sequence[datetime | None], audit: Audit) -> float | None:
    """Return the seconds until the next step that began, or until the end."""
    until = next((moment for moment in later if moment is not None), audit.finished_at)
    return (until - at).total_seconds() if at is not None and until is not None else None


def _estimate(audit: Audit, position: int | None, pace: Pace | None) -> str:
    """Return the estimated time to the report and its basis; "" where there is no estimate."""
    # While it is held its place in the queue is not known.
    if pace is None or audit.is_final or audit.is_in_grace:
        return ""

    left = pace.until_report(position) if position else pace.seconds - _running_for(audit)
    workers = "one worker serves" if pace.workers == 1 else f"{pace.workers} workers share"
    past = (
        "the last audit here took"
        if pace.of == 1
        else f"the last {pace.of} audits here took a median of"
    )

    basis = f"{past} {_about(pace.seconds)}, and {workers} the queue"
    return (
        f"About {_about(left)} until your report: {basis}."
        if left > 0
        else f"Any moment now, or longer than usual: {basis}."
    )


def _running_for(audit: Audit) -> float:
    return (timezone.now() - audit.started_at).total_seconds() if audit.started_at else 0.0


def _about(seconds: float) -> str:
    """Return seconds up to a minute and a half, then minutes."""
    if seconds < MAX_SECONDS_TEXT:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min"


def _poll_ms(position: int | None) -> int:
    return min(MAX_POLL_MS, MIN_POLL_MS + POLL_MS_PER_PLACE * ((position or 1) - 1))


def _current(audit: Audit) -> int:
    """Return the index of the current or last step; -1 in the queue, -2 in its grace before it."""
    if audit.is_in_grace:
        return -2
    if audit.has_report:
        return len(STAGES_OF_STEPS)
    if audit.state in {AuditState.RECEIVED, AuditState.QUEUED} or audit.started_at is None:
        return -1
    indexes = (
        index for index, (_, _, stages) in enumerate(STAGES_OF_STEPS) if audit.stage in stages
    )
    # A stage that no step names counts as the first step.
    return next(indexes, 0)


def _state_of(index: int, current: int, now: str) -> str:
    if index == current:
        return now
    return "past" if index < current else "ahead"


def _sentence(audit: Audit, position: int | None, current: int) -> str:
    if audit.has_report:
        return "The report is ready."
    if audit.state == AuditState.FAILED:
        step = STAGES_OF_STEPS[current][0] if current >= 0 else "In the queue"
        return f"The audit stopped at “{step}”: there is no verdict."
    if current >= 0:
        return f"{STAGES_OF_STEPS[current][0]}."
    if audit.is_in_grace and audit.grace_until:
        return f"It starts after {localtime(audit.grace_until):%H:%M:%S %Z}; you can withdraw it."
    if position is None or position <= 1:
        return "Next in the queue: waiting for a free worker."
    return f"Place {position} in the queue: {position - 1} ahead of you."


def _judged_criteria(audit: UUID) -> QuerySet[OpinionRecord, Any]:
    answered = OpinionRecord.objects.filter(audit=audit).values("criterion_id")
    return answered.annotate(judges=Count("judge", distinct=True)).filter(judges=len(JUDGES))


JUDGED_CRITERIA = OrganizationQuery(_judged_criteria, audit=UUID)


def criteria_judged(audit: Audit) -> int:
    """Count the criteria that all three judges are done with, failed answers included."""
    return len(JUDGED_CRITERIA.rows(organization=audit.organization_id, audit=audit.pk))
