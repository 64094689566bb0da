"""Starting and cancelling one verb over many audits. What it would cost is said before, and somebody has to say yes."""

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
from grading.bulk.progress import cancel_items, settle
from grading.bulk.queries import measured_costs, running_bulk
from grading.bulk.renewals import being_audited, queue_renewals, refuse_drafts, refuse_unknown
from grading.core.activity import record_activity
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
from grading.engine.model_bench import bench_of
from grading.models import Assignment, Audit, BulkItem, BulkRun, OrganizationBench, RubricVersion

TYPED_ABOVE = 50
NOTHING = Decimal(0)
RENEWALS = {BulkVerb.REJUDGE: Renewal.OPINIONS, BulkVerb.REAUDIT: Renewal.EVERYTHING}
CANCELLED = (
    "cancelled",
    "The bulk run was cancelled before this began; the verdict that stood before stands.",
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would be. Costs are US dollars, null where nothing was measured or no price is known.

    `audits` are those it would touch; `busy` are left out because they are being audited now, `unjudged` because
    they hold no verdict that the verb could start from. `month_left` is what the month's budget still holds.
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
        return self.count > TYPED_ABOVE

    @property
    def exceeds_month(self) -> bool:
        return self.month_left is not None and (self.cost or NOTHING) > self.month_left

    @property
    def may_exceed_month(self) -> bool:
        return self.month_left is not None and (self.cost_high or NOTHING) > self.month_left


def estimate_bulk(
    *,
    assignment: Assignment,
    verb: BulkVerb,
    audits: Sequence[Audit],
    version: RubricVersion,
    criteria: Sequence[str] = (),
) -> Estimate:
    """Count and cost of a verb over these audits: of each attempt one, whose verdict stands or, to re-audit, failed."""
    judged = [audit for audit in audits if _can_be(verb, audit)]
    busy = being_audited({audit.submission_id for audit in judged}) if verb in RENEWALS else set()
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
            cost_low=NOTHING,
            cost=NOTHING,
            cost_high=NOTHING,
            month_left=None,
        )
    own = bench_of(assignment.organization_id)
    batch = own.batch if own else settings.JUDGES_BATCH
    # Under another text nothing that was found or said before answers the questions.
    known = all(audit.rubric_version_id == version.pk for audit in free)
    seen = measured_costs(assignment, verb if known else BulkVerb.REAUDIT, criteria, batch)
    low, mean, high = (
        None if each is None else each * len(free)
        for each in (seen.lowest, seen.mean, seen.highest)
    )
    return Estimate(
        **kept,
        asks_models=True,
        measured=seen.runs,
        cost_low=low,
        cost=mean,
        cost_high=high,
        month_left=_month_left(own),
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
    """Begin a verb over these audits. `confirmed` is the number that the person was shown, and typed above fifty.

    Raises BulkRefused (field, code): nothing_to_do, count_not_confirmed, budget_exceeded, bulk_running; RenewalRefused
    (rubric_draft, criterion_unknown).
    """
    refuse_drafts(rubric_version)
    refuse_unknown(criteria, rubric_version)
    with transaction.atomic():
        # Two who start at once: one is told of the other's run.
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
        _fill(run, estimate.audits, criteria)
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
    """Begin nothing more of it; what is at work ends as it would. How many were cancelled: 0 once it has ended."""
    code, message = CANCELLED
    with transaction.atomic():
        if not BulkRun.objects.filter(pk=run.pk, state=BulkState.RUNNING).exists():
            return 0
        waiting = Audit.objects.filter(bulk_run=run, state=AuditState.QUEUED).defer("report")
        held = list(waiting.select_for_update(no_key=True, of=("self",)).order_by("pk"))
        keys = [audit.pk for audit in held]
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
        settle(run_id=run.pk)
        if held:
            enqueue_on_commit(
                held[0]
            )  # whoever waits behind them: their own jobs will find nothing to bring
    return cancelled


def _can_be(verb: BulkVerb, audit: Audit) -> bool:
    if audit.kind == AuditKind.PEER:
        return False
    judged = audit.state in JUDGED_STATES
    return judged or (verb == BulkVerb.REAUDIT and audit.is_final)


def _month_left(own: OrganizationBench | None) -> Decimal | None:
    if own is None or own.monthly_budget_usd is None:
        return None
    spent = usage_of_organization(own.organization_id, since=start_of_month()).cost_usd
    return max(own.monthly_budget_usd - spent, NOTHING)


def _refuse(assignment: Assignment, estimate: Estimate, confirmed: int | None) -> None:
    if running_bulk(assignment):
        raise BulkRefused(
            "", "bulk_running", "Another bulk run is going on here: wait for it, or cancel it."
        )
    if not estimate.count:
        raise BulkRefused(
            "scope", "nothing_to_do", "There is nothing here that this could be done to."
        )
    if estimate.exceeds_month:
        left = f"{estimate.month_left:.2f} USD"
        sentence = f"It would cost about {estimate.cost:.2f} USD, and of this month's budget {left} are left."
        raise BulkRefused("scope", "budget_exceeded", sentence)
    if confirmed != estimate.count:
        said = "nothing" if confirmed is None else confirmed
        sentence = (
            f"It is {estimate.count} audits now, and you confirmed {said}: look at it once more."
        )
        raise BulkRefused("confirmed", "count_not_confirmed", sentence)


def _fill(run: BulkRun, audits: Sequence[Audit], criteria: Sequence[str]) -> None:
    """An item for each attempt and, unless only the rules are applied, an audit; and the first job."""
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
        resynthesis_jobs.announce_on_commit(run)
