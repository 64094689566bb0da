"""An instructor from sign-up to the first hand-in by the join link, counted."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connections
from django.test import override_settings
from playwright.sync_api import Locator, Page, expect

from grading.courses.organizations.approval import approve_organization
from grading.models import Organization
from grading.notifications.email_outbox import send_due_emails
from tests.browser.tabs import Chromium, tab
from tests.factories.people import PASSWORD, UserFactory
from tests.factories.repositories import Commit, make_repository

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
MOST_CLICKS = 8
LETTER_LINK = re.compile(r"/accounts/confirm-email/[^/\s]+/")
APPROVAL_LINK = re.compile(r"/courses/new/\S*")


class Clicks:
    """A person's clicks; the link of a letter is opened by one as well."""

    def __init__(self, page: Page) -> None:
        self.page, self.number = page, 0

    def click(self, locator: Locator) -> None:
        self.number += 1
        locator.click()

    def open_letter(self, address: str, link_of: re.Pattern[str] = LETTER_LINK) -> None:
        self.number += 1
        letter = next(row for row in reversed(mail.outbox) if address in row.to)
        link = link_of.search(str(letter.body))
        assert link
        self.page.goto(link[0])


def fill_account(page: Page, address: str) -> None:
    page.get_by_label("Email").fill(address)
    for field in page.locator("input[type=password]").all():
        field.fill(PASSWORD)


def sign_up(person: Clicks, address: str) -> None:
    """Sign up on the page with the form, open the letter and confirm the address."""
    page = person.page
    fill_account(page, address)
    person.click(page.get_by_role("main").get_by_role("button", name="Sign Up"))
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Verify", re.IGNORECASE))
    person.open_letter(address)
    person.click(page.get_by_role("button", name="Confirm"))


@override_settings(ACCOUNT_EMAIL_VERIFICATION="mandatory", INSTITUTIONS_BY_APPROVAL=False)
def test_instructor_from_sign_up_to_the_first_hand_in_by_the_join_link(
    live_server: Any, chromium: Chromium, tmp_path: Path
) -> None:
    make_repository(tmp_path / "work.git", [Commit(files={"main.py": "print()\n"})])
    with chromium.open() as browser:
        with tab(browser, live_server.url) as page:
            link = link_of_a_new_course(Clicks(page))
        with tab(browser, live_server.url) as page:
            hand_in_by_link(Clicks(page), link, tmp_path / "work.git")


@override_settings(ACCOUNT_EMAIL_VERIFICATION="mandatory", INSTITUTIONS_BY_APPROVAL=True)
def test_instructor_of_an_institution_that_needs_approval(
    live_server: Any, chromium: Chromium
) -> None:
    operator = UserFactory.create(is_staff=True, is_superuser=True)
    with chromium.open() as browser:
        # No tab: the page of an institution that waits is a 403, of which a console complains.
        page = browser.new_page(base_url=live_server.url)
        person = Clicks(page)
        ask_for_approval(person)
        before = person.number
        # Called outside of the browser's loop, in which Django allows no query.
        with ThreadPoolExecutor(1) as operators:
            operators.submit(approve_the_only_organization, operator).result()
        person.open_letter("ines@example.org", APPROVAL_LINK)
        fill_course(page)
        person.click(page.get_by_role("button", name="Create course"))
        expect(page.get_by_role("heading", level=1)).to_have_text("Join link of Autumn 2026")
    assert (before, person.number - before) == (6, 2)
    assert person.number <= MOST_CLICKS


def ask_for_approval(person: Clicks) -> None:
    page = person.page
    page.goto("/")
    person.click(page.get_by_role("main").get_by_role("link", name="Sign up"))
    sign_up(person, "ines@example.org")
    person.click(page.get_by_role("link", name="Create a course").first)
    page.get_by_role("textbox", name="Name", exact=True).fill("Example College")
    person.click(page.get_by_role("button", name="Create organization"))
    expect(page.get_by_role("main")).to_contain_text("You get an email with the answer")


def approve_the_only_organization(operator: User) -> None:
    organization = Organization.objects.get()
    approve_organization(organization=organization, by=operator)
    send_due_emails(organization_id=organization.pk)
    connections.close_all()


def fill_course(page: Page) -> None:
    page.get_by_label("Course").fill("Autumn 2026")
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    page.get_by_label("Due").fill("2030-11-30T23:59")


def link_of_a_new_course(person: Clicks) -> str:
    page = person.page
    page.goto("/")
    person.click(page.get_by_role("main").get_by_role("link", name="Sign up"))
    sign_up(person, "ines@example.org")
    person.click(page.get_by_role("link", name="Create a course").first)
    page.get_by_label("Name of your institution").fill("Example College")
    fill_course(page)
    person.click(page.get_by_role("button", name="Create course"))

    expect(page.get_by_role("heading", level=1)).to_have_text("Join link of Autumn 2026")
    link = page.locator("main a[href*='/join/']").get_attribute("href")
    assert person.number <= MOST_CLICKS
    assert link
    # The site's own address is a setting, not that of the test's server.
    return urlsplit(link).path


def hand_in_by_link(person: Clicks, link: str, repository: Path) -> None:
    page = person.page
    page.goto(link)
    person.click(page.get_by_role("main").get_by_role("link", name="Sign up"))
    sign_up(person, "sam@example.org")
    page.get_by_label("Your name").fill("Sam")
    person.click(page.get_by_role("button", name="Join"))

    expect(page.get_by_role("heading", level=1)).to_have_text("Software project")
    expect(page.get_by_role("main")).to_contain_text("30 Nov 2030, 23:59 CET")
    person.click(page.get_by_role("link", name="Submit", exact=True))
    page.get_by_label("Repository").fill(str(repository))
    person.click(page.get_by_role("button", name="Submit for audit"))
    expect(page.get_by_text("Attempt 1 was submitted")).to_be_visible()
