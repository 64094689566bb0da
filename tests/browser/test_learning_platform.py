"""A course in a learning platform, from nothing to a grade in its book, in a browser.

The platform is another site for the browser: its forms bring no cookies of ours, and its frames keep
none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connections
from django_scopes import scope
from playwright.sync_api import Page, expect

from grading.core.enums import Role
from grading.jobs import run_audit, send_scores
from grading.models import Audit, Enrollment, LtiRegistration
from tests.browser import test_documentation_pictures as picture
from tests.browser.learning_platform import PlatformPages
from tests.browser.tabs import Chromium, session_of, tab
from tests.courtroom.in_process import read_in_process
from tests.factories.lti_server import lti_serving
from tests.factories.people import OrganizationFactory, staff_user
from tests.factories.repositories import Commit, make_repository
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
        server.services = pages.course.answer
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
    there.setup_link = copied(page, "the registration link")
    assert there.setup_link == page.get_by_role("status").locator("code").inner_text()
    page.goto(f"{there.server.issuer}/install")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("Registered with")).to_be_visible()
    frame.get_by_role("button", name="Close").click()
    expect(page).to_have_title("org.imsglobal.lti.close")
    there.registration = beside(lambda: registered(organization))


def copied(page: Page, name: str) -> str:
    """Press the button that copies this text, and return what the clipboard holds."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name=f"Copy {name}").click()
    expect(page.get_by_role("button", name=f"Copy {name}: copied")).to_have_text("Copied")
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


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


def open_link(page: Page, there: PlatformPages) -> Page:
    """Open the link as a student with a new account; return its window."""
    page.goto(f"{there.server.issuer}/open?as=bob&link=made")
    window = window_of(page, page.get_by_role("button", name="Open"))
    window.get_by_role("button", name="Create a new account").click()
    expect(window.get_by_role("heading", level=1)).to_have_text(re.compile("The auditor"))
    expect(window).to_have_url(re.compile("/a/the-auditor/$"))
    return window


def submit(page: Page, repository: Path) -> None:
    """Submit a repository as the student whose window is open."""
    page.get_by_role("main").get_by_role("link", name="Submit", exact=True).click()
    page.get_by_label("Repository", exact=True).fill(str(repository))
    page.get_by_role("button", name="Submit for audit").click()
    expect(page.get_by_text("Attempt 1 was submitted")).to_be_visible()


def judge(organization: Any) -> None:
    """Do what a worker does."""
    with scope(organization=organization):
        audit = Audit.objects.get()
    run_audit(str(audit.pk), 1)


def send(organization: Any) -> None:
    """Do what a worker does after a release."""
    beside(lambda: send_scores(organization.pk))


def release(page: Page, place: str) -> None:
    page.goto(f"{place}grades/")
    page.get_by_label("Choose Bob Student").check()
    page.get_by_role("button", name="Release selected").click()
    page.get_by_role("button", name="Release 1 grade").click()
    expect(page.get_by_text("1 grade released.")).to_be_visible()


def change_verdict(page: Page, place: str) -> None:
    """Override one criterion with the best score."""
    page.goto(f"{place}grades/")
    page.locator("table.grades").get_by_role("link", name="Bob Student").click()
    criterion = page.get_by_role("article").filter(has_text="Override the score").first
    criterion.get_by_text("Override the score").click()
    criterion.get_by_label("Score").select_option("5")
    criterion.get_by_label("Reason").fill("The history is on another branch.")
    criterion.get_by_role("button", name="Save override").click()
    expect(page.get_by_text("5 of 5, by a person")).to_be_visible()


def read_roster(page: Page, place: str) -> None:
    """Preview the platform's list, and import it."""
    page.goto(f"{place.partition('/a/')[0]}/platforms/")
    page.get_by_role("link", name="People and settings").click()
    page.get_by_role("button", name="Read the platform's list").click()
    expect(page.get_by_role("heading", name="Preview: nothing is saved yet")).to_be_visible()
    keep_picture(page, "lms-roster")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("Imported: ")).to_be_visible()


def outcome(page: Page, place: str, words: str) -> None:
    page.goto(f"{place}gradebooks/")
    expect(page.get_by_role("row", name=re.compile("Bob Student"))).to_contain_text(words)


def grade_there(page: Page, place: str, organization: Any, there: PlatformPages) -> None:
    """Release; the grade arrives. An override there stands, a changed verdict here follows it."""
    release(page, place)
    send(organization)
    first = there.course.score_of("made", "bob")
    assert first is not None
    outcome(page, place, "Sent")
    there.course.overridden.add("bob")
    change_verdict(page, place)
    release(page, place)
    send(organization)
    outcome(page, place, "A teacher's score stands there")
    keep_picture(page, "lms-gradebooks")
    assert there.course.score_of("made", "bob") == first
    there.course.overridden.clear()
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_text("1 grade will be sent.")).to_be_visible()
    send(organization)
    outcome(page, place, "Sent")
    changed = there.course.score_of("made", "bob")
    assert changed is not None
    assert changed > first


def test_course_from_registration_to_a_grade_in_the_book(
    live_server: Any,
    chromium: Chromium,
    there: PlatformPages,
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.SITE_URL = live_server.url
    read_in_process(monkeypatch)
    organization = OrganizationFactory.create(name="Hellerau College")
    cookie = session_of(staff_user(organization, Role.OWNER), live_server.url)
    repository = tmp_path / "work.git"
    make_repository(
        repository, [Commit("Set a to 1", {"README.md": "# Work\n", "a.py": "a = 1\n"})]
    )
    with chromium.open() as browser:
        with tab(browser, live_server.url, **picture.WINDOW) as page:
            page.context.add_cookies([cookie])
            register(page, organization, there)
        with tab(browser, live_server.url, **picture.WINDOW) as teacher:
            connect_course(teacher, there)
            make_link(teacher, there)
            with tab(browser, live_server.url, **picture.WINDOW) as page:
                window = open_link(page, there)
                place = window.url
                submit(window, repository)
            beside(lambda: judge(organization))
            read_roster(teacher, place)
            grade_there(teacher, place, organization, there)
    assert [item["title"] for item in there.items] == ["The auditor"]
    with scope(organization=organization):
        student = Enrollment.objects.get()
        assert (student.name, student.email) == ("Bob Student", "bob@school.example")
