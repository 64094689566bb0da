"""Who gets what from every route of the site. A route without a row fails: nothing is opened by accident.

The rows are written by hand, the routes come from the URLconf. Someone else's object must answer byte for byte
like one that does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from grading.enums import Role
from tests.factories.people import CohortFactory, OrganizationFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.site.report_example import report_json

MISSING = UUID(int=0)
COHORT, ASSIGNMENT, AUDIT = (
    "o/<slug:org>/c/<slug:cohort>/",
    "a/<slug:assignment>/",
    "o/<slug:org>/audits/<uuid:audit_id>/",
)

# student: whose work it is; classmate: of the same cohort; neighbour: of another cohort; foreigner: owns another institution.
PERSONS = (
    "anonymous",
    "student",
    "classmate",
    "neighbour",
    "assistant",
    "instructor",
    "foreigner",
    "deactivated",
)
EVERYBODY = (200,) * 8
MEMBERS = (302, 200, 200, 200, 200, 200, 404, 302)
IN_THE_COHORT = (302, 200, 200, 404, 200, 200, 404, 302)
STUDENTS = (302, 200, 200, 404, 404, 404, 404, 302)
STAFF = (302, 404, 404, 404, 200, 200, 404, 302)
TEACHERS = (302, 404, 404, 404, 404, 200, 404, 302)
OWNER_AND_STAFF = (302, 200, 404, 404, 200, 200, 404, 302)
SIGNED_IN = (302, 200, 200, 200, 200, 200, 200, 302)

# What GET answers, and for pages with a form what an empty POST answers.
ROWS: dict[str, tuple[tuple[int, ...], tuple[int, ...] | None]] = {
    "": (EVERYBODY, None),
    "healthz": (EVERYBODY, None),
    "organizations/new/": (SIGNED_IN, SIGNED_IN),
    "o/<slug:org>/": (MEMBERS, None),
    "o/<slug:org>/c/new/": (TEACHERS, TEACHERS),
    COHORT: (IN_THE_COHORT, None),
    f"{COHORT}roster/": (STAFF, TEACHERS),
    f"{COHORT}a/new/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}": (IN_THE_COHORT, None),
    f"{COHORT}{ASSIGNMENT}submit/": (STUDENTS, STUDENTS),
    AUDIT: (OWNER_AND_STAFF, None),
    f"{AUDIT}progress/": (OWNER_AND_STAFF, None),
    f"{AUDIT}report.md": (OWNER_AND_STAFF, None),
    f"{AUDIT}report.json": (OWNER_AND_STAFF, None),
}
# allauth's own pages, tested by allauth; none of them shows a tenant's data. Named, so that a new one is noticed.
ACCOUNTS = {
    "login/", "logout/", "inactive/", "signup/", "reauthenticate/", "email/", "confirm-email/", "password/change/",
    "password/set/", "password/reset/", "login/code/confirm/", r"^confirm-email/(?P<key>[-:\w]+)/$",
    "password/reset/key/done/", r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$", "password/reset/done/",
}  # fmt: skip


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from routes(pattern, route)


def site_routes() -> list[str]:
    return [route for route in routes() if not route.startswith(("admin/", "accounts/"))]


class World:
    """One institution with work in it, everybody who might ask, and another institution."""

    def __init__(self) -> None:
        cohort = CohortFactory.create(slug="autumn")
        assignment = AssignmentFactory.create(cohort=cohort, slug="auditor")
        self.owner = student(cohort)
        submission = SubmissionFactory.create(assignment=assignment, student=self.owner)
        self.audit = AuditFactory.create(submission=submission, done=True, report=report_json(criteria=1))
        self.organization = cohort.organization
        self.elsewhere = OrganizationFactory.create()
        other_cohort = CohortFactory.create(organization=self.organization)
        self.users: dict[str, User | None] = {
            "anonymous": None,
            "student": self.owner.user,
            "classmate": student(cohort).user,
            "neighbour": student(other_cohort).user,
            "assistant": staff_user(self.organization, Role.ASSISTANT),
            "instructor": staff_user(self.organization),
            "foreigner": staff_user(self.elsewhere, Role.OWNER),
            "deactivated": staff_user(self.organization),
        }

    def client(self, person: str, **options: Any) -> Client:
        client, user = Client(**options), self.users[person]
        if user is not None:
            client.force_login(user)
        if user is not None and person == "deactivated":
            User.objects.filter(pk=user.pk).update(is_active=False)
        return client

    def address(self, route: str, **changed: Any) -> str:
        given = {
            "org": self.organization.slug,
            "cohort": "autumn",
            "assignment": "auditor",
            "audit_id": self.audit.pk,
        }
        return "/" + re.sub(r"<\w+:(\w+)>", lambda hole: str((given | changed)[hole[1]]), route)


@pytest.fixture
def world(db: None) -> World:
    return World()


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    assert sorted(site_routes()) == sorted(ROWS)


def test_every_page_about_accounts_is_known() -> None:
    found = {route.removeprefix("accounts/") for route in routes() if route.startswith("accounts/")}
    assert found == ACCOUNTS


@pytest.mark.parametrize("route", ROWS)
def test_get_answers_each_person_as_the_row_says(route: str, world: World) -> None:
    answers = [world.client(person).get(world.address(route)).status_code for person in PERSONS]
    assert dict(zip(PERSONS, answers, strict=True)) == dict(zip(PERSONS, ROWS[route][0], strict=True))


@pytest.mark.parametrize("route", [route for route, row in ROWS.items() if row[1]])
def test_an_empty_post_answers_each_person_as_the_row_says(route: str, world: World) -> None:
    answers = [world.client(person).post(world.address(route)).status_code for person in PERSONS]
    assert dict(zip(PERSONS, answers, strict=True)) == dict(zip(PERSONS, ROWS[route][1] or (), strict=True))


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_no_other_method_does_anything(method: str, world: World) -> None:
    clients = {person: world.client(person) for person in ("anonymous", "foreigner", "instructor")}
    readable = [route for route, row in ROWS.items() if method != "post" or row[1] is None]
    answers = {
        route: tuple(getattr(client, method)(world.address(route)).status_code for client in clients.values())
        for route in readable
    }
    assert answers == {route: refusals_of(route) for route in readable}


def refusals_of(route: str) -> tuple[int, int, int]:
    """Who must sign in first is sent there; who does not belong there finds nothing; all others may not."""
    if route.startswith("o/"):
        return (302, 404, 405)
    return (302, 405, 405) if ROWS[route] == (SIGNED_IN, SIGNED_IN) else (405, 405, 405)


@pytest.mark.parametrize("route", [route for route, row in ROWS.items() if row[1]])
def test_a_form_sent_from_elsewhere_is_refused(route: str, world: World) -> None:
    allowed = PERSONS[(ROWS[route][1] or ()).index(200)]
    assert world.client(allowed, enforce_csrf_checks=True).post(world.address(route)).status_code == 403


@pytest.mark.parametrize(
    ("route", "person", "changed"),
    [
        ("o/<slug:org>/", "foreigner", {"org": "missing"}),
        (COHORT, "foreigner", {"org": "missing"}),
        (COHORT, "neighbour", {"cohort": "missing"}),
        (f"{COHORT}{ASSIGNMENT}", "neighbour", {"assignment": "missing"}),
        (AUDIT, "foreigner", {"audit_id": MISSING}),
        (AUDIT, "classmate", {"audit_id": MISSING}),
        (f"{AUDIT}progress/", "classmate", {"audit_id": MISSING}),
        (f"{AUDIT}report.json", "classmate", {"audit_id": MISSING}),
    ],
)
def test_someone_elses_object_answers_like_a_missing_one(
    route: str, person: str, changed: dict[str, Any], world: World
) -> None:
    client = world.client(person)
    theirs, missing = (client.get(world.address(route, **change)) for change in ({}, changed))
    assert (theirs.status_code, missing.status_code) == (404, 404)
    assert without_token(theirs.content) == without_token(missing.content)


def without_token(page: bytes) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="\w+"', b"", page)


def test_an_audit_is_reached_through_its_own_organization_only(world: World) -> None:
    address = world.address(AUDIT, org=world.elsewhere.slug)
    assert [world.client(person).get(address).status_code for person in ("foreigner", "instructor")] == [
        404,
        404,
    ]


def test_the_admin_lets_only_its_staff_in(world: World) -> None:
    pages = sorted(
        {
            route
            for route in routes()
            if route.startswith("admin/") and "<" not in route and "(?P" not in route
        }
    )
    answers = {page: world.client("instructor").get(f"/{page}").status_code for page in pages}
    assert {page: status for page, status in answers.items() if status != 302} == {"admin/login/": 200}
