"""Work of a team: one attempt and one verdict for all, and who reads what after a change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.http import Http404
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading import workflow
from grading.bulk.queries import failed_audits
from grading.core.enums import Role
from grading.core.errors import ReviewRefused, SubmissionRefused, TeamRefused
from grading.core.permissions import access_audit, access_submission, may_read_staff_thread
from grading.courses.extensions.actions import Relief, give_extension, withdraw_extension
from grading.courses.extensions.queries import terms_of
from grading.courses.teams.actions import assign_students
from grading.courses.teams.queries import students_for_rounds, team_mates
from grading.dashboard.search import search_organization
from grading.findings.queries.tallies import tallies_of
from grading.findings.queries.visible_findings import findings_of
from grading.grades.agreement.queries import works_of
from grading.grades.member_grades import grades_on
from grading.grades.queries.gradebook import GradeFilters, grade_row_of, rows_of
from grading.grades.releases import release_grades
from grading.grading_queue.actions import mark_reviewed
from grading.grading_queue.queries import queue_of, review_fingerprint
from grading.models import Audit, Enrollment, Grade, Membership, Notice, Submission, Team
from grading.rubrics.check_trials.queries import works_to_try_on
from grading.staff_threads.queries import colleagues_of
from grading.submissions.actions import create_submission
from grading.submissions.due_reminders import remind_of_due_dates
from grading.submissions.queries import (
    attempts_left,
    attempts_of,
    may_withdraw,
    standings_of,
    visible_attempts,
)
from tests.factories.example_report import report_json
from tests.factories.extensions import ExtensionFactory
from tests.factories.people import staff_user, student
from tests.factories.released import assignment_of, verdict_of
from tests.factories.repositories import Commit, make_repository
from tests.factories.teams import team_with
from tests.factories.work import AuditFactory, SubmissionFactory, claimed

pytestmark = pytest.mark.django_db


class Three:
    """Ada, Ben and Carl in one team, and Dora in none."""

    def __init__(self) -> None:
        self.assignment = assignment_of(
            team_formation="students", max_attempts=2, due_at=timezone.now() + timedelta(days=1)
        )
        cohort = self.assignment.cohort
        self.ada, self.ben, self.carl, self.dora = (
            student(cohort, name=name) for name in ("Ada", "Ben", "Carl", "Dora")
        )
        self.teacher = staff_user(cohort.organization)
        self.team: Team = team_with(self.assignment, self.ada, self.ben, self.carl, name="Blue")

    def attempt(self, number: int = 1) -> Submission:
        made: Submission = SubmissionFactory.create(
            assignment=self.assignment, student=self.ada, team=self.team, attempt=number
        )
        return made

    def judged(self, number: int = 1, **scores: int) -> Audit:
        audit: Audit = AuditFactory.create(submission=self.attempt(number))
        workflow.finish_audit(
            lease=claimed(audit), verdict=verdict_of(report_json(criteria=3), **scores)
        )
        audit.refresh_from_db()
        return audit

    def move(self, student_: Enrollment, team: Team | None = None, **choices: Any) -> None:
        assign_students(
            assignment=self.assignment,
            students=[student_],
            team=team,
            by=self.teacher,
            **{"reason": "Moved.", **choices},
        )

    def grades(self) -> dict[str, Audit]:
        rows = Grade.objects.filter(assignment=self.assignment).select_related("student", "audit")
        return {str(row.student): row.audit for row in rows}


@pytest.fixture
def three() -> Iterator[Three]:
    made = Three()
    with scope(organization=made.assignment.organization):
        yield made


@pytest.fixture
def repository(tmp_path: Path) -> str:
    make_repository(tmp_path / "work.git", [Commit(files={"main.py": "print()\n"})])
    return str(tmp_path / "work.git")


def submit(three: Three, member: Enrollment, repository: str, **fields: Any) -> Submission:
    return create_submission(
        assignment=three.assignment, student=member, repo_url=repository, by=member.user, **fields
    )


def may_read(member: Enrollment, audit: Audit) -> bool:
    assert member.user is not None
    try:
        access_audit(member.user, audit.pk)
    except Http404:
        return False
    return True


def test_student_without_a_team_is_refused(three: Three, repository: str) -> None:
    with pytest.raises(SubmissionRefused) as refused:
        submit(three, three.dora, repository)
    assert refused.value.code == "team_missing"


def test_attempts_of_all_members_are_numbered_for_the_team(three: Three, repository: str) -> None:
    first = submit(three, three.ben, repository)
    Audit.objects.update(state="failed", failure_code="x", finished_at=timezone.now())
    second = submit(three, three.carl, repository, again=True)

    assert (first.student, first.attempt, first.handed_in_by) == (three.ada, 1, three.ben.user)
    assert (second.student, second.attempt, second.team) == (three.ada, 2, three.team)
    members = (three.ada, three.ben, three.carl)
    assert [attempts_left(three.assignment, member) for member in members] == [0, 0, 0]
    assert [attempts_of(member, three.assignment).count() for member in members] == [2, 2, 2]
    with pytest.raises(SubmissionRefused) as refused:
        submit(three, three.ada, repository, again=True)
    assert refused.value.code == "attempts_used_up"


def test_every_member_gets_the_receipt(three: Three, repository: str) -> None:
    submit(three, three.ben, repository)
    noted = Notice.objects.filter(kind="handed_in").values_list("user__email", flat=True)
    assert sorted(noted) == sorted(row.email for row in team_mates(Submission.objects.get()))
    assert len(noted) == 3


def test_members_read_the_work_and_others_do_not(three: Three) -> None:
    audit = three.judged()
    readers = {
        str(member): may_read(member, audit) for member in (three.ada, three.ben, three.dora)
    }
    assert readers == {"Ada": True, "Ben": True, "Dora": False}
    assert access_submission(three.ben.user, audit.submission_id).reader == three.ben


def test_verdict_counts_for_every_member(three: Three) -> None:
    audit = three.judged()
    assert three.grades() == {"Ada": audit, "Ben": audit, "Carl": audit}
    assert [str(grade.student) for grade in grades_on(audit.submission)] == ["Ada", "Ben", "Carl"]


def test_release_to_one_member_stays_hidden_from_another(three: Three) -> None:
    type(three.assignment).objects.update(release_policy="after_release")
    three.assignment.refresh_from_db()
    audit = three.judged()
    ben = Grade.objects.get(student=three.ben)
    release_grades(assignment=three.assignment, grades=[ben], by=three.teacher)

    visibilities = {
        str(member): visible_attempts(attempts_of(member, three.assignment))[0].visibility
        for member in (three.ada, three.ben)
    }
    assert visibilities == {"Ada": "withheld", "Ben": "released"}
    noted = [
        len(findings_of(three.assignment, three.ada, is_staff=False, reader=member)) > 0
        for member in (three.ada, three.ben)
    ]
    assert noted[0] is False
    assert audit.submission.student == three.ada


def test_extension_of_one_member_holds_for_the_team_but_stays_their_own(three: Three) -> None:
    later = timezone.now() + timedelta(days=9)
    ExtensionFactory.create(
        assignment=three.assignment, student=three.ben, due_at=later, max_attempts=4
    )
    terms = {
        str(member): terms_of(three.assignment, member)
        for member in (three.ada, three.ben, three.dora)
    }
    assert [(row.due_at == later, row.max_attempts) for row in terms.values()] == [
        (True, 4),
        (True, 4),
        (False, 2),
    ]
    assert [len(row.extensions) for row in terms.values()] == [0, 1, 0]


@pytest.mark.parametrize("for_group", [False, True])
def test_extension_is_mailed_to_the_team_and_its_reason_to_nobody(
    three: Three, *, for_group: bool
) -> None:
    Enrollment.objects.filter(pk=three.ben.pk).update(group="Night")
    recipients: dict[str, Any] = {"group": "Night"} if for_group else {"students": [three.ben]}
    [given] = give_extension(
        assignment=three.assignment,
        relief=Relief(max_attempts=4),
        reason="Ill at home.",
        by=three.teacher,
        **recipients,
    )
    noted = {row.user: row for row in Notice.objects.filter(kind="extension")}
    assert set(noted) == {three.ada.user, three.ben.user, three.carl.user}
    own, of_mate = noted[three.ben.user], noted[three.ada.user]
    assert "You have an extension" in own.body
    assert "of your team changed" in of_mate.body
    assert "Ben" not in of_mate.subject + of_mate.body
    assert all("you have 4 attempts in all" in row.body for row in noted.values())
    assert not any("Ill" in row.subject + row.body for row in noted.values())

    Notice.objects.all().delete()
    withdraw_extension(extension=given, by=three.teacher)
    bodies = {row.user: row.body for row in Notice.objects.filter(kind="extension")}
    assert "An extension was withdrawn" in bodies[three.ben.user]
    assert "of your team changed" in bodies[three.carl.user]
    assert len(bodies) == 3


def test_lists_name_the_team_instead_of_its_representative(three: Three) -> None:
    three.judged()
    client = Client()
    client.force_login(three.teacher)
    place = three.assignment
    slugs = [place.organization.slug, place.cohort.slug, place.slug]
    by_team = client.get(reverse("findings", args=slugs)).content.decode()
    assert [(row.name, row.student) for row in tallies_of(place)] == [("Blue", three.ada.pk)]
    assert "Blue" in by_team
    assert "Ada" not in by_team
    own = client.get(reverse("findings", args=slugs), {"student": three.ben.pk}).content.decode()
    assert "Findings in the work of Blue" in own
    [group] = works_to_try_on(place.rubric_version)
    assert [row.submission.owner_name for row in group.audits] == ["Blue"]
    standings = client.get(reverse("assignment", args=slugs)).content.decode()
    assert standings.count(">Blue</span>") == 3


def test_search_leads_from_a_member_to_the_work_of_the_team(three: Three) -> None:
    audit = three.judged()
    hits = search_organization(three.assignment.organization, "Ben").students
    assert [(str(hit.student), hit.audit) for hit in hits] == [("Ben", audit)]


def test_findings_of_a_team_whose_representative_left_open_from_the_list(three: Three) -> None:
    three.judged()
    three.move(three.ada)
    [tally] = tallies_of(three.assignment)
    assert tally.student in {three.ben.pk, three.carl.pk}


def test_failed_work_of_a_team_is_renewed_unless_a_member_has_its_grade(three: Three) -> None:
    three.judged()
    three.move(three.ada, keeps_grade=False)
    assert "Ada" not in three.grades()
    later = three.attempt(2)
    AuditFactory.create(
        submission=later, state="failed", failure_code="x", finished_at=timezone.now()
    )
    assert failed_audits(three.assignment) == []


def test_work_counts_once_where_works_are_drawn_and_rounds_are_made(three: Three) -> None:
    audit = three.judged()
    assert [work.submission for work in works_of(three.assignment)] == [audit.submission_id]
    assert students_for_rounds(three.assignment) == [three.ada]


def test_lists_for_staff_show_each_member_at_the_work_of_the_team(three: Three) -> None:
    three.judged()
    standings = {str(row.student): row.attempts for row in standings_of(three.assignment)}
    assert standings == {"Ada": 1, "Ben": 1, "Carl": 1, "Dora": 0}
    rows = [grade_row_of(row) for row in rows_of(three.assignment, GradeFilters())]
    assert [(row.student, row.team, row.attempts, row.latest_state) for row in rows] == [
        ("Ada", "Blue", 1, "done"),
        ("Ben", "Blue", 1, "done"),
        ("Carl", "Blue", 1, "done"),
        ("Dora", "", 0, None),
    ]


@pytest.mark.parametrize("has_grade", [True, False], ids=["with a grade", "without one"])
def test_queue_lists_the_work_of_a_team_once_by_its_name(three: Three, has_grade: bool) -> None:
    three.judged()
    if not has_grade:
        Grade.objects.filter(student=three.ada).delete()
    works = queue_of(three.assignment).works
    assert [(work.name, work.student) for work in works] == [("Blue", three.ada)]


def test_assistant_does_not_score_the_work_of_their_own_team(three: Three) -> None:
    audit = three.judged()
    fingerprint = review_fingerprint(audit.report_digest, "", None, None)
    Membership.objects.filter(user=three.ben.user).update(role=Role.ASSISTANT)
    assert three.ben.user
    with pytest.raises(ReviewRefused) as refusal:
        mark_reviewed(
            submission=audit.submission, criterion_id="", shown=fingerprint, by=three.ben.user
        )
    assert refusal.value.code == "own_work"


def test_member_who_left_reads_earlier_attempts_only_and_keeps_the_grade(three: Three) -> None:
    first = three.judged()
    three.move(three.ben)
    second = three.judged(2)

    assert [may_read(three.ben, audit) for audit in (first, second)] == [True, False]
    assert three.grades() == {"Ada": second, "Ben": first, "Carl": second}
    assert attempts_of(three.ben, three.assignment).count() == 1


def test_member_who_left_can_no_longer_withdraw_the_work_of_the_team(
    three: Three, repository: str
) -> None:
    audit = submit(three, three.ben, repository).audits.get()
    three.move(three.ben)
    users = [member.user for member in (three.ada, three.ben, three.carl) if member.user]
    assert [may_withdraw(audit, user) for user in users] == [True, False, True]
    client = Client()
    client.force_login(users[1])
    address = reverse("withdraw", args=[three.assignment.organization.slug, audit.pk])
    assert client.post(address).status_code == 404


def test_work_of_a_team_spares_every_member_the_reminder(three: Three) -> None:
    three.attempt()
    assert remind_of_due_dates() == 1
    assert [row.user for row in Notice.objects.filter(kind="due_soon")] == [three.dora.user]


def test_assistant_reads_no_staff_thread_on_work_of_their_own_team(three: Three) -> None:
    work = three.attempt()
    for member in (three.ben, three.dora):
        Membership.objects.filter(user=member.user).update(role=Role.ASSISTANT)
    ben, dora = three.ben.user, three.dora.user
    assert ben
    assert dora
    assert [may_read_staff_thread(user, work) for user in (ben, dora)] == [False, True]
    assert {ben.pk, dora.pk} & set(colleagues_of(work)) == {dora.pk}


def test_representative_who_left_reads_no_later_attempt(three: Three) -> None:
    first = three.judged()
    three.move(three.ada)
    second = three.judged(2)
    assert [may_read(three.ada, audit) for audit in (first, second)] == [True, False]
    assert second.submission.student == three.ada


def test_grade_goes_by_the_choice_of_staff_unless_it_was_released(three: Three) -> None:
    audit = three.judged()
    three.move(three.ben, keeps_grade=False)
    assert three.grades() == {"Ada": audit, "Carl": audit}

    carl = Grade.objects.get(student=three.carl)
    release_grades(assignment=three.assignment, grades=[carl], by=three.teacher)
    with pytest.raises(TeamRefused) as refused:
        three.move(three.carl, keeps_grade=False)
    assert (refused.value.field, refused.value.code) == ("keeps_grade", "grade_released")


@pytest.mark.parametrize("counts", [True, False])
def test_latecomer_has_the_earlier_verdict_by_the_choice_of_staff(
    three: Three, counts: bool
) -> None:
    first = three.judged()
    three.move(three.dora, three.team, earlier_counts=counts)
    assert three.grades().get("Dora") == (first if counts else None)
    second = three.judged(2)
    assert three.grades()["Dora"] == second


def test_mails_of_a_team_hold_no_score(three: Three) -> None:
    three.judged()
    grades = list(Grade.objects.filter(assignment=three.assignment))
    release_grades(assignment=three.assignment, grades=grades, by=three.teacher)
    noted = Notice.objects.filter(kind="released")
    assert noted.count() == 3
    assert not mail.outbox
    assert not any("of 5" in row.body for row in noted)


def test_report_leads_to_the_release_of_all_members_who_wait(three: Three) -> None:
    audit = three.judged()
    grades = list(Grade.objects.order_by("student__name", "pk"))
    client = Client()
    client.force_login(three.teacher)

    def released_by_link() -> list[str]:
        page = client.get(reverse("audit", args=[audit.organization.slug, audit.pk]))
        link = re.search(r'/grades/release/\?([^"]*)"', page.content.decode())
        return re.findall(r"grade=(\d+)", link[1]) if link else []

    assert released_by_link() == [str(grade.pk) for grade in grades]
    release_grades(assignment=three.assignment, grades=grades[:1], by=three.teacher)
    assert released_by_link() == [str(grade.pk) for grade in grades[1:]]
    release_grades(assignment=three.assignment, grades=grades, by=three.teacher)
    assert released_by_link() == []
