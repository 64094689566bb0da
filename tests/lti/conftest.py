"""A learning platform on loopback that is registered with an institution."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django_scopes import scope

from grading.models import LtiCourseLink, LtiRegistration
from tests.factories.lti import (
    LtiContextFactory,
    LtiCourseLinkFactory,
    LtiDeploymentFactory,
    LtiKeyFactory,
    LtiRegistrationFactory,
)
from tests.factories.lti_server import LtiServer, lti_serving
from tests.factories.lti_services import SCOPES, CourseThere
from tests.factories.people import CohortFactory


@pytest.fixture(scope="module")
def running_platform() -> Iterator[LtiServer]:
    with lti_serving() as platform:
        yield platform


@pytest.fixture
def platform(running_platform: LtiServer) -> Iterator[LtiServer]:
    """The server, which forgets what a test changed."""
    keys = dict(running_platform.keys)
    yield running_platform
    running_platform.keys = keys
    running_platform.answers.clear()
    running_platform.requests.clear()
    running_platform.services = lambda _: None


@pytest.fixture
def course(platform: LtiServer) -> CourseThere:
    """A course there with a roster and a gradebook."""
    there = CourseThere(platform)
    platform.services = there.answer
    return there


@pytest.fixture
def link(registration: LtiRegistration, course: CourseThere) -> LtiCourseLink:
    """The course and the cohort that it belongs to."""
    with scope(organization=registration.organization):
        deployment = registration.deployments.get()
    context = LtiContextFactory.create(
        deployment=deployment,
        memberships_url=course.members_url,
        lineitems_url=course.columns_url,
        grade_scopes=SCOPES,
    )
    cohort = CohortFactory.create(organization=registration.organization)
    made: LtiCourseLink = LtiCourseLinkFactory.create(context=context, cohort=cohort)
    return made


@pytest.fixture
def registration(platform: LtiServer, redis: None) -> LtiRegistration:
    made: LtiRegistration = LtiRegistrationFactory.create(**platform.names)
    LtiDeploymentFactory.create(registration=made)
    LtiKeyFactory.create(registration=made)
    cache.clear()
    return made
