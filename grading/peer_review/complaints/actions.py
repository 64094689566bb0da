"""A peer's report that abuses whom it is about: they say so, their teachers decide, and only that hides it.

No verdict follows from any of it, and whoever wrote the report is not told who complained.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.core.activity import record_activity
from grading.core.enums import (
    COMPLAINT_MOVES,
    TEACHING_ROLES,
    ComplaintState,
    FeedbackKind,
    NoticeKind,
)
from grading.core.errors import FeedbackRefused
from grading.core.user_text import words_of
from grading.models import Complaint, Enrollment, FeedbackReport, Membership
from grading.notifications.emails import Letter, notify, notify_all

MOST_CHARACTERS = 2000
WHOLE_FORM = ""


def complain(*, report: FeedbackReport, text: str, by: User) -> Complaint:
    """Put it before the teachers, who get a letter without a word of it.

    Raises FeedbackRefused: not_yours, text_missing, text_too_long, complaint_open, hidden_already.
    """
    missing = "Say what in it is not in order."
    text = words_of(text, MOST_CHARACTERS, field="text", missing=missing, refused=FeedbackRefused)
    subject = report.subject
    if subject is None or subject.user_id != by.pk or report.kind != FeedbackKind.PEER:
        sentence = "Only whom a peer's report is about can report it as abusive."
        raise FeedbackRefused(WHOLE_FORM, "not_yours", sentence)
    with transaction.atomic():
        # Their place first, as whoever deletes the cohort does: what is written refers to it.
        Enrollment.objects.select_for_update(no_key=True).get(pk=subject.pk)
        now = FeedbackReport.objects.select_for_update(no_key=True, of=("self",)).get(pk=report.pk)
        if now.hidden_at is not None:
            raise FeedbackRefused(
                WHOLE_FORM, "hidden_already", "Your teachers have hidden it from you already."
            )
        if now.complaints.filter(state=ComplaintState.OPEN).exists():
            raise FeedbackRefused(
                WHOLE_FORM, "complaint_open", "It is before your teachers already."
            )
        made = Complaint.objects.create(
            organization_id=report.organization_id, report=now, student=subject, text=text
        )
        record_activity(
            organization=report.organization_id,
            actor=by,
            verb="complaint.made",
            about=now,
            complaint=made.pk,
        )
        _tell_teachers(made, report)
    return made


def decide_complaint(*, complaint: Complaint, hide: bool, answer: str, by: User) -> None:
    """Hide the report from whom it is about, or leave it; what is hidden may be shown again by another decision.

    Raises FeedbackRefused: answer_missing, answer_too_long, complaint_over.
    """
    missing = "Say why: the student reads it."
    answer = words_of(
        answer, MOST_CHARACTERS, field="answer", missing=missing, refused=FeedbackRefused
    )
    now, after = timezone.now(), ComplaintState.HIDDEN if hide else ComplaintState.DISMISSED
    before = [state for state, moves in COMPLAINT_MOVES.items() if after in moves]
    with transaction.atomic():
        undecided = Complaint.objects.filter(pk=complaint.pk, state__in=before)
        if not undecided.update(state=after, answer=answer, decided_at=now, decided_by=by):
            raise FeedbackRefused(
                WHOLE_FORM, "complaint_over", "Meanwhile it was decided: read what it came to."
            )
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
        _tell_student(complaint)


def _tell_teachers(complaint: Complaint, report: FeedbackReport) -> None:
    subject = f"{report.assignment.title}: a peer's report was reported as abusive"
    body = "A student asks you to look at a report on their work. Only your decision hides it."
    path = reverse("complaint", args=[report.organization.slug, complaint.pk])
    teachers = Membership.objects.filter(
        organization=report.organization_id, role__in=TEACHING_ROLES
    )
    notify_all(
        organization_id=report.organization_id,
        kind=NoticeKind.COMPLAINT,
        letters=[
            Letter(each.user, subject, body, path) for each in teachers.select_related("user")
        ],
    )


def _tell_student(complaint: Complaint) -> None:
    report = complaint.report
    notify(
        organization=complaint.organization_id,
        user=complaint.student.user,
        kind=NoticeKind.COMPLAINT,
        subject=f"{report.assignment.title}: your teachers looked at the report that you reported",
        body="Read what they decided, and why.",
        path=reverse("complain", args=[report.organization.slug, report.pk]),
    )
