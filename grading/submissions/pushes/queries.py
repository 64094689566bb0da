"""Linked branches and their pushes, as students see them. No secret is read."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Q, QuerySet

from grading.courses.teams.queries import team_of
from grading.models import Assignment, Enrollment, Push, PushLink, RepositoryAccess, TeamMember

SHOWN = 10


def links_of(assignment: Assignment, student: Enrollment) -> QuerySet[PushLink]:
    """Return the links of a student, and of their team's present members."""
    team = team_of(assignment, student)
    whose = Q(student=student)
    if team is not None:
        members = TeamMember.objects.filter(team=team, left_at=None)
        whose |= Q(student__in=members.values("student"))
    rows = PushLink.objects.filter(whose, assignment=assignment)
    return rows.select_related("student", "owner", "access").defer("sealed_secret")


def pushes_of(link: PushLink) -> QuerySet[Push]:
    """Return the last pushes, newest first."""
    return link.pushes.select_related("submission")[:SHOWN]


def linkable_accesses(student: Enrollment) -> QuerySet[RepositoryAccess]:
    """Return the repositories whose pushes the GitHub App tells of."""
    rows = RepositoryAccess.objects.filter(student=student, owner=student.user_id)
    return rows.exclude(repository_id=None).defer("sealed_secret").order_by("path")


def with_pushes(links: QuerySet[PushLink]) -> Iterator[tuple[PushLink, list[Push]]]:
    for link in links:
        yield link, list(pushes_of(link))
