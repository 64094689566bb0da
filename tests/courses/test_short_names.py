"""Another short name for a cohort or an assignment: refusals, addresses, waiting emails, the log."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from grading.core.enums import Role
from grading.core.form_bases import RESERVED_SLUGS
from grading.models import Activity, Assignment, Cohort, Notice
from tests.factories.graded_work import page_of, signed_in
from tests.factories.grades import NoticeFactory
from tests.factories.people import CohortFactory, everywhere, staff_user, student
from tests.factories.work import AssignmentFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
PLACES = ("cohort", "assignment")


class Course:
    def __init__(self) -> None:
        self.cohort: Cohort = CohortFactory.create(name="Autumn", slug="autumn")
        self.assignment: Assignment = AssignmentFactory.create(
            cohort=self.cohort, title="Week 2", slug="week-2"
        )
        self.teacher: Client = signed_in(staff_user(self.cohort.organization))

    def settings_page(self, place: str) -> str:
        if place == "assignment":
            return page_of(self.assignment, "assignment-settings")
        return reverse("cohort-settings", args=[self.cohort.organization.slug, "autumn"])

    def address(self, place: str, slug: str) -> str:
        slugs = [self.cohort.organization.slug]
        slugs += ["autumn", slug] if place == "assignment" else [slug]
        return reverse(place, args=slugs)

    def rename(self, place: str, slug: str, client: Client | None = None) -> Any:
        sent = {"act": "short-name", "slug": slug}
        return (client or self.teacher).post(self.settings_page(place), sent)

    def short_names(self) -> tuple[str, str]:
        with everywhere():
            cohort = Cohort.objects.get(pk=self.cohort.pk)
            return cohort.slug, Assignment.objects.get(pk=self.assignment.pk).slug


@pytest.fixture
def course() -> Course:
    return Course()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "slug",
    [
        "",
        "Week",
        "week_2",
        "wéek",
        "week 2",
        "-week",
        "a--b",
        "../x",
        "x" * 61,
        *sorted(RESERVED_SLUGS),
    ],
)
def test_unfit_name_is_refused_beside_its_field_and_stays_typed(
    slug: str, place: str, course: Course
) -> None:
    answer = course.rename(place, slug)
    assert answer.status_code == 200
    assert list(answer.context["short_name"].errors) == ["slug"]
    assert answer.context["short_name"]["slug"].value() == slug
    assert not answer.context["form"].errors
    assert faults_of(answer.text) == []
    assert course.short_names() == ("autumn", "week-2")


@pytest.mark.parametrize("place", PLACES)
def test_name_of_a_neighbour_is_refused_and_that_of_another_place_is_not(
    place: str, course: Course
) -> None:
    CohortFactory.create(organization=course.cohort.organization, slug="taken")
    AssignmentFactory.create(cohort=course.cohort, slug="taken")
    AssignmentFactory.create(cohort__slug="elsewhere", slug="elsewhere")
    answer = course.rename(place, "taken")
    assert "already has" in answer.context["short_name"].errors["slug"][0]
    assert course.short_names() == ("autumn", "week-2")
    with everywhere():
        assert not Activity.objects.exists()
    assert course.rename(place, "elsewhere").status_code == 302


@pytest.mark.parametrize("place", PLACES)
def test_new_name_is_the_address_the_old_one_is_missing_and_the_log_has_both(
    place: str, course: Course
) -> None:
    former = {"cohort": "autumn", "assignment": "week-2"}[place]
    answer = course.rename(place, "again-1")
    assert answer.url == course.address(place, "again-1")
    assert course.teacher.get(answer.url).status_code == 200
    assert course.teacher.get(course.address(place, former)).status_code == 404
    with everywhere():
        entry = Activity.objects.get()
    assert (entry.verb, entry.detail) == (f"{place}.moved", {"before": former, "after": "again-1"})


@pytest.mark.parametrize("place", PLACES)
def test_same_name_again_changes_and_logs_nothing(place: str, course: Course) -> None:
    former = {"cohort": "autumn", "assignment": "week-2"}[place]
    assert course.rename(place, former).status_code == 302
    with everywhere():
        assert not Activity.objects.exists()


@pytest.mark.parametrize("place", PLACES)
def test_page_warns_before_the_change_and_keeps_the_settings(place: str, course: Course) -> None:
    page = course.teacher.get(course.settings_page(place)).text
    assert "old links stop working" in page
    assert faults_of(page) == []
    course.rename(place, "again")
    with everywhere():
        names = (Cohort.objects.get().name, Assignment.objects.get().title)
    assert names == ("Autumn", "Week 2")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("role", [Role.ASSISTANT, None])
def test_others_than_teachers_change_no_name(role: Role | None, place: str, course: Course) -> None:
    user = staff_user(course.cohort.organization, role) if role else student(course.cohort).user
    assert course.rename(place, "again", signed_in(user)).status_code == 404
    assert course.short_names() == ("autumn", "week-2")


def test_waiting_emails_lead_to_the_new_address_and_sent_ones_stay(course: Course) -> None:
    prefix = course.address("cohort", "autumn")
    organization = course.cohort.organization
    paths = [prefix, f"{prefix}a/week-2/", prefix.replace("autumn", "autumn-2")]
    waiting = [NoticeFactory.create(organization=organization, path=path) for path in paths]
    sent = NoticeFactory.create(organization=organization, path=prefix, sent_at=timezone.now())
    course.rename("cohort", "winter")
    with everywhere():
        rows = Notice.objects.in_bulk()
    moved = prefix.replace("autumn", "winter")
    assert [rows[row.pk].path for row in waiting] == [moved, f"{moved}a/week-2/", paths[2]]
    assert rows[sent.pk].path == prefix
