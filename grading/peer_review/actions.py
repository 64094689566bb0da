"""A peer's audit: the courtroom over a peer's latest attempt, begun under a pairing.

It stands beside the verdict and never in its way: it never counts as a grade, uses up no attempt, takes none of the
places that its subject's own audits have, and if it fails nobody loses anything.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.core.activity import record_activity
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
from grading.models import Audit, FeedbackReport, Pairing, Submission
from grading.notifications.emails import notify
from grading.notifications.webhooks import announce_feedback

WHOLE_FORM = ""


def run_peer_audit(*, pairing: Pairing, by: User | None) -> FeedbackReport:
    """Queue the courtroom over the latest attempt of the one who is audited; the report follows when it has ended.

    Judged at the commit that was handed in, under the round's rubric, else the assignment's. Raises FeedbackRefused:
    pairing_ended, round_not_started, cohort_over, nothing_handed_in, already_running, nothing_new.
    """
    with transaction.atomic():
        Pairing.objects.select_for_update(no_key=True).get(pk=pairing.pk)
        submission = _work_to_audit(pairing)
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
    """What would refuse a peer's audit now; None while one can be begun."""
    try:
        _work_to_audit(pairing)
    except FeedbackRefused as refused:
        return refused
    return None


def refuse_unless_granted(pairing: Pairing) -> None:
    """What a pairing grants, it grants from the start of its round to the end of the cohort, until it is ended."""
    fresh = Pairing.objects.select_related("round__assignment__cohort").get(pk=pairing.pk)
    ends_on = fresh.round.assignment.cohort.ends_on
    if fresh.ended_at is not None:
        raise FeedbackRefused(
            WHOLE_FORM, "pairing_ended", "This pairing was ended: nothing is owed any more."
        )
    if fresh.round.starts_at > timezone.now():
        begins = f"{fresh.round.starts_at:%d %B %Y, %H:%M %Z}"
        raise FeedbackRefused(WHOLE_FORM, "round_not_started", f"This round begins on {begins}.")
    if ends_on is not None and ends_on < timezone.localdate():
        raise FeedbackRefused(
            WHOLE_FORM, "cohort_over", f"This cohort ended on {ends_on:%d %B %Y}."
        )


def latest_work(pairing: Pairing) -> Submission | None:
    """The newest attempt of the one who is audited, whose commit is known."""
    handed_in = Submission.objects.filter(
        assignment=pairing.round.assignment_id, student=pairing.auditee_id
    ).exclude(resolved_commit="")
    return handed_in.order_by("-attempt").first()


def _work_to_audit(pairing: Pairing) -> Submission:
    refuse_unless_granted(pairing)
    submission = latest_work(pairing)
    if submission is None:
        raise FeedbackRefused(
            WHOLE_FORM,
            "nothing_handed_in",
            "Your peer has handed in nothing yet that could be audited.",
        )
    _refuse_if_audited(pairing, submission)
    return submission


def tell_subject(*, audit: Audit) -> None:
    """A peer's audit has ended well: a letter to whose work it is about, without a name and without a score.

    Call it in the transaction that ended the audit, or brought a report along.
    """
    if audit.kind == AuditKind.PEER and audit.state in JUDGED_STATES:
        report = FeedbackReport.objects.filter(audit=audit).first()
        if report is not None:
            tell_of_report(report=report)


def tell_of_report(*, report: FeedbackReport) -> None:
    """The letter to the subject of a peer's report; none where its pairing grants them nothing any more."""
    subject, pairing = report.subject, report.pairing
    if subject is None or pairing is None or pairing.ended_at is not None:
        return
    announce_feedback(report=report)
    title = report.assignment.title
    notify(
        organization=report.organization_id,
        user=subject.user,
        kind=NoticeKind.REPORT_RECEIVED,
        subject=f"{title}: a peer's report on your work arrived",
        body=(
            f"A peer has audited your work at “{title}”. Read what was found, answer each finding, and hand in"
            " again: a finding that you mend is one that the next auditor cannot make."
        ),
        path=reverse("feedback", args=[report.organization.slug, report.pk]),
    )


def _refuse_if_audited(pairing: Pairing, submission: Submission) -> None:
    """One at a time, and each attempt once; what ended without a report may be tried again."""
    begun = Audit.objects.filter(feedback_report__pairing=pairing)
    if begun.filter(state__in=OPEN_STATES).exists():
        raise FeedbackRefused(
            WHOLE_FORM, "already_running", "Your audit of this peer is under way."
        )
    if begun.filter(submission=submission).exclude(state=AuditState.FAILED).exists():
        raise FeedbackRefused(
            WHOLE_FORM,
            "nothing_new",
            f"You have audited attempt {submission.attempt}, and nothing was handed in since.",
        )


def _queued_report(pairing: Pairing, submission: Submission) -> FeedbackReport:
    paired = pairing.round
    audit = Audit.objects.create(
        organization_id=pairing.organization_id,
        submission=submission,
        kind=AuditKind.PEER,
        rubric_version_id=paired.rubric_version_id or submission.assignment.rubric_version_id,
        state=AuditState.QUEUED,
        queued_at=timezone.now(),
    )
    enqueue_on_commit(audit)
    return FeedbackReport.objects.create(
        organization_id=pairing.organization_id,
        assignment_id=paired.assignment_id,
        pairing=pairing,
        kind=FeedbackKind.PEER,
        source=FeedbackSource.PLATFORM,
        author_id=pairing.auditor_id,
        subject_id=pairing.auditee_id,
        submission=submission,
        audit=audit,
    )
