"""The system's Chromium, and tabs whose console must stay silent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserType, Page, expect, sync_playwright

from tests.waiting import AUDIT_PATIENCE_SECONDS

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page's scripts end before optimizing them pays.
    "--js-flags=--no-opt --no-maglev",
)
# Drawing takes a fourth of the processor time of a page. What is clicked on must be drawn.
UNDRAWN = "--disable-threaded-compositing"
PATIENCE_MS = 60_000
AUDIT_PATIENCE_MS = AUDIT_PATIENCE_SECONDS * 1000
# What is expected of a page gets the patience that clicks have: on a busy machine five seconds are too few.
expect.set_options(timeout=PATIENCE_MS)


class Chromium:
    """Browser of all tests of this process, started at its first use: a start takes longer than
    most of them.

    Playwright's event loop counts as the one that runs in this thread only while the browser is
    open. Django refuses queries meanwhile, and other tests run loops of their own.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._context = sync_playwright()
        self._chromium: BrowserType | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._browsers: dict[bool, Browser] = {}

    @contextmanager
    def open(self, *, draws: bool = True) -> Iterator[Browser]:
        """Yield the browser without a profile; it forgets those that are made, and all in them.

        One that does not draw is enough for pages that are only read.
        """
        browser = self._resumed(draws)
        try:
            yield browser
        finally:
            for profile in browser.contexts:
                profile.close()
            asyncio._set_running_loop(None)

    def stop(self) -> None:
        if self._browsers:
            for draws in tuple(self._browsers):
                self._resumed(draws).close()
            self._context.__exit__()

    def _resumed(self, draws: bool) -> Browser:
        if self._chromium is None:
            self._chromium = self._context.__enter__().chromium
            self._loop = asyncio.get_running_loop()
        asyncio._set_running_loop(self._loop)

        if draws not in self._browsers:
            flags = FLAGS if draws else (*FLAGS, UNDRAWN)
            self._browsers[draws] = self._chromium.launch(executable_path=self._path, args=flags)
        return self._browsers[draws]


def session_of(user: User, address: str) -> Any:
    """The cookie of somebody who has signed in at the site of this address."""
    client = Client()
    client.force_login(user)
    return {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": address}


@contextmanager
def tab(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """A fresh browser profile; at its end nothing may have been complained of in its console.

    Nothing moves in it: a page that waits for an audit would be drawn sixty times a second.
    """
    context = browser.new_context(base_url=address, reduced_motion="reduce", **options)
    page, complaints = context.new_page(), list[str]()
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == [], complaints
