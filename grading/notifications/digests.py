"""Daily emails: what a person gets once a day is gathered into one, at 7:00 in their zone.

A row waits with the time of its daily email. Gathering locks the waiting rows and marks them in the
transaction that writes the email, so of two workers the second finds none, and a crash leaves all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import NoticeKind
from grading.core.rls.rls_scope import as_dispatcher
from grading.core.time_zones import zones_of
from grading.models import Cohort, Notice, Organization
from grading.notifications.email_outbox import EMAILS

HOUR = 7
SEPARATOR = "\n\n----------------------------------------\n\n"


def zones_for_emails(organization_id: int, users: Collection[int]) -> Mapping[int, tzinfo]:
    """Return the zone of each person: their choice, else that of the organization's newest cohort.

    Two queries, in the organization's scope.
    """
    newest = Cohort.objects.filter(organization=organization_id).order_by("-created_at", "-pk")
    name = newest.values_list("time_zone", flat=True).first()
    chosen, usual = zones_of(users), ZoneInfo(name) if name else UTC
    return {user: chosen.get(user, usual) for user in users}


def next_morning(now: datetime, zone: tzinfo) -> datetime:
    """Return the next 7:00 of a zone after now."""
    local = now.astimezone(zone)
    morning = local.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    # Days are added on the clock of the zone: a day in which clocks change has 23 or 25 hours.
    return morning if morning > local else morning + timedelta(days=1)


def gather_digests() -> int:
    """Write the daily emails whose time has come; return their number.

    Called by the reconcilers. Turning daily emails off leaves those that wait in the next one.
    """
    now = timezone.now()
    # Only the dispatcher sees the rows of all organizations, and it may only read.
    with as_dispatcher():
        due = Notice.objects.filter(sent_at=None, held_at=None, digest_after__lte=now)
        people = list(due.order_by().values_list("organization", "user").distinct())
    return sum(_gather(organization_id, user, now) for organization_id, user in sorted(people))


def _gather(organization_id: int, user: int, now: datetime) -> bool:
    with scope(organization=organization_id), transaction.atomic():
        due = Notice.objects.filter(
            user=user, sent_at=None, held_at=None, digest_after__lte=now
        ).select_for_update(no_key=True, of=("self",))
        notices = list(due.select_related("organization", "user").order_by("pk"))
        if not notices:
            return False
        keys = [notice.pk for notice in notices]
        person = notices[0].user
        if person is None or not person.is_active or not person.email:
            # As notify_all: accounts that are closed get no email.
            Notice.objects.filter(pk__in=keys).update(held_at=now)
            return False
        digest = _write(notices[0].organization, user, notices)
        Notice.objects.filter(pk__in=keys).update(digest=digest, sent_at=now)
        EMAILS.enqueue_on_commit(organization_id)
    return True


def _write(organization: Organization, user: int, notices: Collection[Notice]) -> Notice:
    number = len(notices)
    return Notice.objects.create(
        organization=organization,
        user_id=user,
        kind=NoticeKind.DIGEST,
        subject=f"your daily email: {number} message{'' if number == 1 else 's'}",
        body=SEPARATOR.join(_parts(notices)),
        path=reverse("organization", args=[organization.slug]),
    )


def _parts(notices: Iterable[Notice]) -> Iterable[str]:
    """Yield the emails as they would have been sent singly, in their order."""
    for notice in notices:
        yield f"{notice.subject}\n\n{notice.body}\n\n{settings.SITE_URL}{notice.path}"
