"""Linking by the GitHub App: what GitHub names for this person, and nothing by a number that was typed."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from grading.models import RepositoryAccess
from tests.factories.people import CohortFactory, EnrollmentFactory, everywhere

pytestmark = pytest.mark.django_db
CALLBACK = "/github/callback/"


@pytest.fixture
def browser(ada) -> Client:
    client = Client()
    client.force_login(ada.user)
    return client


def pages_of(student: Any) -> tuple[str, str]:
    slugs = [student.organization.slug, student.cohort.slug]
    return reverse("repositories", args=slugs), reverse("github-repositories", args=slugs)


def go(browser: Client, student: Any, github: Any, *, code: str = "a code") -> Any:
    """Go to GitHub and come back as the person that the code is of."""
    github.codes = {"a code": "ada-token"}
    sent: Any = browser.post(pages_of(student)[0], {"do": "github"})
    query = {name: values[0] for name, values in parse_qs(urlsplit(sent.url).query).items()}
    return browser.get(CALLBACK, {"code": code, "state": query["state"]})


def linked() -> list[tuple[Any, ...]]:
    with everywhere():
        rows = RepositoryAccess.objects.all()
        return [(r.path, r.repository_id, r.installation_id, r.account_id) for r in rows]


def test_person_links_what_both_they_and_the_app_may_read(browser, ada, github):
    answer = go(browser, ada, github)
    assert answer.url == pages_of(ada)[1]
    page = browser.get(answer.url).text
    assert ("private/course/ada" in page, "private/course/ben" in page) == (True, False)
    done = browser.post(answer.url, {"repository": ["1"]})
    assert (done.url, linked()) == (pages_of(ada)[0], [("private/course/ada", 1, 7, 100)])


def test_repository_that_github_did_not_name_cannot_be_linked(browser, ada, github):
    answer = go(browser, ada, github)
    browser.post(answer.url, {"repository": ["2"], "installation": "7"})
    assert linked() == []


@pytest.mark.parametrize("state", ["", "forged", "a" * 43])
def test_callback_that_was_not_started_here_links_nothing(browser, ada, github, state):
    github.codes = {"a code": "ada-token"}
    browser.post(pages_of(ada)[0], {"do": "github"})
    answer = browser.get(CALLBACK, {"code": "a code", "state": state, "installation_id": "7"})
    assert (answer.url, github.requests, github.codes) == ("/", [], {"a code": "ada-token"})


def test_callback_is_good_once(browser, ada, github):
    sent = browser.post(pages_of(ada)[0], {"do": "github"})
    state = parse_qs(urlsplit(sent.url).query)["state"][0]
    github.codes = {"a code": "ada-token"}
    assert browser.get(CALLBACK, {"code": "a code", "state": state}).url == pages_of(ada)[1]
    github.codes = {"another": "ben-token"}
    assert browser.get(CALLBACK, {"code": "another", "state": state}).url == "/"


def test_refused_code_leads_back_with_the_reason(browser, ada, github):
    answer = go(browser, ada, github, code="stolen")
    assert answer.url == pages_of(ada)[0]
    assert "GitHub did not confirm who you are" in browser.get(answer.url).text


def test_answer_for_one_course_links_nothing_in_another(browser, ada, github):
    go(browser, ada, github)
    other = EnrollmentFactory.create(
        cohort=CohortFactory.create(organization=ada.organization), user=ada.user, email=ada.email
    )
    browser.post(pages_of(other)[1], {"repository": ["1"]})
    assert linked() == []


def test_token_of_the_person_is_stored_nowhere(browser, ada, github):
    go(browser, ada, github)
    assert "ada-token" not in str(dict(browser.session))


def test_site_without_an_app_offers_none(ada):
    client = Client()
    client.force_login(ada.user)
    assert "Go to GitHub" not in client.get(pages_of(ada)[0]).text
    answer = client.post(pages_of(ada)[0], {"do": "github"}, follow=True)
    assert "This site has no GitHub App" in answer.text
