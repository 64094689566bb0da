"""Daily email to staff who asked for it: what waits for them, in numbers with links.

It is sent only when something waits. A conditional UPDATE of its next time decides who sends it, in
the transaction that writes it: two workers send one, and a crash leaves it due.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.appeals.queries import HELD, WAITING
from grading.comments.queries import waiting_answers
from grading.core.enums import (
    STAFF_ROLES,
    AuditKind,
    AuditState,
    ComplaintState,
    NoticeKind,
)
from grading.core.own_work import handled_by_member
from grading.core.rls.rls_scope import as_dispatcher
from grading.core.user_text import without_links
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    Complaint,
    Grade,
    Membership,
    NoticeDaily,
    Organization,
)
from grading.notifications.digests import next_morning, zones_for_emails
from grading.notifications.emails import notify
from grading.submissions.queries import WITHDRAWN

ONE_DAY = timedelta(days=1)
MAX_ASSIGNMENTS = 20


@dataclass(frozen=True, slots=True)
class Waiting:
    """One line of the email: so many of something, and the path of their page."""

    number: int
    words: str
    path: str


def email_waiting_work() -> int:
    """Send the daily emails to staff whose time has come; return their number.

    Called by the reconcilers.
    """
    now = timezone.now()
    # Only the dispatcher sees the rows of all organizations, and it may only read.
    with as_dispatcher():
        due = NoticeDaily.objects.filter(kind=NoticeKind.STAFF_DAILY, next_at__lte=now)
        rows = list(due.order_by("pk").values_list("organization", "pk", "user", "next_at"))
    sent = 0
    for organization_id, key, user, next_at in rows:
        with scope(organization=organization_id), transaction.atomic():
            zone = zones_for_emails(organization_id, [user])[user]
            # Whoever updates the row first sends; the others find another time.
            unsent = NoticeDaily.objects.filter(pk=key, next_at=next_at)
            if unsent.update(next_at=next_morning(now, zone)):
                sent += _send(organization_id, user, now)
    return sent


def _send(organization_id: int, user: int, now: datetime) -> bool:
    members = Membership.objects.select_related("user", "organization")
    member = members.filter(user=user, role__in=STAFF_ROLES, organization=organization_id).first()
    if member is None or not member.organization.is_usable:
        return False
    waiting = [line for line in waiting_for(member, now) if line.number]
    if not waiting:
        return False
    return notify(
        organization=member.organization,
        user=member.user,
        kind=NoticeKind.STAFF_DAILY,
        subject="work that waits for staff",
        body="This waits today:",
        # Our own links, with titles whose links are removed.
        own_words="".join(
            f"\n\n{line.words}: {line.number}\n{settings.SITE_URL}{line.path}" for line in waiting
        ),
        path=reverse("organization", args=[member.organization.slug]),
    )


def waiting_for(member: Membership, now: datetime) -> Iterator[Waiting]:
    """Yield what waits for a member of staff, in the organization's scope. Six queries."""
    organization = member.organization
    slug = organization.slug
    yield from _appeals(member, reverse("appeals", args=[slug]))

    complaints = Complaint.objects.filter(state=ComplaintState.OPEN).count()
    path = reverse("complaints", args=[slug])
    yield Waiting(complaints, "Peer reports reported as abusive", path)

    # Older ones were in the email of their day.
    failed = Audit.objects.filter(
        kind=AuditKind.SELF, state=AuditState.FAILED, finished_at__gt=now - ONE_DAY
    ).exclude(failure_code=WITHDRAWN)
    path = reverse("operations", args=[slug])
    yield Waiting(failed.count(), "Audits that failed since yesterday", path)

    yield from _grades(organization, now)
    handled = handled_by_member(member, "submission")
    answers = waiting_answers().filter(handled).count()
    yield Waiting(answers, "Answers of students to comments", reverse("organization", args=[slug]))


def _appeals(member: Membership, path: str) -> Iterator[Waiting]:
    mine = HELD & Q(assigned_to=member)
    handled = handled_by_member(member, "submission")
    counts = Appeal.objects.filter(WAITING, handled).aggregate(
        mine=Count("pk", filter=mine), number=Count("pk")
    )
    yield Waiting(counts["mine"], "Appeals that were handed to you", f"{path}?holder=mine")
    yield Waiting(counts["number"], "Appeals in all", path)


def _grades(organization: Organization, now: datetime) -> Iterator[Waiting]:
    """Yield unreleased grades by assignment: what to review, and what is past its due date."""
    is_current = Q(cohort__ends_on=None) | Q(cohort__ends_on__gte=now.date())
    assignments = Assignment.objects.filter(is_current, organization=organization)
    counts = {
        row["assignment"]: row
        for row in Grade.objects.filter(assignment__in=assignments, released_at=None)
        .order_by()
        .values("assignment")
        .annotate(
            review=Count("pk", filter=Q(needs_review=True)),
            suspected=Count("pk", filter=Q(suspected=True)),
            late=Count("pk", filter=Q(assignment__due_at__lt=now)),
        )
    }
    rows = Assignment.objects.filter(pk__in=counts).select_related("cohort").order_by("due_at")
    for assignment in rows[:MAX_ASSIGNMENTS]:
        path = reverse("grades", args=[organization.slug, assignment.cohort.slug, assignment.slug])
        title, row = without_links(assignment.title), counts[assignment.pk]
        yield Waiting(row["review"], f"{title}, works that need review", path)
        yield Waiting(row["suspected"], f"{title}, possible prompt injections", path)
        yield Waiting(row["late"], f"{title}, grades not released after the due date", path)
