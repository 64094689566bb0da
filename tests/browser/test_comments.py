"""Comments in a real browser: from the bank by keyboard, at a line of code, and answered."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django_scopes import scope
from playwright.sync_api import Page, expect

from grading.engine.stored_sources import pack_sources
from grading.models import AuditContents, BankedComment
from tests.browser.tabs import Chromium, session_of
from tests.browser.test_release import signed_in_tab
from tests.factories.comments import BankedCommentFactory
from tests.factories.graded_work import graded, page_of_audit
from tests.factories.people import everywhere, staff_user, student
from tests.factories.work import AssignmentFactory

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]


def test_comments_from_the_bank_to_the_answer(live_server: Any, chromium: Chromium) -> None:
    assignment = AssignmentFactory.create(title="Week 2")
    ada = student(assignment.cohort, name="Ada")
    audit = graded(assignment, ada).audit
    rubric = audit.rubric_version.rubric
    BankedCommentFactory.create(
        rubric=rubric, label="State names", text="Name the state.", points=-1, uses=3
    )
    BankedCommentFactory.create(rubric=rubric, label="Stated well", text="Well put.")
    with scope(organization=audit.organization):
        AuditContents.objects.create(
            organization=audit.organization,
            audit=audit,
            files={"src/graph.py": 3},
            sources=pack_sources({"src/graph.py": ("1", "a = 1\nb = 2\nc = 3\n")}),
        )
    teacher = staff_user(assignment.organization)
    sessions = [session_of(user, live_server.url) for user in (teacher, ada.user)]
    report = page_of_audit(audit)
    with chromium.open() as browser:
        with signed_in_tab(browser, live_server.url, sessions[0]) as page:
            page.goto(report)
            comment_from_the_bank(page)
            page.goto(f"{report}code/?path=src/graph.py")
            comment_on_a_line(page)
            picture(page, "code")
            page.goto(f"{report}pdf/")
            picture(page, "pdf")
            page.goto(f"{report}comments/")
            picture(page, "comments")
            page.get_by_role("link", name="Release comments").click()
            page.get_by_role("button", name="Release comments").click()
            expect(page.get_by_text("2 comments released.")).to_be_visible()
            page.goto(f"/o/{audit.organization.slug}/rubrics/{rubric.slug}/comments/")
            picture(page, "bank")
        with signed_in_tab(browser, live_server.url, sessions[1]) as page:
            page.goto(f"{report}comments/")
            answer(page)
            page.goto(report)
            picture(page, "student")
        with signed_in_tab(browser, live_server.url, sessions[0]) as page:
            page.goto(report)
            page.get_by_role("link", name="1 answer").click()
            picture(page, "inbox")
            page.get_by_role("link", name="Criterion").click()
            picture(page, "thread")
    with everywhere():
        assert BankedComment.objects.get(label="State names").uses == 4


def comment_from_the_bank(page: Page) -> None:
    """The points fill the score; nothing but the comment is saved."""
    criterion = page.get_by_role("article", name="Git forensics")
    criterion.get_by_role("link", name="Write a comment").click()
    expect(criterion.get_by_label("Comment", exact=True)).to_be_focused()
    field = criterion.get_by_role("combobox", name="Comment bank")
    criterion.locator("input[name=find]").focus()
    page.keyboard.type("stat")
    expect(criterion.locator(".bank-list [role=option]")).to_have_count(2)
    picture(page, "picker")
    expect(field).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(criterion.get_by_label("Comment", exact=True)).to_have_value("Name the state.")
    expect(criterion.get_by_text("It proposes")).to_be_visible()
    criterion.get_by_role("button", name="Save draft").click()
    expect(criterion.get_by_role("article").get_by_text("Name the state.")).to_be_visible()
    expect(criterion.get_by_role("button", name="Save draft")).to_have_count(0)
    picture(page, "written")


def comment_on_a_line(page: Page) -> None:
    page.get_by_role("link", name="Comment on line 2").click()
    page.get_by_label("Comment", exact=True).fill("Why two?")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_role("article").get_by_text("Why two?")).to_be_visible()
    page.reload()
    expect(page.get_by_role("article").get_by_text("Why two?")).to_be_visible()


def answer(page: Page) -> None:
    comment = page.get_by_role("article").filter(has_text="Name the state.")
    comment.get_by_role("link", name="Answer").click()
    comment.get_by_label("Your answer").fill("Which one?")
    comment.get_by_role("button", name="Send").click()
    expect(comment.get_by_text("Which one?")).to_be_visible()
    expect(comment.get_by_role("button", name="Send")).to_have_count(0)


def picture(page: Page, name: str) -> None:
    """Keep a picture of the page at two widths where COMMENT_PICTURES names a folder."""
    if folder := os.environ.get("COMMENT_PICTURES"):
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=Path(folder, f"{name}-{width}.png"), full_page=name != "picker")
