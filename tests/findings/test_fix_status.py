"""Fixes that answers claim: audits confirm them, or not; a refused one is kept beside its field."""

from __future__ import annotations

from typing import Any

import pytest

from grading.core.enums import ReleasePolicy, ResponseKind
from grading.findings.queries.visible_findings import findings_of
from grading.models import Assignment, Finding, FindingResponse, Submission
from tests.factories.findings import attempt_of, audited, flaw, met
from tests.factories.graded_work import signed_in
from tests.factories.peers import FindingResponseFactory
from tests.factories.people import everywhere, student
from tests.factories.work import AssignmentFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
SHELL = flaw(("src/a.py", 9))
GONE = met("tidy.shell", flaw=True)
FIX = "f" * 40


def faulty_attempt() -> Submission:
    """An attempt whose audit saw a fault."""
    assignment = AssignmentFactory.create()
    work: Submission = SubmissionFactory.create(
        assignment=assignment, student=student(assignment.cohort), resolved_commit="1" * 40
    )
    audited(work, SHELL)
    return work


def claim(commit: str = FIX, **fields: Any) -> FindingResponse:
    with everywhere():
        return FindingResponseFactory.create(
            finding=Finding.objects.get(),
            kind=ResponseKind.FIXED,
            commit=commit,
            reason="",
            **fields,
        )


def status_of(work: Submission, *, is_staff: bool = False) -> tuple[Any, ...]:
    with everywhere():
        [finding] = findings_of(work.assignment, work.student, is_staff=is_staff)
    answer = finding.answer
    assert answer is not None
    return answer.status, answer.is_verified, answer.attempt


def page_of(work: Submission) -> str:
    with everywhere():
        finding = Finding.objects.get()
    assignment = work.assignment
    assert work.student.user is not None
    html: str = (
        signed_in(work.student.user)
        .get(
            f"/o/{assignment.organization.slug}/c/{assignment.cohort.slug}/a/{assignment.slug}"
            f"/findings/{finding.pk}/"
        )
        .content.decode()
    )
    assert faults_of(html) == []
    return html


def test_fix_that_a_later_audit_contradicts_is_not_confirmed() -> None:
    work = faulty_attempt()
    claim()
    audited(attempt_of(work), SHELL)
    assert status_of(work) == ("not_confirmed", False, 2)
    page = page_of(work)
    assert ("not confirmed" in page, "audit of attempt 2 still sees it" in page) == (True, True)


def test_fix_is_not_confirmed_by_the_audit_of_its_own_commit_submitted_before_the_answer() -> None:
    work = faulty_attempt()
    second = attempt_of(work)
    audited(second, SHELL)
    claim(second.resolved_commit[:10])
    assert status_of(work) == ("not_confirmed", False, 2)


def test_looked_up_fix_is_claimed_until_an_audit_looks() -> None:
    work = faulty_attempt()
    claim(verified=True, verification="ffffffff changes src/a.py.")
    assert status_of(work) == ("claimed", None, None)
    page = page_of(work)
    assert ("No audit has looked since" in page, "verified" in page) == (True, False)


def test_fix_is_confirmed_by_the_audit_that_no_longer_sees_the_fault() -> None:
    work = faulty_attempt()
    claim()
    second = attempt_of(work)
    audited(second, GONE)
    assert status_of(work) == ("confirmed", True, 2)
    assert "audit of attempt 2 no longer sees it" in page_of(work)
    audited(attempt_of(second), SHELL)
    assert status_of(work) == ("not_confirmed", False, 3)


@pytest.mark.parametrize("check", [SHELL, GONE])
def test_withheld_audit_neither_confirms_nor_contradicts_for_the_owner(check: Any) -> None:
    work = faulty_attempt()
    claim()
    with everywhere():
        second = attempt_of(work)
        audited(second, check)
        released, policy = Assignment.objects.filter(pk=work.assignment_id), "release_policy"
        released.update(**{policy: ReleasePolicy.AFTER_RELEASE})
        work.assignment.refresh_from_db()
        findings = findings_of(work.assignment, work.student, is_staff=False, withheld={second.pk})
    assert [row.answer.status for row in findings if row.answer] == ["claimed"]
    assert status_of(work, is_staff=True)[0] != "claimed"


def test_refused_fix_stands_in_its_field_with_the_reason_and_nothing_is_lost() -> None:
    work = faulty_attempt()
    reason = "ffffffff does not change src/a.py."
    refused = claim(verified=False, verification=reason)
    with everywhere():
        FindingResponse.objects.filter(pk=refused.pk).update(
            replaced_at=refused.created_at, reason="It was one line."
        )
    page = page_of(work)
    _before, _, after = page.partition('id="id_commit_error"')
    assert (reason in after.split("</ul>")[0], f'value="{FIX}"' in after) == (True, True)
    assert ("It was one line." in page, "refused" in page) == (True, True)
    assert ("We kept your input." in page, "audit your last submission" in page) == (True, False)
    with everywhere():
        [finding] = findings_of(work.assignment, work.student, is_staff=False)
    assert (finding.answer, finding.refused_answer and finding.refused_answer.status) == (
        None,
        "refused",
    )
