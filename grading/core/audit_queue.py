"""Queue of audits. PostgreSQL is the truth: a job carries only an audit's id and its attempt.

Queues are fair between organizations (fair_turns.py). Each has only its few longest waiting audits
on a queue; when one of them starts, the next takes its place behind everybody else's. So a thousand
submissions of one organization put at most AHEAD jobs before another's first.
"""

from datetime import datetime, timedelta
from enum import Enum

from django.db import transaction
from django.utils import timezone
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.job import JobStatus

from grading.core.allowed_job import AllowedJob
from grading.core.fair_turns import job_id, queue_of, waiting_beside
from grading.core.job_queues import job_queue
from grading.models import Audit

JOB = "grading.jobs.run_audit"
JOB_SECONDS = 15 * 60
KEEP_RESULT_SECONDS = 3600
# The reconciler must still find a failed job: a job that is missing spends no attempt.
KEEP_FAILURE_SECONDS = 24 * 3600
# A worker refreshes its job's heartbeat every 5 s.
SILENT_AFTER = timedelta(seconds=45)


class JobHealth(Enum):
    """State of the job that a row waits for."""

    ALIVE = "alive"
    MISSING = "missing"
    FAILED = "failed"


def enqueue_on_commit(audit: Audit) -> None:
    """Enqueue the next audits of the audit's line after the commit.

    That is this audit if it is its turn, or the next one when another has started. If the queue is
    down, the reconciler enqueues them.
    """

    # A function: Django logs the name of a robust callback, and a partial has none.
    def enqueue_waiting() -> None:
        for waiting in waiting_beside(audit):
            if health_of_job(waiting, waiting.run_attempt + 1) is JobHealth.MISSING:
                enqueue(waiting)

    transaction.on_commit(enqueue_waiting, robust=True)


def enqueue(audit: Audit) -> None:
    """Enqueue the job of the next attempt, replacing a dead job of the same id."""
    attempt = audit.run_attempt + 1
    job_queue(queue_of(audit)).enqueue_call(
        JOB,
        args=(str(audit.pk), attempt),
        job_id=job_id(audit, attempt),
        timeout=JOB_SECONDS,
        result_ttl=KEEP_RESULT_SECONDS,
        failure_ttl=KEEP_FAILURE_SECONDS,
    )


def health_of_job(audit: Audit, attempt: int) -> JobHealth:
    """Return the state of the job of this attempt. Raises redis.RedisError."""
    return health_of(queue_of(audit), job_id(audit, attempt))


def health_of(queue_name: str, job: str) -> JobHealth:
    """Return the state of the job with this id. Raises redis.RedisError."""
    queue = job_queue(queue_name)
    try:
        job_record = AllowedJob.fetch(job, connection=queue.connection, serializer=queue.serializer)
        status = job_record.get_status(refresh=False)
    except (NoSuchJobError, InvalidJobOperation):
        return JobHealth.MISSING

    if status in {JobStatus.FAILED, JobStatus.STOPPED, JobStatus.CANCELED}:
        return JobHealth.FAILED
    if status == JobStatus.QUEUED:
        # A job that a worker has just popped is on no queue for a moment.
        waiting = queue.get_job_position(job_record) is not None or not _is_older(
            job_record.enqueued_at
        )
        return JobHealth.ALIVE if waiting else JobHealth.MISSING
    # A worker that was killed leaves its job as started, and its heartbeat stops.
    if status == JobStatus.STARTED:
        return JobHealth.MISSING if _is_older(job_record.last_heartbeat) else JobHealth.ALIVE
    return JobHealth.MISSING


def _is_older(moment: datetime | None) -> bool:
    return moment is None or timezone.now() - moment > SILENT_AFTER
