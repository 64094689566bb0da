"""Signing in: limits, a second factor, other sites; and never a word about who has an account."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from grading.errors import SealBrokenError
from grading.sealing import seal, unseal
from tests.factories.oidc_server import OidcServer, serve_oidc
from tests.factories.people import PASSWORD, UserFactory
from tests.site.page_reading import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
LOGIN, SIGNUP, RESET = "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"


def sign_in(client: Client, email: str, password: str = PASSWORD, **extra: Any) -> Any:
    return client.post(LOGIN, {"login": email, "password": password}, **extra)


def person_of(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def without_what_differs(page: str, *words: str) -> str:
    """The page without its one-time token and what was typed into it."""
    for word in words:
        page = page.replace(word, "")
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def test_a_wrong_password_and_an_unknown_address_answer_the_same(client):
    user = UserFactory()
    wrong, unknown = sign_in(client, user.email, "wrong"), sign_in(client, "nobody@example.org", "wrong")
    assert (wrong.status_code, unknown.status_code) == (200, 200)
    assert without_what_differs(wrong.text, user.email) == without_what_differs(
        unknown.text, "nobody@example.org"
    )


def test_signing_up_answers_the_same_whether_the_address_is_taken_or_not(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    taken, answers = UserFactory().email, []
    for email in (taken, "free@example.org"):
        typed = {"email": email, "password1": PASSWORD, "password2": PASSWORD}
        answer = Client().post(SIGNUP, typed, follow=True)
        answers.append((answer.redirect_chain, without_what_differs(answer.text, email)))
    assert answers[0] == answers[1]
    assert {message.to[0] for message in mail.outbox} == {taken, "free@example.org"}
    assert [message.body.strip().splitlines()[0] for message in mail.outbox] == ["Hello,"] * 2
    assert {message.body.strip().splitlines()[-1] for message in mail.outbox} == {
        "Automaton Auditor, at testserver"
    }


def test_asking_for_a_new_password_answers_the_same_whether_the_account_exists_or_not():
    answers = []
    for email in (UserFactory().email, "nobody@example.org"):
        answer = Client().post(RESET, {"email": email}, follow=True)
        answers.append((answer.redirect_chain, without_what_differs(answer.text, email)))
    assert answers[0] == answers[1]


def test_five_wrong_passwords_close_the_account_for_a_while_to_the_right_one_too(client):
    user = UserFactory()
    for _ in range(5):
        sign_in(client, user.email, "wrong")
    refused = sign_in(client, user.email)
    assert (refused.status_code, person_of(client)) == (200, None)
    assert "Too many failed login attempts" in refused.text


def test_too_many_attempts_from_one_address_are_refused(client):
    answers = [sign_in(client, f"person{n}@example.org", "wrong").status_code for n in range(31)]
    assert (answers[-1], client.get("/").status_code) == (429, 200)


def test_behind_a_proxy_each_visitor_has_limits_of_their_own(settings, client):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for n in range(31):
        sign_in(
            client, f"person{n}@example.org", "wrong", headers={"X-Forwarded-For": "6.6.6.6, 198.51.100.1"}
        )
    answers = [
        sign_in(
            client, "nobody@example.org", "wrong", headers={"X-Forwarded-For": f"6.6.6.6, {address}"}
        ).status_code
        for address in ("198.51.100.1", "198.51.100.2")
    ]
    assert answers == [429, 200]


def test_signing_in_gives_the_session_a_new_key(client):
    user = UserFactory()
    session = client.session
    session["before"] = True
    session.save()
    before = session.session_key
    assert sign_in(client, user.email).status_code == 302
    assert client.session.session_key != before
    assert Client(headers={"cookie": f"sessionid={before}"}).get("/accounts/email/").status_code == 302


def test_a_new_password_ends_the_sessions_elsewhere(client):
    user, elsewhere = UserFactory(), Client()
    sign_in(client, user.email)
    sign_in(elsewhere, user.email)
    new = "an even longer password"
    changed = client.post(
        "/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new}
    )
    assert changed.status_code == 302
    assert (client.get("/accounts/email/").status_code, elsewhere.get("/accounts/email/").status_code) == (
        200,
        302,
    )


def test_who_is_deactivated_is_out_at_once_and_does_not_come_back(client):
    user = UserFactory(is_staff=True, is_superuser=True)
    sign_in(client, user.email)
    assert client.get("/admin/").status_code == 200
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert (client.get("/admin/").status_code, client.get("/accounts/email/").status_code) == (302, 302)
    sign_in(client, user.email)
    assert client.get("/accounts/email/").status_code == 302


@pytest.mark.parametrize("password", ["short1!", "password123", "83750174620", "person@example.org"])
def test_a_password_that_can_be_guessed_is_refused(client, password):
    typed = {"email": "person@example.org", "password1": password, "password2": password}
    assert client.post(SIGNUP, typed).status_code == 200
    assert not User.objects.exists()


@pytest.mark.parametrize("where", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_after_signing_in_nobody_is_sent_off_the_site(client, where):
    user = UserFactory()
    answer = client.post(f"{LOGIN}?next={where}", {"login": user.email, "password": PASSWORD, "next": where})
    assert (answer.status_code, answer.url) == (302, "/")


def test_the_administration_has_no_door_of_its_own(client):
    user = UserFactory(is_staff=True)
    answer = client.post("/admin/login/", {"username": user.username, "password": PASSWORD})
    assert (answer.status_code, urlsplit(answer.url).path, person_of(client)) == (302, LOGIN, None)


# The second factor


def code(secret: str, steps: int = 0) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


def activate(client: Client) -> str:
    """Switch the second factor on, as a person does, and answer with its secret."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/2fa/totp/activate/").text
    assert faults_of(page) == []
    secret = re.search(r'id="authenticator_secret"[^>]*>([A-Z2-7]{32})<', page)
    assert secret
    assert client.post("/accounts/2fa/totp/activate/", {"code": code(secret[1])}).status_code == 302
    return secret[1]


def test_with_a_second_factor_the_password_alone_opens_nothing(client):
    user = UserFactory()
    sign_in(client, user.email)
    secret, fresh = activate(client), Client()
    asked = sign_in(fresh, user.email)
    assert (asked.url, person_of(fresh)) == ("/accounts/2fa/authenticate/", None)
    assert fresh.post("/accounts/2fa/authenticate/", {"code": "000000"}).status_code == 200
    assert person_of(fresh) is None
    assert fresh.post("/accounts/2fa/authenticate/", {"code": code(secret, steps=1)}).status_code == 302
    assert person_of(fresh) == str(user.pk)


def test_a_recovery_code_opens_once(client):
    user = UserFactory()
    sign_in(client, user.email)
    activate(client)
    spare = re.findall(r"\b\d{8}\b", client.get("/accounts/2fa/recovery-codes/download/").text)
    opened = []
    for _ in range(2):
        fresh = Client()
        sign_in(fresh, user.email)
        fresh.post("/accounts/2fa/authenticate/", {"code": spare[0]})
        opened.append(person_of(fresh))
    assert (len(spare), opened) == (10, [str(user.pk), None])


def test_a_second_factors_secrets_are_sealed_and_shown_on_no_page_of_the_administration(client):
    user = UserFactory()
    sign_in(client, user.email)
    secret = activate(client)
    stored = {row.type: row.data for row in Authenticator.objects.all()}
    assert unseal(stored["totp"]["secret"], purpose="second factor") == secret
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    for row in Authenticator.objects.all():
        page = client.get(f"/admin/mfa/authenticator/{row.pk}/change/")
        shown = [
            value for value in (secret, *map(str, row.data.values())) if len(value) > 8 and value in page.text
        ]
        assert (page.status_code, shown) == (200, [])


def test_changing_the_second_factor_asks_for_the_password_again(client):
    client.force_login(UserFactory())
    answer = client.get("/accounts/2fa/totp/activate/")
    assert (answer.status_code, urlsplit(answer.url).path) == (302, "/accounts/reauthenticate/")


def test_a_sealed_secret_is_read_only_with_its_key_and_for_its_purpose(settings):
    sealed = seal("secret", purpose="one")
    assert "secret" not in sealed
    with pytest.raises(SealBrokenError):
        unseal(sealed, purpose="two")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another " * 8, [settings.SECRET_KEY]
    assert unseal(sealed, purpose="one") == "secret"
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(SealBrokenError):
        unseal(sealed, purpose="one")


# Signing in elsewhere


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
    asked = {name: values[0] for name, values in parse_qs(urlsplit(sent.url).query).items()}
    assert (sent.status_code, asked["client_id"], asked["code_challenge_method"]) == (
        302,
        "oidc-client",
        "S256",
    )
    return client.get(
        "/accounts/oidc/sso/login/callback/", {"code": "a code", "state": asked["state"]} | (changed or {})
    )


def test_a_login_page_offers_what_is_configured(client):
    page = client.get(LOGIN).text
    assert re.findall(r'href="(/accounts/\w+/(?:\w+/)?login/)[^"]*">([^<]+)<', page) == [
        ("/accounts/github/login/", "GitHub"),
        ("/accounts/oidc/sso/login/", "Single sign-on"),
    ]


def test_merely_following_a_link_signs_nobody_in_elsewhere(client):
    assert client.get("/accounts/oidc/sso/login/").status_code == 200


def test_a_browser_may_follow_a_form_to_the_issuers_and_nowhere_else(client):
    policy = client.get(LOGIN).headers["Content-Security-Policy"]
    (forms,) = [rule for rule in policy.split("; ") if rule.startswith("form-action")]
    assert forms == "form-action 'self' https://github.com https://sso.example"


def test_who_comes_from_the_issuer_gets_an_account_and_no_token_is_kept(oidc, client):
    assert come_back(client).status_code == 302
    user = User.objects.get()
    assert (user.email, person_of(client)) == ("ada@example.org", str(user.pk))
    assert list(SocialAccount.objects.values_list("provider", "uid")) == [("sso", "ada")]
    assert not SocialToken.objects.exists()


def test_an_address_that_has_an_account_here_is_not_taken_over_from_elsewhere(oidc, client):
    UserFactory(email="ada@example.org")
    come_back(client)
    assert (person_of(client), SocialAccount.objects.count()) == (None, 0)


def test_an_address_that_the_issuer_did_not_verify_is_not_verified_here(oidc, client):
    oidc.claims["email_verified"] = False
    come_back(client)
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("ada@example.org", False)]


@pytest.mark.parametrize("changed", [{"state": "forged"}, {"code": ""}, {"error": "access_denied"}])
def test_an_answer_that_was_not_asked_for_signs_nobody_in(oidc, client, changed):
    answer = come_back(client, changed=changed)
    assert (answer.status_code < 500, person_of(client), User.objects.count()) == (True, None, 0)


def test_an_issuer_that_is_down_is_said_on_a_page_of_the_house(oidc, client):
    oidc.broken = True
    answer = client.post("/accounts/oidc/sso/login/")
    assert (answer.status_code, "Automaton Auditor" in answer.text, person_of(client)) == (502, True, None)


def site_says(**variables: str) -> str:
    ask = (
        "import django; django.setup(); from django.urls import get_resolver; from django.conf import settings;"
        "print([str(p.pattern) for p in get_resolver().url_patterns[1].url_patterns], settings.SIGN_IN_ELSEWHERE)"
    )
    ours = {"DJANGO_SETTINGS_MODULE": "auditor_site.settings.test"}
    given = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "OIDC_"))}
    done = subprocess.run(
        [sys.executable, "-c", ask], env=given | ours | variables, cwd=Path(__file__).parents[2],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_signing_in_elsewhere_is_off_unless_it_is_configured():
    assert site_says() == "['', '2fa/'] []"


def test_half_a_configuration_is_refused():
    assert site_says(OIDC_SERVER_URL="https://sso.example", OIDC_CLIENT_ID="id").endswith(
        "OIDC_CLIENT_SECRET must be set too, or none of OIDC_SERVER_URL, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET."
    )
