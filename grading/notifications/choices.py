"""Choices of a person for the emails of an organization: at once, once a day, or off."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import DAILY_NOTICES, OPTIONAL_NOTICES, EmailTiming, NoticeKind
from grading.models import NoticeDaily, NoticeOptOut, Organization
from grading.notifications.digests import next_morning, zones_for_emails


def choose_emails(
    *,
    organization: Organization,
    user: User,
    wanted: Collection[NoticeKind],
    daily: Collection[NoticeKind] = (),
) -> None:
    """Choose the kinds of email the user wants from an organization; turn off all others.

    `daily` are those of them that come once a day; kinds that cannot wait are left out. What waits
    for a daily email already comes with it.
    """
    unwanted = [
        kind for kind in OPTIONAL_NOTICES if kind not in wanted and kind != NoticeKind.STAFF_DAILY
    ]
    once_a_day = [kind for kind in DAILY_NOTICES if kind in daily and kind in wanted]
    with transaction.atomic():
        opt_outs = NoticeOptOut.objects.filter(organization=organization, user=user)
        opt_outs.exclude(kind__in=unwanted).delete()
        NoticeOptOut.objects.bulk_create(
            [NoticeOptOut(organization=organization, user=user, kind=kind) for kind in unwanted],
            ignore_conflicts=True,
        )
        _choose_daily(organization, user, once_a_day, NoticeKind.STAFF_DAILY in wanted)
        record_activity(
            organization=organization,
            actor=user,
            verb="notices.chosen",
            about=user,
            off=list(unwanted),
            daily=list(once_a_day),
        )


def choose_timings(
    *, organization: Organization, user: User, timings: Mapping[NoticeKind, EmailTiming]
) -> None:
    """Choose as choose_emails does, by the timing of each kind."""
    choose_emails(
        organization=organization,
        user=user,
        wanted=[kind for kind, timing in timings.items() if timing != EmailTiming.OFF],
        daily=[kind for kind, timing in timings.items() if timing == EmailTiming.DAILY],
    )


def choose_everywhere(
    *,
    user: User,
    timings: Mapping[Organization, Mapping[NoticeKind, EmailTiming]],
    changes: Mapping[Organization, Mapping[NoticeKind, EmailTiming]],
) -> int:
    """Choose for several organizations, all or none; return the number of those that changed.

    `timings` are those that hold. Enters the scope of each organization.
    """
    changed = 0
    with transaction.atomic():
        for organization, chosen in changes.items():
            after = {**timings[organization], **chosen}
            if after != timings[organization]:
                with scope(organization=organization):
                    choose_timings(organization=organization, user=user, timings=after)
                changed += 1
    return changed


def _choose_daily(
    organization: Organization, user: User, kinds: Collection[NoticeKind], staff_daily: bool
) -> None:
    rows = [NoticeDaily(organization=organization, user=user, kind=kind) for kind in kinds]
    if staff_daily:
        zone = zones_for_emails(organization.pk, [user.pk])[user.pk]
        next_at = next_morning(timezone.now(), zone)
        rows.append(
            NoticeDaily(
                organization=organization, user=user, kind=NoticeKind.STAFF_DAILY, next_at=next_at
            )
        )
    chosen = NoticeDaily.objects.filter(organization=organization, user=user)
    chosen.exclude(kind__in=[row.kind for row in rows]).delete()
    # A row that is there keeps its next time.
    NoticeDaily.objects.bulk_create(rows, ignore_conflicts=True)
