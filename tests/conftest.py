"""What every test may ask for: an empty queue, a place for uploads, the system's browser."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as configuration
from django.core.cache import cache
from django.test import override_settings
from redis import Redis

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER = "No Chromium was found: `apt-get install chromium`, or set CHROMIUM to its path."


@pytest.fixture(autouse=True)
def _uploads_stay_in_the_test(tmp_path: Path) -> Iterator[None]:
    with override_settings(MEDIA_ROOT=tmp_path / "media"):
        yield


@pytest.fixture
def redis() -> Iterator[Redis]:
    """This test process's own Redis database, empty before and after."""
    client = Redis.from_url(configuration.REDIS_URL)
    client.flushdb()
    yield client
    client.flushdb()
    client.close()


@pytest.fixture
def empty_cache() -> Iterator[None]:
    """For tests of what is counted in the shared cache, such as allauth's rate limits."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The system's Chromium. Without one the test is skipped; with REQUIRE_BROWSER=1 (CI) it fails."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        return found
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(NO_BROWSER)
    pytest.skip(NO_BROWSER)
