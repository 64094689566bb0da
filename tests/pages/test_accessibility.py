"""Every page: one heading of first rank and none skipped, labelled controls, drawings in words,
nothing inline.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from grading.core.enums import AuditState
from tests.factories.example_report import report_json
from tests.factories.people import CohortFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

COHORT = "/o/{org}/c/autumn/"
STUDENT_PAGES = (
    "/",
    "/organizations/new/",
    "/o/{org}/",
    COHORT,
    COHORT + "a/auditor/",
    COHORT + "a/auditor/submit/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/2fa/",
    "/accounts/3rdparty/",
    "/nowhere/",
)
STAFF_PAGES = (
    COHORT,
    COHORT + "people/",
    COHORT + "roster/",
    COHORT + "a/new/",
    COHORT + "a/auditor/",
    "/o/{org}/c/new/",
    "/o/{org}/",
)
STRANGERS_PAGES = (
    "/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/github/login/",
    "/accounts/3rdparty/login/error/",
)


class Court:
    """A cohort with a student, their work, and staff."""

    def __init__(self) -> None:
        cohort = CohortFactory.create(slug="autumn")
        self.assignment = AssignmentFactory.create(
            cohort=cohort, slug="auditor", instructions="# Write\n\n### an *auditor*."
        )
        self.student, self.org = student(cohort), cohort.organization.slug
        self.submission = SubmissionFactory.create(assignment=self.assignment, student=self.student)

    def read(self, user: Any, address: str, *, post: bool = False) -> str:
        client = Client()
        if user:
            client.force_login(user)
        where = address.format(org=self.org)
        return (client.post(where, {}) if post else client.get(where)).content.decode()


@pytest.fixture
def court(db: None) -> Court:
    return Court()


@pytest.mark.parametrize("address", STUDENT_PAGES)
def test_student_pages_are_accessible(address: str, court: Court) -> None:
    AuditFactory.create(submission=court.submission)
    assert faults_of(court.read(court.student.user, address)) == []


@pytest.mark.parametrize("address", STAFF_PAGES)
def test_staff_pages_are_accessible(address: str, court: Court) -> None:
    assert faults_of(court.read(staff_user(court.assignment.organization), address)) == []


@pytest.mark.parametrize("address", STRANGERS_PAGES)
def test_public_pages_are_accessible(address: str, court: Court) -> None:
    assert faults_of(court.read(None, address)) == []


@pytest.mark.parametrize(
    "address", ["/organizations/new/", COHORT + "a/auditor/submit/", "/accounts/password/change/"]
)
def test_form_with_errors_is_accessible(address: str, court: Court) -> None:
    assert faults_of(court.read(court.student.user, address, post=True)) == []


@pytest.mark.parametrize("status", ["verdict", "needs_review", "degraded"])
def test_report_is_accessible(status: Any, court: Court) -> None:
    state = AuditState.DONE if status == "verdict" else AuditState(status)
    score = 3.2 if status == "verdict" else None
    audit = AuditFactory.create(
        submission=court.submission,
        done=True,
        state=state,
        report=report_json(status=status),
        overall_score=score,
    )
    assert faults_of(court.read(court.student.user, f"/o/{{org}}/audits/{audit.pk}/")) == []


@pytest.mark.parametrize("state", ["running", "failed"])
def test_progress_page_is_accessible(state: str, court: Court) -> None:
    audit = AuditFactory.create(submission=court.submission, **{state: True})
    assert faults_of(court.read(court.student.user, f"/o/{{org}}/audits/{audit.pk}/")) == []
