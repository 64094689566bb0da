"""Posting to a communication log: who may, what is refused, and that a second click posts nothing."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from grading.core.enums import EntryKind
from grading.core.errors import EntryRefused
from grading.models import Activity, CommunicationEntry
from grading.peer_review.communication import actions as communication_actions
from grading.peer_review.communication.actions import MAX_CHARACTERS, post_entry
from tests.factories.peers import CommunicationEntryFactory, PairingFactory
from tests.factories.people import everywhere, staff_user, student

pytestmark = pytest.mark.django_db


@pytest.fixture
def pairing():
    pairing = PairingFactory.create()
    cohort = pairing.round.assignment.cohort
    with everywhere():
        pairing.auditor, pairing.auditee = student(cohort, name="Ada"), student(cohort, name="Bob")
        pairing.save()
    return pairing


def posted(mine: Any, **fields: Any) -> CommunicationEntry:
    """By the auditor, unless the fields say otherwise."""
    given = {
        "assignment": mine.round.assignment,
        "student": mine.auditor,
        "kind": EntryKind.PROGRESS,
        "text": "It runs.",
        "by": mine.auditor.user,
    }
    with everywhere():
        return post_entry(**given | fields)


def refusal(mine: Any, **fields: Any) -> tuple[str, str]:
    with pytest.raises(EntryRefused) as refused:
        posted(mine, **fields)
    with everywhere():
        assert CommunicationEntry.objects.filter(student=mine.auditor).count() == 0
    return refused.value.field, refused.value.code


def test_nobody_writes_in_anothers_log(pairing):
    assert refusal(pairing, by=pairing.auditee.user) == ("", "not_yours")
    assert refusal(pairing, by=staff_user(pairing.organization)) == ("", "not_yours")


def test_a_log_belongs_to_an_assignment_of_its_students_cohort(pairing):
    other = PairingFactory.create().round.assignment
    assert refusal(pairing, assignment=other) == ("", "not_yours")


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"kind": "gossip"}, ("kind", "kind_unknown")),
        ({"text": " \n"}, ("text", "text_missing")),
        ({"text": "x" * (MAX_CHARACTERS + 1)}, ("text", "text_too_long")),
    ],
)
def test_an_entry_says_something_of_a_kind(pairing, fields, refused):
    assert refusal(pairing, **fields) == refused


def test_after_the_cohort_nothing_is_written(pairing):
    assignment = pairing.round.assignment
    assignment.cohort.ends_on = date(2020, 1, 31)
    assert refusal(pairing, assignment=assignment) == ("", "cohort_over")


def test_only_a_pairing_that_one_has_now_is_written_under(pairing):
    assignment = pairing.round.assignment
    other_pairing = PairingFactory.create(round=pairing.round)
    elsewhere = PairingFactory.create(
        auditor=pairing.auditor, round__assignment__cohort=assignment.cohort
    )
    over = PairingFactory.create(
        round=pairing.round, auditor=pairing.auditor, ended_at=timezone.now()
    )
    early = PairingFactory.create(
        round__assignment=assignment,
        auditor=pairing.auditor,
        round__starts_at=timezone.now() + timedelta(days=1),
    )
    for shut in (other_pairing, elsewhere, over, early):
        assert refusal(pairing, pairing=shut) == ("pairing", "pairing_not_open")


@pytest.mark.parametrize("under_the_pairing", [False, True])
def test_an_entry_is_kept_and_logged_without_its_words(pairing, under_the_pairing):
    entry = posted(
        pairing, text=" It runs.\r\nAt last. ", pairing=pairing if under_the_pairing else None
    )
    assert (entry.text, entry.pairing) == (
        "It runs.\nAt last.",
        pairing if under_the_pairing else None,
    )
    with everywhere():
        row = Activity.objects.get(verb="communication.posted")
    assert (row.actor, row.detail) == (
        pairing.auditor.user,
        {"kind": "progress", "reader": "a peer" if under_the_pairing else ""},
    )


def test_both_sides_write_under_a_pairing(pairing):
    posted(pairing, pairing=pairing)
    answer = posted(pairing, pairing=pairing, student=pairing.auditee, by=pairing.auditee.user)
    assert answer.student == pairing.auditee


def test_a_second_click_posts_nothing(pairing):
    first = posted(pairing)
    assert posted(pairing) == first
    assert posted(pairing, pairing=pairing) != first
    assert posted(pairing, kind=EntryKind.DESIGN) != first


def test_the_same_words_on_another_day_are_another_entry(pairing):
    yesterday = CommunicationEntryFactory.create(
        assignment=pairing.round.assignment, student=pairing.auditor, text="It runs."
    )
    with everywhere():
        CommunicationEntry.objects.update(posted_at=timezone.now() - timedelta(days=1))
    assert posted(pairing) != yesterday


def test_a_flood_is_refused(pairing, monkeypatch):
    monkeypatch.setattr(communication_actions, "MAX_PER_DAY", 2)
    posted(pairing, text="One.")
    posted(pairing, text="Two.")
    with pytest.raises(EntryRefused, match="The limit is 2 entries"):
        posted(pairing, text="Three.")
