"""Audits of one student that end at the same moment: each finding is one, and its life knows both."""

import pytest

from grading.core.enums import AuditKind, FindingState, ResponseKind
from grading.findings.actions import record_findings
from grading.findings.answers import answer_finding
from grading.models import Audit, Finding, FindingResponse, FindingSighting, Submission
from tests.factories.findings import Checked, attempt_of, flaw, met, missing, report_of_checks
from tests.factories.peers import FindingFactory
from tests.factories.people import everywhere, student
from tests.factories.races import at_once
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def judged(submission: Submission, *checks: Checked, kind: AuditKind = AuditKind.SELF) -> Audit:
    """An audit that has ended, of which nothing is written down yet."""
    made: Audit = AuditFactory(
        submission=submission, done=True, kind=kind, report=report_of_checks(*checks)
    )
    return made


def recorded_at_once(*audits: Audit) -> None:
    one_each = iter(audits)
    at_once(lambda: record_findings(audit=next(one_each)), times=len(audits))


def test_two_attempts_that_are_judged_at_once_tell_one_life():
    first = SubmissionFactory()
    recorded_at_once(
        judged(first, missing("tidy.readme"), flaw(("a.py", 3))),
        judged(attempt_of(first), met("tidy.readme"), flaw(("a.py", 5))),
    )
    with everywhere():
        rows = Finding.objects.order_by("check_id").values_list(
            "check_id", "state", "last_submission__attempt"
        )
        assert list(rows) == [
            ("tidy.readme", FindingState.FIXED, 1),
            ("tidy.shell", FindingState.OPEN, 2),
        ]
        assert FindingSighting.objects.count() == 4


def test_ones_own_audit_and_those_of_peers_at_once_see_one_finding():
    submission = SubmissionFactory()
    kinds = (AuditKind.SELF, AuditKind.PEER, AuditKind.PEER)
    recorded_at_once(*(judged(submission, missing("tidy.readme"), kind=kind) for kind in kinds))
    with everywhere():
        assert Finding.objects.count() == 1
        assert FindingSighting.objects.count() == 3


def test_of_two_clicks_on_the_same_answer_one_is_kept():
    assignment = AssignmentFactory()
    submission = SubmissionFactory(assignment=assignment, student=student(assignment.cohort))
    finding = FindingFactory(first_submission=submission)
    at_once(
        lambda: answer_finding(
            finding=finding, kind=ResponseKind.WILL_FIX, by=submission.student.user
        )
    )
    with everywhere():
        assert FindingResponse.objects.count() == 1
