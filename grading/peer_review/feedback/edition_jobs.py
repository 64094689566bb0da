"""Making of editions: planned with an import or audit, made by a job, resumed if it is lost."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_scopes import scope
from rq.timeouts import JobTimeoutException

from grading.core.activity_writer import record_activity
from grading.core.audit_queue import JobHealth, health_of
from grading.core.enums import JUDGED_STATES, AuditKind, EditionState, FeedbackSource
from grading.core.fair_turns import BULK
from grading.core.rls.rls_scope import as_dispatcher
from grading.findings.actions import record_imported
from grading.models import Audit, FeedbackEdition, FeedbackReport
from grading.peer_review.actions import notify_subject_of_report
from grading.peer_review.feedback.editions import (
    EditionContent,
    Redaction,
    enqueue,
    enqueue_on_commit,
    is_shown,
    job_id,
)
from grading.peer_review.feedback.queries import redaction_of

# A report of 2 MB takes 8 s of a processor for a cohort of 200.
CPU_SECONDS = 60
# The job of a younger edition may still be on its way to the queue.
JUST_REQUESTED = timedelta(seconds=30)
TOO_SLOW, BROKEN, WORKER_LOST = "edition_too_slow", "edition_broken", "edition_worker_lost"
log = structlog.get_logger(__name__)


def plan_edition(*, report: FeedbackReport) -> bool:
    """Plan the edition of a long report for a reader who must not know the other student.

    Its job is enqueued on commit. Return False if the report needs none.
    """
    redaction = redaction_of(report)
    if redaction is None or not redaction.is_long:
        return False
    _claim(report, redaction)
    enqueue_on_commit(report, redaction.marks_digest)
    return True


def plan_edition_of_audit(*, audit: Audit) -> None:
    """Plan the edition of a peer audit that ended well, in the transaction that ends it."""
    if audit.kind == AuditKind.PEER and audit.state in JUDGED_STATES:
        report = _reports().filter(audit=audit).first()
        if report is not None:
            plan_edition(report=report)


def make_edition(*, report_id: UUID | str) -> None:
    """Make the edition; after its first, record the findings of an import and email its subject.

    An edition that is up to date is left alone. Raises what the redaction raised, after the
    failure was stored.
    """
    report = _reports().filter(pk=report_id).first()
    redaction = redaction_of(report) if report is not None else None
    if report is None or redaction is None or not redaction.is_long:
        log.warning("edition_not_needed", report=str(report_id))
        return

    stored = FeedbackEdition.objects.filter(report=report).first()
    if stored is None or not is_shown(stored, redaction):
        _claim(report, redaction)
    elif stored.marks == redaction.marks_digest:
        return

    try:
        with cpu_limit(CPU_SECONDS):
            content = redaction.content()
    except Exception as error:
        _fail(report, TOO_SLOW if isinstance(error, JobTimeoutException) else BROKEN)
        raise
    _store(report, redaction, content)


def resume_editions() -> int:
    """Enqueue again the editions whose job is gone, and fail those whose job died; return how many.

    Counted are those enqueued. Called by the reconciler. Raises redis.RedisError.
    """
    with as_dispatcher():
        waiting = FeedbackEdition.objects.filter(
            state=EditionState.WAITING, requested_at__lt=timezone.now() - JUST_REQUESTED
        )
        editions = list(waiting.only("organization_id", "report_id", "marks"))

    enqueued = 0
    for edition in editions:
        with scope(organization=edition.organization_id):
            report = str(edition.report_id)
            if health_of(BULK, job_id(report, edition.marks)) is JobHealth.FAILED:
                _fail(FeedbackReport.objects.get(pk=report), WORKER_LOST)
            else:
                enqueued += enqueue(edition.organization_id, report, edition.marks)
    return enqueued


def _claim(report: FeedbackReport, redaction: Redaction) -> None:
    """Store that the edition waits, without the contents of an earlier one."""
    values = {
        "organization_id": report.organization_id,
        "state": EditionState.WAITING,
        "marks": redaction.marks_digest,
        "partners": redaction.partners_digest,
        "content": None,
        "failure": "",
        "requested_at": timezone.now(),
    }
    FeedbackEdition.objects.update_or_create(report=report, defaults=values)


def _store(report: FeedbackReport, redaction: Redaction, content: EditionContent) -> None:
    with transaction.atomic():
        # Of two jobs at once only one makes the first edition: its letter is sent once.
        edition = FeedbackEdition.objects.select_for_update().get(report=report)
        is_first = edition.made_at is None
        edition.state, edition.failure = EditionState.MADE, ""
        edition.marks, edition.partners = redaction.marks_digest, redaction.partners_digest
        edition.content, edition.made_at = asdict(content), timezone.now()
        edition.save()
        record_activity(
            organization=report.organization_id,
            actor=None,
            verb="feedback.edition_made",
            about=report,
        )
        if is_first and report.source == FeedbackSource.IMPORTED:
            record_imported(report=report, reading=content.reading)
            notify_subject_of_report(report=report)


def _fail(report: FeedbackReport, code: str) -> None:
    """Store the failure of an edition that waits; one that is still shown stays."""
    with transaction.atomic():
        waiting = FeedbackEdition.objects.filter(report=report, state=EditionState.WAITING)
        if waiting.update(state=EditionState.FAILED, failure=code):
            record_activity(
                organization=report.organization_id,
                actor=None,
                verb="feedback.edition_failed",
                about=report,
                code=code,
            )
            log.error("edition_failed", report=str(report.pk), code=code)


@contextmanager
def cpu_limit(seconds: int) -> Iterator[None]:
    """Let the kernel end this process after so much more processor time.

    It is for what the timeout of the job cannot interrupt; RQ then reports the job as failed.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limits = [int(usage.ru_utime + usage.ru_stime) + seconds, soft, hard]
    limit = min(value for value in limits if value != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _reports() -> QuerySet[FeedbackReport]:
    return FeedbackReport.objects.select_related(
        "assignment__cohort", "pairing__round__assignment", "submission", "subject__user", "audit"
    )
