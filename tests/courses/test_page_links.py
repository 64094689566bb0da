"""Links of the pages of an organization, a cohort and an assignment: each leads its reader somewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from grading.core.enums import Role
from grading.courses.page_links import ORGANIZATION
from grading.models import Assignment
from tests.factories.graded_work import signed_in
from tests.factories.people import staff_user, student
from tests.factories.work import AssignmentFactory

pytestmark = pytest.mark.django_db
DEPTHS = {"organization": 1, "cohort": 2, "assignment": 3}


@pytest.fixture(scope="module")
def assignment(kept: None) -> Assignment:
    made: Assignment = AssignmentFactory.create()
    return made


@pytest.fixture(scope="module")
def readers(assignment: Assignment) -> dict[str, User]:
    own = assignment.organization
    return {
        "student": student(assignment.cohort).user,
        "assistant": staff_user(own, Role.ASSISTANT),
        "instructor": staff_user(own),
        "owner": staff_user(own, Role.OWNER),
    }


@pytest.fixture
def links(assignment: Assignment, readers: dict[str, User]) -> Callable[..., dict[str, list[str]]]:
    """Return the labels by group that a reader sees on a page."""

    def listed(page: str, reader: str) -> dict[str, list[str]]:
        answer = signed_in(readers[reader]).get(address_of(assignment, page))
        return {
            group.heading: [link.label for link in group.links]
            for group in answer.context["groups"]
        }

    return listed


def address_of(assignment: Assignment, page: str) -> str:
    places = ("o", assignment.organization.slug, "c", assignment.cohort.slug, "a", assignment.slug)
    return f"/{'/'.join(places[: 2 * DEPTHS[page]])}/"


def refused(client: Client, address: str) -> list[tuple[str, int]]:
    groups = client.get(address).context["groups"]
    answers = [
        (link.address, client.get(link.address).status_code)
        for group in groups
        for link in group.links
    ]
    return [(link, status) for link, status in answers if status != 200]


@pytest.mark.parametrize("reader", ["assistant", "instructor", "owner"])
@pytest.mark.parametrize("page", DEPTHS)
def test_staff_may_open_every_page_they_are_led_to(
    page: str, reader: str, assignment: Assignment, readers: dict[str, User]
) -> None:
    assert refused(signed_in(readers[reader]), address_of(assignment, page)) == []


@pytest.mark.parametrize("page", ["organization", "cohort"])
def test_students_may_open_every_page_they_are_led_to(
    page: str, assignment: Assignment, readers: dict[str, User]
) -> None:
    assert refused(signed_in(readers["student"]), address_of(assignment, page)) == []


def test_students_are_led_to_their_own_pages_only(
    links: Callable[..., dict[str, list[str]]],
) -> None:
    assert links("organization", "student") == {
        "Yours": ["Your comments", "Your appeals", "Email settings", "Connections", "Leave"]
    }
    assert links("cohort", "student") == {"Yours": ["Repositories"], "People": ["Peers"]}


def test_assistants_are_not_led_to_pages_that_change_the_organization(
    links: Callable[..., dict[str, list[str]]],
) -> None:
    teachers = {entry.label for entry in ORGANIZATION["Set-up"] if entry.readers == "teachers"}
    assistant = {
        label for labels in links("organization", "assistant").values() for label in labels
    }
    instructor = {
        label for labels in links("organization", "instructor").values() for label in labels
    }
    assert instructor - assistant == teachers
