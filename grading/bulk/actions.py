"""Start and cancel bulk runs. A person sees the estimated cost first and confirms it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from grading.audits.queries import start_of_month, usage_of_organization
from grading.bulk import resynthesis_jobs
from grading.bulk.progress import cancel_items, update_counts
from grading.bulk.queries import measured_costs, running_bulk
from grading.bulk.renewals import (
    queue_renewals,
    refuse_drafts,
    refuse_unknown_criteria,
    submissions_being_audited,
)
from grading.core.activity_writer import record_activity
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import (
    JUDGED_STATES,
    AuditKind,
    AuditState,
    Bench,
    BulkState,
    BulkVerb,
    Renewal,
)
from grading.core.errors import BulkRefused
from grading.engine.bench_settings import bench_of, month_limit_of
from grading.models import Assignment, Audit, BulkItem, BulkRun, RubricVersion

# A larger run is not started by one click: its number has to be typed.
CONFIRM_ABOVE = 50
ZERO = Decimal(0)
RENEWALS = {BulkVerb.REJUDGE: Renewal.OPINIONS, BulkVerb.REAUDIT: Renewal.EVERYTHING}
CANCELLED = (
    "cancelled",
    "The bulk run was cancelled before this started. The earlier verdict still counts.",
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Size and cost of a possible run. Costs are US dollars, null if unmeasured or without a price.

    `audits` are those that the run would process. `busy` counts those left out because they are
    being audited now, `unjudged` those without a verdict to start from. `month_left` is the rest of
    the month's budget.
    """

    audits: tuple[Audit, ...]
    busy: int
    unjudged: int
    asks_models: bool
    measured: int
    cost_low: Decimal | None
    cost: Decimal | None
    cost_high: Decimal | None
    month_left: Decimal | None

    @property
    def count(self) -> int:
        return len(self.audits)

    @property
    def must_be_typed(self) -> bool:
        return self.count > CONFIRM_ABOVE

    @property
    def exceeds_month(self) -> bool:
        return self.month_left is not None and (self.cost or ZERO) > self.month_left

    @property
    def may_exceed_month(self) -> bool:
        return self.month_left is not None and (self.cost_high or ZERO) > self.month_left


def estimate_bulk(
    *,
    assignment: Assignment,
    verb: BulkVerb,
    audits: Sequence[Audit],
    version: RubricVersion,
    criteria: Sequence[str] = (),
) -> Estimate:
    """Estimate a run over these audits, one for each attempt.

    The verdict of an audit must count or, to re-audit, may have failed.
    """
    judged = [audit for audit in audits if _is_eligible(verb, audit)]
    # A second audit of the same submission would compete with the running one.
    busy = (
        submissions_being_audited({audit.submission_id for audit in judged})
        if verb in RENEWALS
        else set()
    )
    free = tuple(audit for audit in judged if audit.submission_id not in busy)
    kept: dict[str, Any] = {
        "audits": free,
        "busy": len(judged) - len(free),
        "unjudged": len(audits) - len(judged),
    }
    if verb not in RENEWALS or assignment.bench != Bench.LLM:
        return Estimate(
            **kept,
            asks_models=False,
            measured=0,
            cost_low=ZERO,
            cost=ZERO,
            cost_high=ZERO,
            month_left=None,
        )

    own = bench_of(assignment.organization_id)
    batch = own.batch if own else settings.JUDGES_BATCH
    # Under another rubric text no stored evidence or opinion can be reused: it costs a full audit.
    same_version = all(audit.rubric_version_id == version.pk for audit in free)
    measured = measured_costs(
        assignment, verb if same_version else BulkVerb.REAUDIT, criteria, batch
    )
    low, mean, high = (
        None if cost is None else cost * len(free)
        for cost in (measured.lowest, measured.mean, measured.highest)
    )

    return Estimate(
        **kept,
        asks_models=True,
        measured=measured.runs,
        cost_low=low,
        cost=mean,
        cost_high=high,
        month_left=_month_left(assignment.organization_id, month_limit_of(own)),
    )


def start_bulk(
    *,
    assignment: Assignment,
    verb: BulkVerb,
    rubric_version: RubricVersion,
    audits: Sequence[Audit],
    by: User | None,
    confirmed: int | None,
    criteria: Sequence[str] = (),
) -> BulkRun:
    """Start a run over these audits. `confirmed` is the number that the person confirmed.

    Above fifty it is typed. Raises BulkRefused (field, code): nothing_to_do, count_not_confirmed,
    budget_exceeded, bulk_running; RenewalRefused (rubric_draft, criterion_unknown).
    """
    refuse_drafts(rubric_version)
    refuse_unknown_criteria(criteria, rubric_version)
    with transaction.atomic():
        # Serialize two people who start at once: the second gets bulk_running.
        Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        estimate = estimate_bulk(
            assignment=assignment,
            verb=verb,
            audits=audits,
            version=rubric_version,
            criteria=criteria,
        )
        _refuse(assignment, estimate, confirmed)
        run = BulkRun.objects.create(
            organization_id=assignment.organization_id,
            assignment=assignment,
            verb=verb,
            rubric_version=rubric_version,
            total=estimate.count,
            estimate_usd=estimate.cost,
            started_by=by,
        )
        _create_items(run, estimate.audits, criteria)

        record_activity(
            organization=assignment.organization_id,
            actor=by,
            verb="bulk.started",
            about=run,
            what=verb,
            total=run.total,
            rubric=str(rubric_version),
            criteria=list(criteria),
            estimate_usd=None if estimate.cost is None else f"{estimate.cost:.4f}",
        )

    return run


def cancel_bulk(*, run: BulkRun, by: User | None) -> int:
    """Cancel what has not started and return how many; 0 once the run has ended.

    Audits that are already running finish normally.
    """
    code, message = CANCELLED
    with transaction.atomic():
        if not BulkRun.objects.filter(pk=run.pk, state=BulkState.RUNNING).exists():
            return 0
        # Lock first: a worker that claims one of them now waits and finds it failed.
        waiting = Audit.objects.filter(bulk_run=run, state=AuditState.QUEUED).defer("report")
        waiting_audits = list(waiting.select_for_update(no_key=True, of=("self",)).order_by("pk"))
        keys = [audit.pk for audit in waiting_audits]

        Audit.objects.filter(pk__in=keys).update(
            state=AuditState.FAILED,
            failure_code=code,
            failure_message=message,
            finished_at=timezone.now(),
            version=F("version") + 1,
        )
        cancelled = cancel_items(run_id=run.pk, audits=keys)
        ended = {"state": BulkState.CANCELLED, "finished_at": timezone.now()}
        if BulkRun.objects.filter(pk=run.pk, state=BulkState.RUNNING).update(**ended):
            record_activity(
                organization=run.organization_id,
                actor=by,
                verb="bulk.cancelled",
                about=run,
                cancelled=cancelled,
            )

        update_counts(run_id=run.pk)
        if waiting_audits:
            # Their own jobs find nothing to do now, so enqueue the next audit behind them.
            enqueue_on_commit(waiting_audits[0])

    return cancelled


def _is_eligible(verb: BulkVerb, audit: Audit) -> bool:
    # Peers' audits belong to a round and never count for the grade.
    if audit.kind == AuditKind.PEER:
        return False
    judged = audit.state in JUDGED_STATES
    return judged or (verb == BulkVerb.REAUDIT and audit.is_final)


def _month_left(organization_id: int, limit: Decimal | None) -> Decimal | None:
    if limit is None:
        return None
    spent = usage_of_organization(organization_id, since=start_of_month()).cost_usd
    return max(limit - spent, ZERO)


def _refuse(assignment: Assignment, estimate: Estimate, confirmed: int | None) -> None:
    if running_bulk(assignment):
        raise BulkRefused(
            "", "bulk_running", "Another bulk run is in progress here. Wait for it or cancel it."
        )
    if not estimate.count:
        raise BulkRefused("scope", "nothing_to_do", "There are no audits to process.")
    if estimate.exceeds_month:
        left = f"{estimate.month_left:.2f} USD"
        sentence = (
            f"This would cost about {estimate.cost:.2f} USD, "
            f"but only {left} of this month's budget is left."
        )
        raise BulkRefused("scope", "budget_exceeded", sentence)
    # Verdicts may have arrived between the estimate and the confirmation.
    if confirmed != estimate.count:
        number = "nothing" if confirmed is None else confirmed
        sentence = (
            f"There are {estimate.count} audits now, but you confirmed {number}. Check again."
        )
        raise BulkRefused("confirmed", "count_not_confirmed", sentence)


def _create_items(run: BulkRun, audits: Sequence[Audit], criteria: Sequence[str]) -> None:
    """Create an item for each attempt, an audit unless only the rules apply, and the first job."""
    renewed: list[Audit | None] = [None] * len(audits)
    if run.verb in RENEWALS:
        renewed = list(
            queue_renewals(
                submissions=[audit.submission for audit in audits],
                renewal=RENEWALS[BulkVerb(run.verb)],
                version=run.rubric_version,
                criteria=criteria,
                bulk_run=run,
            )
        )

    BulkItem.objects.bulk_create(
        BulkItem(
            organization_id=run.organization_id,
            run=run,
            position=position,
            renewed=anew,
            submission_id=audit.submission_id,
            audit=audit if audit.has_report else None,
            score_before=audit.overall_score,
        )
        for position, (audit, anew) in enumerate(zip(audits, renewed, strict=True))
    )
    if run.verb == BulkVerb.RESYNTHESISE:
        resynthesis_jobs.enqueue_chunk_on_commit(run)
