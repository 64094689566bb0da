"""An instructor edits a rubric in a browser, with and without JavaScript, and publishes it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from grading.core.enums import RubricState
from grading.models import RubricVersion
from grading.rubrics.actions import draft_rubric_version
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.people import everywhere, staff_user
from tests.factories.work import RubricFactory, rubric_document

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "color_scheme": "dark",
    "java_script_enabled": False,
}


def draft_and_teacher() -> tuple[RubricVersion, User]:
    rubric = RubricFactory.create()
    user = staff_user(rubric.organization)
    user.is_staff = True
    user.save()
    with everywhere():
        draft = draft_rubric_version(
            rubric=rubric, document=rubric_document("one", "two", "three"), by=user
        )
    return draft, user


def titles(page: Page) -> Locator:
    return page.locator(".criterion > details > summary [data-title]")


def test_rubric_is_edited_and_published_in_a_browser(live_server: Any, chromium: Chromium) -> None:
    draft, user = draft_and_teacher()
    address = reverse("admin:grading_rubricversion_change", args=[draft.pk])
    session = session_of(user, live_server.url)
    with chromium.open() as browser:
        with tab(browser, live_server.url, **DESKTOP) as page:
            page.context.add_cookies([session])
            page.goto(address)
            order_by_keyboard_and_by_drag(page)
            remove_and_undo(page)
            add_a_criterion_with_points_and_a_check(page)
            make_custom_rules(page)
            page.get_by_role("button", name="Save draft").click()
            expect(page.get_by_text("is saved as a draft")).to_be_visible()
            expect(titles(page)).to_have_text(["Three", "Two", "One", "Brand new"])
        with tab(browser, live_server.url, **PHONE) as page:
            page.context.add_cookies([session])
            page.goto(address)
            without_javascript(page)
            publish(page)
    with everywhere():
        made = RubricVersion.objects.get(pk=draft.pk)
    assert (made.state, made.note) == (RubricState.PUBLISHED, "By phone")
    assert has_the_edited_content(made.document)


def has_the_edited_content(document: dict[str, Any]) -> bool:
    new, rules = document["criteria"][3], document["constitution"]
    assert [item["name"] for item in document["criteria"]] == ["Two", "Three", "One", "Brand new"]
    assert (new["id"], new["max_points"]) == ("brand_new", 12.5)
    assert [(check["kind"], check["pattern"]) for check in new["checks"]] == [
        ("code_pattern", "print($A)")
    ]
    return (rules["id"], rules["rules"][0]["cap"]) == ("default-changed", 4)


def order_by_keyboard_and_by_drag(page: Page) -> None:
    down = page.get_by_role("button", name="Move this criterion down").first
    down.focus()
    page.keyboard.press("Enter")
    expect(titles(page)).to_have_text(["Two", "One", "Three"])
    expect(page.locator("#criteria\\.0 .tools [data-do=down]").first).to_be_focused()
    expect(page.locator("[data-say]")).to_have_text("One is now criterion 2 of 3.")
    grips = page.locator(".criterion > .tools .grip")
    grips.nth(2).drag_to(grips.nth(0), target_position={"x": 5, "y": 1})
    expect(titles(page)).to_have_text(["Three", "Two", "One"])


def remove_and_undo(page: Page) -> None:
    page.get_by_role("button", name="Remove this criterion").first.click()
    expect(page.locator("[data-sum=criteria]")).to_have_text("2")
    page.get_by_role("button", name="Undo").click()
    expect(titles(page)).to_have_text(["Three", "Two", "One"])


def add_a_criterion_with_points_and_a_check(page: Page) -> None:
    page.get_by_role("button", name="Add a criterion").click()
    page.keyboard.type("Brand new")
    expect(titles(page).nth(3)).to_have_text("Brand new")
    new = page.locator(".criterion").nth(3)
    new.get_by_label("Maximum points").fill("12,5")
    expect(page.locator("[data-sum=points]")).to_have_text("12.5")
    new.get_by_role("button", name="Add a level").click()
    page.keyboard.type("Good")
    page.keyboard.press("Tab")
    page.keyboard.type("10")
    expect(new.locator("[data-doubt]")).to_have_text(
        "The best level is worth 10 points, the criterion 12,5."
    )
    new.get_by_role("button", name="Add a check").click()
    page.keyboard.type("Looks good")
    check = new.locator(".check")
    check.get_by_label("Any of these paths").fill("kept/*")
    kind = check.get_by_label("Kind", exact=True)
    kind.select_option("code_pattern")
    check.get_by_label("Language").fill("python")
    check.get_by_label("Pattern").fill("print($A)")
    kind.select_option("file_exists")
    expect(check.get_by_label("Any of these paths")).to_have_value("kept/*")
    kind.select_option("code_pattern")
    expect(check.get_by_label("Pattern")).to_have_value("print($A)")


def make_custom_rules(page: Page) -> None:
    page.get_by_label("Security evidence caps the score at, slider").fill("4")
    expect(page.get_by_label("Security evidence caps the score at", exact=True)).to_have_value("4")
    expect(page.get_by_label("Preset", exact=True)).to_have_value("own")


def without_javascript(page: Page) -> None:
    """Each button is a round trip; what was typed before it stays."""
    page.get_by_label("Version note").fill("By phone")
    page.get_by_role("button", name="Move this criterion down").first.click()
    expect(page.get_by_label("Version note")).to_have_value("By phone")
    expect(titles(page)).to_have_text(["Two", "Three", "One", "Brand new"])
    page.get_by_label("Version text in files and JSON reports").fill("")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_label("Version text in files and JSON reports")).to_have_attribute(
        "aria-invalid", "true"
    )
    page.get_by_label("Version text in files and JSON reports").fill("2")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("is saved as a draft")).to_be_visible()


def publish(page: Page) -> None:
    page.get_by_role("link", name="Publish…").click()
    expect(page.get_by_role("row", name="Existing verdicts")).to_contain_text(
        "stay exactly as they are"
    )
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("It never changes")).to_be_visible()
