"""The system's browser."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator

import pytest
from django.db import connection

from tests.browser.tabs import Chromium

# The shell has no window to draw, so it loads a page for half the processor time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BUSY_SESSIONS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
"""
PATIENCE_SECONDS = 10.0
NO_BROWSER = "No Chromium was found: `apt-get install chromium`, or set CHROMIUM to its path."


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """The system's Chromium. Without one the test is skipped; with REQUIRE_BROWSER=1 (CI) it fails."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path:
        browser = Chromium(path)
        yield browser
        browser.stop()
        return

    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(NO_BROWSER)
    pytest.skip(NO_BROWSER)


@pytest.fixture(autouse=True)
def requests_ended(request: pytest.FixtureRequest) -> Iterator[None]:
    """Wait for the requests of a closed page: one that still runs blocks the emptying of tables."""
    if "live_server" not in request.fixturenames:
        yield
        return

    # Requested here, so that the tables are emptied after this fixture ends.
    request.getfixturevalue("transactional_db")
    yield
    end = time.monotonic() + PATIENCE_SECONDS
    while _busy_sessions() and time.monotonic() < end:
        time.sleep(0.02)


def _busy_sessions() -> int:
    with connection.cursor() as cursor:
        cursor.execute(BUSY_SESSIONS)
        return int(cursor.fetchone()[0])
