"""An instructor changes a rule in a browser, sees and filters what changes, and downloads it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from grading.rubrics.actions import duplicate_version, publish_rubric_version
from tests.browser.tabs import PATIENCE_MS, Chromium, session_of, tab
from tests.browser.test_rubric_editor import DESKTOP, PHONE, draft_and_teacher
from tests.factories.people import everywhere

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_decisions_of_a_changed_rule_are_compared_filtered_and_downloaded(
    live_server: Any, chromium: Chromium, tmp_path: Path
) -> None:
    first, user = draft_and_teacher()
    with everywhere():
        published = publish_rubric_version(version=first, by=user)
        draft = duplicate_version(version=published, by=user)
    address = reverse("admin:grading_rubricversion_change", args=[draft.pk])
    session = session_of(user, live_server.url)
    with chromium.open() as browser:
        with tab(browser, live_server.url, **DESKTOP) as page:
            page.context.add_cookies([session])
            page.goto(address)
            change_a_rule(page)
            filter_rows(page)
            assert downloaded(page, tmp_path) == rows_of(page)
            name_a_rule_without_effect(page)
            keep_the_table_of_the_saved_rules(page)
        with tab(browser, live_server.url, **PHONE) as page:
            page.context.add_cookies([session])
            page.goto(address)
            without_javascript(page)


def change_a_rule(page: Page) -> None:
    expect(page.locator(".outcome")).to_contain_text(
        "0 of 125 benches get another result", timeout=PATIENCE_MS
    )
    expect(page.locator(".decisions tbody tr")).to_have_count(125)
    page.get_by_label("Confirmed security evidence", exact=True).check()
    page.get_by_label("Security evidence caps the score at", exact=True).fill("2")
    expect(page.locator(".outcome")).to_contain_text(
        "78 of 125 benches get another result", timeout=PATIENCE_MS
    )
    review = page.locator("[data-part=review]")
    expect(review).to_contain_text("confirmed security evidence 78", timeout=PATIENCE_MS)


def filter_rows(page: Page) -> None:
    page.get_by_label("Rows", exact=True).select_option("result")
    expect(page.locator(".decisions tbody tr")).to_have_count(78, timeout=PATIENCE_MS)
    page.get_by_label("Tech Lead gives").focus()
    page.keyboard.press("4")
    expect(page.locator(".decisions tbody tr")).to_have_count(25, timeout=PATIENCE_MS)
    expect(page.get_by_label("Tech Lead gives")).to_be_focused()


def rows_of(page: Page) -> list[list[str]]:
    cells = [row.locator("td.n, th.n") for row in page.locator(".decisions tbody tr").all()]
    return [row.all_text_contents() for row in cells]


def downloaded(page: Page, folder: Path) -> list[list[str]]:
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [[row[name] for name in ("Prosecutor", "Defense", "Tech Lead", "Score")] for row in rows]


def name_a_rule_without_effect(page: Page) -> None:
    page.get_by_label("Security evidence caps the score at", exact=True).fill("5")
    warning = page.get_by_role("link", name="Security override never changes a result")
    expect(warning).to_be_visible(timeout=PATIENCE_MS)
    warning.click()
    expect(page.locator("[data-applies=security_override]")).to_be_visible()


def keep_the_table_of_the_saved_rules(page: Page) -> None:
    page.get_by_label("Security evidence caps the score at", exact=True).fill("9")
    alert = page.locator("[data-part=table] [role=alert]")
    expect(alert).to_contain_text("less than or equal to 5.", timeout=PATIENCE_MS)
    expect(page.locator(".decisions caption")).to_contain_text("as saved")
    expect(page.locator("[data-unsaved]")).to_be_visible()


def without_javascript(page: Page) -> None:
    page.get_by_label("Version note").fill("By phone")
    page.get_by_label("Confirmed security evidence", exact=True).check()
    page.get_by_label("Security evidence caps the score at", exact=True).fill("1")
    page.get_by_role("button", name="Show decisions").click()
    expect(page.locator(".outcome")).to_contain_text(
        "106 of 125 benches get another result", timeout=PATIENCE_MS
    )
    expect(page.get_by_label("Version note")).to_have_value("By phone")
    expect(page.get_by_label("Confirmed security evidence", exact=True)).to_be_checked()
