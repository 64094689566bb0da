"""A student's next steps: due dates, attempts left and the next level."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from grading.core.enums import LatePolicy
from grading.models import Assignment, Enrollment
from tests.factories.example_report import report_json
from tests.factories.graded_work import signed_in
from tests.factories.grades import GradeFactory
from tests.factories.people import everywhere, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.tenancy.world import TOLD

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(max_attempts=2, late_policy=LatePolicy.ACCEPT)
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    return student(assignment.cohort, name="Ada")


def due_in(assignment: Assignment, **units: int) -> None:
    with everywhere():
        Assignment.objects.filter(pk=assignment.pk).update(
            due_at=timezone.now() + timedelta(**units)
        )


def test_assignment_shows_time_and_attempts_left(assignment: Assignment, ada: Enrollment) -> None:
    due_in(assignment, days=3, hours=4, minutes=1)
    SubmissionFactory.create(assignment=assignment, student=ada)
    page = signed_in(ada.user).get("/").content.decode()
    assert [
        "in 3\xa0days, 4\xa0hours" in page,
        "1 of 2 attempts left" in page,
        ">Submit</a>" in page,
    ] == [
        True,
        True,
        True,
    ]
    SubmissionFactory.create(assignment=assignment, student=ada, attempt=2)
    page = signed_in(ada.user).get("/").content.decode()
    assert ["You have used all 2 attempts." in page, ">Submit</a>" in page] == [True, False]


@pytest.mark.parametrize(("hours", "is_reminded"), [(2, False), (-2, True)])
def test_late_submission_is_announced_before_submitting(
    assignment: Assignment, ada: Enrollment, hours: int, is_reminded: bool
) -> None:
    due_in(assignment, hours=hours)
    where = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    page = signed_in(ada.user).get(reverse("submit", args=where)).content.decode()
    assert ("your submission will be marked late" in page) is is_reminded


def test_report_shows_the_reached_level_and_the_next(
    assignment: Assignment, ada: Enrollment
) -> None:
    report = report_json(criteria=1)
    report["criteria"][0]["level"] = "Sound"
    named = [
        ("Best", "A story in steps."),
        ("Sound", "Steps, some of them large."),
        ("Poor", "One heap."),
    ]
    version = AssignmentFactory.create(
        rubric_version__digest=report["rubric"]["digest"],
        rubric_version__document={
            "criteria": [
                {
                    "id": "git_forensics",
                    "levels": [
                        {"name": name, "points": 1, "description": text} for name, text in named
                    ],
                }
            ]
        },
        cohort=assignment.cohort,
    ).rubric_version
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(
        submission=submission, rubric_version=version, done=True, report=report
    )
    page = page_of(ada, audit)
    assert [text in page for _name, text in named] == [True, True, False]


def test_release_names_the_person_who_released(assignment: Assignment, ada: Enrollment) -> None:
    teacher = staff_user(assignment.organization)
    teacher.first_name, teacher.last_name = "Grace", "Hopper"
    teacher.save()
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(submission=submission, done=True, report=report_json(criteria=1))
    assert "released by" not in page_of(ada, audit)
    report_head = {
        "audit": str(audit.pk),
        "submission": str(submission.pk),
        "digest": audit.report_digest,
    }
    GradeFactory.create(
        audit=audit, released=TOLD | report_head, released_at=timezone.now(), released_by=teacher
    )
    assert "released by Grace Hopper" in page_of(ada, audit)


def page_of(ada: Enrollment, audit: Any) -> str:
    address = reverse("audit", args=[audit.organization.slug, audit.pk])
    return signed_in(ada.user).get(address).content.decode()
