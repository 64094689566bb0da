"""The system's browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.browser.tabs import Chromium

# The shell has no window to draw, so it loads a page for half the processor time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
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
