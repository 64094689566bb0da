"""The pages about grades: what staff see of a cohort, what a student sees when, and what a form keeps."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from grading.models import Assignment, Enrollment, Grade
from tests.factories.grades import AppealFactory, GradeFactory
from tests.factories.people import CohortFactory, EnrollmentFactory, staff_user, student
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    CriterionVerdictFactory,
    OpinionRecordFactory,
)
from tests.site.page_reading import faults_of
from tests.site.report_example import report_json

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    cohort = CohortFactory.create(name="Autumn")
    made: Assignment = AssignmentFactory.create(cohort=cohort, title="The auditor", slug="auditor")
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    return student(assignment.cohort, name="Ada")


@pytest.fixture
def teacher(assignment: Assignment) -> Client:
    return signed_in(staff_user(assignment.organization))


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def graded(assignment: Assignment, whose: Enrollment, score: float | None = 3.0, **fields: Any) -> Grade:
    """A student's first attempt with a small report, its verdict and its grade."""
    audit = AuditFactory.create(
        submission__assignment=assignment, submission__student=whose, done=True,
        report=report_json(criteria=2), overall_score=score,
    )  # fmt: skip
    for position, (key, name) in enumerate(
        (("git_forensics", "Git forensics"), ("state_management", "State"))
    ):
        CriterionVerdictFactory.create(
            audit=audit, position=position, criterion_id=key, name=name, score=position + 1
        )
    made: Grade = GradeFactory.create(audit=audit, overall_score=score, **fields)
    return made


def page_of(assignment: Assignment, name: str = "grades") -> str:
    return reverse(name, args=[assignment.organization.slug, assignment.cohort.slug, assignment.slug])


def listed(answer: Any) -> list[str]:
    return [row.student for row, _flags in answer.context["rows"]]


def test_the_overview_of_nobody_is_sound(teacher: Client, assignment: Assignment) -> None:
    page = teacher.get(page_of(assignment)).content.decode()
    assert (faults_of(page), "Nobody is enrolled" in page) == ([], True)


def test_the_overview_is_sound_and_tells_each_student_with_flags(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    grade = graded(assignment, ada, widest_spread=3, suspected=True)
    AppealFactory.create(submission=grade.audit.submission)
    EnrollmentFactory.create(cohort=assignment.cohort, name="Bob")
    answer = teacher.get(page_of(assignment))
    assert faults_of(answer.content.decode()) == []
    assert [(row.student, row.score, row.flags) for row, _ in answer.context["rows"]] == [
        ("Ada", 3.0, ("spread", "integrity", "appeal")), ("Bob", None, ()),
    ]  # fmt: skip
    counts = answer.context["counts"]
    assert (counts.students, counts.graded, counts.flagged, counts.released) == (2, 1, 1, 0)
    assert counts.flags == {"spread": 1, "review": 0, "integrity": 1, "judge": 0, "appeal": 1}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("q=bo", ["Bob"]),
        ("flag=spread", ["Ada"]),
        ("flag=flagged", ["Ada", "Cyd"]),
        ("flag=clear", ["Bob"]),
        ("flag=judge", []),
        ("state=review", ["Cyd"]),
        ("state=judged", ["Ada", "Bob"]),
        ("state=nothing", ["Dee"]),
        ("state=running", ["Eve"]),
        ("state=failed", ["Fay"]),
        ("release=not", ["Ada", "Bob", "Cyd"]),
        ("release=released", []),
        ("low=3&high=4", ["Ada"]),
        ("low=4.5", ["Bob"]),
        ("criterion=0&score=1", ["Ada", "Bob", "Cyd"]),
        ("criterion=1&score=none", []),
        ("criterion=0&apart=on", ["Ada"]),
        ("sort=-score&flag=flagged", ["Ada", "Cyd"]),
        ("sort=-name", ["Fay", "Eve", "Dee", "Cyd", "Bob", "Ada"]),
    ],
)
def test_a_filter_in_the_address_finds(
    teacher: Client, assignment: Assignment, ada: Enrollment, asked: str, found: list[str]
) -> None:
    def someone(name: str) -> Enrollment:
        made: Enrollment = EnrollmentFactory.create(cohort=assignment.cohort, name=name)
        return made

    grade = graded(assignment, ada, 3.0, widest_spread=4)
    for judge, score in (("Prosecutor", 1), ("Defense", 5)):
        OpinionRecordFactory.create(audit=grade.audit, criterion_id="git_forensics", judge=judge, score=score)
    graded(assignment, someone("Bob"), 5.0)
    graded(assignment, someone("Cyd"), None, needs_review=True)
    someone("Dee")
    AuditFactory.create(submission__assignment=assignment, submission__student=someone("Eve"))
    AuditFactory.create(submission__assignment=assignment, submission__student=someone("Fay"), failed=True)
    assert listed(teacher.get(f"{page_of(assignment)}?{asked}")) == found


@pytest.mark.parametrize("asked", ["flag=red", "sort=shoe", "low=9", "criterion=-1", "page=x", "score=6"])
def test_what_an_address_cannot_mean_is_said_and_left_aside(
    teacher: Client, assignment: Assignment, ada: Enrollment, asked: str
) -> None:
    answer = teacher.get(f"{page_of(assignment)}?{asked}")
    assert answer.context["misread"] == [f"“{asked}” means nothing here and was left aside."]
    assert listed(answer) == ["Ada"]


@pytest.mark.parametrize("students", [1, 3, 30])
def test_the_overview_costs_as_many_queries_for_thirty_students_as_for_one(
    teacher: Client, assignment: Assignment, students: int, django_assert_num_queries: Any
) -> None:
    for number in range(students):
        grade = graded(assignment, EnrollmentFactory.create(cohort=assignment.cohort, name=f"{number:02d}"))
        OpinionRecordFactory.create(audit=grade.audit, criterion_id="git_forensics")
    with django_assert_num_queries(17):
        assert len(listed(teacher.get(page_of(assignment)))) == students
