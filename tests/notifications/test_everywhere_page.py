"""Email settings of all institutions of a person on one page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from grading.core.enums import EmailTiming, NoticeKind, Role
from grading.models import Activity, Organization
from grading.notifications.choices import choose_timings
from grading.notifications.queries import email_timings
from tests.factories.graded_work import signed_in
from tests.factories.people import (
    CohortFactory,
    MembershipFactory,
    UserFactory,
    everywhere,
    staff_user,
    student,
)
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
PAGE = "/notices/"
NOW, DAILY, OFF = EmailTiming.NOW, EmailTiming.DAILY, EmailTiming.OFF


class Person:
    """A student of one institution who assists in another."""

    def __init__(self) -> None:
        own = student(CohortFactory.create())
        self.user: User = own.user
        self.studies: Organization = own.organization
        self.assists: Organization = CohortFactory.create().organization
        MembershipFactory.create(organization=self.assists, user=self.user, role=Role.ASSISTANT)
        self.client = signed_in(self.user)

    def timing(self, organization: Organization, kind: NoticeKind) -> EmailTiming:
        with scope(organization=organization):
            return email_timings(organization, self.user)[kind]

    def choose(self, organization: Organization, kind: NoticeKind, at: EmailTiming) -> None:
        with scope(organization=organization):
            timings = email_timings(organization, self.user) | {kind: at}
            choose_timings(organization=organization, user=self.user, timings=timings)

    def initial(self) -> dict[str, Any]:
        form = self.client.get(PAGE).context["form"]
        return {field.name: field.value() for field in form}

    def save(self, **changes: str) -> Any:
        return self.client.post(PAGE, self.initial() | changes)


@pytest.fixture
def person() -> Person:
    return Person()


def test_kinds_of_all_institutions_are_listed_once(person: Person) -> None:
    page = person.client.get(PAGE).text
    assert faults_of(page) == []
    names = re.findall(r'<select name="(\w+)"', page)
    assert len(names) == len(set(names))
    assert {NoticeKind.RELEASED, NoticeKind.MENTIONED, NoticeKind.COMPLAINT} <= set(names)
    assert [f"/o/{row.slug}/notices/" in page for row in (person.studies, person.assists)] == [
        True
    ] * 2


def test_one_choice_holds_in_each_institution_where_the_kind_can_come(person: Person) -> None:
    assert person.save(complaint="off", released="daily").status_code == 302
    both = (person.studies, person.assists)
    assert [person.timing(row, NoticeKind.COMPLAINT) for row in both] == [OFF, OFF]
    # Assistants get no grades: that choice stays as it was.
    assert [person.timing(row, NoticeKind.RELEASED) for row in both] == [DAILY, NOW]
    with everywhere():
        assert Activity.objects.filter(verb="notices.chosen").count() == 2


def test_different_choices_stay_until_another_is_made_for_all(person: Person) -> None:
    both = (person.studies, person.assists)
    person.choose(person.assists, NoticeKind.COMPLAINT, OFF)
    assert person.initial()["complaint"] == "keep"
    person.save(released="off")
    assert [person.timing(row, NoticeKind.COMPLAINT) for row in both] == [NOW, OFF]
    person.save(complaint="now")
    assert [person.timing(row, NoticeKind.COMPLAINT) for row in both] == [NOW, NOW]


def test_saving_unchanged_logs_nothing(person: Person) -> None:
    person.save()
    with everywhere():
        assert not Activity.objects.exists()


@pytest.mark.parametrize("sent", ["never", "keep", ""])
def test_unknown_timing_is_refused_and_nothing_is_saved(sent: str, person: Person) -> None:
    answer = person.save(complaint=sent, released="off")
    assert list(answer.context["form"].errors) == ["complaint"]
    assert person.timing(person.studies, NoticeKind.RELEASED) == NOW


def test_urgent_kind_cannot_wait(person: Person) -> None:
    assert list(person.save(audit_failed="daily").context["form"].errors) == ["audit_failed"]


def test_choices_of_others_stay(person: Person) -> None:
    colleague = staff_user(person.assists, Role.ASSISTANT)
    person.save(complaint="off")
    with scope(organization=person.assists):
        assert email_timings(person.assists, colleague)[NoticeKind.COMPLAINT] == NOW


def test_person_without_an_institution_reads_so() -> None:
    client = signed_in(UserFactory.create())
    for answer in (client.get(PAGE), client.post(PAGE)):
        assert "no institution yet" in answer.text
        assert faults_of(answer.text) == []


def test_page_takes_as_many_queries_for_three_institutions(
    person: Person, django_assert_num_queries: Any
) -> None:
    person.client.get(PAGE)
    with CaptureQueriesContext(connection) as queries:
        person.client.get(PAGE)
    for _ in range(2):
        MembershipFactory.create(
            organization=CohortFactory.create().organization,
            user=person.user,
            role=Role.ASSISTANT,
        )
    with django_assert_num_queries(len(queries)):
        person.client.get(PAGE)
