"""Emails to people, written to the outbox in the caller's transaction and sent after its commit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Value
from django.db.models.functions import Concat, Substr
from django.urls import reverse
from django.utils import timezone

from grading.core.enums import DAILY_NOTICES, AuditKind, EmailTiming, NoticeKind, WebhookEvent
from grading.core.team_access import mates_of
from grading.core.time_zones import in_words, zone_for
from grading.core.user_text import name_in_email, without_links
from grading.models import (
    Audit,
    Enrollment,
    Invitation,
    Notice,
    NoticeDaily,
    NoticeOptOut,
    Organization,
    Submission,
)
from grading.notifications.digests import next_morning, zones_for_emails
from grading.notifications.email_outbox import EMAILS
from grading.notifications.webhooks import announce_audit

INVITATION_BODY = """{name} has invited this address to Automaton Auditor, a site that grades coursework.

You become a member only if you accept. Open the link to accept or to decline. If you do not know
{name}, you need do nothing. It is not told whether this address has an account, and it can send no
other letter to it before you accept."""


@dataclass(frozen=True, slots=True)
class Email:
    """Email to one user; nothing is written without one (a student without an account).

    `body` is plain text without any score, because email is forwarded and read over shoulders.
    Links in it are removed: titles are words of staff, and the site vouches for its letters.
    `own_words` follow the body as they are: what the reader wrote, such as their repository.
    `path` is the target of its link, such as reverse(...).
    """

    user: User | None
    subject: str
    body: str
    path: str
    own_words: str = ""


def notify(
    *,
    organization: Organization | int,
    user: User | None,
    kind: NoticeKind,
    subject: str,
    body: str,
    path: str,
    own_words: str = "",
) -> bool:
    """Write one email, as `notify_all` does; return whether it was written."""
    email = Email(user, subject, body, path, own_words)
    organization_id = organization if isinstance(organization, int) else organization.pk
    return notify_all(organization_id=organization_id, kind=kind, emails=[email]) == 1


def notify_all(*, organization_id: int, kind: NoticeKind, emails: Collection[Email]) -> int:
    """Write emails in the caller's transaction and scope; return how many. Two queries in all.

    They are sent after the commit, or gathered into the daily emails of those who chose that (two
    queries more). Accounts without an address, inactive accounts and people who turned this kind
    off get none. A mail server that is down never makes it fail.
    """
    chosen = _timings(organization_id, kind, [email.user.pk for email in emails if email.user])
    wanted = [
        (user, email)
        for email in emails
        if (user := email.user)
        and user.is_active
        and user.email
        and chosen.get(user.pk) != EmailTiming.OFF
    ]
    mornings = _mornings(
        organization_id,
        [user.pk for user, _email in wanted if chosen.get(user.pk) == EmailTiming.DAILY],
    )
    written = [
        Notice(
            organization_id=organization_id,
            user=user,
            kind=kind,
            body=without_links(email.body) + email.own_words,
            path=email.path,
            subject=without_links(" ".join(email.subject.split()))[:200],
            digest_after=mornings.get(user.pk),
        )
        for user, email in wanted
    ]
    if written:
        Notice.objects.bulk_create(written)
        EMAILS.enqueue_on_commit(organization_id)
    return len(written)


def _timings(organization_id: int, kind: NoticeKind, users: Collection[int]) -> dict[int, str]:
    """Return who turned the kind off or gets it daily, by the key of the account. One query."""
    about = {"organization": organization_id, "kind": kind, "user__in": users}
    off = NoticeOptOut.objects.filter(**about).order_by()
    daily = NoticeDaily.objects.filter(**about, kind__in=DAILY_NOTICES).order_by()
    rows = off.values_list("user", Value(EmailTiming.OFF.value)).union(
        daily.values_list("user", Value(EmailTiming.DAILY.value))
    )
    return dict(rows)


def _mornings(organization_id: int, users: Collection[int]) -> dict[int, datetime]:
    if not users:
        return {}
    now = timezone.now()
    zones = zones_for_emails(organization_id, users)
    return {user: next_morning(now, zone) for user, zone in zones.items()}


def write_invitations(*, organization: Organization, invitations: Collection[Invitation]) -> None:
    """Write the letter of each invitation: our own words and the organization's name alone.

    Whoever founds an organization could otherwise send their words to strangers in our name.
    """
    name = name_in_email(organization.name)
    Notice.objects.bulk_create(
        [
            Notice(
                organization=organization,
                invitation=invitation,
                address=invitation.email,
                kind=NoticeKind.INVITATION,
                subject="you are invited",
                body=INVITATION_BODY.format(name=name),
                path=reverse("invitations"),
            )
            for invitation in invitations
        ]
    )
    if invitations:
        EMAILS.enqueue_on_commit(organization.pk)


def notify_of_failure(*, audit: Audit, message: str) -> None:
    """Tell webhooks and the student that an audit ended without a verdict.

    Students are told of their own audits only, not of those that somebody else started.
    """
    announce_audit(audit=audit, event=WebhookEvent.AUDIT_FAILED)
    if audit.kind != AuditKind.SELF:
        return

    submission = Submission.objects.select_related(
        "assignment", "student__user", "organization"
    ).get(pk=audit.submission_id)
    title = submission.assignment.title
    for member in mates_of(submission):
        notify(
            organization=submission.organization,
            user=member.user,
            kind=NoticeKind.AUDIT_FAILED,
            subject=f"{title}: attempt {submission.attempt} couldn't be audited",
            body=(
                f"Attempt {submission.attempt} at “{title}” has no verdict. "
                "Failed audits don't use an attempt."
            ),
            own_words=f"\n\n{message}",
            path=reverse("audit", args=[submission.organization.slug, audit.pk]),
        )


def email_receipt(*, submission: Submission, student: Enrollment, audit: Audit) -> None:
    """Write a receipt to the student; call it in the transaction that stores the submission."""
    title = submission.assignment.title
    late = ", after the due date" if submission.late else ""
    report = f"{submission.pdf_name}, SHA-256 {submission.pdf_sha256}" if submission.pdf else "none"
    zone = zone_for(student.user, submission.assignment.cohort)
    received = in_words(submission.handed_in_at, zone, seconds=True)
    until = in_words(audit.grace_until, zone, seconds=True) if audit.grace_until else ""
    withdrawal = f" You can withdraw it until {until}." if until else ""
    lines = (
        "\n",
        f"Repository: {submission.repo_url}",
        f"Commit: {submission.resolved_commit}",
        f"Report (PDF): {report}",
    )
    notify(
        organization=submission.organization_id,
        user=student.user,
        kind=NoticeKind.HANDED_IN,
        subject=f"{title}: attempt {submission.attempt} received",
        body=f"Attempt {submission.attempt} at “{title}” was received on {received}{late}.{withdrawal}",
        own_words="\n".join(lines),
        path=reverse("audit", args=[submission.assignment.organization.slug, audit.pk]),
    )


def drop_waiting_emails(*, organization_id: int, user_id: int, path: str = "") -> None:
    """Delete a person's emails that wait, at once or for a daily one; `path` limits their place.

    For who was removed or left. Runs in the scope and transaction of its caller. The operator's
    answers are about no membership, and stay.
    """
    Notice.objects.filter(
        organization=organization_id,
        user=user_id,
        path__startswith=path,
        sent_at=None,
        tries=0,
    ).exclude(kind=NoticeKind.APPROVAL).delete()


def move_waiting_emails(*, organization_id: int, before: str, after: str) -> None:
    """Let emails that wait lead to the address `after` in the place of `before`, and below it.

    Runs in the scope and transaction of its caller.
    """
    waiting = Notice.objects.filter(
        organization=organization_id, path__startswith=before, sent_at=None, held_at=None
    )
    # Positions in SQL count from 1.
    waiting.update(path=Concat(Value(after), Substr("path", len(before) + 1)))
