"""Tokens for programs: shown once, kept as a digest, bound to scopes, and dead once revoked, expired or orphaned."""

import re
from datetime import timedelta
from http import HTTPStatus

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from grading.api.tokens.actions import MAX_TOKENS, create_token
from grading.core.enums import ApiScope
from grading.models import ApiToken
from tests.factories.people import CohortFactory, UserFactory, student
from tests.waiting import just_past
from tests.web_client.api_program import error_of

pytestmark = pytest.mark.django_db
PAGE = "/accounts/tokens/"


@pytest.fixture
def ada():
    return student(CohortFactory())


@pytest.fixture
def browser(ada):
    """Has said the password a moment ago."""
    client = Client()
    ada.user.set_password("correct horse")
    ada.user.save()
    client.force_login(ada.user)
    client.post("/accounts/reauthenticate/", {"password": "correct horse"})
    return client


def token_of(user, *scopes, days=30):
    return create_token(user=user, name="script", scopes=scopes or (ApiScope.READ,), days=days)


def response_to(path, text, **headers):
    return Client().get(f"/api/v1/{path}", headers={"authorization": f"Bearer {text}"} | headers)


def test_a_token_is_shown_once_and_kept_as_a_digest(browser, ada):
    answer = browser.post(PAGE, {"name": "laptop", "scopes": ["read"], "days": "30"})
    token = ApiToken.objects.get(user=ada.user)
    text = answer.context["text"]
    assert text.startswith(token.prefix)
    assert len(text) > 40
    assert text in answer.content.decode()
    assert text not in browser.get(PAGE).content.decode()
    assert text not in str(ApiToken.objects.values().get())
    assert "no-store" in answer["Cache-Control"]


def test_with_it_a_program_sees_what_its_person_sees(ada):
    _, text = token_of(ada.user)
    assert response_to("organizations/", text).json()["results"] == [
        {"slug": ada.organization.slug, "name": ada.organization.name}
    ]
    cohorts = response_to(f"o/{ada.organization.slug}/cohorts/", text).json()["results"]
    assert [cohort["slug"] for cohort in cohorts] == [ada.cohort.slug]


def test_of_another_institution_it_sees_nothing(ada):
    _, text = token_of(ada.user)
    other = CohortFactory()
    for path in (f"o/{other.organization.slug}/cohorts/", "o/there-is-none/cohorts/"):
        answer = response_to(path, text)
        assert (answer.status_code, error_of(answer)["code"]) == (HTTPStatus.NOT_FOUND, "not_found")


@pytest.mark.parametrize("text", ["", "aa_unknown", "ünlesbar", "aa_" + "x" * 5000])
def test_what_is_no_token_opens_nothing(text):
    answer = response_to("organizations/", text.encode("utf-8").decode("latin-1"))
    assert (answer.status_code, error_of(answer)["code"]) == (
        HTTPStatus.UNAUTHORIZED,
        "token_invalid",
    )
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("change", ["revoked", "expired", "deactivated"])
def test_a_dead_token_opens_nothing(ada, change):
    token, text = token_of(ada.user)
    if change == "deactivated":
        ada.user.is_active = False
        ada.user.save()
    else:
        fields = {
            "revoked": {"revoked_at": timezone.now()},
            "expired": {"expires_at": just_past()},
        }
        ApiToken.objects.filter(pk=token.pk).update(**fields[change])
    assert response_to("organizations/", text).status_code == HTTPStatus.UNAUTHORIZED


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("way", ["account page", "reset", "administration", "command line"])
def test_a_new_password_revokes_every_token_of_its_person_alone(browser, ada, way):
    new, other = "an even longer password", UserFactory()
    texts = [token_of(user)[1] for user in (ada.user, ada.user, other)]
    twice = {"password1": new, "password2": new}
    match way:
        case "account page":
            browser.post("/accounts/password/change/", {"oldpassword": "correct horse"} | twice)
        case "reset":
            Client().post("/accounts/password/reset/", {"email": ada.user.email})
            link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[0].body))
            assert link
            page = browser.get(link[0], follow=True)
            browser.post(page.request["PATH_INFO"], twice)
        case "administration":
            browser.force_login(UserFactory(is_staff=True, is_superuser=True))
            browser.post(
                f"/admin/auth/user/{ada.user.pk}/password/", {"usable_password": "true"} | twice
            )
        case "command line":
            ada.user.set_password(new)
            ada.user.save()
    ada.user.refresh_from_db()
    assert ada.user.check_password(new)
    assert [response_to("organizations/", text).status_code for text in texts] == [401, 401, 200]


def test_an_upgraded_hash_of_the_same_password_revokes_nothing(browser, ada, settings):
    _, text = token_of(ada.user)
    before = ada.user.password
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.ScryptPasswordHasher",
        *settings.PASSWORD_HASHERS,
    ]
    Client().post("/accounts/login/", {"login": ada.user.email, "password": "correct horse"})
    ada.user.refresh_from_db()
    assert ada.user.password != before
    assert response_to("organizations/", text).status_code == HTTPStatus.OK


def test_the_pages_of_tokens_and_passwords_say_that_a_new_password_revokes_them(browser):
    for page in (PAGE, "/accounts/password/change/"):
        assert "new password revokes" in browser.get(page).text


def test_a_token_without_the_scope_is_told_which_it_lacks(ada):
    _, text = token_of(ada.user, ApiScope.SUBMIT)
    answer = response_to("organizations/", text)
    assert answer.status_code == HTTPStatus.FORBIDDEN
    assert error_of(answer) == {
        "code": "scope_missing",
        "message": "Missing scope: this token lacks the scope “read”.",
        "field": None,
        "fields": {},
    }


def test_when_it_was_last_used_is_right_to_a_minute(ada):
    token, text = token_of(ada.user)
    response_to("organizations/", text)
    token.refresh_from_db()
    first = token.last_used_at
    response_to("organizations/", text)
    token.refresh_from_db()
    assert token.last_used_at == first is not None
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=first - timedelta(minutes=2))
    response_to("organizations/", text)
    token.refresh_from_db()
    assert token.last_used_at > first - timedelta(minutes=1)


def test_only_its_owner_revokes_it(browser, ada):
    mine, _ = token_of(ada.user)
    theirs, _ = token_of(UserFactory())
    assert browser.post(f"{PAGE}{theirs.pk}/revoke/").status_code == HTTPStatus.NOT_FOUND
    assert browser.post(f"{PAGE}{mine.pk}/revoke/").status_code == HTTPStatus.FOUND
    assert [
        token.revoked_at is None
        for token in (ApiToken.objects.get(pk=pk) for pk in (mine.pk, theirs.pk))
    ] == [
        False,
        True,
    ]


def test_what_is_wrong_with_a_new_token_stands_beside_its_field(browser, ada):
    answer = browser.post(PAGE, {"name": "", "days": "4000"})
    assert set(answer.context["form"].errors) == {"name", "scopes", "days"}
    for _ in range(MAX_TOKENS):
        token_of(ada.user)
    answer = browser.post(PAGE, {"name": "one more", "scopes": ["read"], "days": "30"})
    assert answer.context["form"].non_field_errors() == [
        f"You have {MAX_TOKENS} tokens. Revoke one first."
    ]
    assert answer.context["form"]["name"].value() == "one more"


def test_making_one_asks_for_the_password_again(ada):
    client = Client()
    client.force_login(ada.user)
    answer = client.post(PAGE, {"name": "laptop", "scopes": ["read"], "days": "30"})
    assert (answer.status_code, ApiToken.objects.count()) == (HTTPStatus.FOUND, 0)
    assert answer["Location"].startswith("/accounts/reauthenticate/")


def test_everything_that_is_no_answer_has_one_shape(ada):
    _, text = token_of(ada.user)
    for path in (
        "organizations/?cursor=nonsense",
        "nowhere/at/all/",
        f"o/{ada.organization.slug}/cohorts/none/",
    ):
        error = error_of(response_to(path, text))
        assert sorted(error) == ["code", "field", "fields", "message"]
    answer = Client().delete("/api/v1/organizations/", headers={"authorization": f"Bearer {text}"})
    assert (answer.status_code, error_of(answer)["code"]) == (
        HTTPStatus.METHOD_NOT_ALLOWED,
        "method_not_allowed",
    )


def test_who_asks_too_often_is_told_when_to_ask_again(ada, monkeypatch):
    monkeypatch.setattr(SimpleRateThrottle, "get_rate", lambda _throttle: "2/min")
    _, text = token_of(ada.user)
    answers = [response_to("organizations/", text) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert error_of(answers[-1])["code"] == "throttled"
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
