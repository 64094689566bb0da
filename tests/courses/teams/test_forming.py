"""Forming teams: by students, by staff and from the roster's groups."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django_scopes import scope

from grading.core.errors import TeamRefused
from grading.courses.teams import actions
from grading.courses.teams.queries import members_of, plan_from_groups, team_of
from grading.models import Activity, Assignment, Enrollment, Team, TeamMember
from tests.factories.people import CohortFactory, EnrollmentFactory, staff_user, student
from tests.factories.teams import TeamMemberFactory, team_with
from tests.factories.work import AssignmentFactory, SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Any:
    made: Assignment = AssignmentFactory.create(team_formation="students", team_size_max=2)
    with scope(organization=made.organization):
        yield made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    made: Enrollment = student(assignment.cohort, name="Ada")
    return made


@pytest.fixture
def ben(assignment: Assignment) -> Enrollment:
    made: Enrollment = student(assignment.cohort, name="Ben")
    return made


def user_of(enrollment: Enrollment) -> User:
    assert enrollment.user is not None
    return enrollment.user


def founded(assignment: Assignment, enrollment: Enrollment, name: str = "Blue") -> Team:
    return actions.found_team(
        assignment=assignment, name=name, student=enrollment, by=user_of(enrollment)
    )


def join(assignment: Assignment, enrollment: Enrollment, code: str) -> Team:
    return actions.join_team(
        assignment=assignment, code=code, student=enrollment, by=user_of(enrollment)
    )


def names(team: Team) -> list[str]:
    return [str(member) for member in members_of(team)]


def test_second_current_team_of_a_student_is_refused_by_the_database(
    assignment: Assignment, ada: Enrollment
) -> None:
    team_with(assignment, ada)
    other = team_with(assignment, student(assignment.cohort))
    with pytest.raises(IntegrityError, match="one_team_per_student"), transaction.atomic():
        TeamMemberFactory.create(team=other, student=ada)


def test_refusals_name_their_field_and_change_nothing(
    assignment: Assignment, ada: Enrollment, ben: Enrollment
) -> None:
    team = founded(assignment, ada)
    join(assignment, ben, team.code)
    carl, dora = student(assignment.cohort), student(assignment.cohort)

    refusals = [
        (lambda: founded(assignment, carl, "  "), ("name", "name_missing")),
        (lambda: founded(assignment, carl, "BLUE"), ("name", "name_taken")),
        (lambda: founded(assignment, ada, "Red"), ("", "in_a_team")),
        (lambda: join(assignment, carl, "nonsense"), ("code", "code_unknown")),
        (lambda: join(assignment, carl, team.code), ("code", "team_full")),
        (lambda: join(assignment, ada, team.code), ("", "in_a_team")),
    ]
    for act, expected in refusals:
        with pytest.raises(TeamRefused) as refused:
            act()
        assert (refused.value.field, refused.value.code) == expected
    assert names(team) == ["Ada", "Ben"]
    assert team_of(assignment, dora) is None


def test_students_form_and_leave_teams_only_where_they_may(ada: Enrollment) -> None:
    for formation, code in (("none", "not_by_students"), ("staff", "not_by_students")):
        closed = AssignmentFactory.create(cohort=ada.cohort, team_formation=formation)
        with pytest.raises(TeamRefused) as refused:
            founded(closed, ada)
        assert refused.value.code == code


def test_code_of_another_assignment_opens_no_team(assignment: Assignment, ada: Enrollment) -> None:
    other = AssignmentFactory.create(cohort=assignment.cohort, team_formation="students")
    team = founded(other, ada)
    with pytest.raises(TeamRefused) as refused:
        join(assignment, ada, team.code)
    assert refused.value.code == "code_unknown"


def test_team_takes_nobody_and_lets_nobody_go_after_its_first_submission(
    assignment: Assignment, ada: Enrollment, ben: Enrollment
) -> None:
    team = founded(assignment, ada)
    SubmissionFactory.create(assignment=assignment, student=ada, team=team)
    with pytest.raises(TeamRefused) as joining:
        join(assignment, ben, team.code)
    with pytest.raises(TeamRefused) as leaving:
        actions.leave_team(assignment=assignment, student=ada, by=user_of(ada))
    assert (joining.value.code, leaving.value.code) == ("team_closed", "team_closed")


def test_code_is_read_in_any_spelling(
    assignment: Assignment, ada: Enrollment, ben: Enrollment
) -> None:
    team = founded(assignment, ada)
    join(assignment, ben, f" {team.spoken_code.lower()} ")
    assert names(team) == ["Ada", "Ben"]


def test_representative_who_leaves_early_hands_over_and_the_last_one_ends_the_team(
    assignment: Assignment, ada: Enrollment, ben: Enrollment
) -> None:
    team = founded(assignment, ada)
    join(assignment, ben, team.code)
    actions.leave_team(assignment=assignment, student=ada, by=user_of(ada))
    team.refresh_from_db()
    assert (team.representative, names(team)) == (ben, ["Ben"])

    actions.leave_team(assignment=assignment, student=ben, by=user_of(ben))
    assert not Team.objects.filter(pk=team.pk).exists()
    verbs = Activity.objects.filter(verb__startswith="team.").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == [
        "team.created",
        "team.joined",
        "team.left",
        "team.left",
    ]


def test_groups_become_teams_once(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(team_formation="groups")
    assignment.refresh_from_db()
    teacher = staff_user(assignment.organization)
    for name, group in (("Ada", "A"), ("Ben", "A"), ("Carl", "B"), ("Dora", "")):
        EnrollmentFactory.create(cohort=assignment.cohort, name=name, group=group)

    first = actions.form_teams_from_groups(assignment=assignment, by=teacher)
    again = actions.form_teams_from_groups(assignment=assignment, by=teacher)

    teams = {team.name: names(team) for team in Team.objects.filter(assignment=assignment)}
    assert (first, again, teams) == (3, 0, {"A": ["Ada", "Ben"], "B": ["Carl"]})


def test_group_with_a_newcomer_joins_them_unless_its_team_has_submitted(
    assignment: Assignment,
) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(team_formation="groups")
    teacher = staff_user(assignment.organization)
    ada = EnrollmentFactory.create(cohort=assignment.cohort, name="Ada", group="A")
    carl = EnrollmentFactory.create(cohort=assignment.cohort, name="Carl", group="B")
    actions.form_teams_from_groups(assignment=assignment, by=teacher)
    team = Team.objects.get(name="B")
    SubmissionFactory.create(assignment=assignment, student=carl, team=team)
    for group in "AB":
        EnrollmentFactory.create(cohort=assignment.cohort, name=f"New {group}", group=group)

    plans = {plan.name: (len(plan.students), plan.waits) for plan in plan_from_groups(assignment)}
    placed = actions.form_teams_from_groups(assignment=assignment, by=teacher)

    assert plans == {"A": (1, False), "B": (1, True)}
    assert (placed, names(Team.objects.get(representative=ada))) == (1, ["Ada", "New A"])
    assert names(team) == ["Carl"]


def test_staff_split_a_team_that_has_submitted_with_a_reason(
    assignment: Assignment, ada: Enrollment, ben: Enrollment
) -> None:
    teacher = staff_user(assignment.organization)
    team = team_with(assignment, ada, ben, name="Blue")
    SubmissionFactory.create(assignment=assignment, student=ada, team=team)

    def split(reason: str) -> Team | None:
        return actions.assign_students(
            assignment=assignment,
            students=[ben],
            team=None,
            new_team="Red",
            reason=reason,
            by=teacher,
        )

    with pytest.raises(TeamRefused) as refused:
        split(" ")
    assert (refused.value.field, refused.value.code) == ("reason", "reason_missing")
    assert names(team) == ["Ada", "Ben"]

    red = split("They work apart now.")
    assert red is not None
    assert (names(team), names(red)) == (["Ada"], ["Ben"])
    left = TeamMember.objects.get(team=team, student=ben)
    assert left.left_at is not None
    # The clock may step back a little.
    assert left.left_at < timezone.now() + timedelta(minutes=1)


def test_representative_of_submitted_work_cannot_represent_another_team(
    assignment: Assignment, ada: Enrollment, ben: Enrollment
) -> None:
    teacher = staff_user(assignment.organization)
    team = team_with(assignment, ada, ben)
    SubmissionFactory.create(assignment=assignment, student=ada, team=team)
    with pytest.raises(TeamRefused) as refused:
        actions.assign_students(
            assignment=assignment,
            students=[ada],
            team=None,
            new_team="Red",
            reason="Apart.",
            by=teacher,
        )
    assert refused.value.code == "represents_another"
    assert names(team) == ["Ada", "Ben"]


def test_team_of_another_assignment_is_refused(
    assignment: Assignment, ada: Enrollment, ben: Enrollment
) -> None:
    other = AssignmentFactory.create(cohort=CohortFactory.create(), team_formation="staff")
    foreign = team_with(other, student(other.cohort))
    with pytest.raises(TeamRefused) as refused:
        actions.assign_students(
            assignment=assignment,
            students=[ben],
            team=foreign,
            by=staff_user(assignment.organization),
        )
    assert refused.value.code == "team_gone"


def test_rename_refuses_a_name_in_use(
    assignment: Assignment, ada: Enrollment, ben: Enrollment
) -> None:
    teacher = staff_user(assignment.organization)
    team = team_with(assignment, ada, name="Blue")
    team_with(assignment, ben, name="Red")
    with pytest.raises(TeamRefused) as refused:
        actions.rename_team(team=team, name="red", by=teacher)
    actions.rename_team(team=team, name="Green", by=teacher)
    team.refresh_from_db()
    assert (refused.value.code, team.name) == ("name_taken", "Green")
