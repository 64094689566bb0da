"""Teams of students, and the work that they hand in."""

from typing import Any

import factory
from django.utils import timezone

from grading.core.join_codes import new_code
from grading.models import Enrollment, GradeAdjustment, Team, TeamMember
from tests.factories.people import EnrollmentFactory, TenantFactory
from tests.factories.work import AssignmentFactory


class TeamFactory(TenantFactory):
    """A team whose representative is no member yet; `team_with` makes one with members."""

    class Meta:
        model = Team

    assignment = factory.SubFactory(AssignmentFactory, team_formation="students")
    organization = factory.SelfAttribute("assignment.organization")
    name = factory.Sequence(lambda n: f"Team {n}")
    code = factory.LazyFunction(new_code)
    representative = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..assignment.cohort")
    )


class TeamMemberFactory(TenantFactory):
    class Meta:
        model = TeamMember

    team = factory.SubFactory(TeamFactory)
    assignment = factory.SelfAttribute("team.assignment")
    organization = factory.SelfAttribute("team.organization")
    student = factory.SelfAttribute("team.representative")
    joined_at = factory.LazyFunction(timezone.now)


class GradeAdjustmentFactory(TenantFactory):
    class Meta:
        model = GradeAdjustment

    organization = factory.SelfAttribute("grade.organization")
    delta = -0.5
    reason = "Took no part in the second half."


def team_with(assignment: Any, *students: Enrollment, **fields: Any) -> Team:
    """A team of these students, the first of whom represents it."""
    team: Team = TeamFactory.create(assignment=assignment, representative=students[0], **fields)
    for student in students:
        TeamMemberFactory.create(team=team, student=student)
    return team
