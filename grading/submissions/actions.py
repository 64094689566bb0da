"""Handing in: every refusal names its field; what is accepted is stored, queued and announced."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django_scopes import scope

from grading.core.activity import record_activity
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import OPEN_STATES, AuditKind, AuditState
from grading.core.errors import AlreadyRunning, SubmissionRefused
from grading.models import Assignment, Audit, Enrollment, Submission
from grading.notifications.emails import email_receipt
from grading.submissions.probe_limit import limited_probe
from grading.submissions.queries import (
    WHOLE_FORM,
    WITHDRAWN,
    attempts_left,
    is_late,
    next_attempt,
    refuse_unless_open,
    refuse_without_attempts,
)

MEBIBYTE = 1024 * 1024


def create_submission(
    *,
    assignment: Assignment,
    student: Enrollment,
    repo_url: str,
    by: User | None,
    ref: str = "",
    pdf: UploadedFile[Any] | None = None,
    kind: AuditKind = AuditKind.SELF,
) -> Submission:
    """Accept a repository and its report, and queue their audit.

    Raises SubmissionRefused (field, code, sentence). What costs nothing is asked first, then the PDF and the
    repository are looked at outside any transaction; under the student's lock it is asked again.
    """
    repo_url, ref, now = repo_url.strip(), ref.strip(), timezone.now()
    with scope(organization=assignment.organization):
        refuse_by_policy(assignment, student, now)
        submission = Submission(
            organization=assignment.organization,
            assignment=assignment,
            student=student,
            repo_url=repo_url,
            ref=ref,
            handed_in_by=by,
            handed_in_at=now,
            late=is_late(assignment, now),
        )
        _keep_pdf(submission, pdf)
        try:
            _accept(submission, by, kind)
        except BaseException:
            _drop_pdf(submission)
            raise
    return submission


def refuse_by_policy(assignment: Assignment, student: Enrollment, now: datetime) -> None:
    """What is asked before anything that is handed in is looked at. Raises SubmissionRefused."""
    refuse_unless_open(assignment, now)
    _refuse_unless_attempts_left(assignment, student)
    _refuse_if_too_many_are_open(assignment, student)


def _accept(submission: Submission, by: User | None, kind: AuditKind) -> None:
    from grading.engine import audits as engine_audits

    with limited_probe(submission.student):
        if submission.pdf:
            engine_audits.probe_pdf(Path(submission.pdf.path))
        submission.resolved_commit = engine_audits.probe_repository(
            submission.repo_url, submission.ref
        )
    with transaction.atomic():
        student = Enrollment.objects.select_for_update().filter(pk=submission.student_id).first()
        if student is None:
            raise SubmissionRefused(
                WHOLE_FORM, "cohort_gone", "Your place in this cohort was removed a moment ago."
            )
        _refuse_if_running_already(submission)
        _refuse_unless_attempts_left(submission.assignment, student)
        _refuse_if_too_many_are_open(submission.assignment, student)
        submission.attempt = next_attempt(submission.assignment, student)
        submission.save(force_insert=True)
        audit = _queued_audit(submission, kind)
        record_activity(
            organization=submission.organization_id,
            actor=by,
            verb="submission.handed_in",
            about=submission,
            attempt=submission.attempt,
            commit=submission.resolved_commit,
            audit=str(audit.pk),
        )
        email_receipt(submission=submission, student=student, audit=audit)
        enqueue_on_commit(audit)


def _queued_audit(submission: Submission, kind: AuditKind) -> Audit:
    audit = Audit.objects.create(
        organization_id=submission.organization_id,
        submission=submission,
        kind=kind,
        rubric_version_id=submission.assignment.rubric_version_id,
    )
    received = Audit.objects.filter(pk=audit.pk, state=AuditState.RECEIVED)
    received.update(state=AuditState.QUEUED, queued_at=submission.handed_in_at)
    audit.refresh_from_db(fields=["state", "queued_at"])
    return audit


def _refuse_unless_attempts_left(assignment: Assignment, student: Enrollment) -> None:
    refuse_without_attempts(attempts_left(assignment, student), assignment)


def _refuse_if_too_many_are_open(assignment: Assignment, student: Enrollment) -> None:
    """What waits and runs at once has a limit, so that one script fills neither the queue nor the disk."""
    open_audits = Audit.objects.filter(
        organization=assignment.organization_id, state__in=OPEN_STATES
    ).exclude(
        # What teachers have judged again stands behind and in nobody's way; a peer's audit never blocks its subject.
        kind__in=(AuditKind.INSTRUCTOR, AuditKind.PEER)
    )
    of_cohort = open_audits.filter(submission__assignment__cohort=assignment.cohort_id)
    limits = (
        (
            open_audits.filter(submission__student=student),
            settings.OPEN_AUDITS_PER_STUDENT,
            "student",
            "yours",
        ),
        (of_cohort, settings.OPEN_AUDITS_PER_COHORT, "cohort", "your cohort"),
        (open_audits, settings.OPEN_AUDITS_PER_ORGANIZATION, "organization", "your institution"),
    )
    for audits, most, whose, said in limits:
        if audits.count() >= most:
            are = f"{most} audits of {said} are" if most > 1 else f"An audit of {said} is"
            ended = "one has ended" if most > 1 else "it has ended"
            sentence = f"{are} waiting or running: hand in again when {ended}."
            raise SubmissionRefused(WHOLE_FORM, f"too_many_open_{whose}", sentence)


def _refuse_if_running_already(submission: Submission) -> None:
    """The same commit with the same report, while its audit has not ended."""
    same = Audit.objects.filter(
        submission__assignment=submission.assignment_id,
        submission__student=submission.student_id,
        submission__repo_url=submission.repo_url,
        submission__resolved_commit=submission.resolved_commit,
        submission__pdf_sha256=submission.pdf_sha256,
        state__in=OPEN_STATES,
    ).exclude(kind__in=(AuditKind.INSTRUCTOR, AuditKind.PEER))
    running = same.values_list("pk", flat=True).first()
    if running is not None:
        raise AlreadyRunning(running)


def _keep_pdf(submission: Submission, pdf: UploadedFile[Any] | None) -> None:
    """Store the upload under a random name with its digest and the name the student knows it by."""
    if pdf is None:
        return
    if pdf.size is None or pdf.size > settings.UPLOAD_MAX_BYTES:
        limit = settings.UPLOAD_MAX_BYTES // MEBIBYTE
        raise SubmissionRefused("pdf", "pdf_too_large", f"The PDF is larger than {limit} MB.")
    digest = hashlib.sha256()
    for chunk in pdf.chunks():
        digest.update(chunk)
    name = PurePath((pdf.name or "report.pdf").replace("\\", "/")).name
    submission.pdf_name = "".join(c for c in name if c.isprintable())[:255] or "report.pdf"
    submission.pdf_sha256 = digest.hexdigest()
    submission.pdf.save("report.pdf", pdf, save=False)


def _drop_pdf(submission: Submission) -> None:
    if submission.pdf:
        submission.pdf.delete(save=False)


WITHDRAWN_MESSAGE = "You took this hand-in back before its audit began."


def withdraw_submission(*, audit: Audit, by: User) -> None:
    """Audit it no more; the attempt is not used up. The repository and the report that were handed in stay on record.

    Raises SubmissionRefused not_waiting: a worker has it, it has ended, or the hand-in was audited before.
    """
    with transaction.atomic():
        others = Audit.objects.filter(submission=audit.submission_id).exclude(pk=audit.pk)
        waiting = Audit.objects.filter(pk=audit.pk, state=AuditState.QUEUED, kind=AuditKind.SELF)
        ended = {
            "state": AuditState.FAILED,
            "failure_code": WITHDRAWN,
            "failure_message": WITHDRAWN_MESSAGE,
        }
        if others.exists() or not waiting.update(
            **ended, finished_at=timezone.now(), version=F("version") + 1
        ):
            sentence = "This audit does not wait in the queue any more, so the hand-in stands."
            raise SubmissionRefused("", "not_waiting", sentence)
        Submission.objects.filter(pk=audit.submission_id).update(counts=False)
        record_activity(
            organization=audit.organization_id,
            actor=by,
            verb="submission.withdrawn",
            about=audit.submission,
            attempt=audit.submission.attempt,
        )
        enqueue_on_commit(
            audit
        )  # whoever waits behind it: its own job will find nothing to take up
