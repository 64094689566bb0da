"""Ada's attempt at an assignment, with its report, as the pages show it to her."""

from __future__ import annotations

import pytest

from grading.models import Assignment, Audit, Enrollment
from tests.factories.people import CohortFactory, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.site.report_example import report_json


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
    submission = SubmissionFactory.create(assignment=assignment, student=ada, resolved_commit="a" * 40)
    made: Audit = AuditFactory.create(
        submission=submission, done=True, report=report_json(), overall_score=3.2
    )
    return made
