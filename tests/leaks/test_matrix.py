"""Who gets what from every route of the site. A route without a row fails: nothing is opened by accident.

The rows are written by hand (matrix_rows.py), the routes come from the URLconf. Someone else's object must answer byte
for byte like one that does not exist, to every person and every method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from grading.actions.trials import Answer, keep_answer
from grading.enums import Role
from grading.imports_engine import read_report_text
from tests.factories.grades import AppealFactory, BlindSampleFactory, BulkItemFactory, GradeFactory
from tests.factories.peers import (
    FeedbackReportFactory,
    FindingFactory,
    FindingSightingFactory,
    PairingFactory,
)
from tests.factories.people import CohortFactory, EnrollmentFactory, UserFactory, staff_user, student
from tests.factories.webhooks import WebhookDeliveryFactory
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    CriterionVerdictFactory,
    SubmissionFactory,
)
from tests.leaks.matrix_rows import (
    ACCOUNTS,
    AUDIT,
    EVERYBODY,
    MISSING,
    NOBODY,
    NOWHERE,
    PERSONS,
    ROWS,
    SIGNED_IN,
    TRIAL,
)
from tests.site.report_example import report_json


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from routes(pattern, route)


def site_routes() -> list[str]:
    return [route for route in routes() if not route.startswith(("admin/", "accounts/"))]


CRITERION_TOLD = {
    "id": "tidy", "name": "Tidy", "score": 4, "verdict_score": 4, "level": "", "points": None, "max_points": None,
    "needs_review": False, "excluded": False, "override_reason": None,
}  # fmt: skip
TOLD: dict[str, Any] = {
    "attempt": 1, "rubric_version": "", "overall_score": 4.0, "points": None, "note": "", "before": None,
    "criteria": [CRITERION_TOLD],
}  # fmt: skip


class Institute:
    """One institution with a student's work in it."""

    def __init__(self) -> None:
        self.cohort = CohortFactory.create()
        self.organization = self.cohort.organization
        self.assignment = AssignmentFactory.create(cohort=self.cohort)
        self.owner = student(self.cohort)
        submission = SubmissionFactory.create(
            assignment=self.assignment,
            student=self.owner,
            pdf=ContentFile(b"%PDF-1.7", name="report.pdf"),
            pdf_sha256="ab" * 32,
        )
        self.sample = BlindSampleFactory.create(assignment=self.assignment, submissions=[str(submission.pk)])
        self.audit = AuditFactory.create(submission=submission, done=True, report=report_json(criteria=1))
        CriterionVerdictFactory.create(audit=self.audit)
        keep_answer(audit_id=self.audit.pk, key=TRIAL, answer=Answer(refusal="It broke off."))
        told = {
            "audit": str(self.audit.pk),
            "submission": str(submission.pk),
            "digest": self.audit.report_digest,
        }
        GradeFactory.create(audit=self.audit, released=TOLD | told, released_at=timezone.now())
        self.appeal = AppealFactory.create(submission=submission, criterion_id="another")
        self.bulk_run = BulkItemFactory.create(
            run__assignment=self.assignment, submission=submission, audit=self.audit
        ).run

        self.finding = FindingFactory.create(first_submission=submission)
        FindingSightingFactory.create(finding=self.finding, audit=self.audit)
        peer = EnrollmentFactory.create(cohort=self.cohort)
        self.pairing = PairingFactory.create(
            round__assignment=self.assignment, auditor=self.owner, auditee=peer
        )
        self.feedback = FeedbackReportFactory.create(
            pairing=self.pairing, reading=read_report_text("# Audit\n\nOverall: 4/5\n")
        )
        self.webhook = WebhookDeliveryFactory.create(webhook__organization=self.organization).webhook

    def names(self) -> dict[str, Any]:
        """What stands in its addresses."""
        return {
            "org": self.organization.slug,
            "cohort": self.cohort.slug,
            "assignment": self.assignment.slug,
            "version_id": self.assignment.rubric_version_id,
            "key": TRIAL,
            "audit_id": self.audit.pk,
            "submission_id": self.audit.submission_id,
            "rubric": self.assignment.rubric_version.rubric.slug,
            "appeal_id": self.appeal.pk,
            "bulk_id": self.bulk_run.pk,
            "finding_id": self.finding.pk,
            "pairing_id": self.pairing.pk,
            "number": self.pairing.round.number,
            "report_id": self.feedback.pk,
            "sample_id": self.sample.pk,
            "webhook_id": self.webhook.pk,
            "place": 1,
            "position": 0,
        }


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


class World:
    """Two institutions, and everybody who might ask for what is in the first."""

    def __init__(self) -> None:
        self.here, self.elsewhere = Institute(), Institute()
        here = self.here.organization
        deactivated = staff_user(here)
        users: dict[str, User] = {
            "student": self.here.owner.user,
            "classmate": student(self.here.cohort).user,
            "neighbour": student(CohortFactory.create(organization=here)).user,
            "assistant": staff_user(here, Role.ASSISTANT),
            "instructor": staff_user(here),
            "foreigner": staff_user(self.elsewhere.organization),
            "operator": UserFactory.create(is_staff=True, is_superuser=True),
            "deactivated": deactivated,
        }
        self.sessions = {person: session_of(user) for person, user in users.items()}
        User.objects.filter(pk=deactivated.pk).update(is_active=False)

    def client(self, person: str, **options: Any) -> Client:
        client = Client(**options)
        if person in self.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[person]
        return client

    def address(self, route: str, **changed: Any) -> str:
        given = self.here.names() | changed
        return "/" + re.sub(r"<\w+:(\w+)>", lambda hole: str(given[hole[1]]), route)


@pytest.fixture(scope="module")
def institutes(kept: Path) -> World:
    return World()


@pytest.fixture
def world(institutes: World, db: None, kept_uploads: None) -> World:
    return institutes


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
    clients = {person: world.client(person) for person in PERSONS}
    readable = [route for route, row in ROWS.items() if method != "post" or row[1] is None]
    answers = {
        (route, person): getattr(client, method)(world.address(route)).status_code
        for route in readable
        for person, client in clients.items()
    }
    assert answers == {asked: refusal_of(*asked) for asked in answers}


def refusal_of(route: str, person: str) -> int:
    """Who must sign in first is sent there; who does not belong there finds nothing; all others may not."""
    if person in {"anonymous", "deactivated"} and (route.startswith("o/") or ROWS[route][0] == SIGNED_IN):
        return 302
    if ROWS[route][0] == NOBODY and route.startswith("api/"):
        return 404
    if person in {"anonymous", "deactivated"} and route.startswith("api/") and ROWS[route][0] != EVERYBODY:
        return 401
    return 404 if re.match(r"(api/v1/)?o/", route) and person in {"foreigner", "operator"} else 405


@pytest.mark.parametrize("route", [route for route, row in ROWS.items() if row[1]])
def test_a_form_sent_from_elsewhere_is_refused(route: str, world: World) -> None:
    answers = zip(PERSONS, ROWS[route][1] or (), strict=True)
    allowed = next(
        person for person, answer in answers if answer in {200, 400, 415, 422}
    )  # the API's words for an empty form
    assert world.client(allowed, enforce_csrf_checks=True).post(world.address(route)).status_code == 403


METHODS = ("get", "head", "options", "post", "put", "patch", "delete")
INSIDE = [route for route in ROWS if re.match(r"(api/v1/)?o/", route)]


@pytest.mark.parametrize("route", INSIDE)
def test_another_institutions_address_answers_everybody_like_a_missing_one(route: str, world: World) -> None:
    theirs, missing = world.address(route, **world.elsewhere.names()), world.address(route, **NOWHERE)
    persons = [person for person in PERSONS if person not in {"anonymous", "deactivated", "foreigner"}]
    assert_the_same(world, persons, theirs, missing, {404})


@pytest.mark.parametrize("route", INSIDE)
def test_who_must_sign_in_first_learns_nothing_by_it(route: str, world: World) -> None:
    theirs, missing = world.address(route), world.address(route, **NOWHERE)
    for person in ("anonymous", "deactivated"):
        client: Any = world.client(person)
        there, nowhere = client.get(theirs), client.get(missing)
        if route.startswith("api/"):
            assert (there.status_code, there.content) == (401, nowhere.content)
        else:
            assert (there.status_code, there.url.replace(theirs, missing)) == (302, nowhere.url)


@pytest.mark.parametrize("route", [route for route in INSIDE if route.count("<") > 1])
def test_another_institutions_object_under_ones_own_address_answers_like_a_missing_one(
    route: str, world: World
) -> None:
    own = {"org": world.here.organization.slug}
    theirs = world.address(route, **world.elsewhere.names() | own)
    missing = world.address(route, **NOWHERE | own)
    members = ["student", "neighbour", "assistant", "instructor"]
    assert_the_same(world, members, theirs, missing, {404, 405})


@pytest.mark.parametrize("route", [route for route in INSIDE if "audit_id" in route])
def test_another_students_audit_answers_like_a_missing_one(route: str, world: World) -> None:
    theirs, missing = world.address(route), world.address(route, audit_id=MISSING)
    assert_the_same(world, ["classmate", "neighbour"], theirs, missing, {404, 405})


@pytest.mark.parametrize("route", [route for route in INSIDE if "<slug:cohort>" in route])
def test_another_cohort_answers_a_student_like_a_missing_one(route: str, world: World) -> None:
    theirs, missing = world.address(route), world.address(route, cohort="missing", assignment="missing")
    assert_the_same(world, ["neighbour"], theirs, missing, {404, 405})


def assert_the_same(world: World, persons: list[str], theirs: str, missing: str, statuses: set[int]) -> None:
    """To each person and method, status, headers and page are those of an object that is not there."""
    for person in persons:
        client = world.client(person)
        for method in METHODS:
            there, nowhere = (seen(getattr(client, method)(address)) for address in (theirs, missing))
            assert (person, method, there) == (person, method, nowhere)
            assert there[0] in statuses | ({200} if method == "options" else set())


def seen(response: Any) -> tuple[int, dict[str, str], bytes]:
    of_the_moment = {"X-Request-Id", "Expires"}
    told = {name: value for name, value in response.headers.items() if name not in of_the_moment}
    return response.status_code, told, without_token(response.content)


def without_token(page: bytes) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="\w+"', b"", page)


def test_an_audit_is_reached_through_its_own_organization_only(world: World) -> None:
    address = world.address(AUDIT, org=world.elsewhere.organization.slug)
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
    assert {page: status for page, status in answers.items() if status not in {302, 403}} == {}
