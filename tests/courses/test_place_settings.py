"""Settings of a cohort and of an organization on the site, and the organization's log."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from grading.core.enums import Role
from grading.models import Activity, Cohort, Organization
from tests.factories.graded_work import signed_in
from tests.factories.people import CohortFactory, everywhere, staff_user
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cohort() -> Any:
    return CohortFactory.create(name="Autumn", starts_on=date(2026, 9, 1))


@pytest.fixture
def teacher(cohort: Any) -> Client:
    return signed_in(staff_user(cohort.organization))


def of_cohort(cohort: Any) -> str:
    return reverse("cohort-settings", args=[cohort.organization.slug, cohort.slug])


def of_organization(cohort: Any, page: str = "organization-settings") -> str:
    return reverse(page, args=[cohort.organization.slug])


def sent(**fields: Any) -> dict[str, Any]:
    return {"name": "Autumn", "time_zone": "UTC", "starts_on": "2026-09-01", **fields}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"ends_on": "2026-08-31"}, "ends_on"),
        ({"name": ""}, "name"),
        ({"starts_on": "x"}, "starts_on"),
    ],
)
def test_wrong_settings_of_a_cohort_are_refused_beside_their_field(
    fields: dict[str, str], field: str, teacher: Client, cohort: Any
) -> None:
    answer = teacher.post(of_cohort(cohort), sent(**fields))
    assert list(answer.context["form"].errors) == [field]
    with everywhere():
        assert not Activity.objects.exists()


def test_cohort_gets_another_name_and_days_and_the_log_says_which(
    teacher: Client, cohort: Any
) -> None:
    for _ in range(2):
        changes = sent(name="Winter", ends_on="2027-02-28")
        assert teacher.post(of_cohort(cohort), changes).status_code == 302
    with everywhere():
        changed, entry = Cohort.objects.get(), Activity.objects.get()
    assert (changed.name, changed.slug, changed.ends_on) == (
        "Winter",
        cohort.slug,
        date(2027, 2, 28),
    )
    assert (entry.verb, entry.detail["what"]) == ("cohort.changed", "name, last day")
    assert entry.detail["after"] == {"name": "Winter", "ends_on": "2027-02-28"}


def test_cohort_that_changed_since_the_page_was_opened_is_refused_once(
    teacher: Client, cohort: Any
) -> None:
    opened = teacher.get(of_cohort(cohort)).context["form"].fingerprint
    teacher.post(of_cohort(cohort), sent(name="Winter"))
    answer = teacher.post(of_cohort(cohort), sent(name="Spring", seen=opened))
    assert "This changed since you opened the page" in answer.text
    with everywhere():
        assert Cohort.objects.get().name == "Winter"


@pytest.mark.parametrize("name", ["", "Automaton Auditor", "x" * 121])
def test_name_that_no_organization_may_have_is_refused(
    name: str, teacher: Client, cohort: Any
) -> None:
    answer = teacher.post(of_organization(cohort), {"name": name})
    assert list(answer.context["form"].errors) == ["name"]


def test_approved_name_is_the_operators_to_change(
    teacher: Client, cohort: Any, settings: Any
) -> None:
    settings.INSTITUTIONS_BY_APPROVAL = True
    answer = teacher.post(of_organization(cohort), {"name": "Another"})
    assert "Ask them to change it." in answer.context["form"].errors["name"][0]
    assert Organization.objects.get().name == cohort.organization.name


def test_organization_is_renamed_and_its_log_says_so(
    teacher: Client, cohort: Any, settings: Any
) -> None:
    settings.INSTITUTIONS_BY_APPROVAL = False
    assert teacher.post(of_organization(cohort), {"name": "Another"}).status_code == 302
    page = teacher.get(of_organization(cohort, "organization-log"))
    before = cohort.organization.name
    assert f"renamed the organization from {before} to Another" in page.text
    assert faults_of(page.text) == []


def test_log_of_an_organization_leaves_out_its_cohorts_and_others(
    teacher: Client, cohort: Any, settings: Any
) -> None:
    settings.INSTITUTIONS_BY_APPROVAL = False
    other = CohortFactory.create()
    elsewhere = signed_in(staff_user(other.organization))
    teacher.post(of_cohort(cohort), sent(name="Winter"))
    elsewhere.post(of_organization(other), {"name": "Elsewhere"})
    entries = teacher.get(of_organization(cohort, "organization-log")).context["entries"]
    assert list(entries) == []


def test_assistants_open_neither_settings_nor_the_organizations_log(cohort: Any) -> None:
    assistant = signed_in(staff_user(cohort.organization, Role.ASSISTANT))
    pages = (
        of_cohort(cohort),
        of_organization(cohort),
        of_organization(cohort, "organization-log"),
    )
    assert [assistant.get(page).status_code for page in pages] == [404] * 3
