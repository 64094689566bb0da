"""A teaching assistant scores thirty students with keys alone, counted."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.examiner import axe, faults_of
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.graded_work import page_of
from tests.grading_queue.work import Course

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
STUDENTS = 30
MOST_PRESSES = 60
WINDOW: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}


class Keys:
    """Keys pressed on a page, with their number."""

    def __init__(self, page: Page) -> None:
        self._page, self.number = page, 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self._page.keyboard.press(key)
            self.number += 1

    def press_and_go_on(self, key: str) -> None:
        with self._page.expect_navigation():
            self.press(key)


def open_overview(page: Page, place: str) -> None:
    """Open the overview of a queue, and wait for the focus that its first key needs.

    The browser focuses an element with `autofocus` when it draws the page, which may be after load.
    """
    page.goto(place)
    expect(page.locator("[autofocus]")).to_be_focused()


def test_assistant_scores_thirty_students_with_at_most_sixty_keys(
    live_server: Any, chromium: Chromium
) -> None:
    course, source = Course(students=STUDENTS, criteria=1), axe()
    session = session_of(course.anna, live_server.url)
    with chromium.open() as browser, tab(browser, live_server.url, **WINDOW) as page:
        page.context.add_init_script(source)
        page.context.add_cookies([session])
        open_overview(page, page_of(course.assignment, "queue"))
        assert faults_of(page) == []
        keys = Keys(page)
        score_all(page, keys)
        assert keys.number <= MOST_PRESSES
        other_keys(page)
    assert (len(course.overrides()), len(course.reviewers())) == (STUDENTS - 1, STUDENTS)


def test_keys_score_the_criterion_a_person_works_in_and_the_work_stands_beside_it(
    live_server: Any, chromium: Chromium
) -> None:
    course = Course(students=1, criteria=2)
    session = session_of(course.anna, live_server.url)
    with chromium.open() as browser, tab(browser, live_server.url, **WINDOW) as page:
        page.context.add_cookies([session])
        page.goto(page_of(course.assignment, "queue"))
        page.get_by_role("link", name="Student 01").click()
        expect(page.locator("#pane")).to_contain_text("The files of this audit are not kept")
        expect(page).to_have_title(re.compile("Student 01"))
        page.get_by_label("Reason").last.click()
        keys = Keys(page)
        keys.press("Escape")
        keys.press_and_go_on("1")
        keys.press("c")
        page.get_by_label("Comment", exact=True).fill("Name the reducers.")
        keys.press("Control+Enter")
        expect(page.locator(".comment")).to_contain_text("Name the reducers.")
    first, second = course.work().verdicts
    assert course.work().is_reviewed(second.criterion_id)
    assert not course.work().is_reviewed(first.criterion_id)


def score_all(page: Page, keys: Keys) -> None:
    """Start, then one key by student; the first is flagged, and its score agrees with the court."""
    keys.press_and_go_on("Enter")
    expect(page.locator("h1").first).to_have_text("Student 01")
    assert faults_of(page) == []
    look(page, "item")
    keys.press_and_go_on("f")
    keys.press_and_go_on("5")
    for number in range(2, STUDENTS + 1):
        expect(page.locator("h1").first).to_have_text(f"Student {number:02}")
        keys.press_and_go_on("2")
    expect(page.get_by_text("That was the last one of this list.")).to_be_visible()
    look(page, "overview")


def other_keys(page: Page) -> None:
    """Try the keys that save nothing, and that a field takes keys for itself."""
    with page.expect_navigation():
        page.get_by_role("link", name="Student 02").click()
    keys, heading = Keys(page), page.locator("h1").first
    keys.press_and_go_on("j")
    expect(heading).to_have_text("Student 03")
    keys.press_and_go_on("ArrowLeft")
    expect(heading).to_have_text("Student 02")
    keys.press_and_go_on("g")
    expect(heading).to_have_text("Student 01")
    keys.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert faults_of(page) == []
    keys.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.get_by_label("Reason").focus()
    keys.press("3", "j")
    expect(page.get_by_label("Reason")).to_have_value("3j")
    keys.press("Escape")
    expect(page.get_by_label("Reason")).not_to_be_focused()
    expect(heading).to_have_text("Student 01")
    keys.press("o")
    expect(page.locator("#pane")).to_contain_text("The files of this audit are not kept here")


def look(page: Page, name: str) -> None:
    """Take a picture of the page, wide and narrow, where PICTURES names a folder."""
    if folder := os.environ.get("PICTURES"):
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{folder}/queue-{name}-{width}.png", full_page=True)
