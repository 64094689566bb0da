"""Attempts of a curious peer: forms, other people's records, emails, and expired access."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from grading.core.enums import Anonymity
from grading.models import Membership, Notice, Pairing
from grading.peer_review.rounds.reminders import remind
from tests.factories.peers import PairingFactory, RoundIdentitiesFactory, RoundMemberFactory
from tests.factories.people import everywhere, student
from tests.factories.work import SubmissionFactory
from tests.tenancy.identifiable_round import Masquerade
from tests.tenancy.identifiable_students import (
    AUDITEE,
    AUDITOR,
    Mask,
    told,
    told_of,
    treacherous_commits,
)
from tests.tenancy.matrix_rows import MISSING, ROWS
from tests.tenancy.test_missing_objects import seen
from tests.tenancy.test_peer_privacy import BETWEEN_PEERS, addresses, anonymity, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
FORMS: tuple[dict[str, Any], ...] = (
    {"do": "run"},
    {"text": "", "kind": "x", "pairing": "x"},
    {"file": b"", "kind": "fixed", "commit": "zz", "reason": ""},
)


@pytest.fixture
def world(masquerade: Masquerade, db: None, kept_uploads: None) -> Masquerade:
    return masquerade


@pytest.mark.parametrize(("reader", "other"), [(AUDITOR, AUDITEE), (AUDITEE, AUDITOR)])
def test_no_answer_to_a_form_tells_who_the_other_is(
    world: Masquerade, reader: Mask, other: Mask
) -> None:
    client, commits = signed_in(world, reader), treacherous_commits() if other is AUDITEE else []
    found = {}
    forms = [route for route, row in ROWS.items() if row[1] and BETWEEN_PEERS.search(f"/{route}")]
    for address in addresses(world, forms):
        for form in FORMS:
            sent = {k: SimpleUploadedFile("a.md", v) if k == "file" else v for k, v in form.items()}
            if learnt := told_of(other, client.post(address, sent, follow=True), also=commits):
                found[address, str(form)] = learnt
    assert found == {}


def test_letters_tell_no_names_of_peers(world: Masquerade) -> None:
    third = student(world.assignment.cohort)
    RoundMemberFactory.create(round=world.round, student=third)
    PairingFactory.create(round=world.round, auditor=world.auditor, auditee=third)
    SubmissionFactory.create(assignment=world.assignment, student=third, resolved_commit="ab" * 20)
    with everywhere():
        assert remind(round=world.round, by=None) == 2
        letters = [
            (n.user_id, told(f"{n.subject} {n.body} {n.path}")) for n in Notice.objects.all()
        ]
    others = {AUDITOR.key: AUDITEE, AUDITEE.key: AUDITOR}
    assert {user for user, _text in letters} == set(others)
    assert [
        (user, tell) for user, text in letters for tell in others[user or 0].tells() if tell in text
    ] == []


def own_addresses(world: Masquerade) -> list[tuple[str, str]]:
    """Every address of the pairing and its reports, beside the same of one that is not there."""
    keys = [world.pairing.pk, *(report.pk for report in world.reports if report.pairing_id)]
    found = [
        (address, address.replace(str(key), str(MISSING)))
        for address in addresses(world)
        for key in keys
        if f"/{key}/" in address
    ]
    assert f"/o/{world.assignment.organization.slug}/pairings/{world.pairing.pk}/" in dict(found)
    assert len(found) > len(keys)
    return found


def assert_all_missing(client: Client, world: Masquerade) -> None:
    for there, nowhere in own_addresses(world):
        for method in ("get", "post"):
            answers = [seen(getattr(client, method)(address)) for address in (there, nowhere)]
            assert (there, answers[0]) == (there, answers[1])


@anonymity(Anonymity.OPEN)
def test_to_classmates_a_pairing_and_its_reports_are_as_if_they_were_not_there(
    world: Masquerade,
) -> None:
    client = Client()
    client.force_login(student(world.assignment.cohort).user)
    assert_all_missing(client, world)


@anonymity(Anonymity.OPEN)
@pytest.mark.parametrize("reader", [AUDITOR, AUDITEE])
def test_what_is_over_is_as_if_it_had_never_been(world: Masquerade, reader: Mask) -> None:
    with everywhere():
        Pairing.objects.update(ended_at=timezone.now(), end_reason="A mistake.")
    assert_all_missing(signed_in(world, reader), world)


@anonymity(Anonymity.OPEN)
def test_who_was_taken_out_of_the_institution_finds_nothing(world: Masquerade) -> None:
    with everywhere():
        Membership.objects.filter(user=world.auditor.user).delete()
    assert_all_missing(signed_in(world, AUDITOR), world)


def shown_to_the_auditor(world: Masquerade) -> str:
    client, slug = signed_in(world, AUDITOR), world.assignment.organization.slug
    folder = f"/o/{slug}/feedback/{world.platform.pk}/"
    return "".join(
        client.get(folder + name).content.decode() for name in ("report.json", "report.md")
    )


def hand_in(world: Masquerade, student: Any, url: str, attempt: int = 9) -> None:
    SubmissionFactory.create(
        assignment=world.assignment, student=student, attempt=attempt, repo_url=url
    )


def test_handing_in_a_guessed_repository_makes_no_name_readable(world: Masquerade) -> None:
    RoundIdentitiesFactory.create(round=world.round)
    before = shown_to_the_auditor(world)
    hand_in(world, world.auditor, f"https://forge.example/me/{AUDITEE.repository}")
    hand_in(world, world.auditor, f"https://forge.example/{AUDITEE.owner}/mine", 10)
    assert shown_to_the_auditor(world) == before
    client = signed_in(world, AUDITOR)
    assert (
        told_of(
            AUDITEE,
            client.get(
                f"/o/{world.assignment.organization.slug}/feedback/{world.platform.pk}/report.json"
            ),
        )
        == []
    )


def test_what_the_reader_handed_in_before_the_round_makes_no_name_common(
    world: Masquerade,
) -> None:
    hand_in(world, world.auditor, f"https://forge.example/me/{AUDITEE.repository}")
    RoundIdentitiesFactory.create(round=world.round)
    assert told(AUDITEE.repository) not in told(shown_to_the_auditor(world))


def test_what_a_friend_hands_in_after_the_start_makes_no_name_common(world: Masquerade) -> None:
    RoundIdentitiesFactory.create(round=world.round)
    friend = student(world.assignment.cohort)
    hand_in(world, friend, f"https://forge.example/me/{AUDITEE.repository}")
    assert told(AUDITEE.repository) not in told(shown_to_the_auditor(world))


def test_what_somebody_hands_in_later_is_withheld_too(world: Masquerade) -> None:
    RoundIdentitiesFactory.create(round=world.round)
    assert "built the graph" in shown_to_the_auditor(world)
    hand_in(world, world.auditee, "https://forge.example/x/built-the-graph")
    assert "built the graph" not in shown_to_the_auditor(world)


def test_what_two_others_had_at_the_start_stays_readable(world: Masquerade) -> None:
    for owner in ("x", "z"):
        url = f"https://forge.example/{owner}/built-the-graph"
        hand_in(world, student(world.assignment.cohort), url)
    RoundIdentitiesFactory.create(round=world.round)
    hand_in(world, world.auditor, "https://forge.example/y/built-the-graph")
    assert "built the graph" in shown_to_the_auditor(world)
