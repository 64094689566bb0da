"""Rosters that are imported by themselves, at night in the zone of their cohort."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.errors import PlatformFailed, PlatformRefused
from grading.core.job_queues import job_queue
from grading.core.rls.rls_scope import as_dispatcher
from grading.lti.memberships import read_members
from grading.lti.rosters import import_roster
from grading.models import LtiCourseLink

JOB, QUEUE = "grading.jobs.import_platform_roster", "bulk"
JOB_SECONDS, READING_SECONDS = 300, 200
HOUR = 3
log = structlog.get_logger(__name__)


def change_course_link(*, link: LtiCourseLink, nightly: bool, sends_grades: bool, by: User) -> None:
    """Set what is done by itself: the import of the roster, and the sending of grades."""
    with transaction.atomic():
        LtiCourseLink.objects.filter(pk=link.pk).update(
            roster_next_at=next_night(link) if nightly else None, sends_grades=sends_grades
        )
        record_activity(
            organization=link.organization_id,
            actor=by,
            verb="platform.course_changed",
            about=link,
            course=str(link.context),
            roster="every night" if nightly else "by click",
            grades="on release" if sends_grades else "by click",
        )


def next_night(link: LtiCourseLink) -> datetime:
    """Return three o'clock of the cohort's next night; courses begin in different minutes."""
    zone = ZoneInfo(link.cohort.time_zone)
    now = timezone.now().astimezone(zone)
    tonight = datetime.combine(now.date(), time(HOUR, link.pk % 60), zone)
    return tonight if tonight > now else tonight + timedelta(days=1)


def import_due_rosters() -> int:
    """Enqueue the imports that are due in all organizations; return how many.

    Called by the reconciler. Raises redis.RedisError.
    """
    now = timezone.now()
    # Only the dispatcher sees those of all organizations, and it may only read.
    with as_dispatcher():
        due = LtiCourseLink.objects.filter(roster_next_at__lte=now).order_by("roster_next_at", "pk")
        rows = list(due.values_list("organization", "pk"))
    return sum(_enqueue(organization, key, now) for organization, key in rows)


def _enqueue(organization_id: int, key: int, now: datetime) -> bool:
    with scope(organization=organization_id), transaction.atomic():
        rows = LtiCourseLink.objects.filter(pk=key, roster_next_at__lte=now)
        link = rows.select_related("cohort").select_for_update(of=("self",)).first()
        if link is None:
            return False
        is_over = link.cohort.ends_on is not None and link.cohort.ends_on < now.date()
        link.roster_next_at = None if is_over else next_night(link)
        link.save(update_fields=["roster_next_at"])
        if not is_over:
            # Within the transaction: if the queue is down, the import stays due.
            job_queue(QUEUE).enqueue_call(
                JOB, args=(organization_id, key), timeout=JOB_SECONDS, result_ttl=0
            )
    return not is_over


def import_by_itself(*, link_id: int) -> None:
    """Import one roster in the organization's scope; a failure is kept with the link, for staff."""
    rows = LtiCourseLink.objects.select_related(
        "context__registration", "cohort__organization"
    ).filter(pk=link_id)
    link = rows.first()
    if link is None or not link.cohort.organization.is_usable:
        return
    try:
        people = read_members(link.context, seconds=READING_SECONDS)
        plan = import_roster(link=link, people=people, by=None)
    except (PlatformFailed, PlatformRefused) as failure:
        rows.update(roster_error=failure.sentence[:500])
        log.warning("platform_roster_failed", link=link_id, code=failure.code)
    else:
        log.info("platform_roster_imported", link=link_id, people=len(plan.people))
