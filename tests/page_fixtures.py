"""Ada's attempt at an assignment, with its report, as the pages show it to her; and programs that ask for her and a teacher."""

from __future__ import annotations

import pytest

from grading.models import Assignment, Audit, Enrollment
from tests.factories.example_report import report_json
from tests.factories.people import CohortFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.web_client.api_program import Program


@pytest.fixture
def assignment() -> Assignment:
    cohort = CohortFactory.create(name="Autumn")
    made: Assignment = AssignmentFactory.create(cohort=cohort, title="The auditor", slug="auditor")
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    return student(assignment.cohort, name="Ada")


@pytest.fixture
def audit(assignment: Assignment, ada: Enrollment) -> Audit:
    submission = SubmissionFactory.create(
        assignment=assignment, student=ada, resolved_commit="a" * 40
    )
    made: Audit = AuditFactory.create(
        submission=submission, done=True, report=report_json(), overall_score=3.2
    )
    return made


@pytest.fixture
def program(ada: Enrollment) -> Program:
    assert ada.user
    return Program(ada.user, ada.organization.slug)


@pytest.fixture
def teacher(assignment: Assignment) -> Program:
    return Program(staff_user(assignment.organization), assignment.organization.slug)
