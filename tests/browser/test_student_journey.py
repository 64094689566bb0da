"""A student signs in, submits, watches, reads and submits again, with a real worker."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from grading.rubrics.actions import adopt_shipped_rubric
from tests.browser.tabs import AUDIT_PATIENCE_MS, Chromium, tab
from tests.factories.pdfs import make_pdf, parallel_graph_page
from tests.factories.people import PASSWORD, CohortFactory, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
UNSAFE = 'import os\n\n\ndef clone(url):\n    os.system(f"git clone {url} <b>here</b>")\n'
SAFE = (
    "import subprocess\n\n\ndef clone(url):\n"
    '    subprocess.run(["git", "clone", "--", url], check=True, timeout=60)\n'
)
FIRST_COMMITS = (
    Commit(message="Begin", files={"README.md": "# Work\n"}),
    Commit(message="Clone", files={"src/clone.py": UNSAFE}),
)


def sign_in(page: Page, email: str) -> None:
    page.goto("/")
    page.get_by_role("navigation", name="Account").get_by_role("link", name="Sign in").click()
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign In").click()


def hand_in(page: Page, repository: Path, pdf: Path) -> None:
    page.get_by_label("Repository").fill(str(repository))
    page.get_by_label("Report (PDF)").set_input_files(pdf)
    page.get_by_role("button", name="Submit for audit").click()


def test_a_student_hands_in_watches_reads_and_hands_in_again(
    live_server: Any, worker: None, chromium: Chromium, tmp_path: Path
) -> None:
    cohort = CohortFactory.create(name="Autumn 2026")
    rubric = adopt_shipped_rubric(organization=cohort.organization, name="self_audit", by=None)
    AssignmentFactory.create(cohort=cohort, title="Week 2", rubric_version=rubric)
    ada = student(cohort, name="Ada")
    first, second = tmp_path / "first.git", tmp_path / "second.git"
    make_repository(first, FIRST_COMMITS)
    make_repository(
        second, [*FIRST_COMMITS, Commit(message="Mend the clone", files={"src/clone.py": SAFE})]
    )
    pdf, no_pdf = make_pdf(tmp_path / "report.pdf", [parallel_graph_page()]), tmp_path / "no.pdf"
    no_pdf.write_text("<html>")

    with chromium.open() as browser:
        with tab(browser, live_server.url) as page:
            sign_in(page, ada.email)
            refused_then_audited(page, first, no_pdf, pdf)
            read_report(page)
        window: Any = {"java_script_enabled": False, "viewport": {"width": 390, "height": 844}}
        with tab(browser, live_server.url, **window) as page:
            sign_in(page, ada.email)
            hand_in_again(page, first, second, pdf)


def refused_then_audited(page: Page, repository: Path, no_pdf: Path, pdf: Path) -> None:
    page.get_by_role("link", name="Week 2", exact=True).click()
    page.get_by_role("link", name="Submit", exact=True).click()
    hand_in(page, repository, no_pdf)
    expect(page.get_by_label("Report (PDF)")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Repository")).to_have_value(str(repository))
    hand_in(page, repository, pdf)
    expect(page.get_by_role("heading", level=1)).to_have_text("Your work is being audited")
    see_the_report(page)


def hand_in_again(page: Page, before: Path, repository: Path, pdf: Path) -> None:
    page.get_by_role("link", name="Week 2", exact=True).first.click()
    page.get_by_role("link", name="Submit again").click()
    expect(page.get_by_label("Repository")).to_have_value(str(before))
    hand_in(page, repository, pdf)
    see_the_report(page)
    page.get_by_role("link", name="Week 2", exact=True).first.click()
    expect(page.get_by_role("row", name=re.compile("Attempt"))).to_have_count(3)


def see_the_report(page: Page) -> None:
    """Wait for the report, as long as its audit takes."""
    heading = page.get_by_role("heading", name="Verdicts at a glance")
    expect(heading).to_be_visible(timeout=AUDIT_PATIENCE_MS)


def read_report(page: Page) -> None:
    """Follow a citation of the criterion about safe tools to the very line, shown as text."""
    expect(page.get_by_text("No model was used")).to_be_visible()
    page.get_by_role("heading", name="Safe Tool Engineering").scroll_into_view_if_needed()
    criterion = page.get_by_role("article", name="Safe Tool Engineering")
    criterion.get_by_text("The arguments").click()
    cited = criterion.locator("details.citation").filter(has_text="src/clone.py:5").first
    expect(cited).to_contain_text('os.system(f"git clone {url} <b>here</b>")')
    if cited.get_attribute("open") is None:
        cited.locator("summary").click()
    cited.get_by_role("link", name=re.compile("E-[0-9a-f]{8}")).click()
    line = page.locator(".evidence-item:target")
    expect(line).to_be_visible()
    expect(line).to_contain_text('os.system(f"git clone {url} <b>here</b>")')
    with page.expect_download() as download:
        page.get_by_role("link", name="Download Markdown").click()
    assert download.value.suggested_filename == "week-2-attempt-1.md"
