"""From verdicts to what students are told, in a real browser: a score by hand, a release, and the
student's own view.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from grading.core.enums import ReleasePolicy
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.graded_work import CRITERIA, graded, page_of, page_of_audit
from tests.factories.people import EnrollmentFactory, staff_user, student
from tests.factories.work import AssignmentFactory, RubricVersionFactory, rubric_document

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]


def test_student_reads_override_only_after_release(live_server: Any, chromium: Chromium) -> None:
    version = RubricVersionFactory.create(
        document=rubric_document(*(key for key, _, _ in CRITERIA))
    )
    assignment = AssignmentFactory.create(
        title="Week 2",
        rubric_version=version,
        cohort__organization=version.organization,
        release_policy=ReleasePolicy.AFTER_RELEASE,
    )
    ada = student(assignment.cohort, name="Ada")
    report = page_of_audit(graded(assignment, ada).audit)
    graded(
        assignment, EnrollmentFactory.create(cohort=assignment.cohort, name="Bob"), widest_spread=4
    )
    standings, grades = page_of(assignment, "assignment"), page_of(assignment)
    teacher, reader = (
        session_of(user, live_server.url)
        for user in (staff_user(assignment.organization), ada.user)
    )
    with chromium.open() as browser:
        student_reads(browser, live_server.url, reader, report, "Your work was judged")
        with signed_in_tab(browser, live_server.url, teacher) as page:
            page.goto(standings)
            page.get_by_role("link", name="Grades", exact=True).click()
            expect(page.get_by_role("link", name="1 flagged")).to_be_visible()
            score_by_hand(page)
            page.goto(grades)
            release(page)
            count_before_judging_again(page, standings)
            take_the_file(page, standings)
        student_reads(browser, live_server.url, reader, report, "3.5 of 5")


@contextmanager
def signed_in_tab(browser: Browser, address: str, session: Any, **options: Any) -> Iterator[Page]:
    with tab(browser, address, **options) as page:
        page.context.add_cookies([session])
        yield page


def score_by_hand(page: Page) -> None:
    """Without a reason it is asked again; with one it stands beside the verdict."""
    page.get_by_role("row", name="Ada").first.get_by_role("link", name="Ada").click()
    criterion = page.get_by_role("article", name="Git forensics")
    criterion.get_by_text("Override the score").click()
    criterion.get_by_label("Score").select_option("5")
    criterion.get_by_role("button", name="Save override").click()
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_label("Score")).to_have_value("5")
    expect(page.get_by_label("Reason")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Reason").fill("The history is on another branch.")
    page.get_by_role("button", name="Save override").click()
    expect(page.get_by_text("5 of 5, by a person")).to_be_visible()


def release(page: Page) -> None:
    """All that no flag holds back: Bob waits."""
    page.get_by_role("link", name="Release all unflagged (1)").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Release 1 grade")
    page.get_by_label("Message to students").fill("Well done.")
    page.get_by_role("button", name="Release 1 grade").click()
    expect(page.get_by_text("1 grade released.")).to_be_visible()
    page.get_by_role("link", name="1 released").click()
    expect(page.locator("table.grades").get_by_role("rowheader")).to_have_text(["Ada"])


def count_before_judging_again(page: Page, standings: str) -> None:
    """Count and cost are shown first; nothing has started by then."""
    page.goto(standings)
    page.get_by_role("link", name="Judge again").click()
    page.get_by_label("Re-synthesise").check()
    page.get_by_label("Flagged").check()
    page.get_by_role("button", name="Show count and cost").click()
    expect(page.get_by_role("heading", name="Re-synthesise 1 audit")).to_be_visible()
    expect(page.get_by_text("0 USD", exact=True)).to_be_visible()


def take_the_file(page: Page, standings: str) -> None:
    """Only what was released is in it."""
    page.goto(standings)
    page.get_by_role("link", name="Export").click()
    expect(page.get_by_text("1 of 2 students has a grade in this file.")).to_be_visible()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download file").click()
    with coming.value.path().open(newline="") as file:
        _head, ada, bob = csv.reader(file)
    assert (ada[0], ada[4] != "", ada[5]) == ("Ada", True, "3.5")
    assert (bob[0], bob[4]) == ("Bob", "")


def student_reads(browser: Browser, address: str, session: Any, where: str, words: str) -> None:
    with signed_in_tab(browser, address, session, java_script_enabled=False) as page:
        page.goto(where)
        expect(page.get_by_role("main")).to_contain_text(words)
