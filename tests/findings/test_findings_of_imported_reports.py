"""Findings of reports that students bring along: whose they are, what they are recognised as, and what they never tell."""

from __future__ import annotations

from typing import Any

import pytest

from grading.core.enums import Anonymity, FindingState
from grading.engine.imports import read_report_text
from grading.findings.actions import record_imported
from grading.models import Activity, FeedbackReport, Finding, FindingSighting, Submission
from grading.peer_review.feedback.queries import redacted_copy_of
from tests.factories.findings import attempt_of, audited, flaw, met, missing
from tests.factories.peers import FeedbackReportFactory, PairingFactory
from tests.factories.people import everywhere, student
from tests.factories.work import AssignmentFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
REPORT = """# Audit by Grace Hopper

## Tidy

Score: 2/5

### Remediation

- `src/a.py:9`: Grace Hopper (grace@example.org) says: do not run a shell.
- `src/new.py:4`: Split this function.

## Pictures

Score: 1/5

### Remediation

- Draw the graph.
"""


@pytest.fixture
def first() -> Submission:
    assignment = AssignmentFactory.create()
    made: Submission = SubmissionFactory.create(
        assignment=assignment, student=student(assignment.cohort)
    )
    return made


def brought(work: Submission, anonymity: str = Anonymity.OPEN, **fields: Any) -> FeedbackReport:
    """A report on the work by Grace Hopper, under a pairing."""
    cohort = work.assignment.cohort
    pairing = PairingFactory.create(
        round__assignment=work.assignment,
        round__anonymity=anonymity,
        auditee=work.student,
        auditor=student(cohort, name="Grace Hopper"),
    )
    reading = read_report_text(REPORT)
    report: FeedbackReport = FeedbackReportFactory.create(
        pairing=pairing, original=REPORT, **{"submission": work, "reading": reading} | fields
    )
    with everywhere():
        record_imported(report=report, reading=redacted_copy_of(report, side="subject").reading)
    return report


def record() -> list[tuple[Any, ...]]:
    """(criterion, check, place, state) of every finding."""
    with everywhere():
        field_names = ("criterion_id", "check_id", "place", "state")
        return list(
            Finding.objects.order_by("criterion_id", "place", "check_id").values_list(*field_names)
        )


def test_a_report_about_no_attempt_or_nobody_known_says_nothing(first: Submission) -> None:
    brought(first, submission=None)
    assert record() == []


def test_what_is_known_is_recognised_by_criterion_and_file_and_keeps_its_name(
    first: Submission,
) -> None:
    audited(
        first, flaw(("src/a.py", 3), goal="Shell commands"), missing("tidy.readme", goal="A README")
    )
    brought(first)
    assert record() == [
        ("tidy", "tidy.readme", "", FindingState.OPEN),
        ("tidy", "tidy.shell", "src/a.py", FindingState.OPEN),
        ("tidy", "", "src/new.py", FindingState.OPEN),
    ]
    with everywhere():
        shell = FindingSighting.objects.select_related("finding").get(
            finding__check_id="tidy.shell", report__isnull=False
        )
    assert (shell.lines, shell.present, shell.submission_id) == ([9], True, first.pk)
    assert shell.finding.title == "Not so: Shell commands"


def test_said_twice_it_is_written_once(first: Submission) -> None:
    report = brought(first)
    before = record()
    with everywhere():
        keys = set(FindingSighting.objects.values_list("pk", flat=True))
        record_imported(report=report, reading=redacted_copy_of(report, side="subject").reading)
        assert set(FindingSighting.objects.values_list("pk", flat=True)) == keys
        assert Activity.objects.filter(verb="findings.recorded").count() == 1
    assert record() == before


def test_what_the_site_says_of_it_decides_what_became_of_it(first: Submission) -> None:
    brought(first)
    second = attempt_of(first)
    audited(second, flaw(("src/a.py", 3), goal="Shell commands"))
    audited(attempt_of(second), met("tidy.shell", flaw=True))
    states = {(check, place): state for _criterion, check, place, state in record()}
    assert states == {
        ("", "src/a.py"): FindingState.OPEN,
        ("", "src/new.py"): FindingState.OPEN,
        ("tidy.shell", "src/a.py"): FindingState.FIXED,
    }


@pytest.mark.parametrize("anonymity", [Anonymity.SINGLE_BLIND, Anonymity.DOUBLE_BLIND])
def test_nothing_that_is_written_down_tells_who_wrote_it(first: Submission, anonymity: str) -> None:
    brought(first, anonymity)
    with everywhere():
        words = [
            *Finding.objects.values_list("title", flat=True),
            *FindingSighting.objects.values_list("text", flat=True),
            *FindingSighting.objects.values_list("action", flat=True),
        ]
    assert any("shell" in text for text in words)
    assert [text for text in words if "grace" in text.lower() or "hopper" in text.lower()] == []


def test_in_an_open_round_words_stay_as_they_were_written(first: Submission) -> None:
    brought(first, Anonymity.OPEN)
    with everywhere():
        assert any(
            "Grace Hopper" in text
            for text in FindingSighting.objects.values_list("text", flat=True)
        )
