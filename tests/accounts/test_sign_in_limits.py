"""Wrong passwords: they stop who guesses, and neither the owner nor anybody else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django_rq import get_queue
from rq import SimpleWorker

from tests.factories.people import PASSWORD, UserFactory
from tests.web_client.sessions import LOGIN, person_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis", "empty_cache")]
HOME, STRANGER = "198.51.100.1", "203.0.113.5"
CHANGE, RESET, EMAILS = (
    "/accounts/password/change/",
    "/accounts/password/reset/",
    "/accounts/email/",
)
REFUSED = "Too many failed login attempts"


def enter(
    password: str, email: str, *, address: str = HOME, browser: Client | None = None
) -> tuple[Client, Any]:
    client = browser or Client()
    typed = {"login": email, "password": password}
    return client, client.post(LOGIN, typed, REMOTE_ADDR=address)


def is_let_in(email: str, *, address: str = HOME, browser: Client | None = None) -> bool:
    client, answer = enter(PASSWORD, email, address=address, browser=browser)
    assert (person_of(client) is None) == (REFUSED in answer.text)
    return person_of(client) is not None


def guess(email: str, *, times: int, address: str = STRANGER) -> None:
    for _ in range(times):
        enter("wrong", email, address=address)


def known_browser(email: str, *, address: str = HOME) -> Client:
    """A browser that has signed in and out."""
    client, _ = enter(PASSWORD, email, address=address)
    client.post("/accounts/logout/")
    assert person_of(client) is None
    return client


def sent_warnings() -> list[Any]:
    queue = get_queue("letters")
    SimpleWorker([queue], connection=queue.connection).work(burst=True)
    return [message for message in mail.outbox if "wrong passwords" in message.subject]


def test_wrong_passwords_of_a_stranger_lock_the_stranger_out_and_not_the_owner():
    user = UserFactory()
    guess(user.email, times=6)
    assert (is_let_in(user.email, address=STRANGER), is_let_in(user.email)) == (False, True)


def test_known_browser_signs_in_from_the_address_of_who_guesses():
    user = UserFactory()
    browser = known_browser(user.email)
    guess(user.email, times=20, address=HOME)
    assert (is_let_in(user.email), is_let_in(user.email, browser=browser)) == (False, True)


def test_known_browser_has_five_tries_of_its_own():
    user = UserFactory()
    browser, other = known_browser(user.email), known_browser(user.email)
    for _ in range(5):
        enter("wrong", user.email, browser=browser)
    assert (
        is_let_in(user.email, browser=browser),
        is_let_in(user.email, browser=other),
        is_let_in(user.email),
    ) == (False, True, True)


def test_guesses_from_many_addresses_stop_new_browsers_and_no_known_one(settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {
        "login_failed_by_strangers": "6/h/key"
    }
    user, other = UserFactory(), UserFactory()
    browser = known_browser(user.email)
    for number in range(6):
        guess(user.email, times=1, address=f"203.0.113.{number}")
    assert (
        is_let_in(user.email),
        is_let_in(user.email, browser=browser),
        is_let_in(other.email),
    ) == (False, True, True)


def test_who_is_refused_because_of_strangers_gets_in_by_a_new_password(settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {
        "login_failed_by_strangers": "6/h/key"
    }
    user = UserFactory()
    for number in range(6):
        guess(user.email, times=1, address=f"203.0.113.{number}")
    client = Client()
    client.post(RESET, {"email": user.email})
    link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[0].body))
    assert link
    page = client.get(link[0], follow=True)
    new = "an even longer password"
    client.post(page.request["PATH_INFO"], {"password1": new, "password2": new})
    assert person_of(client) == str(user.pk)
    client.post("/accounts/logout/")
    enter(new, user.email, browser=client)
    assert person_of(client) == str(user.pk)


def test_one_address_tries_ten_accounts_a_minute():
    users = UserFactory.create_batch(11)
    for user in users[:10]:
        enter("wrong", user.email, address=STRANGER)
    assert (
        is_let_in(users[10].email, address=STRANGER),
        is_let_in(users[10].email),
    ) == (False, True)


@pytest.mark.parametrize("of", ["somebody else", "nobody", "an earlier password"])
def test_cookie_of_another_account_or_an_earlier_password_makes_no_browser_known(of):
    user = UserFactory()
    browser = known_browser(UserFactory().email if of == "somebody else" else user.email)
    if of == "nobody":
        browser.cookies["known_device"] = browser.cookies["known_device"].value[:-2]
    elif of == "an earlier password":
        user.set_password("an even longer password")
        user.save()
        user.set_password(PASSWORD)
        user.save()
    guess(user.email, times=5, address=HOME)
    assert is_let_in(user.email, browser=browser) is False


def test_owner_is_warned_once_of_many_wrong_passwords_of_strangers():
    user = UserFactory()
    for number in range(5):
        guess(user.email, times=4, address=f"203.0.113.{number}")
    assert sent_warnings() == []
    for number in range(5):
        guess(user.email, times=4, address=f"192.0.2.{number}")
    (warning,) = sent_warnings()
    assert (warning.to, RESET in warning.body, PASSWORD in warning.body) == (
        [user.email],
        True,
        False,
    )


def test_nobody_is_warned_of_their_own_wrong_passwords_or_of_an_unknown_account(settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {
        "login_failed_by_device": "100/h/key",
        "login_failed_by_visitor": "100/h/key",
        "login": "1000/m/ip",
    }
    user = UserFactory()
    browser = known_browser(user.email)
    for _ in range(25):
        enter("wrong", user.email, browser=browser)
        enter("wrong", "nobody@example.org")
    assert sent_warnings() == []


def test_password_entered_again_is_counted_like_a_sign_in():
    user = UserFactory()
    browser, _ = enter(PASSWORD, user.email)
    for _ in range(5):
        browser.post("/accounts/reauthenticate/", {"password": "wrong"})
    answer = browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert (answer.status_code, REFUSED in answer.text) == (200, True)


def test_added_address_asks_for_the_password_and_is_kept_while_it_does():
    user = UserFactory()
    browser, _ = enter(PASSWORD, user.email)
    added = {"email": "second@example.org", "action_add": ""}
    answer: Any = browser.post(EMAILS, added)
    assert (answer.status_code, answer.url.partition("?")[0]) == (302, "/accounts/reauthenticate/")
    assert "second@example.org" not in browser.get(EMAILS).text
    browser.post(answer.url, {"password": "wrong"})
    assert "second@example.org" not in browser.get(EMAILS).text
    browser.post(answer.url, {"password": PASSWORD})
    assert "second@example.org" in browser.get(EMAILS).text


def test_new_password_asks_for_the_old_one_five_times_a_minute():
    user = UserFactory()
    browser, _ = enter(PASSWORD, user.email)
    new = "an even longer password"
    answers = [
        browser.post(CHANGE, {"oldpassword": typed, "password1": new, "password2": new})
        for typed in ["wrong"] * 5 + [PASSWORD]
    ]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    user.refresh_from_db()
    assert user.check_password(PASSWORD)


def test_administration_changes_passwords_on_the_accounts_page_alone():
    user = UserFactory(is_staff=True, is_superuser=True)
    browser, _ = enter(PASSWORD, user.email)
    typed = {"old_password": PASSWORD, "new_password1": "x" * 12, "new_password2": "x" * 12}
    answer: Any = browser.post("/admin/password_change/", typed)
    assert (answer.status_code, answer.url) == (302, CHANGE)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
