"""Bring back what the queue lost and what died with a worker. Safe to run at any time, by several at once."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils import timezone
from django_scopes import scope

from grading.audits.actions import give_back, spend_attempt
from grading.bulk.resynthesis_jobs import resume_runs
from grading.core.audit_queue import JobHealth, enqueue, health_of_job
from grading.core.enums import AuditState
from grading.core.fair_turns import in_turn
from grading.core.rls.rls_scope import as_dispatcher
from grading.findings.fix_verification import verify_left
from grading.models import Audit
from grading.notifications.email_outbox import LETTERS
from grading.notifications.webhook_deliveries import DELIVERIES
from grading.peer_review.rounds.reminders import remind_due

LOST = (
    "worker_lost",
    "The audit was started three times and never ended: a person has to look at it.",
)


@dataclass(frozen=True, slots=True)
class Recovery:
    """How many audits were enqueued again because their job was gone, and taken from dead workers; how many
    organizations had letters that had not left, how many bulk runs went on whose job was gone, how many members of
    rounds of peers were reminded, how many fixes are looked up whose job was gone, and how many organizations had
    deliveries to webhooks that were due."""

    enqueued: int
    taken_back: int
    with_letters: int = 0
    resumed: int = 0
    reminded: int = 0
    fixes: int = 0
    with_deliveries: int = 0


def reconcile() -> Recovery:
    """One round over all organizations: running audits without a living worker, waiting ones without a job.

    A running audit's worker is dead when its lease has run out or its job has failed. After the third
    attempt an audit is failed, for a person to see. Raises redis.RedisError when the queue is down.
    """
    return Recovery(
        enqueued=_for_each_in(AuditState.QUEUED, _enqueue_again),
        taken_back=_for_each_in(AuditState.RUNNING, _take_back),
        with_letters=LETTERS.announce_left(),
        resumed=resume_runs(),
        reminded=remind_due(),
        fixes=verify_left(),
        with_deliveries=DELIVERIES.announce_left(),
    )


def _for_each_in(state: AuditState, act: Callable[[Audit], bool]) -> int:
    """How many of the audits in this state were acted on, each in its own organization's scope."""
    with as_dispatcher():
        audits = list(Audit.objects.filter(state=state).defer("report").order_by("queued_at", "pk"))
    if state == AuditState.QUEUED:
        audits = in_turn(audits)
    acted = 0
    for audit in audits:
        with scope(organization=audit.organization_id):
            acted += act(audit)
    return acted


def _take_back(audit: Audit) -> bool:
    code, message = LOST
    expired = audit.lease_until is None or audit.lease_until < timezone.now()
    if not expired and health_of_job(audit, audit.run_attempt) is not JobHealth.FAILED:
        return False
    return give_back(audit=audit, code=code, message=message)


def _enqueue_again(audit: Audit) -> bool:
    code, message = LOST
    health = health_of_job(audit, audit.run_attempt + 1)
    if health is JobHealth.FAILED:
        return spend_attempt(audit=audit, code=code, message=message)
    if health is JobHealth.MISSING:
        enqueue(audit)
    return health is JobHealth.MISSING
