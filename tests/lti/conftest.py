"""A learning platform on loopback that is registered with an institution."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from grading.models import LtiRegistration
from tests.factories.lti import LtiDeploymentFactory, LtiKeyFactory, LtiRegistrationFactory
from tests.factories.lti_server import LtiServer, lti_serving


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


@pytest.fixture
def registration(platform: LtiServer, redis: None) -> LtiRegistration:
    made: LtiRegistration = LtiRegistrationFactory.create(**platform.names)
    LtiDeploymentFactory.create(registration=made)
    LtiKeyFactory.create(registration=made)
    cache.clear()
    return made
