"""Signing in by way of other sites: only what is configured, no address taken over, no token kept."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.auth.models import User

from tests.factories.oidc_server import OidcServer, serve_oidc
from tests.factories.people import UserFactory
from tests.web_client.sessions import LOGIN, person_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]


@pytest.fixture
def oidc(settings: Any) -> Iterator[OidcServer]:
    """An issuer on loopback, in place of the one that the tests' settings name."""
    with serve_oidc() as server:
        app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0] | {
            "settings": {"server_url": server.url}
        }
        providers = settings.SOCIALACCOUNT_PROVIDERS | {
            "openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}
        }
        settings.SOCIALACCOUNT_PROVIDERS = providers
        yield server


def come_back(client: Any, *, changed: dict[str, str] | None = None) -> Any:
    """To the issuer and back with a code, as a browser goes."""
    sent = client.post("/accounts/oidc/sso/login/")
    parameters = {name: values[0] for name, values in parse_qs(urlsplit(sent.url).query).items()}
    assert (sent.status_code, parameters["client_id"], parameters["code_challenge_method"]) == (
        302,
        "oidc-client",
        "S256",
    )
    return client.get(
        "/accounts/oidc/sso/login/callback/",
        {"code": "a code", "state": parameters["state"]} | (changed or {}),
    )


def test_a_login_page_offers_what_is_configured(client):
    page = client.get(LOGIN).text
    assert re.findall(r'href="(/accounts/\w+/(?:\w+/)?login/)[^"]*">([^<]+)<', page) == [
        ("/accounts/github/login/", "GitHub"),
        ("/accounts/oidc/sso/login/", "Single sign-on"),
    ]


def test_following_a_link_does_not_start_single_sign_on(client):
    assert client.get("/accounts/oidc/sso/login/").status_code == 200


def test_forms_may_redirect_to_issuers_only(client):
    policy = client.get(LOGIN).headers["Content-Security-Policy"]
    (forms,) = [rule for rule in policy.split("; ") if rule.startswith("form-action")]
    assert forms == "form-action 'self' https://github.com https://sso.example"


def test_single_sign_on_creates_an_account_and_stores_no_token(oidc, client):
    assert come_back(client).status_code == 302
    user = User.objects.get()
    assert (user.email, person_of(client)) == ("ada@example.org", str(user.pk))
    assert list(SocialAccount.objects.values_list("provider", "uid")) == [("sso", "ada")]
    assert not SocialToken.objects.exists()


def test_existing_account_is_not_taken_over_by_single_sign_on(oidc, client):
    UserFactory(email="ada@example.org")
    come_back(client)
    assert (person_of(client), SocialAccount.objects.count()) == (None, 0)


def test_unverified_address_of_the_issuer_stays_unverified(oidc, client):
    oidc.claims["email_verified"] = False
    come_back(client)
    assert list(EmailAddress.objects.values_list("email", "verified")) == [
        ("ada@example.org", False)
    ]


@pytest.mark.parametrize("changed", [{"state": "forged"}, {"code": ""}, {"error": "access_denied"}])
def test_unrequested_callback_signs_nobody_in(oidc, client, changed):
    answer = come_back(client, changed=changed)
    assert (answer.status_code < 500, person_of(client), User.objects.count()) == (True, None, 0)


def test_unreachable_issuer_shows_an_error_page(oidc, client):
    oidc.broken = True
    answer = client.post("/accounts/oidc/sso/login/")
    assert (answer.status_code, "Automaton Auditor" in answer.text, person_of(client)) == (
        502,
        True,
        None,
    )


def site_says(**variables: str) -> str:
    ask = (
        "import django; django.setup(); from django.urls import get_resolver; from django.conf import settings;"
        "print([str(p.pattern) for p in get_resolver().url_patterns[1].url_patterns], settings.PROVIDER_ORIGINS)"
    )
    ours = {"DJANGO_SETTINGS_MODULE": "auditor_site.settings.test"}
    given = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GITHUB_", "OIDC_"))
    }
    done = subprocess.run(
        [sys.executable, "-c", ask],
        env=given | ours | variables,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


@pytest.mark.processes
def test_single_sign_on_is_off_without_configuration():
    assert site_says() == "['', '2fa/'] []"


@pytest.mark.processes
def test_incomplete_configuration_is_refused():
    assert site_says(OIDC_SERVER_URL="https://sso.example", OIDC_CLIENT_ID="id").endswith(
        "OIDC_CLIENT_SECRET must be set too, or none of OIDC_SERVER_URL, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET."
    )
