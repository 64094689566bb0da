"""Reports and answers that are due in a round, with as many queries for 300 students as for 3."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import AuditKind, FindingState, ResponseKind
from grading.models import Finding
from grading.peer_review.rounds.actions import end_pairing, leave_round
from grading.peer_review.rounds.queries import Answers, Matrix, figures_of, matrix_of
from tests.factories.peers import FeedbackReportFactory, FindingResponseFactory
from tests.factories.rounds import Round
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def ring() -> Any:
    """Five students who audit one another each."""
    made = Round()
    with scope(organization=made.assignment.organization):
        yield made


def states(matrix: Matrix) -> dict[str, list[str]]:
    return {row.member.student.name: [pair.state for pair in row.audits] for row in matrix.rows}


def row_of(ring: Round, student: Any) -> Any:
    return next(row for row in matrix_of(ring.round).rows if row.member.student == student)


def test_before_anything_is_written_everybody_owes_one_report(ring: Round) -> None:
    matrix = matrix_of(ring.round)
    assert states(matrix) == {student.name: ["owed"] for student in ring.students}
    assert [(row.generated, row.received, row.own, row.has_due) for row in matrix.rows] == [
        (0, 0, 0, True)
    ] * 5


def test_for_whoever_handed_nothing_in_nobody_owes_a_report() -> None:
    made = Round(handed_in=False)
    with scope(organization=made.assignment.organization):
        rows = matrix_of(made.round).rows
    assert {pair.state for row in rows for pair in row.audits} == {"waiting"}
    assert not any(row.has_due for row in rows)


def test_a_report_of_either_source_is_there_once_and_then_read(ring: Round) -> None:
    first, second, third, *_ = ring.pairings
    ring.report(first)
    ring.report(first)
    ring.audit(second, done=True, read_at=timezone.now())
    ring.audit(third, failed=True)
    by_pairing = {pair.pairing: pair for pair in matrix_of(ring.round).pairs}
    assert [by_pairing[p.pk].state for p in (first, second, third)] == ["done", "read", "owed"]
    reports = [by_pairing[p.pk].report for p in (first, second)]
    assert [report and report.imported for report in reports] == [True, False]
    assert (row_of(ring, first.auditor).generated, row_of(ring, first.auditee).received) == (1, 1)


def test_an_audit_that_runs_is_not_owed(ring: Round) -> None:
    ring.audit(ring.pairings[0], running=True)
    row = row_of(ring, ring.pairings[0].auditor)
    assert ([pair.state for pair in row.audits], row.due) == (["running"], 0)


def test_reports_on_oneself_are_the_courts_and_ones_own_auditors(ring: Round) -> None:
    mine = ring.students[0]
    for kind in (AuditKind.SELF, AuditKind.PEER):
        AuditFactory.create(
            submission=SubmissionFactory.create(
                assignment=ring.assignment, student=mine, attempt=7 if kind == AuditKind.SELF else 8
            ),
            kind=kind,
            done=True,
        )
    FeedbackReportFactory.create(
        pairing=None,
        organization=ring.round.organization,
        assignment=ring.assignment,
        kind="self",
        author=mine,
        subject=mine,
    )
    assert row_of(ring, mine).own == 2


def test_a_finding_is_settled_by_an_answer_or_when_it_is_gone(ring: Round) -> None:
    pairing = ring.pairings[0]
    ring.report(pairing, findings=4)
    unanswered, answered, announced, gone = Finding.objects.order_by("key")
    FindingResponseFactory.create(finding=answered, replaced_at=timezone.now())
    FindingResponseFactory.create(finding=answered)
    FindingResponseFactory.create(finding=announced, kind=ResponseKind.WILL_FIX, reason="")
    Finding.objects.filter(pk=gone.pk).update(
        state=FindingState.FIXED, fixed_submission=gone.first_submission
    )
    assert unanswered.state == FindingState.OPEN
    row = row_of(ring, pairing.auditee)
    assert (row.answers, row.answers.due) == (
        Answers(4, settled=3, promised=1, fixed=1, kinds=(0, 1, 1, 0, 0)),
        1,
    )
    figures = figures_of(matrix_of(ring.round))
    assert (figures.findings, figures.settled, figures.fixed) == (4, 3, 1)
    assert {kind: number for kind, number in figures.answers.items() if number} == {
        "will_fix": 1,
        "deferred": 1,
    }


def test_what_was_written_under_an_ended_pairing_asks_for_nothing(ring: Round) -> None:
    ring.report(ring.pairings[0], findings=2)
    end_pairing(pairing=ring.pairings[0], reason="It was rude.", by=None)
    row = row_of(ring, ring.pairings[0].auditee)
    assert (row.answers, row.audited_by) == (Answers(), ())


def test_who_left_owes_nothing_and_stays_in_the_list(ring: Round) -> None:
    leave_round(round=ring.round, student=ring.students[0], reason="Ill.", by=None)
    assert (row_of(ring, ring.students[0]).has_due, len(matrix_of(ring.round).rows)) == (False, 5)
    assert (figures_of(matrix_of(ring.round)).members, figures_of(matrix_of(ring.round)).left) == (
        4,
        1,
    )


def test_the_figures_tell_who_took_part_and_in_time(ring: Round) -> None:
    start = ring.round.starts_at
    for pairing, after in zip(ring.pairings, (3, 5, 500), strict=False):
        made = ring.report(pairing)
        type(made).objects.filter(pk=made.pk).update(created_at=start + timedelta(hours=after))
    figures = figures_of(matrix_of(ring.round))
    counts = (
        figures.finished,
        figures.inactive,
        figures.reports,
        figures.expected,
        figures.late,
        figures.read,
    )
    assert (counts, figures.imported, figures.median_time) == (
        (3, 2, 3, 5, 1, 0),
        3,
        timedelta(hours=5),
    )


@pytest.mark.parametrize("students", [3, 30])
def test_a_round_costs_seven_queries_whoever_takes_part(
    students: int, django_assert_num_queries: Any
) -> None:
    made = Round(students)
    for pairing in made.pairings:
        made.report(pairing, findings=1)
    with scope(organization=made.assignment.organization), django_assert_num_queries(7):
        assert figures_of(matrix_of(made.round)).reports == students
