"""A course in a learning platform, from nothing to a student before the assignment, in a browser.

The platform is another site for the browser: its forms bring no cookies of ours, and its frames keep
none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connections
from django_scopes import scope
from playwright.sync_api import Page, expect, sync_playwright

from grading.core.enums import Role
from grading.lti.access_tokens import access_token
from grading.models import Enrollment, LtiRegistration
from tests.browser import test_documentation_pictures as picture
from tests.browser.learning_platform import PlatformPages
from tests.browser.tabs import FLAGS, session_of, tab
from tests.factories.lti_server import lti_serving
from tests.factories.people import OrganizationFactory, staff_user
from tests.lti.test_platform_pages import answers_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]


@pytest.fixture
def there() -> Iterator[PlatformPages]:
    cache.clear()
    with lti_serving() as server:
        pages = PlatformPages(server)
        server.pages = pages.answer
        answers_of(server)
        yield pages


def keep_picture(page: Page, name: str) -> None:
    """Keep a picture of the page for docs/lms.md, if there is a folder for them."""
    browser = page.context.browser
    assert browser is not None
    picture.keep_picture(browser, page, page.get_by_role("main"), name)


def window_of(page: Page, button: Any) -> Page:
    with page.expect_popup() as opened:
        button.click()
    return opened.value


def register(page: Page, organization: Any, there: PlatformPages) -> None:
    """Add the platform, and let it register itself in a frame of its own page."""
    page.goto(f"/o/{organization.slug}/platforms/")
    page.get_by_label("Name").fill("Moodle of the school")
    page.get_by_role("button", name="Add platform").click()
    page.get_by_role("button", name="Make a registration link").click()
    keep_picture(page, "lms-platform")
    there.setup_link = page.get_by_role("status").locator("code").inner_text()
    page.goto(f"{there.server.issuer}/install")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("Registered with")).to_be_visible()
    frame.get_by_role("button", name="Close").click()
    expect(page).to_have_title("org.imsglobal.lti.close")
    there.registration = beside(lambda: registered(organization))


def registered(organization: Any) -> LtiRegistration:
    with scope(organization=organization):
        return LtiRegistration.objects.select_related("organization").get()


def beside(question: Callable[[], Any]) -> Any:
    """Ask the database in another thread: Playwright holds an event loop in this one."""

    def ask() -> Any:
        try:
            return question()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(ask).result()


def connect_course(page: Page, there: PlatformPages) -> None:
    """Come as the first teacher, with a new account, and create a cohort for the course."""
    page.goto(f"{there.server.issuer}/open?as=eve")
    window = window_of(page, page.get_by_role("button", name="Open"))
    expect(window.get_by_text("Eve Teacher")).to_be_visible()
    keep_picture(window, "lms-newcomer")
    window.get_by_role("button", name="Create a new account").click()
    expect(window.get_by_role("heading", level=1)).to_have_text("Connect Software engineering")
    window.get_by_role("button", name="Create and connect").click()
    expect(window.get_by_role("heading", level=1)).to_have_text("Software engineering")
    window.close()


def make_link(page: Page, there: PlatformPages) -> None:
    """Create an assignment and choose it for a link, out of a frame and back in it."""
    page.goto(f"{there.server.issuer}/choose?as=eve")
    page.get_by_role("button", name="Open").click()
    frame = page.frame_locator("iframe")
    window = window_of(page, frame.get_by_role("link", name="Open in a new window"))
    # The message brought no cookie of ours: the person says who they are.
    window.get_by_role("button", name="Yes, continue").click()
    window.get_by_role("link", name="New assignment in").click()
    window.get_by_label("Title").fill("The auditor")
    window.get_by_role("button", name="Create assignment").click()
    expect(window.get_by_role("heading", level=1)).to_have_text("Choose an assignment")
    expect(window.get_by_label("The auditor")).to_be_checked()
    keep_picture(window, "lms-choice")
    window.get_by_role("button", name="Choose", exact=True).click()
    expect(window.get_by_text("press “Continue” there")).to_be_visible()
    window.close()
    frame.get_by_role("link", name="Continue").click()
    frame.get_by_role("button", name="Make the link").click()
    expect(frame.get_by_text("The link was made.")).to_be_visible()


def open_link(page: Page, there: PlatformPages) -> None:
    page.goto(f"{there.server.issuer}/open?as=bob&link=made")
    window = window_of(page, page.get_by_role("button", name="Open"))
    window.get_by_role("button", name="Create a new account").click()
    expect(window.get_by_role("heading", level=1)).to_have_text(re.compile("The auditor"))
    expect(window).to_have_url(re.compile("/a/the-auditor/$"))


def test_course_from_registration_to_a_student_before_the_assignment(
    live_server: Any, chromium: str, there: PlatformPages, settings: Any
) -> None:
    settings.SITE_URL = live_server.url
    organization = OrganizationFactory.create(name="Hellerau College")
    cookie = session_of(staff_user(organization, Role.OWNER), live_server.url)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        with tab(browser, live_server.url, **picture.WINDOW) as page:
            page.context.add_cookies([cookie])
            register(page, organization, there)
        with tab(browser, live_server.url, **picture.WINDOW) as page:
            connect_course(page, there)
            make_link(page, there)
        with tab(browser, live_server.url, **picture.WINDOW) as page:
            open_link(page, there)
        browser.close()
    assert [item["title"] for item in there.items] == ["The auditor"]
    assert there.registration is not None
    with scope(organization=organization):
        student = Enrollment.objects.get()
        assert (student.name, student.email) == ("Bob Student", "bob@school.example")
        # The platform's library checks our request with the keys that it reads here.
        assert access_token(there.registration, ["scope"]).count(".") == 2
