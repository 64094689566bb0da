"""Create and withdraw submissions; a refusal names the form field that it is about."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import OPEN_STATES, AuditKind, AuditState, TeamFormation
from grading.core.errors import AlreadyRunning, SameWork, SubmissionRefused
from grading.core.fair_turns import NO_ROOM, has_room
from grading.core.probe_limit import limited_probe
from grading.core.rls.rls_scope import as_dispatcher
from grading.core.team_access import mates_of, work_of
from grading.core.uploads import claim_pdf, store_pdf
from grading.courses.extensions.queries import Terms, terms_of
from grading.courses.teams.queries import team_of
from grading.engine.repository_addresses import completed
from grading.engine.tracing import continue_with, hand_in_span
from grading.models import Assignment, Audit, Enrollment, Submission, TeamMember
from grading.notifications.commit_answers import answer_again
from grading.notifications.emails import email_receipt
from grading.submissions.queries import (
    WHOLE_FORM,
    WITHDRAWN,
    attempt_with,
    attempts_left,
    next_attempt,
    refuse_unless_open,
    refuse_without_attempts,
    refuse_without_team,
)
from grading.submissions.received_pdf import ReceivedPdf, received_pdf


def create_submission(
    *,
    assignment: Assignment,
    student: Enrollment,
    repo_url: str,
    by: User | None,
    ref: str = "",
    pdf: UploadedFile[Any] | None = None,
    kind: AuditKind = AuditKind.SELF,
    again: bool = False,
    pushed_at: datetime | None = None,
) -> Submission:
    """Accept a repository and its report, and queue their audit.

    `pushed_at` is the time that counts for a push, in place of now.

    Raises SubmissionRefused (field, code, sentence), AlreadyRunning, and unless `again` SameWork for
    the commit and report of the last attempt. Cheap refusals come first.
    The PDF and the repository are probed, and the PDF is stored, outside any transaction; then the
    limits are checked again under the student's lock. In a team it is the team's attempt, whichever
    member submits.
    """
    repo_url, ref, now = completed(repo_url.strip()), ref.strip(), pushed_at or timezone.now()

    with scope(organization=assignment.organization), hand_in_span(assignment.organization_id):
        terms = terms_of(assignment, student)
        refuse_by_policy(assignment, student, terms, now)
        team = team_of(assignment, student)
        submission = Submission(
            organization=assignment.organization,
            assignment=assignment,
            student=team.representative if team else student,
            team=team,
            repo_url=repo_url,
            ref=ref,
            handed_in_by=by,
            handed_in_at=now,
            late=terms.is_late(now),
        )
        # The member who submits: the audit's turn is theirs, and the checks are about them.
        submission.read_as = student
        with received_pdf(pdf) as report:
            _probe(submission, report, by)
            if report:
                _refuse_repetition(submission, again=again)
                store_pdf(submission, report.path)
        _accept(submission, by, kind, again=again)
    return submission


def refuse_by_policy(
    assignment: Assignment, student: Enrollment, terms: Terms, now: datetime
) -> None:
    """Apply dates and limits, before anything is read. Raises SubmissionRefused."""
    refuse_without_team(assignment, student)
    refuse_unless_open(terms, now)
    _refuse_unless_attempts_left(assignment, student, terms)
    _refuse_if_too_many_are_open(assignment, student)


def _probe(submission: Submission, report: ReceivedPdf | None, by: User | None) -> None:
    """Fill in the commit and what is known of the PDF. Raises SubmissionRefused."""
    # Imported here: web processes never pay for the courtroom's heavy imports.
    from grading.engine import audits as engine_audits

    with limited_probe(submission.reader, by=by):
        if report:
            engine_audits.probe_pdf(report.path)
            submission.pdf_name = report.name
            submission.pdf_sha256, submission.pdf_bytes = report.sha256, report.size
        submission.resolved_commit = engine_audits.probe_repository(submission)


def _accept(submission: Submission, by: User | None, kind: AuditKind, *, again: bool) -> None:
    with transaction.atomic():
        locked = Enrollment.objects.select_for_update(of=("self",)).select_related("user")
        student = locked.filter(pk=submission.student_id).first()
        if student is None:
            raise SubmissionRefused(
                WHOLE_FORM, "cohort_gone", "You were just removed from this cohort."
            )
        student = _refuse_if_moved(submission, student)

        # A second request may have used the last attempt while the repository was being read.
        _refuse_repetition(submission, again=again)
        terms = terms_of(submission.assignment, student)
        _refuse_unless_attempts_left(submission.assignment, student, terms)
        _refuse_if_too_many_are_open(submission.assignment, student)

        submission.attempt = next_attempt(submission.assignment, student)
        claim_pdf(submission)
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
        for member in mates_of(submission):
            email_receipt(submission=submission, student=member, audit=audit)
        enqueue_on_commit(audit)


def _refuse_if_moved(submission: Submission, key: Enrollment) -> Enrollment:
    """Return who submits, still in the team that the submission is for; `key` is its locked student.

    Raises SubmissionRefused team_changed: staff may have moved them while the repository was read.
    """
    if submission.team_id is None:
        return key
    current = TeamMember.objects.filter(
        team=submission.team_id, student=submission.reader_id, left_at=None
    )
    if not current.exists():
        raise SubmissionRefused(
            WHOLE_FORM, "team_changed", "Your team was just changed: look at it and submit again."
        )
    return submission.reader


def _queued_audit(submission: Submission, kind: AuditKind) -> Audit:
    audit = Audit(
        organization=submission.organization,
        submission=submission,
        kind=kind,
        account_id=submission.reader.user_id,
        rubric_version_id=submission.assignment.rubric_version_id,
    )
    continue_with(audit)
    audit.save(force_insert=True)

    # What only its student can withdraw is held for them; all else starts at once.
    seconds = settings.SUBMISSION_GRACE_SECONDS if kind == AuditKind.SELF else 0
    grace = timedelta(seconds=seconds)
    received = Audit.objects.filter(pk=audit.pk, state=AuditState.RECEIVED)
    received.update(
        state=AuditState.QUEUED,
        # The place in the queue counts from the request, not from the end of the probe.
        queued_at=submission.handed_in_at + grace,
        grace_until=timezone.now() + grace if grace else None,
    )
    audit.refresh_from_db(fields=["state", "queued_at", "grace_until"])
    return audit


def _refuse_unless_attempts_left(assignment: Assignment, student: Enrollment, terms: Terms) -> None:
    refuse_without_attempts(attempts_left(assignment, student, terms), terms)


def _refuse_if_too_many_are_open(assignment: Assignment, student: Enrollment) -> None:
    """Limit the open audits, so that no script can fill the queue or the disk."""
    open_audits = Audit.objects.filter(
        organization=assignment.organization_id, state__in=OPEN_STATES
    ).exclude(
        # Re-audits by staff have a lower priority, and a peer's audit must not block its subject.
        kind__in=(AuditKind.INSTRUCTOR, AuditKind.PEER)
    )
    # Organizations are free: a person has no more turns by being a student in several.
    with as_dispatcher():
        everywhere = Audit.objects.filter(
            account=student.user_id,
            account__isnull=False,
            kind=AuditKind.SELF,
            state__in=OPEN_STATES,
        ).count()
    # A team's open audits are those of each member.
    theirs = Submission.objects.filter(work_of(assignment, student))
    if assignment.team_formation == TeamFormation.NONE:
        theirs = Submission.objects.filter(student=student)
    of_cohort = Q(submission__assignment__cohort=assignment.cohort_id)
    here = open_audits.aggregate(
        student=Count("pk", filter=Q(submission__in=theirs)),
        cohort=Count("pk", filter=of_cohort),
        organization=Count("pk"),
    )
    limits = (
        (
            max(everywhere, here["student"]),
            settings.OPEN_AUDITS_PER_STUDENT,
            "student",
            "yours",
        ),
        (here["cohort"], settings.OPEN_AUDITS_PER_COHORT, "cohort", "your cohort"),
        (
            here["organization"],
            settings.OPEN_AUDITS_PER_ORGANIZATION,
            "organization",
            "your institution",
        ),
    )
    for number, limit, scope_name, owner in limits:
        if number >= limit:
            open_count = (
                f"{limit} audits of {owner} are" if limit > 1 else f"An audit of {owner} is"
            )
            end = "one of them has finished" if limit > 1 else "it has finished"
            sentence = f"{open_count} waiting or running. Submit again when {end}."
            raise SubmissionRefused(WHOLE_FORM, f"too_many_open_{scope_name}", sentence)
    if not has_room(assignment.organization):
        raise SubmissionRefused(WHOLE_FORM, "too_many_open_unapproved", NO_ROOM)


def _refuse_repetition(submission: Submission, *, again: bool) -> None:
    """Raise AlreadyRunning, and unless `again` SameWork: before the PDF is stored, and locked."""
    _refuse_if_running_already(submission)
    if not again:
        _refuse_same_work(submission)


def _refuse_if_running_already(submission: Submission) -> None:
    """Raise AlreadyRunning for the same commit and report while its audit is open."""
    # A re-audit by staff or a peer's audit of this commit is no second click.
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


def _refuse_same_work(submission: Submission) -> None:
    attempt = attempt_with(
        submission.assignment,
        submission.reader,
        commit=submission.resolved_commit,
        pdf_sha256=submission.pdf_sha256,
    )
    if attempt is not None:
        raise SameWork(attempt, has_report=bool(submission.pdf_sha256))


WITHDRAWN_MESSAGE = "You withdrew this submission before its audit started."


def withdraw_submission(*, audit: Audit, by: User) -> None:
    """Cancel the waiting audit and give the attempt back; the submission itself stays on record.

    Raises SubmissionRefused not_waiting: a worker has the audit, it has ended, or the submission
    was audited before.
    """
    with transaction.atomic():
        other_audits = Audit.objects.filter(submission=audit.submission_id).exclude(pk=audit.pk)
        waiting = Audit.objects.filter(pk=audit.pk, state=AuditState.QUEUED, kind=AuditKind.SELF)
        failure = {
            "state": AuditState.FAILED,
            "failure_code": WITHDRAWN,
            "failure_message": WITHDRAWN_MESSAGE,
        }
        # The UPDATE decides against a worker that claims the audit at this moment.
        if other_audits.exists() or not waiting.update(
            **failure, finished_at=timezone.now(), version=F("version") + 1
        ):
            sentence = "Too late: the audit has started."
            raise SubmissionRefused("", "not_waiting", sentence)

        Submission.objects.filter(pk=audit.submission_id).update(counts=False)
        answer_again(organization_id=audit.organization_id, submission=audit.submission_id)
        record_activity(
            organization=audit.organization_id,
            actor=by,
            verb="submission.withdrawn",
            about=audit.submission,
            attempt=audit.submission.attempt,
        )
        # The job of this audit will find nothing to do: enqueue the next audit.
        enqueue_on_commit(audit)
