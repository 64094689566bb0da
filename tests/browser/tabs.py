"""The system's Chromium, and tabs whose console must stay silent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page, expect

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 60_000
# What is expected of a page gets the patience that clicks have: on a busy machine five seconds are too few.
expect.set_options(timeout=PATIENCE_MS)


def session_of(user: User, address: str) -> Any:
    """The cookie of somebody who has signed in at the site of this address."""
    client = Client()
    client.force_login(user)
    return {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": address}


@contextmanager
def tab(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """A fresh browser profile; at its end nothing may have been complained of in its console."""
    context = browser.new_context(base_url=address, **options)
    page, complaints = context.new_page(), list[str]()
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == [], complaints
