"""An instructor goes from an assignment to a changed rubric in use, and tries a check on the way."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from django_scopes import scope
from playwright.sync_api import Page, expect

from grading.engine.stored_sources import pack_sources
from grading.models import Assignment, Audit, AuditContents
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.people import CohortFactory, staff_user
from tests.factories.preview_works import judged_assignment

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
CODE = "import os\n\n\ndef clone(url):\n    os.system('git clone ' + url)\n"


def judged_with_code() -> Assignment:
    """Return an assignment with three verdicts, whose audits keep one file."""
    cohort = CohortFactory.create()
    with scope(organization=cohort.organization):
        assignment = judged_assignment(cohort=cohort)
        for audit in Audit.objects.all():
            AuditContents.objects.update_or_create(
                audit=audit,
                defaults={
                    "organization": cohort.organization,
                    "sources": pack_sources({"src/clone.py": ("1", CODE)}),
                },
            )
    return assignment


def test_changed_rubric_is_used_after_four_clicks_and_a_check_is_tried(
    live_server: Any, chromium: Chromium
) -> None:
    assignment = judged_with_code()
    before = assignment.rubric_version_id
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    session = session_of(staff_user(assignment.organization), live_server.url)
    with chromium.open() as browser, tab(browser, live_server.url, **DESKTOP) as page:
        page.context.add_cookies([session])
        page.goto(reverse("assignment", args=slugs))
        page.get_by_role("link", name="Rubric", exact=True).click()
        page.get_by_role("button", name="Edit as a new draft").click()
        try_a_new_check(page)
        page.get_by_role("button", name="Save and publish…").click()
        page.get_by_role("button", name="Publish and use from now on").click()
        expect(page.get_by_text("from now on.")).to_be_visible()
    with scope(organization=assignment.organization):
        used = Assignment.objects.select_related("rubric_version").get(pk=assignment.pk)
        assert used.rubric_version.based_on_id == before
        assert used.rubric_version.document["criteria"][0]["checks"][-1]["kind"] == "unsafe_call"


def try_a_new_check(page: Page) -> None:
    """Build a check without JSON, try it on one student's work, and see the line that matches."""
    page.locator(".criterion > details > summary").first.click()
    criterion = page.locator(".criterion").first
    criterion.get_by_role("button", name="Add a check").click()
    check = criterion.locator(".check").last
    check.get_by_label("Goal").fill("No shell is run")
    check.get_by_label("Kind").select_option("unsafe_call")
    check.get_by_label("A match").select_option("negative")
    page.get_by_label("Try checks on").select_option(label="Student 000, attempt 1")
    check.get_by_role("button", name="Try this check").click()
    expect(check.locator("[data-trial]")).to_contain_text("fault")
    expect(check.locator(".hit")).to_contain_text("os.system('git clone ' + url)")
    page.get_by_label("Try checks on").select_option(label="Student 001, attempt 1")
    check.get_by_role("button", name="Try this check").click()
    expect(check.locator("[data-trial]")).to_contain_text("no match Whether any shell is run")
