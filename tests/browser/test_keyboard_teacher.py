"""A teacher edits a rubric, publishes it and releases grades with the keyboard alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from grading.core.enums import ReleasePolicy, RubricState
from grading.models import RubricVersion
from tests.browser.examiner import axe, faults_of
from tests.browser.keyboard import Keyboard, Stop
from tests.browser.tabs import Chromium, session_of, tab
from tests.browser.test_rubric_editor import draft_and_teacher, titles
from tests.factories.graded_work import CRITERIA, graded, page_of
from tests.factories.people import CohortFactory, everywhere, student
from tests.factories.work import AssignmentFactory, RubricVersionFactory, rubric_document

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
WINDOW: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}


def test_teacher_works_with_keyboard_alone(live_server: Any, chromium: Chromium) -> None:
    source, (draft, teacher) = axe(), draft_and_teacher()
    version = RubricVersionFactory.create(
        rubric__organization=draft.organization,
        document=rubric_document(*(key for key, _, _ in CRITERIA)),
    )
    assignment = AssignmentFactory.create(
        title="Week 2",
        rubric_version=version,
        cohort=CohortFactory.create(organization=draft.organization),
        release_policy=ReleasePolicy.AFTER_RELEASE,
    )
    for name in ("Ada", "Bob"):
        graded(assignment, student(assignment.cohort, name=name))
    session = session_of(teacher, live_server.url)
    with chromium.open() as browser, tab(browser, live_server.url, **WINDOW) as page:
        page.context.add_init_script(source)
        page.context.add_cookies([session])
        keys = Keyboard(page)
        page.goto(reverse("admin:grading_rubricversion_change", args=[draft.pk]))
        edit_a_rubric(page, keys)
        publish(page, keys)
        page.goto(page_of(assignment))
        release(page, keys)
    with everywhere():
        made = RubricVersion.objects.get(pk=draft.pk)
    assert made.state == RubricState.PUBLISHED
    assert [item["name"] for item in made.document["criteria"]] == ["Two", "One more", "Three"]
    assert [level["name"] for level in made.document["criteria"][0]["levels"]] == ["Good"]


def edit_a_rubric(page: Page, keys: Keyboard) -> None:
    keys.skip_to_content("Skip to main content")
    keys.tab_to("Version text in files and JSON reports")
    keys.press("Control+a", "Delete")
    reorder(page, keys)
    put_one_more_in_its_place(page, keys)
    add_a_level(page, keys)
    keys.follow("Save draft", at_most=90)
    expect(page.get_by_role("alert")).to_be_focused()
    assert faults_of(page) == []
    keys.follow("First problem: Version text in files and JSON reports", at_most=2)
    expect(page.get_by_label("Version text in files and JSON reports")).to_be_focused()
    keys.type("2")
    keys.press("Enter")
    expect(page.get_by_text("is saved as a draft")).to_be_visible()
    keys.walk_out()


def reorder(page: Page, keys: Keyboard) -> None:
    """Move, remove and bring back a criterion; the focus follows each time."""
    keys.follow("Move this criterion down")
    expect(titles(page)).to_have_text(["Two", "One", "Three"])
    assert keys.stop == Stop("button", "Move this criterion down")
    keys.follow("Remove this criterion", at_most=1)
    assert keys.stop == Stop("button", "Undo")
    keys.press("Enter")
    assert keys.stop == Stop("button", "Remove this criterion")
    keys.press("Enter")
    expect(titles(page)).to_have_text(["Two", "Three"])


def put_one_more_in_its_place(page: Page, keys: Keyboard) -> None:
    keys.follow("+ Add a criterion")
    assert keys.stop == Stop("textbox", "Name")
    keys.type("One more")
    keys.follow("Move this criterion up", at_most=4, back=True)
    expect(titles(page)).to_have_text(["Two", "One more", "Three"])


def add_a_level(page: Page, keys: Keyboard) -> None:
    keys.tab_to("Move this criterion up", back=True)
    keys.follow("Two 3 checks", at_most=3)
    keys.follow("+ Add a level")
    assert keys.stop == Stop("textbox", "Name")
    keys.type("Good")
    keys.tab()
    keys.type("10")
    expect(page.locator("[data-doubt]").first).to_contain_text("The levels have points")


def publish(page: Page, keys: Keyboard) -> None:
    keys.follow("Publish…")
    expect(page.get_by_role("row", name="This version is locked")).to_be_visible()
    keys.follow(re.compile("Publish .*"))
    expect(page.get_by_text("It never changes")).to_be_visible()


def release(page: Page, keys: Keyboard) -> None:
    keys.skip_to_content()
    keys.tab_to("Choose Ada")
    keys.press("Space")
    keys.follow("Release selected")
    expect(page.get_by_role("heading", level=1)).to_have_text("Release 1 grade")
    keys.skip_to_content()
    keys.tab_to(re.compile("Message to students.*"))
    keys.type("Well done.")
    keys.follow("Release 1 grade", at_most=1)
    expect(page.get_by_text("1 grade released.")).to_be_visible()
    keys.skip_to_content()
    keys.follow("1 released")
    expect(page.locator("table.grades").get_by_role("rowheader")).to_have_text(["Ada"])
    keys.walk_out()
