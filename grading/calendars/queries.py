"""Read the deadlines of a person over all their institutions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import STAFF_ROLES
from grading.core.own_organizations import organizations_of
from grading.core.pairing_access import granted_pairings
from grading.courses.extensions.queries import extensions_for, terms_of_pairs
from grading.courses.queries import enrollments_of
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

    Students get those of their own assignments, by their own terms, and peer reports; staff those
    of every cohort of their institutions. None names another student or a score.
    """
    organizations = organizations_of(user)
    since = timezone.now() - PAST
    with scope(organization=organizations):
        own = Q(cohort__enrollments__user=user) | Q(organization__in=_staffed(user))
        # Also what was due long ago for others, and is not yet for this student.
        extended = extensions_for(user).filter(due_at__gte=since)
        is_listed = Q(due_at__gte=since) | Q(pk__in=extended.values("assignment"))
        assignments = Assignment.objects.filter(own, is_listed, due_at__isnull=False).distinct()
        related = assignments.select_related("cohort__organization").defer("instructions")
        rows = [
            *_of_assignments(user, related.order_by("due_at", "pk")[:MAX_OF_A_KIND]),
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


def _of_assignments(user: User, assignments: Iterable[Assignment]) -> list[Deadline]:
    """Return the deadlines, by the terms of the user where they are a student of the cohort."""
    students = {row.cohort_id: row for row in enrollments_of(user)}
    listed = list(assignments)
    pairs = [(row, students[row.cohort_id]) for row in listed if row.cohort_id in students]
    due = {key: terms.due_at for (key, _student), terms in terms_of_pairs(pairs).items()}
    return [_of_assignment(row, due.get(row.pk) or row.due_at) for row in listed]


def _of_assignment(assignment: Assignment, due_at: datetime | None) -> Deadline:
    cohort = assignment.cohort
    return Deadline(
        key=f"assignment-{assignment.pk}",
        # The query leaves out assignments without a due date.
        at=cast("datetime", due_at),
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
