"""Names and texts of a peer for a reader who may not know them."""

from __future__ import annotations

import pytest

from grading.core.enums import Anonymity
from grading.peer_review.exchange.queries import members_of, pairings_of
from grading.peer_review.feedback.queries import identity_of, shown_name, shown_text, shown_texts
from grading.peer_review.redaction import WITHHELD
from tests.factories.peers import PairingFactory
from tests.factories.people import EnrollmentFactory, everywhere
from tests.factories.work import SubmissionFactory
from tests.peer_review.test_redacted_editions import paired

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("anonymity", "names"),
    [
        (Anonymity.OPEN, ("Noor Castellan", "Ida Winterbourne")),
        (Anonymity.SINGLE_BLIND, ("Noor Castellan", "Peer 871")),
        (Anonymity.DOUBLE_BLIND, ("Peer 135", "Peer 871")),
    ],
)
def test_the_other_is_called_by_name_or_alias(anonymity: Anonymity, names: tuple[str, str]) -> None:
    pairing = paired(anonymity)
    with everywhere():
        places = members_of([pairing])
        members = {student: member for (_round, student), member in places.items()}
        assert (shown_name(pairing, side="auditor"), shown_name(pairing, side="auditee")) == names
        assert (
            shown_name(members[pairing.auditee_id], side="auditor"),
            shown_name(members[pairing.auditor_id], side="auditee"),
        ) == names
        assert shown_name(pairing, side="staff") == "Ida Winterbourne"


def test_words_of_the_other_pass_without_who_they_are() -> None:
    pairing = paired(Anonymity.SINGLE_BLIND)
    text = "Noor Castellan here, at https://x.example/noor"
    with everywhere():
        assert shown_text(text, pairing, side="auditor") == text
        assert shown_texts([text, "Fine."], pairing, side="auditee") == [
            f"{WITHHELD} here, at {WITHHELD}",
            "Fine.",
        ]


def test_everything_the_roster_the_account_and_the_hand_ins_tell_is_withheld() -> None:
    pairing = paired()
    with everywhere():
        type(pairing.auditee).objects.filter(pk=pairing.auditee_id).update(
            student_number="Q-9001", group="Osprey club"
        )
    for attempt, url in enumerate(
        ("https://forge.example/grp/nc-dev/osprey-eye.git", "git@forge.example:ncastle/x1.git"), 1
    ):
        SubmissionFactory.create(
            assignment=pairing.round.assignment,
            student=pairing.auditee,
            attempt=attempt,
            repo_url=url,
            pdf_name="nc.pdf",
        )
    username = pairing.auditee.user.username if pairing.auditee.user else ""
    words = [
        "Castellan",
        "Q-9001",
        "Osprey club",
        "nc-dev",
        "osprey-eye",
        "ncastle",
        "nc.pdf",
        pairing.auditee.email,
        username,
    ]
    with everywhere():
        assert [shown_text(f"<{word}>", pairing, side="auditor") for word in words] == [
            f"<{WITHHELD}>"
        ] * len(words)


def test_a_students_pairings_stand_in_no_order_that_tells_of_the_roster() -> None:
    pairing = paired()
    for _ in range(4):
        PairingFactory.create(round=pairing.round, auditor=pairing.auditor)
    with everywhere():
        keys = [row.pk for row in pairings_of(pairing.auditor, [pairing.round])]
    assert (len(keys), keys) == (5, sorted(keys))


def test_the_identity_of_a_cohort_is_everybodys_on_its_roster() -> None:
    pairing = paired()
    EnrollmentFactory.create(name="Of another cohort")
    with everywhere():
        people = identity_of(pairing.round, reader=None).people
    assert [person.names[0] for person in people] == ["Ida Winterbourne", "Noor Castellan"]
