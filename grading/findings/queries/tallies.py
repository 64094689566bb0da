"""Numbers of findings of each student, for the list that staff choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from grading.core.enums import (
    FindingState,
    ResponseKind,
    TeamFormation,
)
from grading.models import (
    Assignment,
    Enrollment,
    Finding,
    FindingResponse,
    FindingSighting,
    Team,
)


@dataclass(frozen=True, slots=True)
class Tally:
    """Work with the numbers of its findings, for the list that staff choose from.

    `student` is the key of its student or of a member of its team, `name` that of either.
    """

    student: int
    name: str
    open: int
    regressed: int
    fixed: int
    answered: int


def tallies_of(assignment: Assignment) -> list[Tally]:
    """Return the tallies of the cohort's students in the order of the roster. One query.

    With teams they are those of each team that has a member, by its name.
    """
    of_assignment = Q(findings__assignment=assignment)
    # distinct: the joins of several counts multiply the rows.
    students = Enrollment.objects.filter(cohort=assignment.cohort_id).annotate(
        n_open=Count(
            "findings",
            filter=of_assignment
            & Q(findings__state=FindingState.OPEN)
            & ~Q(findings__in=_dismissed(assignment)),
            distinct=True,
        ),
        n_regressed=Count(
            "findings",
            filter=of_assignment & Q(findings__state=FindingState.REGRESSED),
            distinct=True,
        ),
        n_fixed=Count(
            "findings", filter=of_assignment & Q(findings__state=FindingState.FIXED), distinct=True
        ),
        n_answered=Count(
            "findings", filter=of_assignment & Q(findings__responses__isnull=False), distinct=True
        ),
    )
    if assignment.team_formation != TeamFormation.NONE:
        teams = Team.objects.filter(assignment=assignment, representative=OuterRef("pk"))
        # Who represents the team may have left it.
        members = teams.filter(members__left_at=None).values("members__student")
        named = students.annotate(
            team_name=Subquery(teams.values("name")[:1]), member=Subquery(members[:1])
        )
        students = named.filter(member__isnull=False).order_by("team_name")
    return [
        Tally(
            student=vars(s).get("member", s.pk),
            name=vars(s).get("team_name") or str(s),
            open=s.n_open,
            regressed=s.n_regressed,
            fixed=s.n_fixed,
            answered=s.n_answered,
        )
        for s in students
    ]


def _dismissed(assignment: Assignment) -> QuerySet[Finding, Any]:
    """Return the findings that their owners dismissed, without those that an audit has seen."""
    audited = FindingSighting.objects.filter(
        finding=OuterRef("pk"), audit__isnull=False, present=True
    )
    dismissals = FindingResponse.objects.filter(
        finding=OuterRef("pk"), kind=ResponseKind.DISMISSED, replaced_at=None
    )
    rows = Finding.objects.filter(Exists(dismissals), ~Exists(audited), assignment=assignment)
    return rows.order_by().values("pk")
