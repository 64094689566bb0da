"""What waits for whoever teaches: on the first page, over all institutions whose scope is entered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Count, F, IntegerField, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from grading.enums import STAFF_ROLES, BulkState
from grading.models import (
    Appeal,
    Assignment,
    BulkRun,
    Enrollment,
    Grade,
    Membership,
    Organization,
    Submission,
)
from grading.queries.results.appeals import WAITING
from grading.queries.results.flags import flagged_among

MOST_ASSIGNMENTS = 20


@dataclass(frozen=True, slots=True)
class AppealsWaiting:
    """Of one institution: how many wait for an answer, and since when the oldest."""

    organization: Organization
    number: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Teaching:
    """`assignments` carry `students`, `handed_in`, `unreleased`, `changed_since` and `flagged`, each the number of a list;
    those of cohorts that run, what is due soonest first, then what was due."""

    assignments: tuple[Any, ...]
    appeals: tuple[AppealsWaiting, ...]
    runs: tuple[BulkRun, ...]


def teaching_of(user: User, organizations: Collection[Organization]) -> Teaching | None:
    """Null for who teaches nowhere. Four queries, one for them."""
    staffed = Membership.objects.filter(user=user, role__in=STAFF_ROLES, organization__in=organizations)
    where = set(staffed.values_list("organization", flat=True))
    if not where:
        return None
    running = BulkRun.objects.filter(organization__in=where, state=BulkState.RUNNING)
    return Teaching(
        assignments=tuple(_assignments(where)[:MOST_ASSIGNMENTS]),
        appeals=_appeals({each.pk: each for each in organizations if each.pk in where}),
        runs=tuple(running.select_related("assignment", "organization").order_by("created_at")),
    )


def _assignments(where: Collection[int]) -> QuerySet[Any]:
    now = timezone.now()
    grades = Grade.objects.filter(assignment=OuterRef("pk"))
    runs = Q(cohort__ends_on=None) | Q(cohort__ends_on__gte=timezone.localdate())
    counted = Assignment.objects.filter(runs, organization__in=where).annotate(
        students=_count(Enrollment.objects.filter(cohort=OuterRef("cohort")), "cohort"),
        handed_in=_count(Submission.objects.filter(assignment=OuterRef("pk")), "assignment", "student"),
        unreleased=_count(grades.filter(released_at=None), "assignment"),
        changed_since=_count(grades.filter(changed=True), "assignment"),
        flagged=_count(flagged_among(grades), "assignment"),
        is_past=Case(When(due_at__lt=now, then=Value(1)), default=Value(0)),
    )
    soonest = F("due_at").asc(nulls_last=True)
    related = counted.select_related("cohort", "organization").defer("instructions")
    return related.order_by("is_past", soonest, "title", "pk")


def _count(rows: QuerySet[Any], by: str, what: str = "pk") -> Coalesce:
    counted = rows.order_by().values(by).annotate(number=Count(what, distinct=what != "pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))


def _appeals(organizations: dict[int, Organization]) -> tuple[AppealsWaiting, ...]:
    waiting = Appeal.objects.filter(WAITING, organization__in=organizations).order_by()
    rows = waiting.values_list("organization").annotate(number=Count("pk"), since=Min("filed_at"))
    return tuple(
        AppealsWaiting(organizations[key], number, since) for key, number, since in rows.order_by("since")
    )
