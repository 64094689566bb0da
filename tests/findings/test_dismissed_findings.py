"""Findings of imported reports, dismissed by the owner of the work with a reason."""

from __future__ import annotations

from typing import Any

import pytest
from django_scopes import scope

from grading.core.enums import Anonymity, ReleasePolicy
from grading.core.errors import FindingRefused
from grading.engine.imports import read_report_text
from grading.findings.actions import record_imported
from grading.findings.answers import answer_finding
from grading.findings.queries.tallies import tallies_of
from grading.findings.queries.visible_findings import findings_of
from grading.models import FeedbackReport, Finding, FindingResponse
from grading.peer_review.feedback.queries import redacted_copy_of
from tests.factories.graded_work import signed_in
from tests.factories.peer_round_work import Circle, client_of, read
from tests.factories.peers import FeedbackReportFactory, FindingSightingFactory
from tests.factories.people import everywhere, staff_user
from tests.factories.work import SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
MARKDOWN = (
    "# Audit\n\n## Tidy\n\nScore: 2/5\n\n### Remediation\n\n- `src/a.py:9`: split this function.\n"
)
REASON = "It is generated code, says Bob Beta."


def imported(circle: Circle) -> tuple[FeedbackReport, Finding]:
    """A report that Ada uploaded on Bob's work, and its finding."""
    with everywhere():
        work = circle.bob.submissions.order_by("-attempt").first() or SubmissionFactory.create(
            assignment=circle.assignment, student=circle.bob
        )
        report = FeedbackReportFactory.create(
            pairing=circle.of(circle.ada),
            submission=work,
            original=MARKDOWN,
            reading=read_report_text(MARKDOWN),
        )
        record_imported(report=report, reading=redacted_copy_of(report, side="subject").reading)
        return report, Finding.objects.select_related("student__user", "assignment__cohort").get()


def dismiss(finding: Finding) -> None:
    assert finding.student.user is not None
    with scope(organization=finding.organization):
        answer_finding(finding=finding, kind="dismissed", reason=REASON, by=finding.student.user)


def group_of(finding: Finding) -> tuple[str, bool, int]:
    """Return its group, whether an answer is due, and how many are open for staff."""
    with everywhere():
        [row] = findings_of(finding.assignment, finding.student, is_staff=False)
        [tally] = [t for t in tallies_of(finding.assignment) if t.student == finding.student_id]
        return row.group, row.is_answerable, tally.open


def test_what_an_audit_saw_cannot_be_dismissed() -> None:
    _report, finding = imported(Circle())
    with everywhere():
        FindingSightingFactory.create(finding=finding)
    with pytest.raises(FindingRefused) as refused:
        dismiss(finding)
    assert (refused.value.field, refused.value.code) == ("kind", "audit_saw_it")
    with everywhere():
        assert not FindingResponse.objects.exists()
    page = client_of(finding.student).get(
        f"/o/{finding.organization.slug}/c/{finding.assignment.cohort.slug}"
        f"/a/{finding.assignment.slug}/findings/{finding.pk}/"
    )
    assert "Dismissed, because" not in page.content.decode()


def test_a_withheld_audit_is_not_given_away_by_a_refusal() -> None:
    circle = Circle()
    _report, finding = imported(circle)
    with everywhere():
        finding.assignment.release_policy = ReleasePolicy.AFTER_RELEASE
        finding.assignment.save()
        FindingSightingFactory.create(finding=finding)
    dismiss(finding)
    assert group_of(finding)[0] == "dismissed"


def test_what_was_dismissed_is_owed_no_longer_until_an_audit_sees_it() -> None:
    _report, finding = imported(Circle())
    before = group_of(finding)
    dismiss(finding)
    dismissed = group_of(finding)
    with everywhere():
        FindingSightingFactory.create(finding=finding)
    assert (before, dismissed, group_of(finding)) == (
        ("new", True, 1),
        ("dismissed", False, 0),
        ("new", False, 1),
    )


@pytest.mark.parametrize(
    ("anonymity", "auditor_name"),
    [(Anonymity.OPEN, "says Bob Beta."), (Anonymity.DOUBLE_BLIND, "says [withheld]")],
)
def test_author_and_staff_read_the_reason_and_a_blind_round_hides_names(
    anonymity: Anonymity, auditor_name: str
) -> None:
    circle = Circle(anonymity)
    report, finding = imported(circle)
    dismiss(finding)
    address = circle.page("feedback", report.pk)
    author, owner = read(circle.ada, address), read(circle.bob, address)
    teacher: Any = signed_in(staff_user(finding.organization)).get(address).content.decode()
    assert (auditor_name in author, REASON in teacher, "generated code" in owner) == (
        True,
        True,
        False,
    )
    assert ("Bob Beta" in author) == (anonymity == Anonymity.OPEN)
    assert faults_of(author) == []


def test_the_page_takes_the_answer_and_lists_it_apart() -> None:
    circle = Circle()
    _report, finding = imported(circle)
    client = client_of(circle.bob)
    address = f"{circle.page('findings')}{finding.pk}/"
    assert "Dismissed, because" in client.get(address).content.decode()
    refused = client.post(address, {"kind": "dismissed", "reason": ""})
    assert "Explain why nothing follows from it" in refused.content.decode()
    client.post(address, {"kind": "dismissed", "reason": REASON})
    page = client.get(f"{circle.page('findings')}?group=dismissed").content.decode()
    assert "split this function" in page
    assert faults_of(page) == []
