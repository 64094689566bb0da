"""Who the other is, searched for by a curious peer at every address of the site and in everything it answers.

The students of tests/tenancy/identifiable_students.py sign whatever they touch. Everything either of them may open is searched, headers and
archives included, for everything the other could be known by; what may be asked comes from the URLconf, so that a new
address is searched without being named here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from grading.core.enums import Anonymity, ReleasePolicy
from grading.models import Assignment, FeedbackReport
from tests.factories.people import everywhere, staff_user
from tests.factories.work import SubmissionFactory
from tests.tenancy.identifiable_round import PLACES, Masquerade
from tests.tenancy.identifiable_students import (
    AUDITEE,
    AUDITOR,
    Mask,
    told_of,
    treacherous_commits,
    treacherous_report,
)
from tests.tenancy.matrix_rows import MISSING
from tests.tenancy.world import site_routes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
# Where peers meet; the rest of the site is searched once.
BETWEEN_PEERS = re.compile(r"/(pairings|feedback|peers|communication|findings|loop)/|audit\.zip$")
# What stands in no address of one institution, or is nobody's to read.
ELSEWHERE = ("metrics", "healthz", "healthz/live")


@pytest.fixture
def world(masquerade: Masquerade, db: None, kept_uploads: None) -> Masquerade:
    return masquerade


def anonymity(chosen: Anonymity) -> pytest.MarkDecorator:
    """Decorate a test whose round is not double blind."""
    return pytest.mark.parametrize("masquerade", [chosen], indirect=True, ids=[chosen.value])


def addresses(world: Masquerade, routes: Iterable[str] = ()) -> Iterator[str]:
    """Every address of the site, or of these routes, with every record that there is."""
    place = world.assignment
    values_by_name: dict[str, list[Any]] = {
        "org": [place.organization.slug],
        "cohort": [place.cohort.slug],
        "assignment": [place.slug],
        "audit_id": [world.audit.pk, world.own_audit.pk, world.peer_audit.pk],
        "position": [0],
        "pairing_id": [world.pairing.pk],
        "number": [1],
        "key": ["0123456789abcdef"],
        "report_id": [report.pk for report in world.reports],
        "received_id": [report.pk for report in world.reports],
        "finding_id": [finding.pk for finding in world.findings],
    }
    for route in routes or site_routes():
        names = re.findall(r"<\w+:(\w+)>", route)
        for values in (
            product(
                *(
                    values_by_name.get(name, [MISSING if name.endswith("_id") else 1])
                    for name in names
                )
            )
            if route not in ELSEWHERE
            else ()
        ):
            yield from _asked("/" + re.sub(r"<\w+:(\w+)>", "%s", route) % values, world)


def _asked(address: str, world: Masquerade) -> Iterator[str]:
    """An address alone, and with what pages take from it."""
    yield address
    if address.endswith(("communication/", "findings/", "loop/")):
        yield f"{address}?pairing={world.pairing.pk}"
        yield from (f"{address}?student={mask.key}" for mask in (AUDITOR, AUDITEE))


def signed_in(world: Masquerade, reader: Mask) -> Client:
    client, user = Client(), (world.auditor if reader is AUDITOR else world.auditee).user
    assert user is not None
    client.force_login(user)
    return client


def leaks(world: Masquerade, *, reader: Mask, of: Mask, where: str = "") -> dict[str, list[str]]:
    """Return the hints at the other student, by address."""
    client, leaks_found = signed_in(world, reader), {}
    telltales = [str(PLACES)[:-1], *(treacherous_commits() if of is AUDITEE else [])]
    for address in addresses(world):
        if re.search(where, address) and (
            traces := told_of(of, client.get(address), also=telltales)
        ):
            leaks_found[address] = traces
    return leaks_found


def opened(world: Masquerade, reader: Mask) -> list[int]:
    """Return the reader's copies of the site's, the uploaded and the received report."""
    client, slug = signed_in(world, reader), world.assignment.organization.slug
    reports = (world.platform, world.uploaded, world.received)
    return [client.get(f"/o/{slug}/feedback/{report.pk}/").status_code for report in reports]


def test_double_blind_who_audits_does_not_learn_whom(world: Masquerade) -> None:
    assert opened(world, AUDITOR) == [200, 200, 404]
    assert leaks(world, reader=AUDITOR, of=AUDITEE) == {}


def test_double_blind_who_is_audited_does_not_learn_by_whom(world: Masquerade) -> None:
    assert opened(world, AUDITEE) == [200, 200, 200]
    assert leaks(world, reader=AUDITEE, of=AUDITOR) == {}


@anonymity(Anonymity.SINGLE_BLIND)
def test_single_blind_only_who_audits_knows_the_other(world: Masquerade) -> None:
    assert leaks(world, reader=AUDITEE, of=AUDITOR, where=BETWEEN_PEERS.pattern) == {}
    leaks_of_other = leaks(
        world, reader=AUDITOR, of=AUDITEE, where=r"^/o/.*(pairings/|report\.json$)"
    )
    assert [address.split("/")[3] for address in leaks_of_other] == ["pairings", "feedback"]


@anonymity(Anonymity.OPEN)
def test_in_an_open_round_both_know_each_other(world: Masquerade) -> None:
    for reader, other in ((AUDITOR, AUDITEE), (AUDITEE, AUDITOR)):
        leaks_of_other = leaks(
            world, reader=reader, of=other, where=r"^/o/.*(pairings/|report\.json$)"
        )
        assert [address.split("/")[3] for address in leaks_of_other] == ["pairings", "feedback"]


def test_ones_own_work_is_whole_for_oneself(world: Masquerade) -> None:
    """A gap in what its reader knows by heart would tell which of the names in it is the other's."""
    address = f"/o/{world.assignment.organization.slug}/feedback/{world.platform.pk}/report.json"
    assert json.loads(signed_in(world, AUDITEE).get(address).content) == world.peer_audit.report


def test_the_other_is_called_by_an_alias(world: Masquerade) -> None:
    address = f"/o/{world.assignment.organization.slug}/pairings/{world.pairing.pk}/"
    assert AUDITEE.alias in signed_in(world, AUDITOR).get(address).content.decode()
    assert AUDITOR.alias in signed_in(world, AUDITEE).get(address).content.decode()


def test_naming_a_repository_or_a_commit_does_not_tell_whether_it_is_the_others(
    world: Masquerade,
) -> None:
    """Or one would name the whole class's one after the other."""
    SubmissionFactory.create(
        assignment=world.assignment, student=world.auditee, attempt=2, resolved_commit="f" * 40
    )
    first = str(treacherous_report()["commit"])
    right, wrong = (
        pages_after(world, *named)
        for named in ((AUDITEE.url, first), (AUDITOR.url + "0", "0ff1ce00" * 5))
    )
    assert right == wrong


def pages_after(world: Masquerade, repository: str, commit: str) -> list[str]:
    """Return the parts of a report that its author sees, without its text and keys."""
    client, slug = signed_in(world, AUDITOR), world.assignment.organization.slug
    text = f"# Audit\n\nRepository: {repository}\nCommit: {commit}\n\n## Findings\n\n- README.md:1 Say more.\n"
    sent = client.post(
        f"/o/{slug}/pairings/{world.pairing.pk}/",
        {"file": SimpleUploadedFile("a.md", text.encode())},
    )
    with everywhere():
        newest = FeedbackReport.objects.latest("created_at")
    assert sent["Location"] == f"/o/{slug}/feedback/{newest.pk}/"
    around = (
        sent["Location"],
        f"/o/{slug}/pairings/{world.pairing.pk}/",
        f"/o/{slug}/c/{world.assignment.cohort.slug}/peers/",
    )
    pages = [client.get(address).content.decode() for address in around]
    own_words = re.compile(rf"{repository}|{commit}|{newest.pk}|csrfmiddlewaretoken.*?>")
    with everywhere():
        newest.delete()
    return [own_words.sub("", page) for page in pages]


def test_before_the_release_a_peers_report_has_findings_and_no_scores(world: Masquerade) -> None:
    with everywhere():
        Assignment.objects.update(release_policy=ReleasePolicy.AFTER_RELEASE)
    folder = f"/o/{world.assignment.organization.slug}/feedback/{world.platform.pk}/"
    for reader in (AUDITOR, AUDITEE):
        client = signed_in(world, reader)
        report = json.loads(client.get(f"{folder}report.json").content)
        assert (report["overall_score"], report["points"]) == (None, None)
        assert {
            (c["final_score"], c["level"], c["points"], c["dissent"]) for c in report["criteria"]
        } == {(None, None, None, None)}
        assert [c["opinions"] + c["rules"] + c["resolution"] for c in report["criteria"]] == [
            []
        ] * 10
        assert any(c["remediation"] for c in report["criteria"])
        for name in ("", "report.md"):
            text = client.get(folder + name).content.decode()
            assert re.findall(r"\b[1-5](?:\.\d)? of 5\b", text) == []


def test_staff_read_everything_and_are_told_who_is_who(world: Masquerade) -> None:
    client, slug = Client(), world.assignment.organization.slug
    client.force_login(staff_user(world.assignment.organization))
    for mask, report in ((AUDITEE, world.platform), (AUDITOR, world.uploaded)):
        assert told_of(mask, client.get(f"/o/{slug}/feedback/{report.pk}/"))
    assert told_of(AUDITEE, client.get(f"/o/{slug}/audits/{world.peer_audit.pk}/"))
