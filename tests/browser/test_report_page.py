"""The report as a page: as long as a person reads and prints, with its contents at the side."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

from grading.models import Audit
from tests.browser.examiner import TOO_WIDE, axe, faults_of
from tests.browser.keyboard import Keyboard
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.demo_report import demo_report
from tests.factories.people import CohortFactory, everywhere, student
from tests.factories.work import AuditFactory, CriterionVerdictFactory, SubmissionFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# The work with the longest report of the demo, which is longer than that of a typical student.
WORK = "quick-auditor"
MAX_HEIGHT, MAX_PAGES = 8_000, 12
DESK: Any = {"viewport": {"width": 1280, "height": 800}}
PHONE: Any = {"viewport": {"width": 390, "height": 800}}
HEIGHT = "document.documentElement.scrollHeight"
# Both judges' marks and what clips them, in pixels from the left.
CUT = """() => [...document.querySelectorAll('.glance .track')].flatMap(track => {
    const clip = track.closest('.scroll').getBoundingClientRect();
    return [...track.querySelectorAll('.mark')].map(mark => mark.getBoundingClientRect())
        .filter(mark => mark.left < clip.left || mark.right > clip.right);
}).length"""


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """Return the second attempt of a student, which all judges gave 1 for one criterion."""
    reader = student(CohortFactory.create())
    document = asyncio.run(demo_report(WORK, tmp_path))
    for opinion in document["criteria"][0]["opinions"]:
        opinion["score"] = 1
    first = AuditFactory.create(
        submission__assignment__cohort=reader.cohort, submission__student=reader, done=True
    )
    for place, row in enumerate(document["criteria"]):
        score = 1 if place == 1 else row["final_score"]
        CriterionVerdictFactory.create(
            audit=first, position=place, criterion_id=row["id"], name=row["name"], score=score
        )
    again = SubmissionFactory.create(
        assignment=first.submission.assignment, student=reader, attempt=2
    )
    made = AuditFactory.create(submission=again, done=True, report=document)
    with everywhere():
        return Audit.objects.select_related("submission__student__user").get(pk=made.pk)


class Report:
    """The page of one audit, for its student; `window` are the options of a tab."""

    def __init__(self, browser: Browser, site: str, cookie: Any, address: str) -> None:
        self._browser, self._site, self._cookie = browser, site, cookie
        self.address = address

    @contextmanager
    def opened(self, script: str = "", **window: Any) -> Iterator[Page]:
        with tab(self._browser, self._site, **window) as page:
            page.context.add_cookies([self._cookie])
            page.context.add_init_script(script)
            page.goto(self.address)
            yield page


@pytest.fixture
def report(live_server: Any, chromium: Chromium, audit: Audit) -> Iterator[Report]:
    user = audit.submission.student.user
    assert user is not None
    # The database answers no query once Playwright runs.
    cookie = session_of(user, live_server.url)
    address = f"/o/{audit.organization.slug}/audits/{audit.pk}/"
    with chromium.open() as browser:
        yield Report(browser, live_server.url, cookie, address)


def pages_printed(page: Page) -> int:
    return len(PdfReader(io.BytesIO(page.pdf(format="A4"))).pages)


def test_folded_report_is_short_on_a_screen_and_on_paper(report: Report) -> None:
    with report.opened(**DESK) as page:
        assert page.evaluate(HEIGHT) <= MAX_HEIGHT
        folded = pages_printed(page)
        assert folded <= MAX_PAGES
        page.get_by_role("link", name="Print everything").click()
        expect(page.get_by_text("Everything is unfolded")).to_be_visible()
        assert pages_printed(page) > 2 * folded


def test_contents_stay_at_the_side_and_lead_into_what_is_folded(report: Report) -> None:
    with report.opened(**DESK) as page:
        contents = page.get_by_role("navigation", name="Contents of the report")
        last = contents.get_by_role("link", name="Record")
        expect(last).to_be_visible()
        last.click()
        expect(page.locator("#record")).to_be_visible()
        expect(last).to_be_in_viewport()


def test_contents_are_folded_on_a_phone_where_every_mark_is_whole(report: Report) -> None:
    with report.opened(**PHONE) as page:
        contents = page.get_by_role("navigation", name="Contents of the report")
        expect(contents.get_by_role("link", name="Record")).to_be_hidden()
        contents.get_by_text("Contents").click()
        expect(contents.get_by_role("link", name="Record")).to_be_visible()
        assert page.evaluate(CUT) == 0
        assert not page.evaluate(TOO_WIDE)


def test_filtered_report_is_sound_and_needs_no_mouse(report: Report) -> None:
    with report.opened(axe(), **DESK) as page:
        keys = Keyboard(page)
        keys.skip_to_content()
        keys.follow("Criteria in detail")
        keys.follow("Changed since last attempt (1)", at_most=3)
        expect(page.locator("article.criterion:visible")).to_have_count(1)
        keys.follow("Expand all", at_most=4)
        expect(page.get_by_text("How the score came about").first).to_be_visible()
        page.goto(f"{report.address}?show=changed#criterion-1")
        expect(page.locator("#criterion-1")).to_be_visible()
        assert faults_of(page) == []
