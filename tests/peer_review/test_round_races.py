"""Two teachers, or two reconcilers, at the same moment: one round, one letter to each, and everybody keeps a peer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from grading.core.errors import RoundRefused
from grading.models import Notice, PairingRound, RoundMember
from grading.peer_review.rounds.actions import join_round, leave_round, start_round
from grading.peer_review.rounds.queries import round_state_of
from grading.peer_review.rounds.reminders import remind, remind_due
from tests.factories.people import EnrollmentFactory, everywhere, student
from tests.factories.races import at_once
from tests.factories.rounds import Round
from tests.peer_review.test_reminders import begun

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def test_two_clicks_at_once_start_one_round() -> None:
    made = Round()

    def start() -> str:
        old = made.round
        given = {
            name: getattr(old, name)
            for name in ("assignment", "peers", "anonymity", "starts_at", "ends_at")
        }
        try:
            start_round(students=made.students, by=None, seed="cd", **given)
        except RoundRefused as refused:
            return refused.code
        return "started"

    assert sorted(at_once(start)) == ["already_started", "started"]
    with everywhere():
        assert list(PairingRound.objects.values_list("number", flat=True)) == [1, 2]


def test_one_who_comes_and_one_who_goes_at_once_leave_nobody_alone() -> None:
    made = Round(7, 2)
    late = EnrollmentFactory.create(cohort=made.assignment.cohort)
    acts: Iterator[Any] = iter(
        (
            lambda: join_round(round=made.round, student=late, by=None),
            lambda: leave_round(round=made.round, student=made.students[0], reason="Ill.", by=None),
        )
    )

    def one_each() -> None:
        next(acts)()

    at_once(one_each)
    with everywhere():
        state = round_state_of(made.round)
        assert RoundMember.objects.filter(left_at=None).count() == 7
    assert [pair for pair in state.pairs if not state.members >= {*pair}] == []
    assert min(state.auditor_counts()[member] for member in state.members) >= 1


def test_two_who_remind_at_once_send_each_one_letter() -> None:
    made = Round(student=student)
    assert sorted(at_once(lambda: remind(round=made.round, by=None))) == [0, 5]
    with everywhere():
        assert Notice.objects.count() == 5


def test_two_reconcilers_at_once_send_each_one_letter() -> None:
    made = Round(student=student)
    with everywhere():
        begun(made, 3)
    assert sorted(at_once(remind_due)) == [0, 5]
