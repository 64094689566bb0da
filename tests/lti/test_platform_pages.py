"""Registration of platforms by owners: by hand, by the platform itself, keys, deployments, and refusals."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import Role
from grading.core.held_slots import held_slot
from grading.lti.dynamic_registration import (
    CANVAS_PRIVACY,
    TOOL,
    our_configuration,
    speaks_for,
)
from grading.models import Activity, LtiDeployment, LtiKey, LtiRegistration
from grading.operations.retention import prune
from tests.factories.lti import LtiLaunchFactory
from tests.factories.people import OrganizationFactory, staff_user
from tests.lti.traveller import Traveller
from tests.waiting import just_past

pytestmark = pytest.mark.django_db
NAMES = {
    "issuer": "https://moodle.example",
    "client_id": "abc",
    "login_url": "http://127.0.0.1:9/auth",
    "token_url": "http://127.0.0.1:9/token",
    "jwks_url": "http://127.0.0.1:9/keys",
}


@pytest.fixture
def organization() -> Any:
    return OrganizationFactory.create()


@pytest.fixture
def owner(organization) -> Client:
    client = Client()
    client.force_login(staff_user(organization, Role.OWNER))
    return client


@pytest.fixture
def page(organization, owner) -> str:
    """The page of a platform that was added by name."""
    answer = owner.post(
        f"/o/{organization.slug}/platforms/", {"name": "Moodle", "teacher_role": "instructor"}
    )
    address: str = answer["Location"]
    return address


def only(organization: Any) -> LtiRegistration:
    with scope(organization=organization):
        return LtiRegistration.objects.get()


def test_a_platform_is_registered_by_hand(organization, owner, page, settings):
    html = owner.get(page).text
    row = only(organization)
    for path in ("login/", "launch/", "keys.json"):
        assert f"{settings.SITE_URL}/lti/{row.key}/{path}" in html
    assert "not complete" in html
    answer = owner.post(page, NAMES | {"do": "names", "deployment": "7"})
    assert answer.status_code == 302
    row = only(organization)
    with scope(organization=organization):
        assert (row.is_complete, row.issuer, LtiDeployment.objects.get().deployment_id) == (
            True,
            "https://moodle.example",
            "7",
        )
        verbs = list(Activity.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["platform.added", "platform.completed"]
    keys = json.loads(Client().get(f"/lti/{row.key}/keys.json").content)["keys"]
    assert [sorted(key) for key in keys] == [["alg", "e", "kid", "kty", "n", "use"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"issuer": "moodle"}, "The issuer is an address"),
        ({"jwks_url": "http://10.0.0.1/keys"}, "https"),
        ({"token_url": "https://169.254.169.254/token"}, "private network"),
        ({"login_url": "ftp://x.example/"}, "https"),
        ({"client_id": ""}, "required"),
    ],
)
def test_addresses_that_the_site_may_not_ask_are_refused(organization, owner, page, change, words):
    answer = owner.post(page, NAMES | {"do": "names"} | change)
    assert (answer.status_code, words in answer.text) == (200, True), answer.text
    assert not only(organization).is_complete


def test_instructors_read_and_change_nothing(organization, owner, page):
    """Who chooses a platform's keys can let it name any person, an owner too."""
    owner.post(page, NAMES | {"do": "names", "deployment": "7"})
    client = Client()
    client.force_login(staff_user(organization))
    assert "Owners change platforms" in client.get(page).text
    before = only(organization)
    for sent in (
        NAMES | {"do": "names", "jwks_url": "http://127.0.0.1:9/mine"},
        {"do": "settings", "name": "Mine", "teacher_role": "instructor"},
        {"do": "setup"},
        {"do": "rotate"},
        {"do": "off"},
        {"do": "delete"},
        {"do": "allow", "deployment": "8"},
        {"do": "end", "deployment": "7"},
    ):
        answer = client.post(page, sent)
        assert (sent["do"], answer.status_code, "Only owners" in answer.text) == (
            sent["do"],
            200,
            True,
        )
    refused = client.post(f"/o/{organization.slug}/platforms/", {"name": "X", "teacher_role": ""})
    assert (refused.status_code, "Owners add and change" in refused.text) == (200, True)
    with scope(organization=organization):
        assert (
            vars(only(organization)).items()
            >= {name: value for name, value in vars(before).items() if name != "_state"}.items()
        )
        assert LtiKey.objects.count() == LtiDeployment.objects.count() == 1


def test_the_same_client_is_registered_once(organization, owner, page):
    owner.post(page, NAMES | {"do": "names"})
    second = owner.post(
        f"/o/{organization.slug}/platforms/", {"name": "Again", "teacher_role": ""}
    )["Location"]
    assert "already" in owner.post(second, NAMES | {"do": "names"}).text
    # Elsewhere nothing is known of it.
    other = OrganizationFactory.create()
    client = Client()
    client.force_login(staff_user(other, Role.OWNER))
    theirs = client.post(f"/o/{other.slug}/platforms/", {"name": "M", "teacher_role": ""})[
        "Location"
    ]
    assert client.post(theirs, NAMES | {"do": "names"}).status_code == 302


def test_a_key_is_published_before_it_signs_and_the_old_one_after(organization, owner, page):
    owner.post(page, {"do": "rotate"})
    row = only(organization)
    with scope(organization=organization):
        new, old = LtiKey.objects.order_by("-pk")
        assert (new.published_until, new.signs_from > timezone.now()) == (None, True)
        assert old.published_until == new.signs_from + timedelta(days=1)
    published = json.loads(Client().get(f"/lti/{row.key}/keys.json").content)["keys"]
    assert [key["kid"] for key in published] == [str(new.kid), str(old.kid)]
    assert "Wait an hour" in owner.post(page, {"do": "rotate"}).text
    with scope(organization=organization):
        LtiKey.objects.filter(pk=old.pk).update(published_until=just_past())
    published = json.loads(Client().get(f"/lti/{row.key}/keys.json").content)["keys"]
    assert [key["kid"] for key in published] == [str(new.kid)]
    assert prune()["former keys for platforms"] == 1


def test_a_platform_is_turned_off_and_deleted(organization, owner, page):
    owner.post(page, {"do": "off"})
    assert not only(organization).active
    owner.post(page, {"do": "on"})
    assert only(organization).active
    assert owner.post(page, {"do": "delete"}).status_code == 302
    with scope(organization=organization):
        assert LtiRegistration.objects.count() == 0
    assert owner.get(page).status_code == 404


def test_a_refused_deployment_is_allowed_with_a_click(registration, platform):
    ada = Traveller(registration, platform, deployment="5:new")
    assert ada.launch().status_code == 400
    owner = Client()
    owner.force_login(staff_user(registration.organization, Role.OWNER))
    page = f"/o/{registration.organization.slug}/platforms/{registration.pk}/"
    html = owner.get(page).text
    assert ("launch_deployment" in html, 'value="5:new"' in html) == (True, True)
    owner.post(page, {"do": "allow", "deployment": "5:new"})
    assert ada.launch().status_code == 303
    owner.post(page, {"do": "end", "deployment": "5:new"})
    assert ada.launch().status_code == 400


def test_launches_are_kept_for_a_month(registration):
    kept = LtiLaunchFactory.create(registration=registration)
    old = LtiLaunchFactory.create(registration=registration)
    with scope(organization=registration.organization):
        type(old).objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=31))
    unfinished = LtiLaunchFactory.create(registration=registration, received_at=None)
    with scope(organization=registration.organization):
        rows = type(old).objects.filter(pk=unfinished.pk)
        rows.update(created_at=timezone.now() - timedelta(days=2))
    assert prune()["launches"] == 2
    with scope(organization=registration.organization):
        assert type(old).objects.get() == kept


def setup_link(owner: Client, page: str) -> str:
    match = re.search(
        r"<code[^>]*>[^<]*(/lti/[^<]+/register/[^<]+)</code>",
        owner.post(page, {"do": "setup"}).text,
    )
    assert match
    return unescape(match[1])


def configuration_of(platform: Any, **changes: Any) -> dict[str, Any]:
    return {
        "issuer": platform.issuer,
        "authorization_endpoint": f"{platform.issuer}/auth",
        "token_endpoint": f"{platform.issuer}/token",
        "jwks_uri": f"{platform.issuer}/keys",
        "registration_endpoint": f"{platform.issuer}/register",
        "https://purl.imsglobal.org/spec/lti-platform-configuration": {
            "product_family_code": "moodle",
            "version": "4.5",
        },
    } | changes


def answers_of(platform: Any, **changes: Any) -> None:
    platform.answers["/configuration"] = (200, configuration_of(platform, **changes))
    platform.answers["/register"] = (
        200,
        {
            "client_id": "given",
            "https://purl.imsglobal.org/spec/lti-tool-configuration": {"deployment_id": "3"},
        },
    )


def form_values(platform: Any) -> dict[str, str]:
    return {
        "openid_configuration": f"{platform.issuer}/configuration",
        "registration_token": "theirs",
    }


def test_a_platform_registers_itself_by_a_link_once(organization, owner, page, platform, settings):
    answers_of(platform)
    link = setup_link(owner, page)
    assert link not in owner.get(page).text
    # Who only looks does not use it up.
    assert Client().head(link, form_values(platform)).status_code == 200
    done = Client().get(link, form_values(platform))
    assert (done.status_code, "Registered with" in done.text) == (200, True)
    assert "frame-ancestors *" in done["Content-Security-Policy"]
    row = only(organization)
    with scope(organization=organization):
        deployment = LtiDeployment.objects.get().deployment_id
    assert (row.issuer, row.client_id, row.family, deployment) == (
        platform.issuer,
        "given",
        "moodle",
        "3",
    )
    (request,) = platform.asked("/register")
    body = request.json
    own = f"{settings.SITE_URL}/lti/{row.key}"
    assert request.headers["Authorization"] == "Bearer theirs"
    assert (body["initiate_login_uri"], body["redirect_uris"], body["jwks_uri"]) == (
        f"{own}/login/",
        [f"{own}/launch/"],
        f"{own}/keys.json",
    )
    again = Client().get(link, form_values(platform))
    assert (again.status_code, "was used" in again.text) == (400, True)
    assert len(platform.asked("/register")) == 1


def test_a_link_that_is_old_or_invented_registers_nothing(organization, owner, page, platform):
    answers_of(platform)
    link = setup_link(owner, page)
    invented = re.sub(r"register/[^/]+", "register/invented", link)
    assert Client().get(invented, form_values(platform)).status_code == 400
    with scope(organization=organization):
        LtiRegistration.objects.update(setup_until=just_past())
    assert Client().get(link, form_values(platform)).status_code == 400
    assert (platform.requests, only(organization).is_complete) == ([], False)


def test_one_platform_registers_itself_at_a_time(organization, owner, page, platform):
    answers_of(platform)
    link = setup_link(owner, page)
    with held_slot(f"registrations of platforms of {organization.pk}", slots=1, seconds=9):
        busy = Client().get(link, form_values(platform))
    assert (busy.status_code, platform.requests) == (400, [])
    # The link is not used up.
    assert Client().get(link, form_values(platform)).status_code == 200


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"issuer": "https://other.example"}, "speaks for another platform"),
        ({"authorization_server": "a\x00b"}, "does not state what this site needs"),
        ({"authorization_server": "\ud800"}, "does not state what this site needs"),
        ({"jwks_uri": ""}, "does not state what this site needs"),
        ({"jwks_uri": "http://10.0.0.1/keys"}, "https"),
        ({"registration_endpoint": "http://10.0.0.1/register"}, "https"),
        ({"registration_endpoint": "http://127.0.0.1:1/register"}, "did not answer"),
    ],
)
def test_an_unfit_platform_is_not_registered(organization, owner, page, platform, changes, words):
    answers_of(platform, **changes)
    answer = Client().get(setup_link(owner, page), form_values(platform))
    assert (answer.status_code, words in unescape(answer.text)) == (400, True), answer.text
    assert not only(organization).is_complete


def test_no_address_within_our_network_is_asked_for_a_configuration(owner, page, platform):
    for url in ("http://169.254.169.254/latest", "file:///etc/passwd", "", "http://[::1"):
        answer = Client().get(setup_link(owner, page), {"openid_configuration": url})
        assert answer.status_code == 400
    assert platform.requests == []


@pytest.mark.parametrize(
    ("url", "issuer", "expected"),
    [
        ("https://moodle.example/configuration", "https://moodle.example", True),
        ("https://moodle.example/configuration", "https://moodle.example/path", True),
        ("https://school.instructure.com/api", "https://canvas.instructure.com", True),
        ("https://sso.canvaslms.com/api", "https://canvas.instructure.com", True),
        ("https://school.beta.instructure.com/api", "https://canvas.beta.instructure.com", True),
        ("http://school.instructure.com/api", "https://canvas.instructure.com", False),
        ("https://evil-instructure.com/api", "https://canvas.instructure.com", False),
        ("https://evil.example/.instructure.com", "https://canvas.instructure.com", False),
        ("https://evil.example/", "https://moodle.example", False),
        ("nothing", "nothing", False),
    ],
)
def test_a_configuration_speaks_for_its_own_issuer_and_canvas_for_its_one(url, issuer, expected):
    assert speaks_for(url, issuer) is expected


def test_canvas_is_told_its_places_and_to_name_people(registration):
    (message,) = our_configuration(registration, "canvas")[TOOL]["messages"]
    assert message["placements"] == ["assignment_selection", "link_selection"]
    assert our_configuration(registration, "canvas")[TOOL][CANVAS_PRIVACY] == "public"
    assert CANVAS_PRIVACY not in our_configuration(registration, "moodle")[TOOL]
