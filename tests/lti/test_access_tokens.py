"""Access tokens: a signed message for each, kept until they end, and no invented one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import jwt
import pytest
from django.conf import settings
from django.utils import timezone
from django_scopes import scope
from redis import Redis

from grading.core.errors import PlatformFailed
from grading.lti.access_tokens import access_token, forget_token
from grading.lti.keys import key_set
from grading.models import LtiRegistration
from tests.factories.lti import LtiKeyFactory

pytestmark = pytest.mark.django_db
SCOPES = ("scope-b", "scope-a")


@pytest.fixture(autouse=True)
def inside(registration: LtiRegistration) -> Iterator[None]:
    with scope(organization=registration.organization):
        yield


def test_the_request_is_signed_by_a_published_key(registration, platform):
    token = access_token(registration, SCOPES)
    (request,) = platform.asked("/token")
    form = request.form
    assertion = form.pop("client_assertion")
    (key,) = key_set(registration)["keys"]
    claims = jwt.decode(
        assertion, jwt.PyJWK(key), algorithms=["RS256"], audience=registration.token_url
    )
    assert jwt.get_unverified_header(assertion)["kid"] == key["kid"]
    assert (claims["iss"], claims["sub"], claims["exp"] - claims["iat"]) == (
        registration.client_id,
        registration.client_id,
        300,
    )
    assert form == {
        "grant_type": "client_credentials",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "scope": "scope-a scope-b",
    }
    assert token.startswith("token-")


def test_a_token_is_kept_sealed_for_the_same_scopes_in_any_order(registration, platform):
    first = access_token(registration, SCOPES)
    assert access_token(registration, SCOPES[::-1]) == first
    assert access_token(registration, ["scope-a"]) != first
    assert len(platform.asked("/token")) == 2
    client = Redis.from_url(settings.REDIS_URL)
    stored = [client.get(key) for key in client.scan_iter("*lti-token*")]
    assert len(stored) == 2
    assert [value for value in stored if first in str(value)] == []


def test_a_forgotten_or_short_token_is_asked_for_again(registration, platform):
    first = access_token(registration, SCOPES)
    forget_token(registration, SCOPES)
    platform.answers["/token"] = (200, {"access_token": "short", "expires_in": 60})
    assert access_token(registration, SCOPES) == "short" != first
    assert access_token(registration, SCOPES) == "short"
    assert len(platform.asked("/token")) == 3


def test_an_endless_token_is_kept_as_one_without_an_end(registration, platform):
    platform.answers["/token"] = (200, b'{"access_token": "long", "expires_in": 1e999}')
    assert access_token(registration, SCOPES) == "long"


def test_an_announced_key_does_not_sign_yet(registration, platform):
    LtiKeyFactory.create(
        registration=registration, signs_from=timezone.now() + timedelta(minutes=30)
    )
    access_token(registration, SCOPES)
    used = jwt.get_unverified_header(platform.asked("/token")[0].form["client_assertion"])["kid"]
    waiting, signing = (key["kid"] for key in key_set(registration)["keys"])
    assert (used == signing, used == waiting) == (True, False)


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        ((400, {"error": "invalid_client"}), "platform_refuses", '{"error": "invalid_client"}'),
        ((302, b""), "platform_refuses", ""),
        ((200, b"<html>"), "platform_unreadable", ""),
        ((200, {"token": "x"}), "platform_unreadable", ""),
        ((200, {"access_token": "\ud800"}), "platform_unreadable", ""),
        ((200, ["x"]), "platform_unreadable", ""),
        ((200, b" " * 1_000_001), "platform_unreadable", ""),
    ],
)
def test_a_platform_that_gives_none_is_a_failure_with_its_words(
    registration, platform, answer, code, words
):
    platform.answers["/token"] = answer
    with pytest.raises(PlatformFailed) as failure:
        access_token(registration, SCOPES)
    assert (failure.value.code, failure.value.answer) == (code, words)


@pytest.mark.parametrize("change", [{"active": False}, {"issuer": ""}])
def test_a_platform_that_is_off_or_incomplete_is_not_asked(registration, platform, change):
    for field, value in change.items():
        setattr(registration, field, value)
    with pytest.raises(PlatformFailed, match="turned off"):
        access_token(registration, SCOPES)
    assert platform.requests == []


def test_an_address_within_our_network_is_not_asked(registration, settings):
    settings.ALLOW_LOCAL_REPOSITORIES = False
    with pytest.raises(PlatformFailed) as failure:
        access_token(registration, SCOPES)
    assert failure.value.code == "platform_address"
