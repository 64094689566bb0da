"""Search for students, assignments and criteria: for staff, within one organization."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from grading.core.enums import Role
from grading.models import Assignment
from tests.factories.graded_work import signed_in
from tests.factories.people import EnrollmentFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(title="The auditor")
    return made


@pytest.fixture
def assistant(assignment: Assignment) -> Client:
    return signed_in(staff_user(assignment.organization, Role.ASSISTANT))


def search(client: Client, assignment: Assignment, text: str) -> Any:
    answer = client.get(f"/o/{assignment.organization.slug}/search/", {"q": text})
    assert (answer.status_code, faults_of(answer.content.decode())) == (200, [])
    return answer


def names(answer: Any) -> list[str]:
    return [hit.student.name for hit in answer.context["results"].students]


def test_students_have_no_search(assignment: Assignment) -> None:
    client = signed_in(student(assignment.cohort).user)
    page = client.get(f"/o/{assignment.organization.slug}/")
    answer = client.get(f"/o/{assignment.organization.slug}/search/", {"q": "a"})
    assert (answer.status_code, 'role="search"' in page.content.decode()) == (404, False)


@pytest.mark.parametrize("text", ["ada", "LOVE ada", "LAdy@Love", "n-1041", "  Ada  "])
def test_student_is_there_by_name_email_and_number_in_any_case(
    assignment: Assignment, assistant: Client, text: str
) -> None:
    person = {"name": "Ada Lovelace", "email": "lady@love.example", "student_number": "N-1041"}
    EnrollmentFactory.create(cohort=assignment.cohort, **person)
    EnrollmentFactory.create(cohort=assignment.cohort, name="Grace", email="g@x.example")
    assert names(search(assistant, assignment, text)) == ["Ada Lovelace"]


def test_nothing_of_another_organization_is_there(
    assignment: Assignment, assistant: Client
) -> None:
    theirs = AssignmentFactory.create(title="The auditor of others")
    student(theirs.cohort, name="Ada of others")
    results = search(assistant, assignment, "others").context["results"]
    assert (results.students, results.assignments, results.criteria) == ([], [], [])


def test_latest_attempt_of_a_student_is_linked(assignment: Assignment, assistant: Client) -> None:
    ada = student(assignment.cohort, name="Ada")
    work = {"submission__assignment": assignment, "submission__student": ada}
    AuditFactory.create(**work, submission__attempt=1)
    latest = AuditFactory.create(**work, submission__attempt=2)
    answer = search(assistant, assignment, "ada")
    (hit,) = answer.context["results"].students
    assert (hit.audit, f"/audits/{latest.pk}/" in answer.content.decode()) == (latest, True)


def test_assignment_and_criterion_are_linked(assignment: Assignment, assistant: Client) -> None:
    criteria = assignment.rubric_version.document["criteria"]
    name = criteria[-1]["name"]
    results = search(assistant, assignment, name.upper()).context["results"]
    assert [(hit.name, hit.assignment) for hit in results.criteria] == [(name, "The auditor")]
    address, _, anchor = results.criteria[0].address.partition("#")
    assert f'<h2 id="{anchor}">{name}</h2>' in assistant.get(address).content.decode()
    assert search(assistant, assignment, "AUDITOR").context["results"].assignments == [assignment]


def test_no_match_is_said_in_words(assignment: Assignment, assistant: Client) -> None:
    page = search(assistant, assignment, "nobody 100%_'").content.decode()
    assert "No student, assignment or criterion" in page


def test_at_most_twenty_rows_are_shown_and_more_are_named(
    assignment: Assignment, assistant: Client
) -> None:
    with CaptureQueriesContext(connection) as few:
        search(assistant, assignment, "Zuse")
    for number in range(21):
        EnrollmentFactory.create(cohort=assignment.cohort, name=f"Zuse {number:02}")
    with CaptureQueriesContext(connection) as searching:
        answer = search(assistant, assignment, "Zuse")
    assert (names(answer), answer.context["results"].has_more) == (
        [f"Zuse {number:02}" for number in range(20)],
        {"students"},
    )
    assert (len(searching) <= len(few), "The first 20 by name" in answer.content.decode()) == (
        True,
        True,
    )


def test_text_that_no_row_can_hold_is_refused(assignment: Assignment, assistant: Client) -> None:
    answer = search(assistant, assignment, "a\x00b")
    assert (answer.context["results"], answer.context["form"].is_valid()) == (None, False)
