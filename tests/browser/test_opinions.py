"""Opinions of models on the page of a report: beside the lines that they cite, on any screen."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from grading.core.enums import Bench
from grading.jobs import run_audit
from grading.models import Audit
from tests.browser.examiner import TOO_WIDE, axe, faults_of
from tests.browser.keyboard import Keyboard, Stop
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.model_server import citable
from tests.factories.people import CohortFactory, everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory, rubric_document
from tests.model_endpoint.scripted_judge import (
    Body,
    judge_endpoint,
    material_of,
    may_ask,
    opinion,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MAIN = 'def main():\n    return "<script>alert(1)</script>"\n\n\nprint(main())\n'
CRITERION = "#c-tidy"
PLACES = ["main.py:1-2", "main", "../../etc/passwd"]


def judge(body: Body) -> dict[str, Any]:
    """Answer as the judge whose model this is: one asks first, one cites nothing."""
    items = citable(material_of(body))
    if body["model"] == "defense":
        return opinion(score=5)
    if body["model"] == "tech-lead" and may_ask(body):
        return opinion(score=None, ask=PLACES)
    argument = f"The program prints what it returns, and {items[0]} says **nothing** against it."
    return opinion("main.py:1-5", *items[:2], score=4, reasoning=argument)


@pytest.fixture
def audit(tmp_path: Path, settings: Any) -> Iterator[Audit]:
    """Return an audit by three models, on one repository."""
    repository = tmp_path / "work.git"
    make_repository(repository, [Commit(files={"README.md": "# Work", "main.py": MAIN})])
    with judge_endpoint(judge) as endpoint:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = endpoint.base_url, "a-key"
        settings.PROSECUTOR_MODEL, settings.DEFENSE_MODEL = "prosecutor", "defense"
        settings.TECH_LEAD_MODEL = "tech-lead"
        settings.JUDGES_SCREEN = False
        reader = student(CohortFactory.create())
        assignment = AssignmentFactory.create(
            cohort=reader.cohort, bench=Bench.LLM, rubric_version__document=rubric_document()
        )
        made = AuditFactory.create(
            submission__repo_url=str(repository),
            submission__assignment=assignment,
            submission__student=reader,
        )
        run_audit(str(made.pk), 1)
    with everywhere():
        yield Audit.objects.select_related("submission__student__user").get(pk=made.pk)


def test_opinions_stand_beside_the_lines_they_cite_on_any_screen(
    live_server: Any, chromium: Chromium, audit: Audit
) -> None:
    user, examiner = audit.submission.student.user, axe()
    assert user is not None
    cookie = session_of(user, live_server.url)
    address = f"/o/{audit.organization.slug}/audits/{audit.pk}/"
    with chromium.open() as browser:
        for width, scheme in product((1280, 320), ("light", "dark")):
            window: Any = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
            with tab(browser, live_server.url, **window) as page:
                page.context.add_cookies([cookie])
                page.goto(address)
                read(page)
                keep_picture(page, f"{width}-{scheme}")
                assert not page.evaluate(TOO_WIDE)
                follow_an_id(page)
        with tab(browser, live_server.url) as page:
            page.context.add_cookies([cookie])
            page.goto(address)
            page.evaluate(examiner)
            assert faults_of(page) == []


def read(page: Page) -> None:
    """Open the arguments on the first criterion, and look at what each judge says."""
    criterion = page.locator(CRITERION)
    criterion.get_by_text("The arguments").click()
    prosecutor, defense, tech_lead = (
        criterion.locator(f".argument.{mark}").first
        for mark in ("prosecutor", "defense", "techlead")
    )
    lines = prosecutor.get_by_role("group", name="main.py:1-5")
    expect(lines).to_be_visible()
    expect(lines).to_contain_text('2    return "<script>alert(1)</script>"')
    expect(defense).to_contain_text("cited nothing that the judge was shown")
    for sentence in (
        "Asked to read main.py:1-2: shown.",
        "Asked to read main: shown as main.py:1-2 code.",
        "Asked for ../../etc/passwd: not shown. The path leads outside the repository.",
    ):
        expect(tech_lead).to_contain_text(sentence)


def follow_an_id(page: Page) -> None:
    """Go from an id in an argument to the evidence, with keys alone."""
    keys = Keyboard(page)
    argument = page.locator(f"{CRITERION} .argument.prosecutor").first
    link = argument.locator(".prose").get_by_role("link")
    link.focus()
    name = link.inner_text()
    assert keys.stop == Stop("link", name)
    keys.press("Enter")
    item = page.locator(".evidence-item:target")
    expect(item).to_be_visible()
    expect(item).to_contain_text(re.compile(name))


def keep_picture(page: Page, name: str) -> None:
    """Save a picture of the arguments into the folder PICTURES, if there is one."""
    if folder := os.environ.get("PICTURES"):
        page.locator(f"{CRITERION} .arguments").screenshot(path=f"{folder}/{name}.png")
