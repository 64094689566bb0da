"""A course made on one page: cohort, assignment and join link at once, or nothing of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User

from grading.core.enums import Role
from grading.models import Assignment, Cohort, JoinLink, Organization
from tests.factories.graded_work import signed_in
from tests.factories.people import (
    CohortFactory,
    OrganizationFactory,
    UserFactory,
    everywhere,
    staff_user,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
ADDRESS = "/courses/new/"
COURSE = {
    "name": "Autumn 2026",
    "time_zone": "Europe/Berlin",
    "kind": "self_audit",
    "due_at": "2030-11-30T23:59",
}


def posted(user: User, **fields: Any) -> Any:
    return signed_in(user).post(ADDRESS, COURSE | fields)


def made() -> tuple[int, int, int]:
    with everywhere():
        return Cohort.objects.count(), Assignment.objects.count(), JoinLink.objects.count()


def test_course_of_a_new_institution_ends_on_its_join_link() -> None:
    answer = posted(UserFactory.create(), institution="Example College")
    assert answer.headers["Location"] == ("/o/example-college/c/autumn-2026/people/join-link/")
    with everywhere():
        assignment, link = Assignment.objects.get(), JoinLink.objects.get()
        assert (assignment.title, assignment.due_at) == (
            "LangGraph auditor",
            datetime(2030, 11, 30, 22, 59, tzinfo=UTC),
        )
        assert (link.cohort, link.is_open) == (assignment.cohort, True)
        assert assignment.cohort.time_zone == "Europe/Berlin"


def test_teacher_adds_a_course_to_their_institution() -> None:
    organization = OrganizationFactory.create()
    posted(staff_user(organization), organization=organization.slug)
    with everywhere():
        assert [row.organization for row in Cohort.objects.all()] == [organization]


def test_teacher_may_found_another_institution_on_the_same_page() -> None:
    teacher = staff_user(OrganizationFactory.create())
    assert list(posted(teacher, organization="new").context["form"].errors) == ["institution"]
    posted(teacher, organization="new", institution="Example College")
    with everywhere():
        assert [row.organization.slug for row in Cohort.objects.all()] == ["example-college"]


def test_assistant_and_stranger_cannot_add_a_course_to_an_institution() -> None:
    organization = OrganizationFactory.create()
    for user in (staff_user(organization, Role.ASSISTANT), UserFactory.create()):
        form = posted(user, organization=organization.slug).context["form"]
        assert list(form.errors) == ["institution"]
    assert made() == (0, 0, 0)


def test_name_that_is_taken_makes_nothing_and_keeps_the_input() -> None:
    cohort = CohortFactory.create(slug="autumn-2026")
    teacher = staff_user(cohort.organization)
    form = posted(teacher, organization=cohort.organization.slug).context["form"]
    assert form.non_field_errors() == [
        "This organization already has a cohort called “autumn-2026”."
    ]
    assert form["due_at"].value() == COURSE["due_at"]
    assert made() == (1, 0, 0)


def test_refused_course_leaves_no_new_institution(settings: Any) -> None:
    form = posted(UserFactory.create(), institution="Example College", kind="none").context["form"]
    assert list(form.errors) == ["kind"]
    assert Organization.objects.count() == 0


def test_words_of_the_sites_addresses_are_no_names() -> None:
    form = posted(UserFactory.create(), institution="New", name="Roster").context["form"]
    assert sorted(form.errors) == ["institution", "name"]
    assert made() == (0, 0, 0)


def test_where_institutions_are_approved_a_newcomer_creates_theirs_first(settings: Any) -> None:
    settings.INSTITUTIONS_BY_APPROVAL = True
    answer = posted(UserFactory.create(), institution="Example College")
    assert answer.headers["Location"] == "/organizations/new/"
    assert Organization.objects.count() == 0
