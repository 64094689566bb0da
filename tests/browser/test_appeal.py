"""An appeal in a real browser, from the report to the answer: the student, who teaches, the student
again.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from playwright.sync_api import Page, expect

from grading.core.enums import Role
from grading.jobs import send_letters
from tests.browser.keyboard import Keyboard
from tests.browser.tabs import Chromium, session_of, tab
from tests.browser.test_student_journey import sign_in
from tests.factories.people import MembershipFactory
from tests.factories.released import Released, filed

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
PHONE = {"width": 390, "height": 844}


def file_appeal(page: Page) -> None:
    criterion = page.get_by_role("article", name="Graph orchestration")
    criterion.get_by_role("link", name="Appeal this criterion").click()
    expect(page.get_by_text("3 of 3 appeals left")).to_be_visible()
    page.get_by_label("What is wrong with the verdict").fill(
        "The fan-in is there, in another file."
    )
    page.get_by_label("Evidence that was missed").fill("src/graph.py:41-60\nsomewhere:odd")
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="File appeal").click()

    places = page.get_by_label("Evidence that was missed")
    expect(places).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("What is wrong with the verdict")).to_have_value(
        "The fan-in is there, in another file."
    )
    expect(page.get_by_role("checkbox").first).to_be_checked()
    places.fill("src/graph.py:41-60")
    page.get_by_role("button", name="File appeal").click()
    expect(page.get_by_text("Appeal filed.")).to_be_visible()


def answer_appeal(page: Page) -> None:
    page.get_by_role("link", name="Graph orchestration").click()
    expect(page.get_by_text("The fan-in is there, in another file.")).to_be_visible()
    expect(page.get_by_role("row", name="Change to 5")).to_contain_text("4.3 → 4.7")
    page.get_by_role("radio", name="Change to 5").check()
    page.get_by_role("button", name="Answer appeal").click()
    expect(page.get_by_label("Your answer")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("radio", name="Change to 5")).to_be_checked()
    page.get_by_label("Common reasons").select_option("Change: evidence was missed")
    page.get_by_role("button", name="Answer appeal").click()
    expect(page.get_by_text("No appeals are waiting for an answer.")).to_be_visible()
    expect(page.get_by_role("row", name="Graph orchestration")).to_contain_text("100 %")


def deliver(organization_id: int) -> None:
    send_letters(organization_id)
    connection.close()


def test_an_appeal_from_filing_to_answer(live_server: Any, chromium: Chromium) -> None:
    released = Released(title="Week 2")
    address = f"/o/{released.organization.slug}"
    with chromium.open() as browser:
        with tab(browser, live_server.url, viewport=PHONE) as page:
            sign_in(page, released.student.email)
            page.goto(f"{address}/audits/{released.audit.pk}/")
            file_appeal(page)
        with tab(browser, live_server.url, java_script_enabled=False) as page:
            sign_in(page, released.teacher.email)
            page.goto(f"{address}/appeals/")
            answer_appeal(page)
        with (
            ThreadPoolExecutor() as threads
        ):  # Playwright runs its event loop in this one, where Django asks nothing
            threads.submit(deliver, released.organization.pk).result()
        letter = next(letter for letter in mail.outbox if "appeal" in letter.subject)
        path = next(line for line in letter.body.splitlines() if "/appeals/" in line).partition(
            "/o/"
        )[2]
        with tab(browser, live_server.url) as page:
            sign_in(page, released.student.email)
            page.goto(f"/o/{path}")
            expect(page.get_by_role("heading", name="Upheld: 4 → 5 of 5")).to_be_visible()
            page.get_by_role("link", name="Report").click()
            expect(page.get_by_role("article", name="Graph orchestration")).to_contain_text(
                "5 of 5"
            )


def test_an_appeal_is_handed_to_a_colleague_by_keys(live_server: Any, chromium: Chromium) -> None:
    released = Released(title="Week 2")
    appeal = filed(released)
    colleague = MembershipFactory.create(
        organization=released.organization, role=Role.INSTRUCTOR, user__email="zoe@north.test"
    )
    session = session_of(released.teacher, live_server.url)
    with chromium.open() as browser, tab(browser, live_server.url) as page:
        page.context.add_cookies([session])
        page.goto(f"/o/{released.organization.slug}/appeals/{appeal.pk}/")
        keys = Keyboard(page)
        keys.follow("Hand to…")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Hand over the appeal")
        keys.tab_to("Hand to")
        page.keyboard.type("zoe")
        expect(page.get_by_label("Hand to")).to_have_value(str(colleague.pk))
        keys.follow("Hand over", at_most=2)
        expect(page.get_by_text("1 appeal handed to zoe@north.test.")).to_be_visible()
    assert released.now(appeal).assigned_to_id == colleague.pk
