"""The API tells of a verdict exactly as much as its page does to the same reader."""

import re

import pytest
from django.test import Client
from django_scopes import scope

from grading.core.enums import AuditState, ReleasePolicy
from grading.grades.actions import override_criterion
from grading.models import Assignment, Audit
from tests.factories.example_report import NAMES, report_json
from tests.factories.people import CohortFactory, staff_user, student
from tests.factories.released import Released
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.web_client.api_program import Program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
STATUSES = {"verdict": "done", "needs_review": "needs_review", "degraded": "degraded"}


def audit_that_ended(status):
    report = report_json(status=status, criteria=2)
    assignment = AssignmentFactory(cohort=CohortFactory())
    submission = SubmissionFactory(assignment=assignment, student=student(assignment.cohort))
    return AuditFactory(
        submission=submission,
        done=True,
        report=report,
        report_digest=report["digest"],
        state=STATUSES[status],
        overall_score=None if status == "degraded" else 3.0,
        opinions_expected=6,
        opinions_done=6 * (status != "degraded"),
    )


def readers_of(audit):
    teacher = staff_user(audit.organization)
    return [audit.submission.student.user, teacher]


def audit_body(audit, user):
    return Program(user, audit.organization.slug).get(f"audits/{audit.pk}/").json()


def headline(audit, user):
    """The score at the top of the page, None where it shows words."""
    client = Client()
    client.force_login(user)
    html = client.get(f"/o/{audit.organization.slug}/audits/{audit.pk}/").content.decode()
    score_text = re.search(r'<p class="score">([\d.]+) <small>', html)
    return float(score_text[1]) if score_text else None


@pytest.mark.parametrize("status", STATUSES)
def test_there_is_a_score_where_the_page_has_one(status):
    audit = audit_that_ended(status)
    for reader in readers_of(audit):
        body_read = audit_body(audit, reader)
        rounded = body_read["overall_score"] and round(body_read["overall_score"], 1)
        assert (body_read["state"], rounded) == (STATUSES[status], headline(audit, reader))
        assert (body_read["overall_score"] is None) == (status != "verdict")


def test_of_what_is_withheld_not_even_the_number_of_opinions_differs():
    statuses = []
    for status in STATUSES:
        audit = audit_that_ended(status)
        with scope(organization=audit.organization):
            Assignment.objects.update(release_policy=ReleasePolicy.AFTER_RELEASE)
        answer = audit_body(audit, audit.submission.student.user)
        statuses.append(
            {
                name: value
                for name, value in answer.items()
                if name not in {"id", "submission"} and "_at" not in name
            }
        )
    assert statuses[0] == statuses[1] == statuses[2]
    assert (
        statuses[0]["state"],
        statuses[0]["opinions_done"],
        statuses[0]["opinions_expected"],
    ) == (
        "done",
        None,
        None,
    )


@pytest.fixture
def released():
    return Released()


def test_what_was_released_stays_as_it_was_told_whatever_becomes_of_the_audit(released):
    audit = released.audit
    before = audit_body(audit, released.student.user)
    with scope(organization=audit.organization):
        Audit.objects.filter(pk=audit.pk).update(state=AuditState.NEEDS_REVIEW, overall_score=None)
    assert audit_body(audit, released.student.user) == before
    assert (before["state"], before["overall_score"]) == (
        "done",
        headline(audit, released.student.user),
    )


def test_a_score_by_hand_stands_at_the_end_of_the_text_once_it_is_told(released):
    audit = released.audit
    program = Program(released.student.user, audit.organization.slug)
    with scope(organization=audit.organization):
        override_criterion(
            submission=audit.submission,
            criterion_id=NAMES[0][0],
            score=1,
            reason="Copied.",
            by=released.teacher,
        )
    assert "Copied." not in program.get(f"audits/{audit.pk}/report.md").content.decode()
    released.release()
    text = program.get(f"audits/{audit.pk}/report.md").content.decode()
    assert "| Git forensics | 5 of 5 | 1 of 5 | Copied. |" in text
    page = Client()
    page.force_login(released.student.user)
    assert page.get(f"/o/{program.org}/audits/{audit.pk}/report.md").content.decode() == text
