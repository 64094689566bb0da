"""Writing to people: what is to be told goes into the outbox with what it tells of, and leaves when that holds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils.timezone import localtime

from grading.core.activity import record_activity
from grading.core.enums import AuditKind, NoticeKind, WebhookEvent
from grading.models import Audit, Enrollment, Notice, NoticeOptOut, Organization, Submission
from grading.notifications.email_outbox import EMAILS
from grading.notifications.webhooks import announce_audit


@dataclass(frozen=True, slots=True)
class Email:
    """`body` is plain text without any score (mail is read over shoulders and forwarded), `path` where its link leads,
    such as reverse(...). To nobody (a place on a roster without an account) nothing is written."""

    user: User | None
    subject: str
    body: str
    path: str


def notify(
    *,
    organization: Organization | int,
    user: User | None,
    kind: NoticeKind,
    subject: str,
    body: str,
    path: str,
) -> bool:
    """Write one letter, as notify_all does. Whether one was written."""
    email = Email(user, subject, body, path)
    organization_id = organization if isinstance(organization, int) else organization.pk
    return notify_all(organization_id=organization_id, kind=kind, emails=[email]) == 1


def notify_all(*, organization_id: int, kind: NoticeKind, emails: Collection[Email]) -> int:
    """Write letters, in the caller's transaction and scope; they are sent when that has committed. How many were written.

    Nothing is written to an account that is without an address or switched off, and to whoever does not want letters of
    this kind. Two queries for any number. Never fails for the mail server.
    """
    opted_out = NoticeOptOut.objects.filter(organization=organization_id, kind=kind)
    unwanted = set(
        opted_out.filter(user__in=[email.user for email in emails if email.user]).values_list(
            "user", flat=True
        )
    )
    written = [
        Notice(
            organization_id=organization_id,
            user=user,
            kind=kind,
            body=email.body,
            path=email.path,
            subject=" ".join(email.subject.split())[:200],
        )
        for email in emails
        if (user := email.user) and user.is_active and user.email and user.pk not in unwanted
    ]
    if written:
        Notice.objects.bulk_create(written)
        EMAILS.enqueue_on_commit(organization_id)
    return len(written)


def notify_of_failure(*, audit: Audit, message: str) -> None:
    """A student's own audit ended without a verdict; what somebody else started is not their worry, but webhooks'."""
    announce_audit(audit=audit, event=WebhookEvent.AUDIT_FAILED)
    if audit.kind != AuditKind.SELF:
        return
    submission = Submission.objects.select_related(
        "assignment", "student__user", "organization"
    ).get(pk=audit.submission_id)
    title = submission.assignment.title
    notify(
        organization=submission.organization,
        user=submission.student.user,
        kind=NoticeKind.AUDIT_FAILED,
        subject=f"{title}: attempt {submission.attempt} could not be audited",
        body=f"Attempt {submission.attempt} at “{title}” has no verdict, and used up no attempt.\n\n{message}",
        path=reverse("audit", args=[submission.organization.slug, audit.pk]),
    )


def email_receipt(*, submission: Submission, student: Enrollment, audit: Audit) -> None:
    """What was received and when, for the student to keep; call it in the transaction that stores the hand-in."""
    title = submission.assignment.title
    late = ", after the due date" if submission.late else ""
    report = f"{submission.pdf_name}, SHA-256 {submission.pdf_sha256}" if submission.pdf else "none"
    lines = (
        f"Attempt {submission.attempt} at “{title}” was received on {_moment(submission.handed_in_at)}{late}.\n",
        f"Repository: {submission.repo_url}",
        f"Commit: {submission.resolved_commit}",
        f"Report (PDF): {report}",
    )
    notify(
        organization=submission.organization_id,
        user=student.user,
        kind=NoticeKind.HANDED_IN,
        subject=f"{title}: attempt {submission.attempt} is received",
        body="\n".join(lines),
        path=reverse("audit", args=[submission.assignment.organization.slug, audit.pk]),
    )


def _moment(at: datetime) -> str:
    return f"{localtime(at):%d %B %Y, %H:%M:%S %Z}"


def choose_emails(
    *, organization: Organization, user: User, wanted: Collection[NoticeKind]
) -> None:
    """From now on these kinds of letters and no others; what waits already is still sent."""
    unwanted = [kind for kind in NoticeKind if kind not in wanted]
    with transaction.atomic():
        mine = NoticeOptOut.objects.filter(organization=organization, user=user)
        mine.exclude(kind__in=unwanted).delete()
        NoticeOptOut.objects.bulk_create(
            [NoticeOptOut(organization=organization, user=user, kind=kind) for kind in unwanted],
            ignore_conflicts=True,
        )
        record_activity(
            organization=organization,
            actor=user,
            verb="notices.chosen",
            about=user,
            off=list(unwanted),
        )
