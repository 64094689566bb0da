"""Which letters one gets: chosen on a page, or switched off from a letter with one click after signing in."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_scopes import scope

from grading.core.enums import OPTIONAL_NOTICES, NoticeKind, Role
from grading.models import Organization
from grading.notifications.queries import wanted_email_kinds
from tests.factories.people import CohortFactory, student
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
ALL = list(OPTIONAL_NOTICES)


class Somebody:
    """A student, signed in."""

    def __init__(self) -> None:
        cohort = CohortFactory.create()
        self.organization: Organization = cohort.organization
        self.user: User = student(cohort).user
        self.client = Client()
        self.client.force_login(self.user)
        self.address = f"/o/{self.organization.slug}/notices/"

    @property
    def wanted(self) -> list[NoticeKind]:
        with scope(organization=self.organization):
            return wanted_email_kinds(self.organization, self.user)

    def page(self, query: str = "") -> str:
        html = self.client.get(self.address + query).content.decode()
        assert faults_of(html) == []
        return html


@pytest.fixture
def somebody() -> Somebody:
    return Somebody()


def test_everybody_gets_everything_at_first(somebody):
    assert somebody.page().count(" checked") == len(ALL)
    assert somebody.wanted == ALL


def test_what_is_left_unchecked_is_switched_off_and_comes_back_when_checked(somebody):
    somebody.client.post(somebody.address, {"wanted": ["released"], "csrfmiddlewaretoken": "x"})
    assert somebody.wanted == [NoticeKind.RELEASED]
    assert somebody.page().count(" checked") == 1
    somebody.client.post(somebody.address, {"csrfmiddlewaretoken": "x"})
    assert somebody.wanted == []
    somebody.client.post(somebody.address, {"wanted": ALL})
    assert somebody.wanted == ALL


def test_a_letters_link_needs_signing_in_and_then_one_click(somebody):
    link = f"{somebody.address}?off=audit_failed"
    asked = Client().get(link)
    assert (asked.status_code, "off%3Daudit_failed" in asked["Location"]) == (302, True)
    assert "Stop emails of this kind: “One of my audits failed”?" in somebody.page(
        "?off=audit_failed"
    )
    assert somebody.wanted == ALL
    somebody.client.post(link, {"off": "audit_failed"})
    assert somebody.wanted == [kind for kind in ALL if kind != NoticeKind.AUDIT_FAILED]


@pytest.mark.parametrize("off", ["nonsense", "", Role.OWNER])
def test_a_kind_that_does_not_exist_switches_nothing_off(somebody, off):
    assert "Stop emails of this kind" not in somebody.page(f"?off={off}")
    assert somebody.client.post(somebody.address, {"off": off}).status_code == 200
    assert somebody.wanted == ALL


def test_an_unknown_choice_is_said_and_changes_nothing(somebody):
    html = somebody.client.post(somebody.address, {"wanted": ["released", "odd"]}).content.decode()
    assert "Select a valid choice. odd is not one of the available choices." in html
    assert somebody.wanted == ALL
