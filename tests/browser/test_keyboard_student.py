"""A student uses the keyboard alone: sign in, submit, read, answer a finding, appeal."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from playwright.sync_api import Page, expect

from grading.core.enums import AuditState
from grading.models import Audit
from tests.browser.examiner import axe, faults_of
from tests.browser.keyboard import Keyboard, Stop
from tests.browser.tabs import AUDIT_PATIENCE_MS, Chromium, tab
from tests.factories.pdfs import make_pdf, parallel_graph_page
from tests.factories.people import PASSWORD, everywhere
from tests.factories.released import Released
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
WINDOW: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}


def test_a_student_needs_no_mouse(live_server: Any, chromium: Chromium, tmp_path: Path) -> None:
    released, source = Released(title="Week 2"), axe()
    ahead = AuditFactory.create(submission__assignment=released.assignment)
    repository = tmp_path / "work.git"
    make_repository(repository, [Commit(files={"README.md": "# Work\n", "main.py": "print()\n"})])
    with chromium.open() as browser, tab(browser, live_server.url, **WINDOW) as page:
        page.context.add_init_script(source)
        keys = Keyboard(page)
        page.goto("/")
        sign_in(page, keys, released.student.email)
        read_the_report(page, keys)
        appeal(page, keys)
        answer_a_finding(page, keys)
        hand_in(page, keys, repository)
        watch(page, keys, ahead)


def sign_in(page: Page, keys: Keyboard, email: str) -> None:
    keys.follow("Sign in")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign In")
    keys.skip_to_content()
    keys.tab_to("Email")
    keys.type(email)
    keys.tab_to("Password")
    keys.type(PASSWORD)
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome back")


def read_the_report(page: Page, keys: Keyboard) -> None:
    """Go from the overview to a criterion, its dissent and a cited line, and back."""
    keys.skip_to_content()
    keys.follow("Week 2")
    expect(page.get_by_role("heading", level=1)).to_have_text("Week 2")
    keys.skip_to_content()
    keys.follow("Attempt 1")
    verdicts = page.get_by_role("heading", name="Verdicts at a glance")
    expect(verdicts).to_be_visible(timeout=AUDIT_PATIENCE_MS)
    keys.skip_to_content()
    keys.tab_to("All changes, file by file")
    keys.follow("State management rigour")
    criterion = page.get_by_role("article", name="State management rigour")
    keys.follow("Dissent", at_most=5)
    expect(criterion.get_by_text("The Prosecutor holds the call unsafe")).to_be_visible()
    keys.follow("The arguments (3)", at_most=1)
    cited = re.compile(r"src/tools/state_management\.py:\d+.*")
    place = keys.tab_to(cited, at_most=1).name
    assert keys.tab() == Stop("group", place)  # the lines beside the argument
    keys.follow(re.compile("E-[0-9a-f]{8}"), at_most=3)
    item = page.locator(".evidence-item:target")
    expect(item).to_be_visible()
    expect(item).to_contain_text("os.system(")
    assert keys.tab().name == place
    assert keys.tab().name == f"Code of {place}"
    keys.tab_to(re.compile("E-[0-9a-f]{8}"), at_most=1)
    assert keys.tab() == Stop("group", place)  # the quotation itself, which scrolls
    keys.walk_out()
    keys.back()
    expect(criterion.get_by_text("The Prosecutor holds the call unsafe")).to_be_visible()


def appeal(page: Page, keys: Keyboard) -> None:
    """Go from the criterion to its form; a refusal gets the focus and links to its field."""
    keys.follow("Appeal this criterion", at_most=2)
    expect(page.get_by_role("heading", level=1)).to_have_text("Appeal: State management rigour")
    keys.skip_to_content()
    keys.tab_to(re.compile("What is wrong with the verdict.*"))
    keys.type("The fan-in is there.")
    keys.tab()
    keys.press("Space")
    keys.tab_to(re.compile("Evidence that was missed.*"))
    keys.type("somewhere:odd")
    keys.follow("File appeal")
    is_refused(page, keys, "Evidence that was missed")
    expect(page.get_by_role("checkbox").first).to_be_checked()
    keys.type("src/graph.py:41-60")
    keys.follow("File appeal")
    expect(page.get_by_text("Appeal filed.")).to_be_visible()


def is_refused(page: Page, keys: Keyboard, field: str) -> None:
    """The refusal has the focus; from there a link leads into the field."""
    expect(page.get_by_role("alert")).to_be_focused()
    assert faults_of(page) == []
    keys.follow(field, at_most=2)
    expect(page.get_by_label(field)).to_be_focused()
    expect(page.get_by_label(field)).to_have_attribute("aria-invalid", "true")


def answer_a_finding(page: Page, keys: Keyboard) -> None:
    keys.skip_to_content()
    keys.follow("Week 2")
    expect(page.get_by_role("heading", level=1)).to_have_text("Week 2")
    keys.follow("Findings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Findings in my work")
    keys.skip_to_content()
    keys.follow("A call goes through a shell")
    expect(page.get_by_role("heading", name="Your answer")).to_be_visible()
    keys.tab_to("Fixed in a commit")
    keys.press("ArrowDown", "ArrowDown")
    expect(page.get_by_label("Deferred, because …")).to_be_checked()
    keys.follow("Save answer")
    is_refused(page, keys, "Reason or plan")
    expect(page.get_by_label("Deferred, because …")).to_be_checked()
    keys.type("The parser comes first.")
    keys.follow("Save answer", at_most=1)
    expect(page.get_by_text("Answer saved.")).to_be_visible()


def hand_in(page: Page, keys: Keyboard, repository: Path) -> None:
    keys.skip_to_content()
    keys.follow("Week 2")
    expect(page.get_by_role("heading", level=1)).to_have_text("Week 2")
    keys.follow("Submit again")
    expect(page.get_by_role("heading", level=1)).to_have_text("Submit: Week 2")
    keys.skip_to_content()
    keys.tab_to("Repository")
    keys.type("http://x.example/work")
    keys.press("Enter")
    is_refused(page, keys, "Repository")
    keys.type(str(repository))
    with page.expect_file_chooser() as chooser:
        keys.follow(re.compile(r"Report \(PDF\).*"))
    chooser.value.set_files(make_pdf(repository.with_name("report.pdf"), [parallel_graph_page()]))
    keys.follow("Check first")
    expect(page.locator("#looked")).to_contain_text("Ready to submit.")
    assert keys.stop == Stop("button", "Check first")
    keys.follow("Submit for audit", at_most=1, back=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("Your work is being audited")


def watch(page: Page, keys: Keyboard, ahead: Audit) -> None:
    """The polled part keeps the focus where it is."""
    sentence = page.locator("#progress strong").first
    waiting = sentence.text_content() or ""
    keys.skip_to_content()
    keys.tab_to("Withdraw this submission")
    with (
        ThreadPoolExecutor() as threads
    ):  # Playwright runs its event loop in this one, where Django asks nothing
        threads.submit(end, ahead).result()
    expect(sentence).not_to_have_text(waiting)
    assert keys.stop == Stop("link", "Withdraw this submission")


def end(audit: Audit) -> None:
    with everywhere():
        Audit.objects.filter(pk=audit.pk).update(
            state=AuditState.FAILED, failure_code="x", finished_at=timezone.now()
        )
    connection.close()
