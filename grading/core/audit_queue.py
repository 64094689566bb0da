"""The queue is a hint, PostgreSQL the truth: a job carries an audit's id and which attempt it is, no more.

Queues are fair between organizations: of what waits, each has only its few longest waiting audits on a queue, and
the next takes its place behind everybody else's whenever one of them is taken up. So a thousand hand-ins of one
organization stand at most AHEAD jobs before another's first.
"""

from datetime import datetime, timedelta
from enum import Enum

from django.db import transaction
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.job import Job, JobStatus

from grading.core.enums import AuditState
from grading.core.fair_turns import AHEAD, belongs_on, job_id, queue_of
from grading.models import Audit

JOB = "grading.jobs.run_audit"
JOB_SECONDS = 15 * 60
KEEP_RESULT_SECONDS = 3600
KEEP_FAILURE_SECONDS = 24 * 3600
SILENT_AFTER = timedelta(seconds=45)  # a worker refreshes its job's heartbeat every 5 s


class JobHealth(Enum):
    """Whether the queue still has, or works on, the job that a row waits for."""

    ALIVE = "alive"
    MISSING = "missing"
    FAILED = "failed"


def enqueue_on_commit(audit: Audit) -> None:
    """Enqueue what its organization may have on the audit's queue, once the transaction holds.

    That is this audit's next attempt when it is its turn, and after one was taken up the next in line. If the
    queue is down, the reconciler will.
    """

    def announce() -> (
        None
    ):  # Django names a robust callback in its log, which it cannot with a partial
        with scope(organization=audit.organization_id):
            for waiting in _in_turn(audit):
                if health_of_job(waiting, waiting.run_attempt + 1) is JobHealth.MISSING:
                    enqueue(waiting)

    transaction.on_commit(announce, robust=True)


def _in_turn(audit: Audit) -> list[Audit]:
    waiting = Audit.objects.filter(belongs_on(queue_of(audit)), state=AuditState.QUEUED).defer(
        "report"
    )
    return list(waiting.order_by("queued_at", "pk")[:AHEAD])


def enqueue(audit: Audit) -> None:
    """Put the next attempt's job on its queue, in place of a dead job of the same id."""
    attempt = audit.run_attempt + 1
    get_queue(queue_of(audit), commit_mode="auto").enqueue_call(
        JOB,
        args=(str(audit.pk), attempt),
        job_id=job_id(audit, attempt),
        timeout=JOB_SECONDS,
        result_ttl=KEEP_RESULT_SECONDS,
        failure_ttl=KEEP_FAILURE_SECONDS,
    )


def health_of_job(audit: Audit, attempt: int) -> JobHealth:
    """How the job of this attempt is doing; raises redis.RedisError when the queue cannot be asked."""
    return health_of(queue_of(audit), job_id(audit, attempt))


def health_of(queue_name: str, job: str) -> JobHealth:
    """How the job of this id is doing; raises redis.RedisError when the queue cannot be asked."""
    queue = get_queue(queue_name, commit_mode="auto")
    try:
        found = Job.fetch(job, connection=queue.connection)
        status = found.get_status(refresh=False)
    except (NoSuchJobError, InvalidJobOperation):
        return JobHealth.MISSING
    if status in {JobStatus.FAILED, JobStatus.STOPPED, JobStatus.CANCELED}:
        return JobHealth.FAILED
    if status == JobStatus.QUEUED:
        waiting = queue.get_job_position(found) is not None or not _is_older(found.enqueued_at)
        return JobHealth.ALIVE if waiting else JobHealth.MISSING
    if status == JobStatus.STARTED:
        return JobHealth.MISSING if _is_older(found.last_heartbeat) else JobHealth.ALIVE
    return JobHealth.MISSING


def _is_older(moment: datetime | None) -> bool:
    return moment is None or timezone.now() - moment > SILENT_AFTER
