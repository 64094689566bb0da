"""Pages fit their window, and none makes the browser complain, its content policy included."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from tests.browser.examiner import TOO_WIDE, UNFOLD
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.example_report import report_json
from tests.factories.grades import BulkItemFactory, GradeFactory
from tests.factories.people import CohortFactory, staff_user, student
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    CriterionVerdictFactory,
    SubmissionFactory,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Scheme = Literal["dark", "light"]
WINDOWS: tuple[tuple[int, Scheme], ...] = ((390, "dark"), (1280, "light"))
LONG = "a_name_that_goes_on_" * 8


def visits() -> list[tuple[User | None, list[str]]]:
    """Return each user once, with the pages that they open; all names are long and unbroken.

    A tab is a fresh profile, which costs Chromium more than a page does.
    """
    enrolled = student(CohortFactory.create(slug="autumn", name="Autumn"), name=LONG)
    assignment = AssignmentFactory.create(cohort=enrolled.cohort, slug="auditor", title=LONG)
    submission = SubmissionFactory.create(
        assignment=assignment, student=enrolled, repo_url=f"https://x.example/{LONG}"
    )
    reported = AuditFactory.create(submission=submission, done=True, report=report_json())
    CriterionVerdictFactory.create(audit=reported, name=LONG)
    grade = GradeFactory.create(audit=reported, needs_review=True, widest_spread=4)
    again = SubmissionFactory.create(assignment=assignment, student=enrolled, attempt=2)
    failed = AuditFactory.create(submission=again, failed=True)
    org = f"/o/{assignment.organization.slug}/"
    cohort = f"{org}c/autumn/"
    teacher = staff_user(assignment.organization)
    teacher.is_staff = True
    teacher.save()
    run = BulkItemFactory.create(
        run__assignment=assignment, submission=submission, audit=reported
    ).run
    return [
        (
            enrolled.user,
            [
                "/",
                *(f"{cohort}a/auditor/{page}" for page in ("", "submit/")),
                "/accounts/email/",
                *(f"{org}audits/{audit.pk}/" for audit in (reported, failed)),
            ],
        ),
        (
            teacher,
            [
                org,
                *(
                    f"{cohort}{page}"
                    for page in ("", "people/", "roster/", "a/auditor/", "a/new/", "log/")
                ),
                *(
                    f"{cohort}a/auditor/grades/{page}"
                    for page in ("", f"release/?grade={grade.pk}", "sample/")
                ),
                *(
                    f"{org}audits/{reported.pk}/{page}"
                    for page in ("", "criteria/0/override/", "count/", "take-back/")
                ),
                *(
                    f"{cohort}a/auditor/{page}/"
                    for page in ("bulk", "export", "settings", "agreement")
                ),
                f"{org}bulk/{run.pk}/",
                f"/admin/grading/submission/{submission.pk}/change/",
            ],
        ),
        (None, ["/", "/accounts/login/", "/accounts/signup/"]),
    ]


def too_wide_in(page: Page, address: str) -> list[tuple[str, int]]:
    """Return the address with each width that it does not fit, in its theme."""
    page.goto(address)
    page.evaluate(UNFOLD)
    too_wide = []
    for width, scheme in WINDOWS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        if page.evaluate(TOO_WIDE):
            too_wide.append((address, width))
    return too_wide


def test_every_page_fits_a_phone_and_a_desk(live_server: Any, chromium: Chromium) -> None:
    sessions = [
        ([session_of(user, live_server.url)] if user else [], pages) for user, pages in visits()
    ]
    too_wide = []
    with chromium.open(draws=False) as browser:
        for cookies, pages in sessions:
            with tab(browser, live_server.url) as page:
                page.context.add_cookies(cookies)
                for address in pages:
                    too_wide += too_wide_in(page, address)
    assert too_wide == []
