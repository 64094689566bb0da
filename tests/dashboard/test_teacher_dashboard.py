"""The home page of staff: open work, and the list behind each number."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from grading.core.enums import Role
from grading.models import Assignment, Cohort
from tests.factories.graded_work import graded, page_of, signed_in
from tests.factories.grades import AppealFactory, BulkRunFactory
from tests.factories.people import EnrollmentFactory, everywhere, staff_user, student
from tests.factories.work import AssignmentFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(title="The auditor")
    return made


@pytest.fixture
def teacher(assignment: Assignment) -> Client:
    return signed_in(staff_user(assignment.organization, Role.ASSISTANT))


def first_page(client: Client) -> Any:
    answer = client.get("/")
    assert faults_of(answer.content.decode()) == []
    return answer


def test_user_without_staff_role_sees_no_teaching_section(assignment: Assignment) -> None:
    answer = first_page(signed_in(student(assignment.cohort).user))
    assert (answer.context["teaching"], "Needs your attention" in answer.content.decode()) == (
        None,
        False,
    )


def test_other_organizations_work_is_not_counted(teacher: Client) -> None:
    other = AssignmentFactory.create()
    AppealFactory.create(submission__assignment=other)
    BulkRunFactory.create(assignment=other)
    teaching = first_page(teacher).context["teaching"]
    assert ([row.title for row in teaching.assignments], teaching.appeals, teaching.runs) == (
        ["The auditor"],
        (),
        (),
    )


def test_numbers_match_the_lists_they_link_to(teacher: Client, assignment: Assignment) -> None:
    def someone() -> Any:
        return EnrollmentFactory.create(cohort=assignment.cohort)

    released: dict[str, Any] = {"released": {"earlier": []}, "released_at": timezone.now()}
    graded(assignment, someone())
    graded(assignment, someone(), needs_review=True)
    graded(assignment, someone(), unverified=True, **released)
    graded(assignment, someone(), changed=True, **released)
    appealed = graded(assignment, someone(), **released).audit.submission
    AppealFactory.create(submission=appealed)
    SubmissionFactory.create(assignment=assignment, student=appealed.student, attempt=2)
    someone()
    answer = first_page(teacher)
    [row] = answer.context["teaching"].assignments
    counted = {
        "state=handed": row.handed_in,
        "release=not": row.unreleased,
        "flag=flagged": row.flagged,
        "release=changed": row.changed_since,
    }
    assert (row.students, counted) == (
        6,
        {"state=handed": 5, "release=not": 2, "flag=flagged": 3, "release=changed": 1},
    )
    for query, number in counted.items():
        assert f'{page_of(assignment)}?{query}"' in answer.content.decode()
        listed = teacher.get(f"{page_of(assignment)}?{query}")
        assert listed.context["page"].paginator.count == number


def test_open_appeals_and_running_bulk_runs_are_listed(
    teacher: Client, assignment: Assignment
) -> None:
    for _ in range(2):
        AppealFactory.create(submission__assignment=assignment)
    BulkRunFactory.create(assignment=assignment, total=3, done=1)
    page = first_page(teacher).content.decode()
    assert ("<strong>2</strong> appeals" in page, "Re-synthesise: 1 of 3" in page) == (True, True)


def test_assignments_are_sorted_by_due_date_without_past_cohorts(
    teacher: Client, assignment: Assignment
) -> None:
    now = timezone.now()
    for title, days in (("past", -1), ("late", 9), ("soon", 2)):
        AssignmentFactory.create(
            cohort=assignment.cohort, title=title, due_at=now + timedelta(days=days)
        )
    over = AssignmentFactory.create(cohort__organization=assignment.organization)
    with everywhere():
        Cohort.objects.filter(pk=over.cohort_id).update(ends_on=now.date() - timedelta(days=1))
    rows = first_page(teacher).context["teaching"].assignments
    assert [row.title for row in rows] == ["soon", "late", "The auditor", "past"]
