"""Peer audits: the courtroom judges a peer's latest attempt under a pairing.

A peer audit never counts as a grade, uses no attempt and takes no place in the queue of its
subject's own audits. If it fails, nobody loses anything.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import (
    JUDGED_STATES,
    OPEN_STATES,
    AuditKind,
    AuditState,
    FeedbackKind,
    FeedbackSource,
    NoticeKind,
)
from grading.core.errors import FeedbackRefused
from grading.core.fair_turns import NO_ROOM, has_room
from grading.core.time_zones import in_words
from grading.models import Audit, FeedbackReport, Pairing, Submission
from grading.notifications.emails import notify
from grading.notifications.webhooks import announce_feedback

WHOLE_FORM = ""


def run_peer_audit(*, pairing: Pairing, by: User | None) -> FeedbackReport:
    """Queue an audit of the peer's latest attempt; its report is complete when it has ended.

    The submitted commit is judged under the round's rubric, else the assignment's. Raises
    FeedbackRefused: pairing_ended, round_not_started, cohort_over, nothing_handed_in,
    already_running, nothing_new, too_many_open_unapproved.
    """
    with transaction.atomic():
        # Two clicks wait for each other; the second finds the first audit running.
        Pairing.objects.select_for_update(no_key=True).get(pk=pairing.pk)
        submission = _submission_to_audit(pairing)
        report = _queued_report(pairing, submission)
        record_activity(
            organization=pairing.organization_id,
            actor=by,
            verb="pairing.audited",
            about=pairing,
            attempt=submission.attempt,
            report=str(report.pk),
        )
    return report


def why_no_audit(*, pairing: Pairing) -> FeedbackRefused | None:
    """Return the refusal that run_peer_audit would raise now, or None."""
    try:
        _submission_to_audit(pairing)
    except FeedbackRefused as refusal:
        return refusal
    return None


def refuse_unless_active(pairing: Pairing) -> None:
    """Refuse unless the round has started, the cohort runs and the pairing has not ended."""
    # Read again: the pairing may have been ended since it was loaded.
    fresh = Pairing.objects.select_related("round__assignment__cohort").get(pk=pairing.pk)
    ends_on = fresh.round.assignment.cohort.ends_on
    if fresh.ended_at is not None:
        raise FeedbackRefused(
            WHOLE_FORM, "pairing_ended", "This pairing has ended: nothing is due any more."
        )
    if fresh.round.starts_at > timezone.now():
        begins = in_words(fresh.round.starts_at)
        raise FeedbackRefused(WHOLE_FORM, "round_not_started", f"This round starts on {begins}.")
    if ends_on is not None and ends_on < timezone.now().date():
        raise FeedbackRefused(
            WHOLE_FORM, "cohort_over", f"This cohort ended on {ends_on:%d %B %Y}."
        )


def latest_auditable_submission(pairing: Pairing) -> Submission | None:
    """Return the peer's newest attempt with a known commit."""
    submissions = Submission.objects.filter(
        assignment=pairing.round.assignment_id, student=pairing.auditee_id
    ).exclude(resolved_commit="")
    return submissions.order_by("-attempt").first()


def _submission_to_audit(pairing: Pairing) -> Submission:
    refuse_unless_active(pairing)
    submission = latest_auditable_submission(pairing)
    if submission is None:
        raise FeedbackRefused(
            WHOLE_FORM,
            "nothing_handed_in",
            "Your peer has not submitted anything yet that can be audited.",
        )
    _refuse_if_audited(pairing, submission)
    return submission


def notify_subject_of_audit(*, audit: Audit) -> None:
    """Email the subject of a peer audit that ended well, without a name and without a score.

    Call it in the transaction that ends the audit.
    """
    if audit.kind == AuditKind.PEER and audit.state in JUDGED_STATES:
        report = FeedbackReport.objects.filter(audit=audit).first()
        if report is not None:
            notify_subject_of_report(report=report)


def notify_subject_of_report(*, report: FeedbackReport) -> None:
    """Email the subject of a peer's report; nobody where the pairing has ended.

    Call it in the transaction that imports the report.
    """
    subject, pairing = report.subject, report.pairing
    if subject is None or pairing is None or pairing.ended_at is not None:
        return
    announce_feedback(report=report)

    title = report.assignment.title
    notify(
        organization=report.organization_id,
        user=subject.user,
        kind=NoticeKind.REPORT_RECEIVED,
        subject=f"{title}: new peer report on your work",
        body=(
            f"A peer has audited your work on “{title}”. Read the findings, answer each one, fix what"
            " you can and submit again."
        ),
        path=reverse("feedback", args=[report.organization.slug, report.pk]),
    )


def _refuse_if_audited(pairing: Pairing, submission: Submission) -> None:
    """Refuse an audit without room, a second audit at a time or of the same attempt; a failed audit may be repeated."""
    if not has_room(pairing.organization):
        raise FeedbackRefused(WHOLE_FORM, "too_many_open_unapproved", NO_ROOM)
    # By pairing, not by submission: other auditors of this peer may audit the same attempt.
    audits = Audit.objects.filter(feedback_report__pairing=pairing)
    if audits.filter(state__in=OPEN_STATES).exists():
        raise FeedbackRefused(
            WHOLE_FORM, "already_running", "Your audit of this peer is already running."
        )
    if audits.filter(submission=submission).exclude(state=AuditState.FAILED).exists():
        raise FeedbackRefused(
            WHOLE_FORM,
            "nothing_new",
            f"You have already audited attempt {submission.attempt}, the latest one.",
        )


def _queued_report(pairing: Pairing, submission: Submission) -> FeedbackReport:
    peer_round = pairing.round
    audit = Audit.objects.create(
        organization_id=pairing.organization_id,
        submission=submission,
        kind=AuditKind.PEER,
        account_id=pairing.auditor.user_id,
        # Chosen now: the audit keeps this version when the assignment later gets another.
        rubric_version_id=peer_round.rubric_version_id or submission.assignment.rubric_version_id,
        state=AuditState.QUEUED,
        queued_at=timezone.now(),
    )
    enqueue_on_commit(audit)
    return FeedbackReport.objects.create(
        organization_id=pairing.organization_id,
        assignment_id=peer_round.assignment_id,
        pairing=pairing,
        kind=FeedbackKind.PEER,
        source=FeedbackSource.PLATFORM,
        author_id=pairing.auditor_id,
        subject_id=pairing.auditee_id,
        submission=submission,
        audit=audit,
    )
