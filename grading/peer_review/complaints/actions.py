"""Complaints about abusive peer reports: students complain, teachers decide.

Only a teacher's decision hides a report. No grade depends on it, and the author of the report does
not learn who complained.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import (
    COMPLAINT_MOVES,
    TEACHING_ROLES,
    ComplaintState,
    FeedbackKind,
    NoticeKind,
)
from grading.core.errors import FeedbackRefused
from grading.core.user_text import required_text
from grading.models import Complaint, Enrollment, FeedbackReport, Membership
from grading.notifications.emails import Email, notify, notify_all

MAX_CHARACTERS = 2000
WHOLE_FORM = ""


def complain(*, report: FeedbackReport, text: str, by: User) -> Complaint:
    """File a complaint; teachers get an email that quotes none of it.

    Raises FeedbackRefused: not_yours, text_missing, text_too_long, complaint_open, hidden_already.
    """
    missing = "Describe what is wrong with the report."
    text = required_text(
        text, MAX_CHARACTERS, field="text", missing=missing, refused=FeedbackRefused
    )
    subject = report.subject
    if subject is None or subject.user_id != by.pk or report.kind != FeedbackKind.PEER:
        sentence = "Only the student concerned can report a peer's report as abusive."
        raise FeedbackRefused(WHOLE_FORM, "not_yours", sentence)

    with transaction.atomic():
        # Same lock order as deleting a cohort: the enrollment first, then what refers to it.
        Enrollment.objects.select_for_update(no_key=True).get(pk=subject.pk)

        locked_report = FeedbackReport.objects.select_for_update(no_key=True, of=("self",)).get(
            pk=report.pk
        )
        if locked_report.hidden_at is not None:
            raise FeedbackRefused(
                WHOLE_FORM,
                "hidden_already",
                "Your teachers have already hidden this report from you.",
            )
        if locked_report.complaints.filter(state=ComplaintState.OPEN).exists():
            raise FeedbackRefused(
                WHOLE_FORM,
                "complaint_open",
                "Your teachers already have your complaint about this report.",
            )

        complaint = Complaint.objects.create(
            organization_id=report.organization_id, report=locked_report, student=subject, text=text
        )
        record_activity(
            organization=report.organization_id,
            actor=by,
            verb="complaint.made",
            about=locked_report,
            complaint=complaint.pk,
        )
        _notify_teachers(complaint, report)
    return complaint


def decide_complaint(*, complaint: Complaint, hide: bool, answer: str, by: User) -> None:
    """Hide the report from its subject, or leave it. A later decision may show it again.

    Raises FeedbackRefused: answer_missing, answer_too_long, complaint_over.
    """
    missing = "Enter a reason: the student will read it."
    answer = required_text(
        answer, MAX_CHARACTERS, field="answer", missing=missing, refused=FeedbackRefused
    )
    now, new_state = timezone.now(), ComplaintState.HIDDEN if hide else ComplaintState.DISMISSED
    from_states = [state for state, moves in COMPLAINT_MOVES.items() if new_state in moves]

    with transaction.atomic():
        undecided = Complaint.objects.filter(pk=complaint.pk, state__in=from_states)
        # One conditional update: of two teachers only the first decides.
        if not undecided.update(state=new_state, answer=answer, decided_at=now, decided_by=by):
            raise FeedbackRefused(
                WHOLE_FORM,
                "complaint_over",
                "Another teacher has decided this meanwhile. Read the decision below.",
            )

        # Dismissing a complaint after the report was hidden shows the report again.
        FeedbackReport.objects.filter(pk=complaint.report_id).update(
            hidden_at=now if hide else None
        )
        record_activity(
            organization=complaint.organization_id,
            actor=by,
            about=complaint.report,
            complaint=complaint.pk,
            verb="complaint.hidden" if hide else "complaint.dismissed",
        )
        _notify_student(complaint)


def _notify_teachers(complaint: Complaint, report: FeedbackReport) -> None:
    subject = f"{report.assignment.title}: a peer report was reported as abusive"
    body = "A student asks you to review a report on their work. It stays visible until you decide."
    path = reverse("complaint", args=[report.organization.slug, complaint.pk])
    # Assistants read complaints but decide none, so they get no email.
    teachers = Membership.objects.filter(
        organization=report.organization_id, role__in=TEACHING_ROLES
    )
    notify_all(
        organization_id=report.organization_id,
        kind=NoticeKind.COMPLAINT,
        emails=[
            Email(teacher.user, subject, body, path) for teacher in teachers.select_related("user")
        ],
    )


def _notify_student(complaint: Complaint) -> None:
    report = complaint.report
    notify(
        organization=complaint.organization_id,
        user=complaint.student.user,
        kind=NoticeKind.COMPLAINT,
        subject=f"{report.assignment.title}: your teachers decided on your complaint",
        body="Read their decision and the reason.",
        path=reverse("complain", args=[report.organization.slug, report.pk]),
    )
