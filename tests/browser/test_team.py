"""A team of three over two attempts with an extension, from its forming to each member's result."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from grading.models import Assignment, Audit
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.graded_work import page_of, page_of_audit
from tests.factories.people import staff_user, student
from tests.factories.races import alone
from tests.factories.released import assignment_of, ended
from tests.factories.repositories import Commit, make_repository

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
ILL, LESS = "Ben was ill.", "Took no part in the second half."


class Desk:
    """One tab per person, opened on a page of the assignment."""

    browser: Browser

    def __init__(self, address: str, assignment: Assignment) -> None:
        self.address, self.assignment = address, assignment
        cohort = assignment.cohort
        people = [student(cohort, name=name).user for name in ("Ada", "Ben", "Carl")]
        self.ada, self.ben, self.carl = people
        self.teacher = staff_user(cohort.organization)
        self.sessions = {
            user.pk: session_of(user, address) for user in (*people, self.teacher) if user
        }

    @contextmanager
    def open(self, user: User | None, address: str) -> Iterator[Page]:
        assert user
        with tab(self.browser, self.address) as page:
            page.context.add_cookies([self.sessions[user.pk]])
            page.goto(address)
            yield page

    def judge(self, attempt: int) -> str:
        """End the audit of the team's attempt as a worker does; return the page of its report."""
        # Playwright has this thread, in which Django refuses queries.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(alone, lambda: page_of_audit(self._ended(attempt))).result()

    def _ended(self, attempt: int) -> Audit:
        audits = Audit.objects.select_related("organization", "rubric_version")
        return ended(audits.get(submission__attempt=attempt))


def test_team_of_three_over_two_attempts_with_an_extension(
    live_server: Any, chromium: Chromium, tmp_path: Path
) -> None:
    works = [tmp_path / f"work{number}.git" for number in (1, 2)]
    for number, work in enumerate(works):
        make_repository(work, [Commit(files={"main.py": f"print({number})\n"})])
    assignment = assignment_of(
        title="The auditor",
        team_formation="students",
        team_size_max=3,
        max_attempts=1,
        due_at=timezone.now() + timedelta(days=1),
    )
    desk = Desk(live_server.url, assignment)
    with chromium.open() as desk.browser:
        form_team(desk)
        hand_in(desk, desk.ada, works[0], "Attempt 1 was submitted")
        first = desk.judge(1)
        with desk.open(desk.ben, first) as page:
            expect(page.get_by_role("main")).to_contain_text("3.2")
            expect(page.get_by_role("link", name="1 due")).to_have_count(0)
        extend(desk)
        hand_in(desk, desk.carl, works[1], "Attempt 2 was submitted")
        second = desk.judge(2)
        adjust(desk, second)
        release(desk)
        results(desk, second)


def form_team(desk: Desk) -> None:
    """Ada forms it, Ben and Carl join with the code that she reads."""
    place = page_of(desk.assignment, "assignment")
    with desk.open(desk.ada, place) as page:
        page.get_by_role("link", name="Your team").click()
        page.get_by_label("Name of the team").fill("Blue")
        page.get_by_role("button", name="Form team").click()
        expect(page.get_by_role("heading", name="Blue")).to_be_visible()
        code = page.locator("main code").inner_text()
    for user in (desk.ben, desk.carl):
        with desk.open(user, place) as page:
            page.get_by_role("link", name="Your team").click()
            page.get_by_label("Code of the team").fill(code.lower())
            page.get_by_role("button", name="Join team").click()
            expect(page.get_by_role("heading", name="Blue")).to_be_visible()
    with desk.open(desk.carl, page_of(desk.assignment, "teams")) as page:
        expect(page.locator("main section li")).to_have_text(["Ada", "Ben", "Carl (you)"])


def hand_in(desk: Desk, user: User | None, work: Path, words: str) -> None:
    with desk.open(user, page_of(desk.assignment, "submit")) as page:
        expect(page.get_by_role("main")).to_contain_text("You submit for the team Blue")
        page.get_by_label("Repository").fill(str(work))
        page.get_by_role("button", name="Submit for audit").click()
        expect(page.get_by_text(words)).to_be_visible()


def extend(desk: Desk) -> None:
    """Give Ben an extension: it holds for the team, and the reason stays his."""
    with desk.open(desk.carl, page_of(desk.assignment, "submit")) as page:
        expect(page.get_by_role("main")).to_contain_text("You have used your only attempt.")
    with desk.open(desk.teacher, page_of(desk.assignment, "extensions")) as page:
        page.get_by_label("Students").select_option(label="Ben")
        page.get_by_label("Attempts").fill("2")
        page.get_by_label("Reason").fill(ILL)
        page.get_by_role("button", name="Give extension").click()
        expect(page.get_by_role("rowheader", name="Ben")).to_be_visible()
    place = page_of(desk.assignment, "assignment")
    with desk.open(desk.ben, place) as page:
        expect(page.get_by_role("main")).to_contain_text(ILL)
    with desk.open(desk.carl, place) as page:
        expect(page.get_by_role("main")).not_to_contain_text(ILL)


def adjust(desk: Desk, report: str) -> None:
    with desk.open(desk.teacher, report) as page:
        page.get_by_role("link", name="Adjust the result of Ben").click()
        page.get_by_label("Change").fill("-0.5")
        page.get_by_label("Reason").fill(LESS)
        page.get_by_role("button", name="Save adjustment").click()
        expect(page.get_by_role("row", name="Ben")).to_contain_text(LESS)


def release(desk: Desk) -> None:
    with desk.open(desk.teacher, page_of(desk.assignment)) as page:
        page.get_by_role("link", name="Release all unflagged (3)").click()
        page.get_by_role("button", name="Release 3 grades").click()
        expect(page.get_by_text("3 grades released.")).to_be_visible()


def results(desk: Desk, report: str) -> None:
    """Only Ben reads that and why his result differs."""
    for user, score, reasons in (
        (desk.ada, "4.3", 0),
        (desk.ben, "3.8", 1),
        (desk.carl, "4.3", 0),
    ):
        with desk.open(user, report) as page:
            expect(page.get_by_role("main")).to_contain_text(score)
            expect(page.get_by_text(LESS)).to_have_count(reasons)
