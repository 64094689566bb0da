"""Templates of assignments and the repositories that were made of them, as pages show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import CollaboratorState, RepositoryState
from grading.core.github_app import Account
from grading.courses.teams.queries import team_of
from grading.models import (
    Assignment,
    Enrollment,
    RepositoryMember,
    RepositoryTemplate,
    StudentRepository,
    Team,
    TeamMember,
)


@dataclass(frozen=True, slots=True)
class Owner:
    """Student or team for whom one repository is made; a team's `student` is its representative."""

    student: Enrollment
    team: Team | None

    @property
    def name(self) -> str:
        return self.team.name if self.team else self.student.name

    @property
    def where(self) -> dict[str, Any]:
        """Fields of their repository: a team keeps its own when its representative changes."""
        if self.team is not None:
            return {"team": self.team}
        return {"team": None, "student": self.student}

    @property
    def key(self) -> tuple[int | None, int | None]:
        return (self.team.pk, None) if self.team else (None, self.student.pk)


@dataclass(frozen=True, slots=True)
class RepositoryRow:
    """Student or team of an assignment with their repository, None where there is not one yet."""

    owner: Owner
    repository: StudentRepository | None
    hints: str

    @property
    def state(self) -> str:
        return state_of(self.repository) if self.repository else "not yet"


def _template(assignment: int) -> QuerySet[RepositoryTemplate, RepositoryTemplate]:
    return RepositoryTemplate.objects.filter(assignment=assignment)


TEMPLATE = OrganizationQuery(_template, assignment=int)


def template_of(assignment: Assignment) -> RepositoryTemplate | None:
    return TEMPLATE.row(assignment=assignment.pk)


def owner_of(assignment: Assignment, student: Enrollment) -> Owner:
    team = team_of(assignment, student)
    return Owner(team.representative, team) if team else Owner(student, None)


def repository_of(assignment: Assignment, student: Enrollment) -> StudentRepository | None:
    """Return the repository that was made or is being made for a student or their team."""
    owner = owner_of(assignment, student)
    rows = StudentRepository.objects.filter(template__assignment=assignment, **owner.where)
    return rows.select_related("template").prefetch_related("members__student").first()


def made_address(assignment: Assignment, student: Enrollment) -> str:
    """Return the address of the repository that was made for a student, "" without one."""
    repository = repository_of(assignment, student)
    return repository.url if repository and repository.state == RepositoryState.MADE else ""


def known_account(student: Enrollment) -> Account | None:
    """Return the account at GitHub that a student showed to be theirs in this course, if any."""
    rows = RepositoryMember.objects.filter(student=student, user=student.user_id)
    last = rows.order_by("-created_at", "-pk").first()
    return Account(last.account_id, last.login) if last else None


def owners_in(assignment: Assignment) -> list[Owner]:
    """Return the teams of an assignment, and its students without one. Two queries."""
    present = TeamMember.objects.filter(assignment=assignment, left_at=None)
    teams = Team.objects.filter(pk__in=present.values("team")).select_related("representative")
    alone = Enrollment.objects.filter(cohort=assignment.cohort_id).exclude(
        pk__in=present.values("student")
    )
    return [Owner(team.representative, team) for team in teams] + [
        Owner(student, None) for student in alone
    ]


def rows_of(assignment: Assignment) -> list[RepositoryRow]:
    made = {key_of(row): row for row in repositories_of(assignment)}
    return [
        RepositoryRow(owner, made.get(owner.key), owner.student.github_name)
        for owner in owners_in(assignment)
    ]


def repositories_of(assignment: Assignment) -> QuerySet[StudentRepository]:
    rows = StudentRepository.objects.filter(template__assignment=assignment)
    return rows.select_related("student", "team").prefetch_related("members__student")


def members_of(assignment: Assignment) -> QuerySet[RepositoryMember]:
    """Return the students' accounts at GitHub of all repositories of an assignment."""
    rows = RepositoryMember.objects.filter(repository__template__assignment=assignment)
    return rows.select_related("repository", "student")


def key_of(repository: StudentRepository) -> tuple[int | None, int | None]:
    """Return the key of the student or team whose repository it is."""
    team = repository.team_id
    return (team, None) if team else (None, repository.student_id)


def present_members(repository: StudentRepository) -> QuerySet[RepositoryMember]:
    """Return the members without those who have left the team: nobody invites them any more."""
    rows: QuerySet[RepositoryMember] = RepositoryMember.objects.filter(repository=repository)
    if repository.team_id is None:
        return rows
    present = TeamMember.objects.filter(team=repository.team_id, left_at=None)
    return rows.filter(student__in=present.values("student"))


def state_of(repository: StudentRepository) -> str:
    """Return in a word how far a repository and its invitations are. Needs `members`."""
    if repository.state != RepositoryState.MADE:
        return repository.get_state_display()
    return _state_of(repository.members.all())


def _state_of(members: Iterable[RepositoryMember]) -> str:
    states = {member.state for member in members}
    if not states:
        return "made, nobody invited"
    # What needs somebody comes before what is well.
    order = (
        CollaboratorState.FAILED,
        CollaboratorState.WAITING,
        CollaboratorState.INVITED,
        CollaboratorState.ACCEPTED,
    )
    return next(state.label for state in order if state in states)
