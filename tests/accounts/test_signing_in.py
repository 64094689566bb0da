"""Signing in: limits, a second factor; and never a word about who has an account."""

from __future__ import annotations

import re
import time
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from grading.core.crypto import seal, unseal
from grading.core.errors import SealBrokenError
from tests.factories.people import PASSWORD, UserFactory
from tests.web_client.page_checks import faults_of
from tests.web_client.sessions import LOGIN, person_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
SIGNUP, RESET = "/accounts/signup/", "/accounts/password/reset/"


def sign_in(client: Client, email: str, password: str = PASSWORD, **extra: Any) -> Any:
    return client.post(LOGIN, {"login": email, "password": password}, **extra)


def without_what_differs(page: str, *words: str) -> str:
    """The page without its one-time token and what was typed into it."""
    for word in words:
        page = page.replace(word, "")
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def test_wrong_password_and_unknown_address_get_the_same_answer(client):
    user = UserFactory()
    wrong, unknown = (
        sign_in(client, user.email, "wrong"),
        sign_in(client, "nobody@example.org", "wrong"),
    )
    assert (wrong.status_code, unknown.status_code) == (200, 200)
    assert without_what_differs(wrong.text, user.email) == without_what_differs(
        unknown.text, "nobody@example.org"
    )


def test_new_person_reads_their_address_and_no_made_up_name(client):
    typed = {"email": "o'neil@example.org", "password1": PASSWORD, "password2": PASSWORD}
    page = client.post(SIGNUP, typed, follow=True)
    name = User.objects.get(email="o'neil@example.org").username
    assert "You are signed in as o'neil@example.org." in map(str, page.context["messages"])
    assert "Do you teach?" in page.text
    (letter,) = mail.outbox
    assert (name in page.text, name in letter.body) == (False, False)
    assert "/accounts/confirm-email/" in letter.body


def test_sign_up_does_not_reveal_whether_an_address_is_taken(settings):
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


def test_password_reset_does_not_reveal_whether_an_account_exists():
    answers = []
    for email in (UserFactory().email, "nobody@example.org"):
        answer = Client().post(RESET, {"email": email}, follow=True)
        answers.append((answer.redirect_chain, without_what_differs(answer.text, email)))
    assert answers[0] == answers[1]


def test_five_wrong_passwords_lock_the_account_for_a_while(client):
    user = UserFactory()
    for _ in range(5):
        sign_in(client, user.email, "wrong")
    refused = sign_in(client, user.email)
    assert (refused.status_code, person_of(client)) == (200, None)
    assert "Too many failed login attempts" in refused.text


def test_too_many_attempts_from_one_address_are_refused(client):
    answers = [sign_in(client, f"person{n}@example.org", "wrong").status_code for n in range(31)]
    assert (answers[-1], client.get("/").status_code) == (429, 200)


def test_visitors_behind_a_proxy_have_separate_limits(settings, client):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for n in range(31):
        sign_in(
            client,
            f"person{n}@example.org",
            "wrong",
            headers={"X-Forwarded-For": "6.6.6.6, 198.51.100.1"},
        )
    answers = [
        sign_in(
            client,
            "nobody@example.org",
            "wrong",
            headers={"X-Forwarded-For": f"6.6.6.6, {address}"},
        ).status_code
        for address in ("198.51.100.1", "198.51.100.2")
    ]
    assert answers == [429, 200]


def test_signing_in_changes_the_session_key(client):
    user = UserFactory()
    session = client.session
    session["before"] = True
    session.save()
    before = session.session_key
    assert sign_in(client, user.email).status_code == 302
    assert client.session.session_key != before
    assert (
        Client(headers={"cookie": f"sessionid={before}"}).get("/accounts/email/").status_code == 302
    )


def test_new_password_ends_other_sessions(client):
    user, elsewhere = UserFactory(), Client()
    sign_in(client, user.email)
    sign_in(elsewhere, user.email)
    new = "an even longer password"
    changed = client.post(
        "/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new}
    )
    assert changed.status_code == 302
    assert (
        client.get("/accounts/email/").status_code,
        elsewhere.get("/accounts/email/").status_code,
    ) == (
        200,
        302,
    )


def test_deactivated_user_is_signed_out_at_once_and_cannot_sign_in(client):
    user = UserFactory(is_staff=True, is_superuser=True)
    sign_in(client, user.email)
    assert client.get("/admin/").status_code == 200
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert (client.get("/admin/").status_code, client.get("/accounts/email/").status_code) == (
        302,
        302,
    )
    sign_in(client, user.email)
    assert client.get("/accounts/email/").status_code == 302


@pytest.mark.parametrize(
    "password", ["short1!", "password123", "83750174620", "person@example.org"]
)
def test_guessable_password_is_refused(client, password):
    typed = {"email": "person@example.org", "password1": password, "password2": password}
    assert client.post(SIGNUP, typed).status_code == 200
    assert not User.objects.exists()


@pytest.mark.parametrize(
    "where", ["https://evil.example/", "//evil.example", "javascript:alert(1)"]
)
def test_sign_in_does_not_redirect_to_another_site(client, where):
    user = UserFactory()
    answer = client.post(
        f"{LOGIN}?next={where}", {"login": user.email, "password": PASSWORD, "next": where}
    )
    assert (answer.status_code, answer.url) == (302, "/")


def test_administration_has_no_sign_in_page_of_its_own(client):
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


def test_password_alone_is_not_enough_with_a_second_factor(client):
    user = UserFactory()
    sign_in(client, user.email)
    secret, fresh = activate(client), Client()
    second_step = sign_in(fresh, user.email)
    assert (second_step.url, person_of(fresh)) == ("/accounts/2fa/authenticate/", None)
    assert fresh.post("/accounts/2fa/authenticate/", {"code": "000000"}).status_code == 200
    assert person_of(fresh) is None
    assert (
        fresh.post("/accounts/2fa/authenticate/", {"code": code(secret, steps=1)}).status_code
        == 302
    )
    assert person_of(fresh) == str(user.pk)


def test_recovery_code_works_once(client):
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


def test_second_factor_secrets_are_sealed_and_absent_from_the_administration(client):
    user = UserFactory()
    sign_in(client, user.email)
    secret = activate(client)
    stored = {row.type: row.data for row in Authenticator.objects.all()}
    assert unseal(stored["totp"]["secret"], purpose="second factor") == secret
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    for row in Authenticator.objects.all():
        page = client.get(f"/admin/mfa/authenticator/{row.pk}/change/")
        visible = [
            value
            for value in (secret, *map(str, row.data.values()))
            if len(value) > 8 and value in page.text
        ]
        assert (page.status_code, visible) == (200, [])


def test_changing_the_second_factor_requires_the_password(client):
    client.force_login(UserFactory())
    answer = client.get("/accounts/2fa/totp/activate/")
    assert (answer.status_code, urlsplit(answer.url).path) == (302, "/accounts/reauthenticate/")


def test_sealed_secret_opens_only_with_its_key_and_purpose(settings):
    sealed = seal("secret", purpose="one")
    assert "secret" not in sealed
    with pytest.raises(SealBrokenError):
        unseal(sealed, purpose="two")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another " * 8, [settings.SECRET_KEY]
    assert unseal(sealed, purpose="one") == "secret"
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(SealBrokenError):
        unseal(sealed, purpose="one")
