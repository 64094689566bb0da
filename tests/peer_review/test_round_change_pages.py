"""Changing a round of peers by hand: what it does is shown before it is done."""

from __future__ import annotations

import re
from typing import Any

import pytest

from grading.models import RoundMember
from tests.factories.people import EnrollmentFactory, everywhere
from tests.factories.running_round import Running, words_of
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def test_what_can_be_changed_is_offered_for_round_student_and_pairing() -> None:
    made = Running()
    titles = [
        re.findall(r"<h2[^>]*>([^<]*)</h2>", made.read("round-change", **query))
        for query in ({}, {"student": made.students[0].pk}, {"pairing": made.pairings[0].pk})
    ]
    assert titles == [
        ["Add a student", "Remove a student", "Add a pairing"],
        ["Remove a student", "Add a pairing"],
        ["End a pairing", "Swap two pairings"],
    ]


def test_a_change_is_shown_with_its_effects_and_made_when_confirmed() -> None:
    made = Running()
    late = EnrollmentFactory.create(cohort=made.assignment.cohort, name="Zoe")
    page = made.read("round-change", what="join", student=late.pk)
    assert len(re.findall(r"<ins>", page)) == 2
    assert "Zoe 0 → 1 0 → 1" in words_of(page)
    with everywhere():
        assert RoundMember.objects.count() == 5
    fingerprint = re.search(r'name="seen" value="(\w+)"', page)
    assert fingerprint is not None
    sent = {"what": "join", "student": late.pk, "seen": fingerprint[1]}
    assert made.teacher.post(made.page("round-change"), sent).status_code == 302
    with everywhere():
        assert RoundMember.objects.filter(student=late).exists()


def test_a_change_that_would_be_another_by_now_is_shown_once_more() -> None:
    made = Running()
    late = EnrollmentFactory.create(cohort=made.assignment.cohort, name="Zoe")
    sent = {"what": "join", "student": late.pk, "seen": "another"}
    page = made.teacher.post(made.page("round-change"), sent).content.decode()
    assert faults_of(page) == []
    assert "The round has changed since." in page
    with everywhere():
        assert RoundMember.objects.count() == 5


def test_to_end_a_pairing_warns_of_its_report_and_wants_a_reason() -> None:
    made = Running()
    pairing = made.pairings[0]
    made.report(pairing)
    page = made.read("round-change", what="end", pairing=pairing.pk)
    assert f"{pairing.auditor} has a report on {pairing.auditee}" in words_of(page)
    sent: dict[str, Any] = {"what": "end", "pairing": pairing.pk}
    refused = made.teacher.post(made.page("round-change"), sent).content.decode()
    assert (faults_of(refused), "Enter a reason: it stays on the record." in refused) == ([], True)
    assert (
        made.teacher.post(made.page("round-change"), sent | {"reason": "Rude."}).status_code == 302
    )
    with everywhere():
        pairing.refresh_from_db()
    assert pairing.end_reason == "Rude."


@pytest.mark.parametrize(
    "query", [{"what": "join"}, {"what": "leave", "student": "x"}, {"what": "swap", "pairing": "0"}]
)
def test_a_change_of_nothing_that_is_there_is_refused(query: dict[str, str]) -> None:
    assert "This change is not possible." in Running().read("round-change", **query)


def test_an_unknown_change_is_no_change() -> None:
    assert "Add a student" in Running().read("round-change", what="explode")


def test_a_swap_that_makes_somebody_their_own_peer_is_refused() -> None:
    made = Running()
    first = made.pairings[0]
    second = next(pairing for pairing in made.pairings if pairing.auditor_id == first.auditee_id)
    page = made.read("round-change", what="swap", pairing=first.pk, other=second.pk)
    assert "Students cannot audit themselves." in page
