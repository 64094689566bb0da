"""Launches that open nothing: each is refused with its reason on the page, in the log and for owners."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import User
from django.core.cache import cache
from django_scopes import scope
from structlog.testing import capture_logs

from grading.lti.claims import DEEP_LINKING
from grading.models import LtiAccount, LtiLaunch, LtiRegistration
from tests.factories.lti import (
    LtiDeploymentFactory,
    LtiKeyFactory,
    LtiRegistrationFactory,
    private_key,
)
from tests.factories.lti_server import KEY_ID, LtiServer
from tests.lti.traveller import LTI, Claims, Traveller

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
# A request for a link whose data are to go back as they came: lists in lists.
NESTED = {
    "deep_link_return_url": "https://moodle.example",
    "accept_types": ["link"],
    "data": json.loads("[" * 300 + "]" * 300),
}


@pytest.fixture
def ada(registration: LtiRegistration, platform: LtiServer) -> Traveller:
    return Traveller(registration, platform)


def refusal_of(registration: LtiRegistration) -> tuple[str, int, int]:
    """Return the stored reason, and how many accounts and users there are: none of either."""
    with scope(organization=registration.organization):
        (reason,) = LtiLaunch.objects.values_list("refusal", flat=True)
        return reason, LtiAccount.objects.count(), User.objects.count()


def set_claim(name: str, value: Any) -> Callable[[Claims], Any]:
    return lambda claims: claims.update({name: value})


def drop(name: str) -> Callable[[Claims], Any]:
    return lambda claims: claims.pop(name)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (set_claim("nonce", "another"), "launch_nonce"),
        (set_claim("nonce", "ü"), "launch_nonce"),
        (set_claim("nonce", ["x"]), "launch_nonce"),
        (drop("nonce"), "launch_incomplete"),
        (set_claim("iat", float("inf")), "launch_unreadable"),
        (set_claim("exp", "tomorrow"), "launch_unreadable"),
        (set_claim("sub", "\ud800"), "launch_incomplete"),
        (set_claim(f"{LTI}context", {"id": "a\x00b"}), "launch_incomplete"),
        (set_claim("exp", int(time.time()) - 100), "launch_expired"),
        (set_claim("iat", int(time.time()) - 4000), "launch_expired"),
        (set_claim("iat", int(time.time()) + 4000), "launch_early"),
        (drop("exp"), "launch_incomplete"),
        (set_claim("iss", "https://other.example"), "launch_issuer"),
        (set_claim("aud", "another-client"), "launch_audience"),
        (set_claim("aud", ["client-1", "another"]), None),
        (set_claim("azp", "another"), "launch_audience"),
        (set_claim(f"{LTI}deployment_id", "2"), "launch_deployment"),
        (set_claim(f"{LTI}version", "1.1"), "launch_kind"),
        (set_claim(f"{LTI}message_type", "LtiSubmissionReview"), "launch_kind"),
        (set_claim(f"{LTI}resource_link", None), "launch_incomplete"),
        (set_claim("sub", ""), "launch_incomplete"),
        (set_claim("sub", "a\x00b"), "launch_incomplete"),
        (set_claim(f"{DEEP_LINKING}deep_linking_settings", NESTED), "launch_incomplete"),
        (set_claim(f"{LTI}target_link_uri", "https://evil.example/"), "launch_elsewhere"),
        (set_claim(f"{LTI}target_link_uri", "javascript:alert(1)"), "launch_elsewhere"),
    ],
)
def test_a_message_with_a_wrong_claim_is_refused(ada, registration, change, code):
    def spoil(claims: Claims) -> None:
        change(claims)
        if code is None:  # to several, and for none of them
            claims.pop("azp")

    expected = code or "launch_audience"
    with capture_logs() as logs:
        answer = ada.launch(spoil)
    assert (answer.status_code, expected in answer.text) == (400, True)
    assert refusal_of(registration) == (expected, 0, 0)
    assert [(line["event"], line["code"]) for line in logs] == [("launch_refused", expected)]


def by_nobody(claims: Claims) -> str:
    return jwt.encode(claims, "", algorithm="none", headers={"kid": KEY_ID})


def by_the_public_key_as_a_secret(claims: Claims) -> str:
    """PyJWT refuses to sign so: the parts are put together by hand."""
    import base64
    import hashlib
    import hmac

    public = (
        private_key()
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
        for part in ({"alg": "HS256", "typ": "JWT", "kid": KEY_ID}, claims)
    ]
    digest = hmac.new(public, b".".join(parts), hashlib.sha256).digest()
    parts.append(base64.urlsafe_b64encode(digest).rstrip(b"="))
    return b".".join(parts).decode()


def by_another_key(claims: Claims) -> str:
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return jwt.encode(claims, other, algorithm="RS256", headers={"kid": KEY_ID})


def by_an_unknown_key(claims: Claims) -> str:
    return jwt.encode(claims, private_key(), algorithm="RS256", headers={"kid": "unknown"})


def by_an_unnamed_key(claims: Claims) -> str:
    return jwt.encode(claims, private_key(), algorithm="RS256")


def by_rs512(claims: Claims) -> str:
    return jwt.encode(claims, private_key(), algorithm="RS512", headers={"kid": KEY_ID})


@pytest.mark.parametrize(
    ("sign", "code"),
    [
        (by_nobody, "launch_algorithm"),
        (by_the_public_key_as_a_secret, "launch_algorithm"),
        (by_rs512, "launch_algorithm"),
        (by_another_key, "launch_signature"),
        (by_an_unknown_key, "launch_key"),
        (by_an_unnamed_key, "launch_key"),
        (lambda _: "no.jwt", "launch_unreadable"),
        (lambda _: "x" * 100_001, "launch_unreadable"),
    ],
)
def test_a_message_that_the_platform_did_not_sign_is_refused(ada, registration, sign, code):
    preflight = ada.preflight()
    answer = ada.send(preflight["state"], sign(ada.claims(preflight)))
    assert (answer.status_code, code in answer.text) == (400, True)
    assert refusal_of(registration) == (code, 0, 0)


def test_a_second_message_with_the_same_state_is_refused(ada, registration, platform):
    preflight = ada.preflight()
    message = platform.signed(ada.claims(preflight))
    assert ada.send(preflight["state"], message).status_code == 303
    replayed = ada.send(preflight["state"], message)
    assert (replayed.status_code, "launch_used" in replayed.text) == (400, True)
    assert refusal_of(registration) == ("", 0, 0)


def test_a_refused_message_uses_the_state_up(ada, platform):
    preflight = ada.preflight()
    claims = ada.claims(preflight)
    assert ada.send(preflight["state"], platform.signed(claims | {"nonce": "x"})).status_code == 400
    assert "launch_used" in ada.send(preflight["state"], platform.signed(claims)).text


def test_a_state_that_nobody_got_or_that_is_old_is_refused(ada, registration, platform):
    preflight = ada.preflight()
    message = platform.signed(ada.claims(preflight))
    assert "launch_used" in ada.send("invented", message).text
    with scope(organization=registration.organization):
        LtiLaunch.objects.update(created_at="2026-01-01T00:00Z")
    assert "launch_used" in ada.send(preflight["state"], message).text


def test_another_tenants_platform_opens_nothing_here(ada, registration, platform):
    """The same server is registered with two institutions, under two client IDs."""
    theirs = LtiRegistrationFactory.create(**platform.names, client_id="client-2")
    LtiDeploymentFactory.create(registration=theirs, deployment_id="2")
    LtiKeyFactory.create(registration=theirs)
    bob = Traveller(theirs, platform, deployment="2", client=ada.client)

    at_ours = ada.preflight()
    message = platform.signed(bob.claims(bob.preflight()) | {"nonce": at_ours["nonce"]})
    assert "launch_audience" in ada.send(at_ours["state"], message).text
    # Nor does our state open theirs, with a message that is rightly theirs.
    at_ours = ada.preflight()
    answer = bob.send(
        at_ours["state"], platform.signed(bob.claims(at_ours | {"client_id": "client-2"}))
    )
    assert "launch_used" in answer.text
    # Nor a deployment that is theirs, with our client ID.
    at_ours = ada.preflight()
    claims = ada.claims(at_ours) | {f"{LTI}deployment_id": "2"}
    assert "launch_deployment" in ada.send(at_ours["state"], platform.signed(claims)).text


def test_a_new_key_is_read_once_and_an_unknown_one_is_not_asked_for_each_time(ada, platform):
    assert ada.launch().status_code == 303
    assert len(platform.asked("/keys")) == 1
    platform.keys = {"platform-key-2": private_key()}
    preflight = ada.preflight()
    message = platform.signed(ada.claims(preflight), key_id="platform-key-2")
    assert ada.send(preflight["state"], message).status_code == 303
    assert len(platform.asked("/keys")) == 2
    for _ in range(3):
        preflight = ada.preflight()
        assert (
            "launch_key"
            in ada.send(preflight["state"], by_an_unknown_key(ada.claims(preflight))).text
        )
    assert len(platform.asked("/keys")) == 3


def test_a_platform_whose_keys_are_away_opens_nothing_and_is_not_asked_each_time(ada, platform):
    platform.answers["/keys"] = (503, b"")
    assert "launch_keys_away" in ada.launch().text
    assert "launch_keys_away" in ada.launch().text
    assert len(platform.asked("/keys")) == 1


def test_keys_that_were_read_count_while_the_platform_is_away(ada, registration, platform):
    assert ada.launch().status_code == 303
    platform.answers["/keys"] = (503, b"")
    cache.delete(f"lti-platform-fresh-{registration.pk}")
    assert ada.launch().status_code == 303
    assert len(platform.asked("/keys")) == 2


@pytest.mark.parametrize("change", [{"active": False}, {"issuer": ""}])
def test_a_platform_that_is_off_opens_nothing(ada, registration, change):
    preflight = ada.preflight()
    with scope(organization=registration.organization):
        empty = {"issuer": "", "client_id": "", "login_url": "", "token_url": "", "jwks_url": ""}
        LtiRegistration.objects.update(**(empty if "issuer" in change else change))
    assert "launch_off" in ada.login().content.decode()
    assert "launch_off" in ada.send(preflight["state"], "x.y.z").text


def test_an_institution_without_approval_has_no_addresses(ada, registration, settings):
    settings.INSTITUTIONS_BY_APPROVAL = True
    registration.organization.approved_at = None
    registration.organization.save()
    for path in ("login", "launch"):
        assert ada.client.post(f"{ada.paths}/{path}/").status_code == 404
    assert ada.client.get(f"{ada.paths}/keys.json").status_code == 404


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("iss", "https://other.example", "launch_issuer"),
        ("client_id", "another", "launch_audience"),
        ("target_link_uri", "https://evil.example/", "launch_elsewhere"),
        ("target_link_uri", "{site}.evil.example/", "launch_elsewhere"),
        ("target_link_uri", "{site}@evil.example/", "launch_elsewhere"),
        ("target_link_uri", "{site}/o/another/", "launch_elsewhere"),
        ("target_link_uri", "{launch}../../../o/another/", "launch_elsewhere"),
        ("target_link_uri", "{launch}\\evil", "launch_elsewhere"),
        ("login_hint", "", "launch_unreadable"),
        ("iss", "a\x00b", "launch_unreadable"),
    ],
)
def test_a_login_for_something_else_is_refused_and_stores_nothing(
    ada, registration, settings, field, value, code
):
    fields = {
        "iss": registration.issuer,
        "login_hint": "ada",
        "target_link_uri": ada.launch_url,
        "client_id": registration.client_id,
    }
    fields[field] = value.format(site=settings.SITE_URL, launch=ada.launch_url)
    answer = ada.client.get(f"{ada.paths}/login/", fields)
    assert (answer.status_code, code in answer.text) == (400, True)
    with scope(organization=registration.organization):
        assert LtiLaunch.objects.count() == 0


def test_an_error_of_the_platform_is_said_and_logged(ada):
    with capture_logs() as logs:
        answer = ada.client.post(
            f"{ada.paths}/launch/", {"error": "login_required", "error_description": "Sign in"}
        )
    assert answer.status_code == 400
    assert [(line["code"], line["detail"]) for line in logs] == [("launch_unreadable", "Sign in")]


def test_every_reason_is_explained_to_owners():
    sources = (ROOT / "grading" / "lti").glob("*.py")
    named = {
        name for path in sources for name in re.findall(r'"(launch_[a-z_]+)"', path.read_text())
    }
    explained = set(re.findall(r"`(launch_[a-z_]+)`", (ROOT / "docs" / "lms.md").read_text()))
    # The limit of logins has this name, too.
    assert named - {"launch_login"} == explained
