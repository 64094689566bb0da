"""Attempts of a curious peer: forms, other people's records, emails, and expired access."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from grading.core.enums import Anonymity
from grading.models import CommunicationEntry, EvidenceRecord, Membership, Notice, Pairing
from grading.peer_review.feedback.edition_keys import hidden_ids
from grading.peer_review.rounds.reminders import remind
from tests.factories.peers import (
    CommunicationEntryFactory,
    PairingFactory,
    RoundIdentitiesFactory,
    RoundMemberFactory,
)
from tests.factories.people import everywhere, student
from tests.factories.work import SubmissionFactory
from tests.tenancy.identifiable_round import Masquerade
from tests.tenancy.identifiable_students import (
    AUDITEE,
    AUDITOR,
    Mask,
    everything_said,
    squeezed,
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
    forms_by_route = {}
    forms = [route for route, row in ROWS.items() if row[1] and BETWEEN_PEERS.search(f"/{route}")]
    for address in addresses(world, forms):
        for form in FORMS:
            sent = {k: SimpleUploadedFile("a.md", v) if k == "file" else v for k, v in form.items()}
            if learnt := told_of(other, client.post(address, sent, follow=True), also=commits):
                forms_by_route[address, str(form)] = learnt
    assert forms_by_route == {}


def test_letters_tell_no_names_of_peers(world: Masquerade) -> None:
    third = student(world.assignment.cohort)
    RoundMemberFactory.create(round=world.round, student=third)
    PairingFactory.create(round=world.round, auditor=world.auditor, auditee=third)
    SubmissionFactory.create(assignment=world.assignment, student=third, resolved_commit="ab" * 20)
    with everywhere():
        assert remind(round=world.round, by=None) == 2
        letters = [
            (n.user_id, squeezed(f"{n.subject} {n.body} {n.path}")) for n in Notice.objects.all()
        ]
    opposite = {AUDITOR.key: AUDITEE, AUDITEE.key: AUDITOR}
    assert {user for user, _text in letters} == set(opposite)
    assert [
        (user, tell)
        for user, text in letters
        for tell in opposite[user or 0].tells()
        if tell in text
    ] == []


def own_addresses(world: Masquerade) -> list[tuple[str, str]]:
    """Every address of the pairing and its reports, beside the same of one that is not there."""
    keys = [world.pairing.pk, *(report.pk for report in world.reports if report.pairing_id)]
    traces = [
        (address, address.replace(str(key), str(MISSING)))
        for address in addresses(world)
        for key in keys
        if f"/{key}/" in address
    ]
    assert f"/o/{world.assignment.organization.slug}/pairings/{world.pairing.pk}/" in dict(traces)
    assert len(traces) > len(keys)
    return traces


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
    """Return the report on the auditee's work, and a message in which they name their repository."""
    client, place = signed_in(world, AUDITOR), world.assignment
    world.make_editions()
    words = {"text": f"{AUDITEE.repository} of {AUDITEE.owner}: we built the graph."}
    owned = {"assignment": place, "student": world.auditee, "pairing": world.pairing}
    with everywhere():
        CommunicationEntry.objects.get_or_create(
            **words, defaults={**owned, "organization": place.organization, "kind": "progress"}
        )
    folder = f"/o/{place.organization.slug}/feedback/{world.platform.pk}/"
    log = f"/o/{place.organization.slug}/c/{place.cohort.slug}/a/{place.slug}/communication/"
    pages = [folder + "report.json", folder + "report.md", f"{log}?pairing={world.pairing.pk}"]
    html = "".join(client.get(page).content.decode() for page in pages)
    assert "built the graph" in html or "[withheld]." in html
    return re.sub(r"csrfmiddlewaretoken.*?>", "", html)


def hand_in(world: Masquerade, student: Any, url: str, attempt: int = 9) -> None:
    SubmissionFactory.create(
        assignment=world.assignment, student=student, attempt=attempt, repo_url=url
    )


def tells_the_repository(html: str) -> bool:
    return any(squeezed(word) in squeezed(html) for word in (AUDITEE.repository, AUDITEE.owner))


def test_handing_in_a_guessed_repository_makes_no_name_readable(world: Masquerade) -> None:
    RoundIdentitiesFactory.create(round=world.round)
    before = shown_to_the_auditor(world)
    hand_in(world, world.auditor, f"https://forge.example/me/{AUDITEE.repository}")
    hand_in(world, world.auditor, f"https://forge.example/{AUDITEE.owner}/mine", 10)
    assert shown_to_the_auditor(world) == before
    assert not tells_the_repository(before)


def test_what_the_reader_handed_in_before_the_round_makes_no_name_common(
    world: Masquerade,
) -> None:
    hand_in(world, world.auditor, f"https://forge.example/{AUDITEE.owner}/{AUDITEE.repository}")
    hand_in(world, student(world.assignment.cohort), f"https://forge.example/{AUDITEE.owner}/x")
    RoundIdentitiesFactory.create(round=world.round)
    assert not tells_the_repository(shown_to_the_auditor(world))


def test_what_a_friend_hands_in_after_the_start_makes_no_name_common(world: Masquerade) -> None:
    RoundIdentitiesFactory.create(round=world.round)
    friend = student(world.assignment.cohort)
    hand_in(world, friend, f"https://forge.example/me/{AUDITEE.repository}")
    assert not tells_the_repository(shown_to_the_auditor(world))


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


def ids_in(text: str) -> set[str]:
    return set(re.findall(r"\bE-[0-9a-f]{8}\b", text))


def pages_of(world: Masquerade, reader: Mask) -> dict[str, str]:
    """Return the reader's copy of the site's report through every surface, by its kind."""
    client, place = signed_in(world, reader), world.assignment
    folder = f"/o/{place.organization.slug}/feedback/{world.platform.pk}/"
    archive = f"/o/{place.organization.slug}/c/{place.cohort.slug}/a/{place.slug}/audit.zip"
    side = "report_onpeer_generated" if reader is AUDITOR else "report_bypeer_received"
    addresses = {"page": folder, "json": f"{folder}report.json", "md": f"{folder}report.md"}
    addresses["api"] = f"/api/v1{folder}"
    html_by_kind = {
        kind: client.get(address).content.decode() for kind, address in addresses.items()
    }
    entries = everything_said(client.get(archive))
    return html_by_kind | {"zip": "".join(text for name, text in entries if side in name)}


def test_no_id_of_an_edition_is_one_of_the_report_that_its_subject_reads(
    world: Masquerade,
) -> None:
    editions, reports = pages_of(world, AUDITOR), pages_of(world, AUDITEE)
    for kind, edition in editions.items():
        assert (kind, bool(ids_in(edition)), ids_in(edition) & ids_in(reports[kind])) == (
            kind,
            True,
            set(),
        )


def test_citations_inside_an_edition_lead_to_its_evidence(world: Masquerade) -> None:
    edition = json.loads(pages_of(world, AUDITOR)["json"])
    evidence = {row["id"] for row in edition["evidence"]}
    cited = {key for row in edition["criteria"] for key in row["evidence"]}
    opinions = [opinion for row in edition["criteria"] for opinion in row["opinions"]]
    cited |= {key for opinion in opinions for key in opinion["cited_evidence"]}
    assert cited
    assert cited <= evidence
    assert len(evidence) == len((world.peer_audit.report or {})["evidence"])


@anonymity(Anonymity.SINGLE_BLIND)
def test_who_may_know_the_other_reads_the_true_ids(world: Masquerade) -> None:
    true = ids_in(json.dumps(world.peer_audit.report))
    assert ids_in(pages_of(world, AUDITOR)["json"]) == true


@pytest.mark.parametrize(
    "masquerade", [Anonymity.DOUBLE_BLIND, Anonymity.SINGLE_BLIND], indirect=True
)
def test_no_file_name_is_on_both_sides(world: Masquerade) -> None:
    place = world.assignment
    archive = f"/o/{place.organization.slug}/c/{place.cohort.slug}/a/{place.slug}/audit.zip"
    keys = []
    for reader in (AUDITOR, AUDITEE):
        names = [
            text
            for where, text in everything_said(signed_in(world, reader).get(archive))
            if where == "name in the archive" and "round-" in text
        ]
        assert names
        keys.append({re.findall(r"[0-9a-f-]{36}", name)[0] for name in names})
    assert keys[0] & (keys[1] | {str(report.pk) for report in world.reports}) == set()


def test_an_id_of_the_edition_that_the_auditor_cites_is_the_true_one_to_its_subject(
    world: Masquerade,
) -> None:
    true = str((world.peer_audit.report or {})["evidence"][0]["id"])
    with everywhere():
        EvidenceRecord.objects.create(
            organization=world.assignment.organization,
            audit=world.peer_audit,
            key=true,
            detective="RepoInvestigator",
            check_id="x",
            found=True,
            document={},
        )
        hidden_text = str(hidden_ids(true, world.pairing))
        words = {"assignment": world.assignment, "pairing": world.pairing}
        for whose, key in ((world.auditor, hidden_text), (world.auditee, true)):
            CommunicationEntryFactory.create(
                **words, student=whose, text=f"See {key} and {key[:6]}."
            )
    place = world.assignment
    log = f"/o/{place.organization.slug}/c/{place.cohort.slug}/a/{place.slug}/communication/"
    for reader, key in ((AUDITOR, hidden_text), (AUDITEE, true)):
        page = signed_in(world, reader).get(log).content.decode()
        assert page.count(f"See {key} and {key[:6]}.") == 2
