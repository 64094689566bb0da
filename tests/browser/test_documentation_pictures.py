"""Pictures of the documents: a report of the demo cohort, as its page shows it.

`PICTURES=docs/pictures pytest tests/browser/test_documentation_pictures.py` makes them again.
"""

from __future__ import annotations

import asyncio
import base64
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from grading.models import Audit
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.demo_report import demo_report
from tests.factories.people import CohortFactory, everywhere, student
from tests.factories.work import AuditFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# A criterion on which the judges differ.
WORK, CRITERION = "quick-auditor", "article.criterion >> nth=2"
WINDOW: Any = {"viewport": {"width": 916, "height": 1000}, "color_scheme": "light"}
MARGIN, TALLEST = 12, 1380
TO_WEBP = """async png => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + png;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.9).split(',')[1];
}"""


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    reader = student(CohortFactory.create())
    document = asyncio.run(demo_report(WORK, tmp_path))
    made = AuditFactory.create(
        submission__assignment__cohort=reader.cohort,
        submission__student=reader,
        done=True,
        report=document,
    )
    with everywhere():
        return Audit.objects.select_related("submission__student__user").get(pk=made.pk)


def test_page_shows_what_the_documents_picture(
    live_server: Any, chromium: Chromium, audit: Audit
) -> None:
    user = audit.submission.student.user
    assert user is not None
    cookie = session_of(user, live_server.url)
    address = f"/o/{audit.organization.slug}/audits/{audit.pk}/"
    with chromium.open() as browser, tab(browser, live_server.url, **WINDOW) as page:
        page.context.add_cookies([cookie])
        page.goto(address)
        verdicts = page.get_by_role("region", name="Verdicts at a glance")
        expect(verdicts.get_by_role("row")).to_have_count(11)
        keep_picture(browser, page, verdicts, "verdicts")

        criterion = page.locator(CRITERION)
        criterion.get_by_text("How to raise it").first.click()
        criterion.get_by_text("The arguments").first.click()
        for mark in ("prosecutor", "defense", "techlead"):
            expect(criterion.locator(f".argument.{mark}").first).to_be_visible()
        keep_picture(browser, page, criterion, "criterion")


def keep_picture(browser: Browser, page: Page, part: Locator, name: str) -> None:
    """Save a picture of this part of the page into the folder PICTURES, if there is one."""
    folder, box = os.environ.get("PICTURES"), part.bounding_box()
    assert box is not None
    if not folder:
        return
    top = page.evaluate("scrollY") + box["y"]
    clip: Any = {
        "x": max(0, box["x"] - MARGIN),
        "y": top - MARGIN,
        "width": box["width"] + 2 * MARGIN,
        "height": min(box["height"] + 2 * MARGIN, TALLEST),
    }
    png = page.screenshot(full_page=True, clip=clip)
    # The site's pages forbid such images; an empty page does not.
    blank = browser.new_page()
    webp = blank.evaluate(TO_WEBP, base64.b64encode(png).decode())
    blank.close()
    (Path(folder) / f"{name}.webp").write_bytes(base64.b64decode(webp))
