"""Ada's attempt at an assignment with its report; API programs of her and of a teacher."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

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


@pytest.fixture(scope="module")
def kept(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Keep the rows that a fixture of the module makes until its end, their uploads in this folder.

    Each test takes back what it changed, in a transaction of its own inside this one. So rows that
    several tests need are made once; a test that changes the objects too works on a deep copy of
    them. Not for modules whose tests commit (`django_db(transaction=True)`).
    """
    uploads = tmp_path_factory.mktemp("media")
    with (
        django_db_blocker.unblock(),
        override_settings(MEDIA_ROOT=uploads),
        transaction.atomic(),
    ):
        yield uploads
        transaction.set_rollback(True)


@pytest.fixture
def kept_uploads(kept: Path) -> Iterator[None]:
    """See the uploads of the module's rows, where every other test has an empty folder."""
    with override_settings(MEDIA_ROOT=kept):
        yield
