"""Ends of teams: two joins at once, a dissolved team, members who are removed, archive, deletion."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django_scopes import scope

from grading import workflow
from grading.core.errors import PeopleRefused, TeamRefused
from grading.courses.archive.actions import archive_cohort, delete_cohort
from grading.courses.archive.cohort_inventory import inventory_of
from grading.courses.people.removal import holdings_of, remove_student
from grading.courses.teams.actions import assign_students, join_team
from grading.courses.teams.queries import members_of, team_of, team_page
from grading.grades.member_grades import adjust_grade
from grading.models import (
    Activity,
    Assignment,
    Enrollment,
    Grade,
    GradeAdjustment,
    Submission,
    Team,
    TeamMember,
)
from tests.factories.example_report import report_json
from tests.factories.people import everywhere, staff_user, student
from tests.factories.races import in_turn
from tests.factories.released import assignment_of, verdict_of
from tests.factories.teams import team_with
from tests.factories.work import AuditFactory, SubmissionFactory, claimed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


class Pair:
    """Ada, who represents it, and Ben in one team; `judge` gives it a verdict."""

    def __init__(self) -> None:
        self.assignment = assignment_of(team_formation="students", team_size_max=3)
        self.ada, self.ben = (student(self.assignment.cohort, name=n) for n in ("Ada", "Ben"))
        self.teacher = staff_user(self.assignment.organization)
        self.team: Team = team_with(self.assignment, self.ada, self.ben, name="Blue")

    def judge(self) -> None:
        work = SubmissionFactory.create(
            assignment=self.assignment, student=self.ada, team=self.team
        )
        audit = AuditFactory.create(submission=work)
        workflow.finish_audit(lease=claimed(audit), verdict=verdict_of(report_json(criteria=3)))
        ben = Grade.objects.get(student=self.ben)
        adjust_grade(grade=ben, delta=-0.5, reason="Less.", by=self.teacher)

    def remove(self, member: Enrollment) -> None:
        held = holdings_of(member)
        remove_student(
            student=member, typed=member.email, fingerprint=held.fingerprint, by=self.teacher
        )


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair()
    with scope(organization=made.assignment.organization):
        yield made


@pytest.mark.django_db(transaction=True)
def test_student_who_joins_two_teams_at_once_is_in_the_first() -> None:
    with everywhere():
        pair = Pair()
        carl, dora = (student(pair.assignment.cohort, name=name) for name in ("Carl", "Dora"))
        other = team_with(pair.assignment, dora, name="Red")

    def join(team: Team) -> Callable[[], str]:
        def act() -> str:
            try:
                join_team(assignment=pair.assignment, code=team.code, student=carl, by=carl.user)
            except TeamRefused as refusal:
                return refusal.code
            return "joined"

        return act

    assert in_turn(Assignment, join(other), join(pair.team)) == ["joined", "in_a_team"]
    with everywhere():
        assert team_of(pair.assignment, carl) == other
        assert [str(row) for row in members_of(pair.team)] == ["Ada", "Ben"]
        assert Activity.objects.filter(verb="team.joined").count() == 1


def test_dissolved_team_keeps_its_work_and_its_members_their_grades(pair: Pair) -> None:
    pair.judge()
    choices: dict[str, Any] = {"assignment": pair.assignment, "by": pair.teacher}
    assign_students(students=[pair.ada, pair.ben], team=None, reason="Apart.", **choices)

    page = team_page(pair.assignment)
    assert [str(team) for team in page.teams] == ["Blue"]
    assert [str(row.student) for row in vars(page.teams[0])["former"]] == ["Ada", "Ben"]
    assert [str(row) for row in page.without] == ["Ada", "Ben"]
    grades = Grade.objects.order_by("student__name")
    assert [str(row.student) for row in grades] == ["Ada", "Ben"]
    assert Submission.objects.get().team == pair.team

    again = assign_students(students=[pair.ada], team=pair.team, reason="Back.", **choices)
    assert again is not None
    assert [str(row) for row in members_of(again)] == ["Ada"]


def test_removed_member_takes_their_place_and_grade_and_leaves_the_work(pair: Pair) -> None:
    pair.judge()
    pair.remove(pair.ben)

    assert [str(row) for row in members_of(pair.team)] == ["Ada"]
    assert [str(row.student) for row in Grade.objects.all()] == ["Ada"]
    assert not GradeAdjustment.objects.exists()
    assert Submission.objects.get().team == pair.team


def test_representative_of_work_that_others_share_is_not_removed(pair: Pair) -> None:
    pair.judge()
    with pytest.raises(PeopleRefused, match="submitted for a team"):
        pair.remove(pair.ada)
    assert [str(row) for row in members_of(pair.team)] == ["Ada", "Ben"]


def test_representative_without_work_leaves_the_team_before_they_are_removed(pair: Pair) -> None:
    with pytest.raises(PeopleRefused, match="first member of the team “Blue”"):
        pair.remove(pair.ada)

    assign_students(assignment=pair.assignment, students=[pair.ada], team=None, by=pair.teacher)
    pair.remove(pair.ada)
    pair.team.refresh_from_db()
    assert (pair.team.representative, members_of(pair.team)) == (pair.ben, [pair.ben])


def test_archive_holds_teams_with_members_and_adjustments(pair: Pair) -> None:
    pair.judge()
    pieces = archive_cohort(cohort=pair.assignment.cohort, by=pair.teacher)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(pieces)))

    def rows(name: str) -> list[dict[str, Any]]:
        lines = archive.read(f"assignments/{pair.assignment.slug}/{name}.jsonl").decode()
        return [json.loads(line) for line in lines.splitlines()]

    assert [row["name"] for row in rows("teams")] == ["Blue"]
    assert [row["student_id"] for row in rows("team_members")] == [pair.ada.pk, pair.ben.pk]
    assert [row["reason"] for row in rows("adjustments")] == ["Less."]


def test_deletion_of_the_cohort_deletes_its_teams(pair: Pair) -> None:
    pair.judge()
    cohort = pair.assignment.cohort
    delete_cohort(
        cohort=cohort,
        typed=cohort.slug,
        fingerprint=inventory_of(cohort).fingerprint,
        by=pair.teacher,
    )
    left = [model.objects.count() for model in (Team, TeamMember, GradeAdjustment, Grade)]
    assert left == [0, 0, 0, 0]
