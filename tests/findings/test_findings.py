"""Findings on the record: what audits in any order make of them, and what leaves them alone."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from grading.core.enums import AuditKind, AuditState, FindingState
from grading.findings.actions import record_findings
from grading.models import Activity, Audit, Finding, FindingSighting, Submission
from grading.workflow import resynthesise_audit
from tests.factories.findings import (
    attempt_of,
    audited,
    finish,
    flaw,
    met,
    missing,
    report_of_checks,
)
from tests.factories.peers import FindingResponseFactory
from tests.factories.people import everywhere
from tests.factories.verdicts import judged, next_version, small_assignment
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
OPEN, FIXED, REGRESSED = FindingState.OPEN, FindingState.FIXED, FindingState.REGRESSED
README, SHELL = "tidy.readme", "tidy.shell"


@pytest.fixture
def first() -> Submission:
    made: Submission = SubmissionFactory.create(resolved_commit="c" * 40)
    return made


def record() -> list[tuple[Any, ...]]:
    """(check, place, state, first attempt, last attempt, attempt that fixed it) of every finding."""
    fields = (
        "check_id",
        "place",
        "state",
        "first_submission__attempt",
        "last_submission__attempt",
        "fixed_submission__attempt",
    )
    with everywhere():
        return list(Finding.objects.order_by("check_id", "place").values_list(*fields))


def sightings() -> list[tuple[Any, ...]]:
    fields = ("finding__check_id", "finding__place", "submission__attempt", "present", "lines")
    with everywhere():
        return sorted(FindingSighting.objects.values_list(*fields))


def again(audit: Audit, *checks: Any) -> None:
    """The audit's report is made anew, and says this."""
    with everywhere():
        audit = Audit.objects.get(pk=audit.pk)
        audit.report = report_of_checks(*checks)
        audit.save()
        record_findings(audit=audit)


def test_an_audit_without_a_verdict_says_nothing(first: Submission) -> None:
    report = report_of_checks(missing())
    degraded = AuditFactory(
        submission=first, done=True, state=AuditState.DEGRADED, report=report, overall_score=None
    )
    failed = AuditFactory(submission=first, failed=True)
    with everywhere():
        record_findings(audit=degraded)
        record_findings(audit=failed)
    assert record() == []


def test_a_finding_is_new_open_fixed_by_a_commit_and_regressed(first: Submission) -> None:
    audited(first, missing(README), flaw(("a.py", 3), ("b.py", 5)))
    assert record() == [
        (README, "", OPEN, 1, 1, None),
        (SHELL, "a.py", OPEN, 1, 1, None),
        (SHELL, "b.py", OPEN, 1, 1, None),
    ]
    second = attempt_of(first)
    audited(second, met(README), flaw(("b.py", 9)))
    assert record() == [
        (README, "", FIXED, 1, 1, 2),
        (SHELL, "a.py", FIXED, 1, 1, 2),
        (SHELL, "b.py", OPEN, 1, 2, None),
    ]
    with everywhere():
        fixed = set(Finding.objects.filter(state=FIXED).values_list("fixed_commit", flat=True))
    assert fixed == {second.resolved_commit}
    audited(attempt_of(second), missing(README), flaw(("a.py", 1)))
    assert record() == [
        (README, "", REGRESSED, 1, 3, None),
        (SHELL, "a.py", REGRESSED, 1, 3, None),
        (SHELL, "b.py", FIXED, 1, 2, 3),
    ]


def test_the_life_is_the_same_in_whatever_order_the_audits_end(first: Submission) -> None:
    second = attempt_of(first)
    third = attempt_of(second)
    checks_by_attempt = {
        third: [met(README)],
        first: [missing(README)],
        second: [missing(README), flaw(("a.py", 2))],
    }
    for submission, checks in checks_by_attempt.items():
        audited(submission, *checks)
    assert record() == [(README, "", FIXED, 1, 2, 3), (SHELL, "a.py", OPEN, 2, 2, None)]
    assert sightings() == [
        (README, "", 1, True, []),
        (README, "", 2, True, []),
        (README, "", 3, False, []),
        (SHELL, "a.py", 2, True, [2]),
    ]


def test_what_could_not_be_established_is_neither_there_nor_gone(first: Submission) -> None:
    audited(first, missing(README))
    audited(attempt_of(first), missing(README, met=None))
    assert record() == [(README, "", OPEN, 1, 1, None)]
    assert sightings() == [(README, "", 1, True, [])]


def test_every_kind_of_audit_has_a_word_and_the_latest_of_an_attempt_decides(
    first: Submission,
) -> None:
    audited(first, missing(README))
    audited(first, missing(README), flaw(("a.py", 2)), kind=AuditKind.PEER)
    assert record() == [(README, "", OPEN, 1, 1, None), (SHELL, "a.py", OPEN, 1, 1, None)]
    audited(first, met(README), flaw(("a.py", 2)), kind=AuditKind.INSTRUCTOR)
    assert record() == [(README, "", FIXED, 1, 1, 1), (SHELL, "a.py", OPEN, 1, 1, None)]


def test_the_same_report_is_written_once(first: Submission) -> None:
    checks = [missing(README), flaw(("a.py", 3))]
    audit = audited(first, *checks)
    before = record(), sightings()
    with everywhere():
        keys = set(FindingSighting.objects.values_list("pk", flat=True))
    again(audit, *checks)
    with everywhere():
        assert set(FindingSighting.objects.values_list("pk", flat=True)) == keys
        assert Activity.objects.filter(verb="findings.recorded").count() == 1
        detail = Activity.objects.get(verb="findings.recorded").detail
    assert (record(), sightings()) == before
    assert detail == {"there": 2, "new": 2, "fixed": 0, "regressed": 0}


def test_what_a_report_made_anew_no_longer_asks_stays_as_it_was_seen(first: Submission) -> None:
    audit = audited(first, missing(README), flaw(("a.py", 3)))
    again(audit, flaw(("a.py", 3)))
    assert record() == [(README, "", OPEN, 1, 1, None), (SHELL, "a.py", OPEN, 1, 1, None)]


def test_other_rules_on_a_real_verdict_leave_its_findings_as_they_are() -> None:
    assignment = small_assignment()
    audit = judged(assignment)
    with everywhere():
        record_findings(audit=audit)
    before = record(), sightings()
    with everywhere():
        assert resynthesise_audit(
            audit=audit, rubric_version=next_version(assignment, tidy=20.0), by=None
        )
    assert (record(), sightings()) == before
    assert len(before[0]) == 4


def test_a_check_that_is_called_otherwise_keeps_its_finding(first: Submission) -> None:
    audit = audited(first, missing(README), flaw(("a.py", 3)))
    renamed = report_of_checks(missing(README), flaw(("a.py", 3)))
    renamed["criteria"][0]["id"] = "neat"
    for check in renamed["criteria"][0]["checks"]:
        check["check"] = check["check"].replace("tidy", "neat")
    with everywhere():
        was = set(Finding.objects.values_list("pk", flat=True))
        audit = Audit.objects.get(pk=audit.pk)
        audit.report = renamed
        record_findings(audit=audit)
        assert set(Finding.objects.values_list("pk", flat=True)) == was
    assert record() == [
        ("neat.readme", "", OPEN, 1, 1, None),
        ("neat.shell", "a.py", OPEN, 1, 1, None),
    ]
    audited(
        attempt_of(first),
        met("neat.readme", criterion="neat"),
        flaw(("a.py", 4), name="neat.shell", criterion="neat"),
    )
    assert record() == [
        ("neat.readme", "", FIXED, 1, 1, 2),
        ("neat.shell", "a.py", OPEN, 1, 2, None),
    ]


def test_what_another_question_does_not_find_was_none_unless_it_was_answered(
    first: Submission,
) -> None:
    audit = audited(first, missing(README), flaw(("a.py", 3)))
    with everywhere():
        FindingResponseFactory(finding=Finding.objects.get(check_id=SHELL))
    again(audit, met(README), met(SHELL, flaw=True))
    assert record() == [(SHELL, "a.py", OPEN, 1, 1, None)]


def test_a_file_that_was_moved_takes_its_flaw_along(first: Submission) -> None:
    audited(first, flaw(("tools.py", 3)))
    second = attempt_of(first)
    audited(second, flaw(("src/tools.py", 9)))
    assert record() == [(SHELL, "src/tools.py", OPEN, 1, 2, None)]
    audited(attempt_of(second), flaw(("src/tools.py", 12)))
    assert record() == [(SHELL, "src/tools.py", OPEN, 1, 3, None)]


def test_an_earlier_attempt_that_is_audited_again_does_not_say_where_it_is_now(
    first: Submission,
) -> None:
    audited(first, flaw(("tools.py", 3)))
    audited(attempt_of(first), flaw(("src/tools.py", 9)))
    audited(first, flaw(("tools.py", 3)), kind=AuditKind.INSTRUCTOR)
    assert record() == [(SHELL, "src/tools.py", OPEN, 1, 2, None)]


def test_others_findings_are_their_own(first: Submission) -> None:
    audited(first, missing(README))
    audited(SubmissionFactory(assignment=first.assignment), missing(README))
    with everywhere():
        assert Finding.objects.count() == 2
        assert len({finding.key for finding in Finding.objects.all()}) == 1


def test_as_many_queries_for_one_finding_as_for_thirty(first: Submission) -> None:
    def queries(submission: Submission, names: list[str]) -> int:
        audit = AuditFactory(submission=submission)
        with CaptureQueriesContext(connection) as captured:
            finish(audit, *(missing(name) for name in names))
        return len(captured)

    other = SubmissionFactory(assignment=first.assignment)
    assert queries(first, ["tidy.0"]) == queries(other, [f"tidy.{number}" for number in range(30)])
    few = queries(attempt_of(first), ["tidy.1"])
    assert few == queries(attempt_of(other), [f"tidy.{number}" for number in range(30, 60)])
