"""Programs of teachers read the platforms, and the courses of a cohort."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from grading.models import LtiScore
from tests.factories.lti import (
    LtiAccountFactory,
    LtiContextFactory,
    LtiCourseLinkFactory,
    LtiDeploymentFactory,
    LtiRegistrationFactory,
    LtiScoreFactory,
)
from tests.factories.people import CohortFactory, staff_user
from tests.web_client.api_program import Program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def cohort() -> Any:
    return CohortFactory.create()


@pytest.fixture
def teacher(cohort) -> Program:
    return Program(staff_user(cohort.organization), cohort.organization.slug)


def add_platform(cohort: Any) -> Any:
    deployment = LtiDeploymentFactory.create(registration__organization=cohort.organization)
    context = LtiContextFactory.create(deployment=deployment, context_id="course-1")
    LtiAccountFactory.create(registration=deployment.registration)
    LtiCourseLinkFactory.create(cohort=cohort, context=context)
    return deployment.registration


def test_platforms_are_listed_without_secrets(cohort, teacher):
    registration = add_platform(cohort)
    LtiRegistrationFactory.create()
    (row,) = teacher.get("platforms/").json()["results"]
    row.pop("created_at")
    assert row == {
        "id": registration.pk,
        "name": "Moodle",
        "active": True,
        "complete": True,
        "issuer": registration.issuer,
        "client_id": "client-1",
        "teacher_role": "instructor",
        "deployments": ["1"],
        "people": 1,
        "courses": 1,
    }


def test_the_courses_of_a_cohort_are_listed(cohort, teacher):
    add_platform(cohort)
    other = CohortFactory.create(organization=cohort.organization)
    add_platform(other)
    (row,) = teacher.get(f"cohorts/{cohort.slug}/courses/").json()["results"]
    assert (row["platform"], row["context_id"], row["title"]) == (
        "Moodle",
        "course-1",
        "Software engineering",
    )


def test_more_platforms_ask_no_more_queries(cohort, teacher):
    # The first request of a token writes down that it was used.
    teacher.get("platforms/")
    counts = []
    for _ in range(2):
        add_platform(cohort)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            teacher.get("platforms/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_grades_are_listed_with_their_outcome_and_sent_again(cohort, teacher):
    score = LtiScoreFactory.create(
        line_item__assignment__cohort=cohort, state="refused", answer="locked", status=403, points=9
    )
    path = f"cohorts/{cohort.slug}/assignments/{score.line_item.assignment.slug}/gradebooks/"
    (row,) = teacher.get(path).json()["results"]
    assert row == {
        "student": score.student.email,
        "platform": "Moodle",
        "context_id": score.line_item.context.context_id,
        "state": "refused",
        "status": 403,
        "answer": "locked",
        "points": 9.0,
        "maximum": 100.0,
        "tries": 0,
        "sent_at": None,
    }
    LtiCourseLinkFactory.create(cohort=cohort, context=score.line_item.context)
    assert teacher.post(path, {"students": ["nobody@example.org"]}).status_code == 422
    assert teacher.post(path, {"students": [score.student.email]}).json() == {"queued": 1}
    with scope(organization=cohort.organization):
        assert LtiScore.objects.get().state == "waiting"
