"""What is judged, to be read before handing in; and by staff, as students would read it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from grading.models import Assignment, RubricVersion
from tests.factories.graded_work import page_of, signed_in
from tests.factories.people import staff_user, student
from tests.factories.work import AssignmentFactory, RubricVersionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
DOCUMENT: dict[str, Any] = {
    "id": "small",
    "name": "Small",
    "criteria": [
        {
            "id": "tidy",
            "name": "Tidy",
            "instruction": "Keep it **tidy**.",
            "success_pattern": "No litter",
            "failure_pattern": "<script>litter</script>",
            "max_points": 30,
            "levels": [
                {"name": "Spotless", "points": 30, "description": "Nothing lies about"},
                {"name": "Messy", "points": 0},
            ],
            "judicial_logic": {"prosecutor": "Look under the carpet"},
        },
        {"id": "tested", "name": "Tested", "max_points": 10},
    ],
}


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(rubric_version__document=DOCUMENT)
    return made


def version_page(version: RubricVersion) -> str:
    return reverse("rubric-version", args=[version.organization.slug, version.pk])


def read(client: Client, address: str) -> str:
    page = client.get(address).content.decode()
    assert faults_of(page) == []
    return page


def test_a_student_reads_what_is_judged_and_what_it_is_worth_and_nothing_that_is_for_the_judges(
    assignment: Assignment,
) -> None:
    client = signed_in(student(assignment.cohort).user)
    page = read(client, page_of(assignment, "rubric"))
    for words in (
        "<strong>tidy</strong>",
        "No litter",
        "&lt;script&gt;",
        "Spotless",
        "75 %",
        "25 %",
    ):
        assert words in page
    assert "carpet" not in page
    assert page_of(assignment, "rubric") in read(client, page_of(assignment, "assignment"))


def test_staff_read_the_same_with_what_the_judges_are_told_set_apart(
    assignment: Assignment,
) -> None:
    client = signed_in(staff_user(assignment.organization))
    page = read(client, version_page(assignment.rubric_version))
    assert (
        "For the judges alone" in page,
        "Look under the carpet" in page,
        "No litter" in page,
    ) == (True,) * 3
    assert "carpet" not in read(client, page_of(assignment, "rubric"))


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, "It has no criterion yet"),
        ({"criteria": {"a": 1}}, "It has no criterion yet"),
        (
            {
                "criteria": [
                    "a",
                    {"id": "only", "levels": "none", "max_points": "ten", "judicial_logic": []},
                ]
            },
            "only",
        ),
    ],
)
def test_of_a_draft_that_does_not_fit_yet_what_can_be_read_is_shown(
    assignment: Assignment, document: dict[str, Any], words: str
) -> None:
    rubric = assignment.rubric_version.rubric
    draft = RubricVersionFactory.create(
        rubric=rubric, number=7, state="draft", document=document, digest="", published_at=None
    )
    assert words in read(signed_in(staff_user(assignment.organization)), version_page(draft))
