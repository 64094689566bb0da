"""Read the join link of a cohort, and what a person who opens it may see."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from grading.core.own_addresses import addresses_of
from grading.models import Assignment, Cohort, Enrollment, JoinLink

DEFAULT_DAYS = 14


def join_link_of(cohort: Cohort, *, lock: bool = False) -> JoinLink | None:
    """Return the cohort's link unless it was closed; its end may have passed. One query."""
    links = JoinLink.objects.filter(cohort=cohort, closed_at=None)
    return (links.select_for_update(no_key=True) if lock else links).first()


def default_end_of(cohort: Cohort) -> datetime:
    """Return when a new link ends: in two weeks, or with the cohort if that is earlier."""
    now = timezone.now()
    in_two_weeks = (now + timedelta(days=DEFAULT_DAYS)).replace(second=0, microsecond=0)
    if cohort.ends_on is None:
        return in_two_weeks
    zone = ZoneInfo(cohort.time_zone)
    last = datetime.combine(cohort.ends_on, time(23, 59), tzinfo=zone)
    return min(in_two_weeks, last) if last > now else in_two_weeks


def has_waiting_place(cohort: Cohort, user: User) -> bool:
    """Return whether the roster has a place for one of the user's addresses. Two queries."""
    waiting = Enrollment.objects.annotate(lowered=Lower("email")).filter(
        cohort=cohort, user=None, lowered__in=addresses_of(user)
    )
    return waiting.exists()


def only_open_assignment(cohort: Cohort) -> Assignment | None:
    """Return the cohort's assignment if there is just one, and it has opened."""
    assignments = list(Assignment.objects.filter(cohort=cohort)[:2])
    if len(assignments) != 1:
        return None
    opens_at = assignments[0].opens_at
    return assignments[0] if opens_at is None or opens_at <= timezone.now() else None


def matching(text: str, group: str) -> Q:
    """Return the condition of students with this text in name, address or number, and this group."""
    condition = Q(group=group) if group else Q()
    for word in text.split():
        condition &= (
            Q(name__icontains=word) | Q(email__icontains=word) | Q(student_number__icontains=word)
        )
    return condition


def groups_of(cohort: Cohort) -> list[str]:
    """Return the names of the cohort's groups in order. One query."""
    named = Enrollment.objects.filter(cohort=cohort).exclude(group="")
    return list(named.order_by("group").values_list("group", flat=True).distinct())


def other_cohorts(cohort: Cohort) -> list[Cohort]:
    """Return the institution's other cohorts, the newest first."""
    return list(
        Cohort.objects.filter(organization=cohort.organization_id).exclude(pk=cohort.pk)[:100]
    )
