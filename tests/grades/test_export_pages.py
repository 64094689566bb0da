"""The export page: its preview, students without a match, and the file."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from grading.core.enums import Role
from grading.models import Activity, Assignment
from tests.factories.grades import GradeFactory
from tests.factories.people import EnrollmentFactory, everywhere, staff_user
from tests.factories.work import AssignmentFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
ASKED = {"layout": "canvas", "what": "released", "scale": "points"}


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(
        cohort__slug="autumn", slug="auditor", title="=SUM(A1)"
    )
    return made


@pytest.fixture
def assistant(assignment: Assignment) -> Client:
    client = Client()
    client.force_login(staff_user(assignment.organization, Role.ASSISTANT))
    return client


def address(assignment: Assignment) -> str:
    return reverse("export", args=[assignment.organization.slug, "autumn", "auditor"])


def released(assignment: Assignment, points: Any = None, **whose: Any) -> Any:
    student = EnrollmentFactory.create(cohort=assignment.cohort, **whose)
    report = {
        "audit": "a",
        "submission": "00000000-0000-0000-0000-000000000000",
        "attempt": 1,
        "digest": "d",
        "rubric_version": "v1",
        "overall_score": 3.0,
        "points": points,
        "criteria": [],
    }

    return GradeFactory.create(
        audit__submission__assignment=assignment,
        audit__submission__student=student,
        released=report,
        released_at=timezone.now(),
    )


def test_export_page_of_empty_cohort_is_valid(assistant: Client, assignment: Assignment) -> None:
    page = assistant.get(address(assignment)).content.decode()
    assert (faults_of(page), "0 of 0</a> students" in page) == ([], True)


def test_first_rows_and_unmatched_students_are_previewed(
    assistant: Client, assignment: Assignment
) -> None:
    released(assignment, name="+Ada", email="ada@example.org", student_number="7")
    EnrollmentFactory.create(cohort=assignment.cohort, name="Bob", email="bob@example.org")
    answer = assistant.get(address(assignment), ASKED)
    assert faults_of(answer.content.decode()) == []
    assert answer.context["preview"][2:] == [
        ["'+Ada", "", "7", "ada@example.org", "", "3"],
        ["Bob", "", "", "bob@example.org", "", ""],
    ]
    assert (
        answer.context["match"].numbers_missing,
        [str(without_grade) for without_grade in answer.context["without"]],
    ) == (
        1,
        ["Bob"],
    )


def test_every_attempt_is_exported_to_spreadsheet_with_attempt_number(
    assistant: Client, assignment: Assignment
) -> None:
    refused = assistant.get(address(assignment), ASKED | {"attempt": "every"})
    assert (list(refused.context["form"].errors), faults_of(refused.content.decode())) == (
        ["attempt"],
        [],
    )
    whole = {"layout": "generic", "what": "everything", "scale": "points", "attempt": "every"}
    answer: Any = assistant.post(address(assignment), whole)
    assert '"attempt"' in b"".join(answer).decode().splitlines()[0].split(",")
    with everywhere():
        assert Activity.objects.get(verb="grades.exported").detail["what"] == "every attempt"


def test_students_without_unique_number_are_listed(
    assistant: Client, assignment: Assignment
) -> None:
    for name, number in (("Ada", "7"), ("Bob", ""), ("Cyd", "n-8"), ("Dee", "N-8")):
        EnrollmentFactory.create(cohort=assignment.cohort, name=name, student_number=number)
    answer = assistant.get(address(assignment), ASKED)
    match, named = (
        answer.context["match"],
        [student.name for student in answer.context["unmatched"]],
    )
    assert (match.numbers_missing, match.same_number, named) == (1, 2, ["Bob", "Cyd", "Dee"])
    assert faults_of(answer.content.decode()) == []


def test_file_streams_under_a_safe_name_and_is_logged(
    assistant: Client, assignment: Assignment
) -> None:
    released(assignment, name="Ada", email="ada@example.org")
    answer: Any = assistant.post(address(assignment), ASKED)
    assert (answer.streaming, answer.headers["Content-Disposition"]) == (
        True,
        'attachment; filename="autumn-auditor-canvas.csv"',
    )
    assert b"".join(answer).decode().splitlines()[0].endswith(""","Section","'=SUM(A1)\"""")
    with everywhere():
        assert Activity.objects.filter(verb="grades.exported").count() == 1


def test_invalid_choice_is_reported_beside_its_field_and_kept(
    assistant: Client, assignment: Assignment
) -> None:
    for possible in (80.0, 100.0):
        released(assignment, points={"earned": 60.0, "possible": possible})
    answer = assistant.post(address(assignment), ASKED)
    assert faults_of(answer.content.decode()) == []
    assert list(answer.context["form"].errors) == ["scale"]
    assert answer.context["form"]["layout"].value() == "canvas"
    assert list(assistant.post(address(assignment), {}).context["form"].errors) == [
        "layout",
        "what",
        "scale",
    ]


@pytest.mark.parametrize("students", [1, 3, 30])
def test_export_page_queries_are_constant(
    assistant: Client, assignment: Assignment, students: int, django_assert_num_queries: Any
) -> None:
    for _ in range(students):
        released(assignment)
    with django_assert_num_queries(15):
        assistant.get(address(assignment), ASKED)
