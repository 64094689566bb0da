"""Reminders in a round: to whoever owes something, on a click or by themselves, and never too many."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import NoticeKind, ResponseKind
from grading.models import (
    Activity,
    Cohort,
    Enrollment,
    Finding,
    Notice,
    PairingRound,
    PersonalCalendar,
    RoundMember,
)
from grading.notifications.choices import choose_emails
from grading.peer_review.rounds.reminders import remind, remind_due
from tests.factories.peers import FindingResponseFactory
from tests.factories.people import everywhere, staff_user, student
from tests.factories.rounds import Round

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def ring() -> Any:
    made = Round(student=student)
    with scope(organization=made.assignment.organization):
        yield made


def written_to() -> set[str]:
    with everywhere():
        return set(Notice.objects.values_list("user__email", flat=True))


def days_ago(days: float) -> Any:
    return timezone.now() - timedelta(days=days)


def begun(ring: Round, days: float, **fields: Any) -> None:
    """As if it had begun so long ago, with everybody in it."""
    PairingRound.objects.filter(pk=ring.round.pk).update(starts_at=days_ago(days), **fields)
    RoundMember.objects.update(joined_at=days_ago(days))


def look_again() -> int:
    with everywhere():
        PairingRound.objects.update(reminders_checked_at=None)
    return remind_due()


def test_one_click_writes_to_everybody_who_owes_something(ring: Round) -> None:
    ring.report(ring.pairings[0])
    teacher = staff_user(ring.assignment.organization)
    assert remind(round=ring.round, by=teacher) == 4
    assert written_to() == {s.email for s in ring.students} - {ring.pairings[0].auditor.email}
    activity = Activity.objects.get(verb="round.reminded")
    assert (activity.actor_id, activity.detail) == (teacher.pk, {"number": 1, "letters": 4})


def test_a_letter_says_what_is_owed_and_names_nobody(ring: Round) -> None:
    mine = ring.pairings[0].auditee
    ring.report(ring.pairings[0], findings=3)
    promised, *_ = Finding.objects.all()
    FindingResponseFactory.create(finding=promised, kind=ResponseKind.WILL_FIX, reason="")
    member = RoundMember.objects.get(student=mine)
    assert remind(round=ring.round, by=None, members=[member]) == 1
    letter = Notice.objects.get()
    assert letter.body.splitlines()[2:6] == [
        "Still due from you:",
        "- 1 report on a peer's work",
        "- 2 answers to peers' findings",
        "- 1 fix you announced",
    ]
    identifying = [word for student in ring.students for word in (student.name, student.email)]
    assert [word for word in identifying if word in letter.body + letter.subject] == []
    assert "/5" not in letter.body


def test_letter_names_the_end_in_its_readers_zone_or_the_cohorts(ring: Round) -> None:
    own = ring.students[0].user
    assert own
    PersonalCalendar.objects.create(user=own, time_zone="Asia/Kolkata")
    PairingRound.objects.update(ends_at=datetime(2099, 7, 1, 22, 30, tzinfo=UTC))
    Cohort.objects.update(time_zone="Europe/Berlin")
    round_ = PairingRound.objects.select_related("assignment__cohort__organization").get()
    remind(round=round_, by=None)
    times = {
        note.user == own: note.body.splitlines()[0].partition("” ")[2]
        for note in Notice.objects.all()
    }
    assert times == {
        True: "runs until 02 July 2099, 04:00 IST (Asia/Kolkata).",
        False: "runs until 02 July 2099, 00:30 CEST (Europe/Berlin).",
    }


def test_nobody_gets_two_letters_in_a_day(ring: Round) -> None:
    assert [remind(round=ring.round, by=None) for _ in range(2)] == [5, 0]
    RoundMember.objects.update(reminded_at=days_ago(1.01))
    assert remind(round=ring.round, by=None) == 5
    assert set(RoundMember.objects.values_list("reminders", flat=True)) == {2}


def test_who_has_no_account_or_wants_no_such_letters_gets_none(ring: Round) -> None:
    first, second, third, *_ = ring.students
    Enrollment.objects.filter(pk=first.pk).update(user=None)
    User.objects.filter(email=second.email).update(is_active=False)
    wanted, unwilling = (
        set(NoticeKind) - {NoticeKind.PEER_REMINDER},
        User.objects.get(email=third.email),
    )
    choose_emails(organization=ring.assignment.organization, user=unwilling, wanted=wanted)
    assert remind(round=ring.round, by=None) == 2
    assert RoundMember.objects.filter(reminders=1).count() == 2


def test_nobody_is_reminded_of_a_peer_who_handed_nothing_in() -> None:
    made = Round(student=student, handed_in=False)
    with scope(organization=made.assignment.organization):
        assert remind(round=made.round, by=None) == 0


def test_reminders_go_out_by_themselves_every_two_days_and_thrice_at_most(ring: Round) -> None:
    begun(ring, 1.9)
    assert look_again() == 0
    begun(ring, 2.1)
    assert [look_again(), look_again()] == [5, 0]
    for _ in range(4):
        RoundMember.objects.update(reminded_at=days_ago(2.1))
        look_again()
    assert set(RoundMember.objects.values_list("reminders", flat=True)) == {3}
    assert Notice.objects.count() == 15


def test_a_late_joiner_has_their_two_days(ring: Round) -> None:
    begun(ring, 3)
    RoundMember.objects.filter(student=ring.students[0]).update(joined_at=days_ago(1))
    assert look_again() == 4


@pytest.mark.parametrize("when", ["before", "cohort over"])
def test_nobody_is_reminded_of_what_cannot_be_done(ring: Round, when: str) -> None:
    begun(ring, -1 if when == "before" else 5)
    if when == "cohort over":
        yesterday = date.today() - timedelta(days=1)  # noqa: DTZ011 -- a cohort's last day has no zone
        Cohort.objects.update(ends_on=yesterday)
    fresh = PairingRound.objects.select_related("assignment__cohort__organization").get(
        pk=ring.round.pk
    )
    assert remind(round=fresh, by=None) == 0


@pytest.mark.parametrize("when", ["before", "after", "cohort over"])
def test_none_goes_out_by_itself_when_the_round_does_not_run(ring: Round, when: str) -> None:
    begun(ring, 5)
    if when == "before":
        begun(ring, -1)
    elif when == "after":
        begun(ring, 5, ends_at=days_ago(1))
    else:
        yesterday = date.today() - timedelta(days=1)  # noqa: DTZ011 -- a cohort's last day has no zone
        Cohort.objects.update(ends_on=yesterday)
    assert look_again() == 0


def test_a_round_is_looked_at_once_an_hour_in_every_organization(ring: Round) -> None:
    other = Round(student=student)
    with everywhere():
        begun(ring, 3)
        begun(other, 3)
    assert [remind_due(), remind_due()] == [10, 0]
    with everywhere():
        PairingRound.objects.update(reminders_checked_at=timezone.now() - timedelta(minutes=61))
        RoundMember.objects.update(reminded_at=None, reminders=0)
    assert remind_due() == 10
