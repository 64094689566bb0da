"""Students who leave a round: finished work stays readable, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from grading.core.errors import FeedbackRefused
from grading.core.peer_permissions import access_feedback
from grading.models import FeedbackReport
from grading.peer_review.actions import run_peer_audit
from grading.peer_review.exchange.queries import exchanges_of
from grading.peer_review.feedback.actions import import_feedback
from grading.peer_review.rounds.actions import leave_round
from tests.factories.people import everywhere, student
from tests.factories.races import at_once
from tests.factories.rounds import Round

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def test_a_finished_report_stays_with_both_when_one_of_them_leaves() -> None:
    made = Round(student=student)
    given = made.pairings[0]
    leaver = given.auditor
    received = next(pairing for pairing in made.pairings if pairing.auditee_id == leaver.pk)
    with everywhere():
        reports = [made.audit(given, done=True), made.audit(received, done=True)]
        leave_round(round=made.round, student=leaver, reason="Ill.", by=None)
        sides = [
            access_feedback(reader.user or AnonymousUser(), report.pk)[1]
            for report, pairing in zip(reports, (given, received), strict=True)
            for reader in (pairing.auditor, pairing.auditee)
        ]
        (own,) = exchanges_of(leaver)
    assert sides == ["author", "subject"] * 2
    assert [
        [slot.report for slot in part] for part in (own.rounds[0].generated, own.rounds[0].received)
    ] == [
        [reports[0]],
        [reports[1]],
    ]


def audit_of(pairing: Any) -> Callable[[], object]:
    return lambda: run_peer_audit(pairing=pairing, by=None)


def report_under(pairing: Any) -> Callable[[], object]:
    return lambda: import_feedback(
        assignment=pairing.round.assignment,
        direction="generated",
        brought_by=pairing.auditor,
        by=None,
        text="# Audit\n\n- `a.py:1`: mend it.\n",
        name="a.md",
        origin="upload",
        pairing=pairing,
    )


@pytest.mark.parametrize("writing", [audit_of, report_under])
def test_no_report_is_begun_under_a_pairing_that_ends_at_the_same_moment(
    writing: Callable[[Any], Callable[[], object]],
) -> None:
    made = Round(student=student)
    pairing = made.pairings[0]
    acts: Iterator[Callable[[], object]] = iter(
        (
            writing(pairing),
            lambda: leave_round(round=made.round, student=pairing.auditor, reason="Ill.", by=None),
        )
    )

    def one_each() -> None:
        with suppress(FeedbackRefused):  # pairing_ended, where the other one was first
            next(acts)()

    at_once(one_each)
    with everywhere():
        assert FeedbackReport.objects.exclude(pairing__ended_at=None).count() == 0
