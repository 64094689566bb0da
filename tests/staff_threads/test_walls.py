"""The wall around a staff thread: no student reaches a word of it, at any address of the site.

The addresses come from the URLconf, so a new page is searched without being named here. For persons
further away the tenant matrix (tests/tenancy/test_matrix.py) searches each route; here they are
asked what it does not ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import AuditState, Role
from grading.models import Audit, Membership, Notice
from grading.staff_threads.actions import write_note
from tests.factories.people import staff_user
from tests.factories.work import AuditFactory, SubmissionFactory
from tests.tenancy.matrix_rows import OUTSIDE_STAFF
from tests.tenancy.thread_traces import SECRET, traces_in
from tests.tenancy.world import World, site_routes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
CLOSEST = ("student", "classmate")
WITH_QUERIES = ("search/", "findings/", "loop/", "communication/")


@pytest.fixture(scope="module")
def kept_world(kept: Path) -> World:
    made = World()
    own_place = made.here
    with scope(organization=own_place.organization):
        failed = AuditFactory.create(
            state=AuditState.FAILED,
            failure_code="internal",
            failure_message="It broke off.",
            finished_at=timezone.now(),
            submission=SubmissionFactory.create(
                assignment=own_place.assignment, student=own_place.owner, attempt=2
            ),
        )
        handle = own_place.owner.user.email.partition("@")[0]
        for submission in (own_place.audit.submission, failed.submission):
            write_note(
                submission=submission,
                text=f"{SECRET} @{handle}",
                by=staff_user(own_place.organization),
            )
    made.failed = failed  # type: ignore[attr-defined]  # -- only this module has one
    return made


@pytest.fixture
def world(kept_world: World, db: None, kept_uploads: None) -> World:
    return kept_world


def addresses(world: World) -> Iterator[str]:
    """Every address of the site, with each audit, and with what pages take from their query."""
    for route in site_routes():
        audits = (world.here.audit, world.failed) if "_id" in route else (world.here.audit,)  # type: ignore[attr-defined]
        places = {
            world.address(route, audit_id=audit.pk, submission_id=audit.submission_id)
            for audit in audits
        }
        yield from places
        if route.endswith(WITH_QUERIES):
            yield f"{places.pop()}?student={world.here.owner.pk}&q={SECRET[:5]}"


def further_addresses(world: World) -> list[str]:
    """Return the addresses that the tenant matrix does not ask."""
    matrix = {world.address(route) for route in site_routes()}
    return [address for address in addresses(world) if address not in matrix]


def traces_at(client: Client, address: str) -> list[str]:
    return traces_in(client.get(address))


@pytest.mark.parametrize("person", CLOSEST)
def test_student_finds_no_trace_of_the_thread_at_any_address(person, world):
    client = world.client(person)
    hits = {address: traces_at(client, address) for address in addresses(world)}
    assert {address: traces for address, traces in hits.items() if traces} == {}


@pytest.mark.parametrize("person", [person for person in OUTSIDE_STAFF if person not in CLOSEST])
def test_nobody_outside_finds_a_trace_of_the_thread_at_further_addresses(person, world):
    client = world.client(person)
    hits = {address: traces_at(client, address) for address in further_addresses(world)}
    assert {address: traces for address, traces in hits.items() if traces} == {}


def test_the_same_search_finds_the_thread_for_staff(world):
    client = world.client("instructor")
    hits = [address for address in addresses(world) if SECRET in traces_at(client, address)]
    own_place = world.here
    base = f"/o/{own_place.organization.slug}"
    audits = [own_place.audit, world.failed]
    expected = {f"{base}/audits/{audit.pk}/" for audit in audits}
    expected |= {f"{base}/submissions/{audit.submission_id}/notes/" for audit in audits}
    expected |= {f"/api/v1{base}/submissions/{audit.submission_id}/notes/" for audit in audits}
    assert {address.partition("?")[0] for address in hits} == expected


def test_no_student_can_write_into_a_thread(world):
    address = world.address("o/<slug:org>/submissions/<uuid:submission_id>/notes/")
    sent = {"note-text": "I was here."}
    answers = [world.client(person).post(address, sent).status_code for person in OUTSIDE_STAFF]
    assert answers == [302, 404, 404, 404, 404, 404, 302]


def test_no_email_of_the_site_holds_a_word_of_a_thread(world):
    with scope(organization=world.here.organization):
        texts = [notice.subject + notice.body for notice in Notice.objects.all()]
    assert [text for text in texts if SECRET in text] == []


def test_assistant_who_is_the_student_of_the_work_does_not_see_its_thread(world):
    """A person may assist in one course and be a student of another: one role per organization."""
    owner: Any = world.here.owner
    with scope(organization=world.here.organization):
        Membership.objects.filter(user=owner.user).update(role=Role.ASSISTANT)
    client = Client()
    client.force_login(owner.user)
    audit: Audit = world.here.audit
    base = f"/o/{world.here.organization.slug}"
    assert client.get(f"{base}/audits/{audit.pk}/").status_code == 200
    hits = {address: traces_at(client, address) for address in addresses(world)}
    texts = [address for address, traces in hits.items() if SECRET in traces]
    assert texts == []
    thread = f"{base}/submissions/{audit.submission_id}/notes/"
    assert client.get(thread).status_code == 404
    assert client.get(f"/api/v1{thread}").status_code == 404


def test_staff_who_view_a_students_pages_see_no_thread(world):
    client, owner = world.client("instructor"), world.here.owner
    cohort = world.address("o/<slug:org>/c/<slug:cohort>/")
    assert client.post(f"{cohort}people/{owner.pk}/view/").status_code == 302
    base = f"/o/{world.here.organization.slug}"
    audit = world.here.audit
    assert traces_at(client, f"{base}/audits/{audit.pk}/") == []
    assert client.get(f"{base}/submissions/{audit.submission_id}/notes/").status_code == 404
