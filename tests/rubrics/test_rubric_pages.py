"""Pages of a rubric for students, and for staff with the guidance for judges."""

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
            "checks": [
                {"id": "swept", "kind": "text_contains", "goal": "It is swept", "weight": 1.5}
                | {"essential": True, "any_of": ["broomstick"], "paths": ["**"]},
                {"id": "aired", "kind": "file_exists", "goal": "It is aired", "any_of": ["air/**"]},
            ],
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


def test_student_reads_criteria_and_points_but_no_guidance_for_judges(
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


def test_staff_also_read_the_guidance_for_judges(
    assignment: Assignment,
) -> None:
    client = signed_in(staff_user(assignment.organization))
    page = read(client, version_page(assignment.rubric_version))

    assert (
        "Guidance for judges" in page,
        "Look under the carpet" in page,
        "No litter" in page,
    ) == (True,) * 3
    assert "carpet" not in read(client, page_of(assignment, "rubric"))


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, "This rubric has no criteria yet"),
        ({"criteria": {"a": 1}}, "This rubric has no criteria yet"),
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
def test_unfinished_draft_shows_its_readable_parts(
    assignment: Assignment, document: dict[str, Any], words: str
) -> None:
    rubric = assignment.rubric_version.rubric
    draft = RubricVersionFactory.create(
        rubric=rubric, number=7, state="draft", document=document, digest="", published_at=None
    )

    assert words in read(signed_in(staff_user(assignment.organization)), version_page(draft))


def test_checks_are_listed_with_weights_and_without_the_words_they_look_for(
    assignment: Assignment,
) -> None:
    client = signed_in(student(assignment.cohort).user)
    page = " ".join(read(client, page_of(assignment, "rubric")).split())
    assert 'It is swept</th> <td data-label="Weight">1.5 (60 %), essential</td>' in page
    assert 'It is aired</th> <td data-label="Weight">1 (40 %)</td>' in page
    assert "broomstick" not in page
    assert "air/**" not in page
