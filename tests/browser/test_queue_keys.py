"""Keys of the grading queue: those that its sheet lists, criteria one after another, the bank."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django_scopes import scope
from playwright.sync_api import Page, expect

from grading.engine.stored_sources import pack_sources
from grading.models import AuditContents, Comment, Submission
from tests.browser.tabs import Chromium, session_of, tab
from tests.browser.test_grading_queue import STUDENTS, WINDOW, Keys, open_overview
from tests.factories.comments import BankedCommentFactory, CommentFactory
from tests.factories.graded_work import page_of
from tests.factories.pdfs import make_pdf, parallel_graph_page
from tests.factories.people import everywhere
from tests.factories.released import FIRST, SECOND
from tests.grading_queue.work import Course

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
CITED = tuple(f"src/tools/{criterion}.py" for criterion in (FIRST, SECOND))
SHEET = [
    "1",
    "5",
    "j",
    "k",
    "u",
    "g",
    "r",
    "f",
    "c",
    "Ctrl",
    "Enter",
    "[",
    "]",
    "o",
    "p",
    "Esc",
    "?",
]


@contextmanager
def queue_of(course: Course, address: str, chromium: Chromium) -> Iterator[Page]:
    """Open the overview of the course's queue as Anna."""
    # Playwright's loop runs within the block, and Django then refuses the database here.
    session, place = session_of(course.anna, address), page_of(course.assignment, "queue")
    with chromium.open() as browser, tab(browser, address, **WINDOW) as page:
        page.context.add_cookies([session])
        open_overview(page, place)
        yield page


def with_files(course: Course, folder: Path) -> None:
    """Give the first work a file of code and a PDF of two pages, with a comment on the second."""
    audit, submission = course.audits[0], course.work().submission
    report = make_pdf(folder / "report.pdf", [parallel_graph_page(), parallel_graph_page()])
    with scope(organization=course.organization):
        AuditContents.objects.create(
            organization=audit.organization,
            audit=audit,
            files=dict.fromkeys(CITED, 200),
            pages=2,
            sources=pack_sources(
                {path: (str(number), "a = 1\n" * 200) for number, path in enumerate(CITED)}
            ),
        )
        stored = Submission.objects.get(pk=submission.pk)
        stored.pdf_name, stored.pdf_sha256 = "report.pdf", sha256(report.read_bytes()).hexdigest()
        stored.pdf.save("report.pdf", ContentFile(report.read_bytes()))
    CommentFactory.create(submission=submission, place="page", page=2, text="Draw the arrow.")


def test_each_key_of_the_sheet_does_what_the_sheet_says(
    live_server: Any, chromium: Chromium, tmp_path: Path
) -> None:
    course = Course(students=3)
    with_files(course, tmp_path)
    with queue_of(course, live_server.url, chromium) as page:
        keys = Keys(page)
        keys.press_and_go_on("Enter")
        sheet_opens_and_closes(page, keys)
        criteria_and_places(page, keys)
        marks_of_the_criterion(page, keys)
        ways_through_the_queue(page, keys)
        comment_is_saved_and_the_next_begun(page, keys)


def heading(page: Page) -> Any:
    return page.locator("h1").first


def current(page: Page) -> Any:
    return page.locator(".queue-item[aria-current]")


def sheet_opens_and_closes(page: Page, keys: Keys) -> None:
    keys.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet).to_be_visible()
    assert sheet.locator("kbd").all_text_contents() == SHEET
    keys.press("Escape")
    expect(sheet).to_be_hidden()


def settled(pane: Any) -> None:
    """Wait for the end of a swap: the pane then takes the focus, and with it the next key."""
    expect(pane.locator(".htmx-settling")).to_have_count(0)
    expect(pane).to_be_focused()


def criteria_and_places(page: Page, keys: Keys) -> None:
    """The keys [ and ] move between criteria, o and p show code and PDF, Escape leaves a field."""
    expect(current(page)).to_contain_text("Git forensics")
    keys.press("]")
    expect(current(page)).to_contain_text("State management")
    keys.press("[")
    expect(current(page)).to_contain_text("Git forensics")
    pane = page.locator("#pane")
    keys.press("p")
    expect(pane.locator("iframe")).to_have_attribute("title", "PDF report, page 1")
    settled(pane)
    pane.get_by_role("link", name="Page 2 (1)").press("Enter")
    expect(pane.locator("iframe")).to_have_attribute("title", "PDF report, page 2")
    expect(pane.get_by_text("Draw the arrow.")).to_be_visible()
    settled(pane)
    keys.press("o")
    expect(pane.locator("iframe")).to_have_count(0)
    expect(pane).to_contain_text("a = 1")
    settled(pane)
    reason = current(page).get_by_label("Reason")
    reason.focus()
    keys.press("f")
    expect(reason).to_have_value("f")
    keys.press("Escape")
    expect(reason).not_to_be_focused()


def marks_of_the_criterion(page: Page, keys: Keys) -> None:
    """The keys f and r are switches; a digit scores and leads on."""
    first = page.locator(".queue-item").first
    keys.press_and_go_on("f")
    expect(first.get_by_role("button", name="Remove the flag")).to_be_visible()
    keys.press("[")
    keys.press_and_go_on("r")
    expect(current(page)).to_contain_text("State management")
    expect(first.get_by_role("button", name="Not reviewed")).to_be_visible()
    keys.press("[")
    expect(current(page)).to_contain_text("Git forensics")
    keys.press_and_go_on("r")
    expect(first.get_by_role("button", name="Reviewed", exact=True)).to_be_visible()
    for score in ("1", "5"):
        expect(current(page)).to_contain_text("Git forensics")
        keys.press_and_go_on(score)
        expect(first.locator(".figure")).to_have_text(f"{score} of 5")
        expect(current(page)).to_contain_text("State management")
        keys.press("[")


def ways_through_the_queue(page: Page, keys: Keys) -> None:
    """The keys j and k go one on and one back, u to what waits, g to what has a flag."""
    for key, name in (("j", "Student 02"), ("k", "Student 01"), ("u", "Student 02")):
        keys.press_and_go_on(key)
        expect(heading(page)).to_have_text(name)
    keys.press_and_go_on("g")
    expect(heading(page)).to_have_text("Student 01")


def comment_is_saved_and_the_next_begun(page: Page, keys: Keys) -> None:
    """The form closes once its comment is saved; c opens the next one, not that comment's links."""
    field = page.get_by_label("Comment", exact=True)
    for number, text in enumerate(("Name the reducers.", "And test them."), start=1):
        keys.press("c")
        expect(field).to_be_focused()
        page.keyboard.type(text)
        keys.press("Control+Enter")
        expect(current(page).locator(".comment")).to_have_count(number)
        expect(field).to_have_count(0)
        expect(current(page).locator(".comment").last).to_be_focused()


def test_two_criteria_of_thirty_students_lead_on_from_the_last_student(
    live_server: Any, chromium: Chromium
) -> None:
    course = Course(students=STUDENTS)
    with queue_of(course, live_server.url, chromium) as page:
        keys = Keys(page)
        page.locator("section").get_by_role("link", name="Git forensics").focus()
        keys.press_and_go_on("Enter")
        for criterion in ("Git forensics", "State management rigour"):
            for number in range(1, STUDENTS + 1):
                expect(heading(page)).to_have_text(f"Student {number:02}")
                expect(current(page).locator("h3").first).to_have_text(criterion)
                keys.press_and_go_on("2")
        expect(page.get_by_text("That was the last one of this list.")).to_be_visible()
        assert keys.number == 1 + 2 * STUDENTS
    assert len(course.reviewers()) == 2 * STUDENTS


def test_bank_fills_a_comment_and_proposes_a_score_with_keys_alone(
    live_server: Any, chromium: Chromium
) -> None:
    course = Course(students=1)
    rubric = course.audits[0].rubric_version.rubric
    for label, text, points, uses in (
        ("State seldom", "Rarely said.", 0, 1),
        ("State often", "Name the state.", -2, 9),
    ):
        BankedCommentFactory.create(rubric=rubric, label=label, text=text, points=points, uses=uses)
    with queue_of(course, live_server.url, chromium) as page:
        keys = Keys(page)
        keys.press_and_go_on("Enter")
        insert_from_the_bank(page, keys)
        keys.press("Control+Enter")
        expect(current(page).locator(".comment")).to_contain_text("Name the state.")
        expect(current(page).get_by_role("button", name="Score 3 of 5")).to_be_focused()
        keys.press_and_go_on("Enter")
        expect(page.locator(".queue-item").first.locator(".figure")).to_have_text("3 of 5")
    assert [score for score, _reason in course.overrides()] == [3]
    with everywhere():
        comment = Comment.objects.select_related("banked").get()
        assert (comment.text, comment.criterion_id) == ("Name the state.", FIRST)
        assert comment.banked is not None
        assert comment.banked.uses == 10


def insert_from_the_bank(page: Page, keys: Keys) -> None:
    """Some letters list the entries, most used first; Enter inserts, and the words keep the focus."""
    field = page.get_by_label("Comment", exact=True)
    keys.press("c")
    expect(field).to_be_focused()
    keys.press("Tab", "Tab")
    expect(page.get_by_role("combobox", name="Comment bank")).to_be_focused()
    page.keyboard.type("stat")
    options = page.locator(".bank-list [role=option]")
    expect(options).to_have_count(2)
    expect(options.first).to_contain_text("State often")
    keys.press("Enter")
    expect(field).to_have_value("Name the state.")
    expect(field).to_be_focused()
    expect(page.get_by_text("It proposes 3 of 5")).to_be_visible()
