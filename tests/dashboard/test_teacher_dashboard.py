"""What whoever teaches looks for first: what waits for them, and the list behind each number."""

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


def test_who_teaches_nowhere_is_shown_none_of_it(assignment: Assignment) -> None:
    answer = first_page(signed_in(student(assignment.cohort).user))
    assert (answer.context["teaching"], "Needs your attention" in answer.content.decode()) == (
        None,
        False,
    )


def test_another_institutions_work_is_not_counted(teacher: Client) -> None:
    other = AssignmentFactory.create()
    AppealFactory.create(submission__assignment=other)
    BulkRunFactory.create(assignment=other)
    teaching = first_page(teacher).context["teaching"]
    assert ([each.title for each in teaching.assignments], teaching.appeals, teaching.runs) == (
        ["The auditor"],
        (),
        (),
    )


def test_each_number_is_that_of_the_list_it_leads_to(
    teacher: Client, assignment: Assignment
) -> None:
    def someone() -> Any:
        return EnrollmentFactory.create(cohort=assignment.cohort)

    told: dict[str, Any] = {"released": {"earlier": []}, "released_at": timezone.now()}
    graded(assignment, someone())
    graded(assignment, someone(), needs_review=True)
    graded(assignment, someone(), unverified=True, **told)
    graded(assignment, someone(), changed=True, **told)
    appealed = graded(assignment, someone(), **told).audit.submission
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
    for asked, number in counted.items():
        assert f'{page_of(assignment)}?{asked}"' in answer.content.decode()
        listed = teacher.get(f"{page_of(assignment)}?{asked}")
        assert listed.context["page"].paginator.count == number


def test_appeals_are_counted_with_the_oldest_and_runs_that_go_on_are_named(
    teacher: Client, assignment: Assignment
) -> None:
    for _ in range(2):
        AppealFactory.create(submission__assignment=assignment)
    BulkRunFactory.create(assignment=assignment, total=3, done=1)
    page = first_page(teacher).content.decode()
    assert ("<strong>2</strong> appeals" in page, "Re-synthesise: 1 of 3" in page) == (True, True)


def test_what_is_due_soonest_stands_first_and_a_cohort_that_has_ended_not_at_all(
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
