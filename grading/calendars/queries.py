"""Read the deadlines of a person over all their institutions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import STAFF_ROLES
from grading.core.pairing_access import granted_pairings
from grading.courses.queries import organizations_of
from grading.models import Assignment, Cohort, Membership, PairingRound

# Older deadlines help nobody plan, and the feed is fetched every few hours.
PAST = timedelta(days=60)
MAX_OF_A_KIND = 500


@dataclass(frozen=True, slots=True)
class Deadline:
    """Deadline in a calendar. `key` stays the same when the time changes; `path` is its page."""

    key: str
    at: datetime
    title: str
    cohort: Cohort
    path: str


def deadlines_of(user: User) -> list[Deadline]:
    """Return a person's deadlines since two months ago, soonest first.

    Students get those of their own assignments and peer reports; staff those of every cohort of
    their institutions. None names another student or a score.
    """
    organizations = organizations_of(user)
    since = timezone.now() - PAST
    with scope(organization=organizations):
        own = Q(cohort__enrollments__user=user) | Q(organization__in=_staffed(user))
        assignments = Assignment.objects.filter(own, due_at__gte=since).distinct()
        related = assignments.select_related("cohort__organization").defer("instructions")
        rows = [
            *map(_of_assignment, related.order_by("due_at", "pk")[:MAX_OF_A_KIND]),
            *map(_of_round, _rounds(user, since)[:MAX_OF_A_KIND]),
        ]
    return sorted(rows, key=lambda row: (row.at, row.key))


def _staffed(user: User) -> QuerySet[Membership, Any]:
    roles = Membership.objects.filter(user=user, role__in=STAFF_ROLES)
    return roles.values("organization")


def _rounds(user: User, since: datetime) -> QuerySet[PairingRound]:
    """Return the rounds in which the user has a report to write, and those that staff run."""
    audits = granted_pairings().filter(auditor__user=user)
    own = Q(pk__in=audits.values("round")) | Q(organization__in=_staffed(user))
    rounds = PairingRound.objects.filter(own, ends_at__gte=since)
    related = rounds.select_related("assignment__cohort__organization")
    return related.order_by("ends_at", "pk")


def _of_assignment(assignment: Assignment) -> Deadline:
    cohort = assignment.cohort
    return Deadline(
        key=f"assignment-{assignment.pk}",
        # The query leaves out assignments without a due date.
        at=cast("datetime", assignment.due_at),
        title=f"Due: {assignment.title}",
        cohort=cohort,
        path=reverse("assignment", args=[cohort.organization.slug, cohort.slug, assignment.slug]),
    )


def _of_round(round: PairingRound) -> Deadline:
    cohort = round.assignment.cohort
    return Deadline(
        key=f"round-{round.pk}",
        at=round.ends_at,
        title=f"Peer reports due: {round.assignment.title}, round {round.number}",
        cohort=cohort,
        path=reverse("peers", args=[cohort.organization.slug, cohort.slug]),
    )
