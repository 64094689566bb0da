"""Which letters one gets: chosen on a page, or switched off from a letter with one click after signing in."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_scopes import scope

from grading.core.enums import DAILY_NOTICES, OPTIONAL_NOTICES, EmailTiming, NoticeKind, Role
from grading.models import Activity, Membership, Organization
from grading.notifications.forms import MEANINGS
from grading.notifications.queries import email_timings
from tests.factories.people import CohortFactory, EnrollmentFactory, staff_user, student
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
STUDENTS = [
    NoticeKind.RELEASED,
    NoticeKind.APPEAL_ANSWERED,
    NoticeKind.AUDIT_FAILED,
    NoticeKind.REPORT_RECEIVED,
    NoticeKind.PEER_REMINDER,
    NoticeKind.HANDED_IN,
    NoticeKind.DUE_SOON,
    NoticeKind.EXTENSION,
    NoticeKind.COMPLAINT,
]
OF_STAFF = [
    NoticeKind.COMPLAINT,
    NoticeKind.MENTIONED,
    NoticeKind.APPEAL_ASSIGNED,
    NoticeKind.STAFF_DAILY,
]
FIRST = dict.fromkeys(OPTIONAL_NOTICES, EmailTiming.NOW) | {NoticeKind.STAFF_DAILY: EmailTiming.OFF}


class Somebody:
    """A member, signed in; a student unless they have another role."""

    def __init__(self, role: Role = Role.STUDENT) -> None:
        self.cohort = CohortFactory.create(time_zone="Europe/Berlin")
        self.organization: Organization = self.cohort.organization
        self.user: User = (
            student(self.cohort).user
            if role == Role.STUDENT
            else staff_user(self.organization, role)
        )
        self.client = Client()
        self.client.force_login(self.user)
        self.address = f"/o/{self.organization.slug}/notices/"

    @property
    def timings(self) -> dict[NoticeKind, EmailTiming]:
        with scope(organization=self.organization):
            return email_timings(self.organization, self.user)

    def page(self, query: str = "") -> str:
        html = self.client.get(self.address + query).content.decode()
        assert faults_of(html) == []
        return html

    def kinds(self) -> list[str]:
        return re.findall(r'<select name="(\w+)"', self.page())

    def save(self, **changes: str) -> str:
        sent = {kind: self.timings[NoticeKind(kind)].value for kind in self.kinds()}
        return self.client.post(self.address, sent | changes).content.decode()


@pytest.fixture
def somebody() -> Somebody:
    return Somebody()


def test_everything_comes_at_once_at_first_but_what_waits_for_staff(somebody):
    assert somebody.timings == FIRST


@pytest.mark.parametrize(
    ("role", "kinds"),
    [(Role.STUDENT, STUDENTS), (Role.ASSISTANT, OF_STAFF), (Role.OWNER, OF_STAFF)],
)
def test_page_shows_the_kinds_that_can_reach_its_reader(role, kinds):
    assert Somebody(role).kinds() == [kind.value for kind in kinds]


def test_assistant_who_is_a_student_too_has_both_groups():
    both = Somebody(Role.ASSISTANT)
    EnrollmentFactory.create(cohort=both.cohort, user=both.user)
    html = both.page()
    assert [name in html for name in ("My own work", "My work as staff")] == [True, True]
    assert sorted(both.kinds()) == sorted(kind.value for kind in {*STUDENTS, *OF_STAFF})


def test_every_kind_says_what_it_means_and_when_the_daily_email_comes(somebody):
    html = somebody.page()
    assert [kind for kind in STUDENTS if MEANINGS[kind] not in html] == []
    assert "7:00 (Europe/Berlin)" in html


def test_what_cannot_wait_is_not_offered_once_a_day(somebody):
    html = somebody.page()
    options = dict(re.findall(r'<select name="(\w+)"(.*?)</select>', html, re.DOTALL))
    assert [kind for kind, choices in options.items() if 'value="daily"' not in choices] == [
        "audit_failed",
        "due_soon",
        "extension",
    ]


def test_each_kind_is_chosen_by_itself(somebody):
    somebody.save(released="daily", handed_in="off")
    assert somebody.timings == FIRST | {
        NoticeKind.RELEASED: EmailTiming.DAILY,
        NoticeKind.HANDED_IN: EmailTiming.OFF,
    }
    somebody.save(released="now", handed_in="now")
    assert somebody.timings == FIRST


def test_kinds_that_the_page_does_not_show_keep_their_choice():
    person = Somebody(Role.INSTRUCTOR)
    person.save(staff_daily="daily", mentioned="daily")
    with scope(organization=person.organization):
        Membership.objects.filter(user=person.user).update(role=Role.STUDENT)
    person.save(released="off")
    assert person.timings == FIRST | {
        NoticeKind.STAFF_DAILY: EmailTiming.DAILY,
        NoticeKind.MENTIONED: EmailTiming.DAILY,
        NoticeKind.RELEASED: EmailTiming.OFF,
    }


def test_one_button_makes_everything_daily_and_one_takes_it_back(somebody):
    somebody.save(handed_in="off")
    somebody.client.post(somebody.address, {"all": "daily"})
    assert {kind for kind, at in somebody.timings.items() if at == EmailTiming.DAILY} == {
        *DAILY_NOTICES
    } - {NoticeKind.HANDED_IN}
    somebody.client.post(somebody.address, {"all": "now"})
    assert somebody.timings == FIRST | {NoticeKind.HANDED_IN: EmailTiming.OFF}


def test_choice_is_logged(somebody):
    somebody.save(released="daily", handed_in="off")
    with scope(organization=somebody.organization):
        row = Activity.objects.get(verb="notices.chosen")
    assert (row.actor_id, row.detail) == (
        somebody.user.pk,
        {"off": ["handed_in"], "daily": ["released"]},
    )


def test_a_letters_link_needs_signing_in_and_then_one_click(somebody):
    link = f"{somebody.address}?off=audit_failed"
    response = Client().get(link)
    assert (response.status_code, "off%3Daudit_failed" in response["Location"]) == (302, True)
    assert "Stop emails of this kind: “One of my audits failed”?" in somebody.page(
        "?off=audit_failed"
    )
    assert somebody.timings == FIRST
    somebody.client.post(link, {"off": "audit_failed"})
    assert somebody.timings == FIRST | {NoticeKind.AUDIT_FAILED: EmailTiming.OFF}


def test_stopping_the_staffs_daily_email_by_its_link_ends_it():
    person = Somebody(Role.ASSISTANT)
    person.save(staff_daily="daily")
    person.client.post(person.address, {"off": "staff_daily"})
    assert person.timings == FIRST


@pytest.mark.parametrize("off", ["nonsense", "", Role.OWNER, "digest"])
def test_a_kind_that_does_not_exist_switches_nothing_off(somebody, off):
    assert "Stop emails of this kind" not in somebody.page(f"?off={off}")
    assert somebody.client.post(somebody.address, {"off": off}).status_code == 200
    assert somebody.timings == FIRST


@pytest.mark.parametrize(
    ("changes", "odd"), [({"released": "odd"}, "odd"), ({"due_soon": "daily"}, "daily")]
)
def test_an_unknown_choice_is_said_and_changes_nothing(somebody, changes, odd):
    html = somebody.save(**changes)
    assert f"Select a valid choice. {odd} is not one of the available choices." in html
    assert somebody.timings == FIRST


def test_unknown_button_changes_nothing(somebody):
    somebody.client.post(somebody.address, {"all": "never"})
    assert somebody.timings == FIRST
