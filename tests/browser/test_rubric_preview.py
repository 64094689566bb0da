"""An instructor changes a draft, previews it, publishes it, and gets the previewed results."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.urls import reverse
from django_rq import get_queue
from django_scopes import scope
from playwright.sync_api import Page, expect

from grading.core.enums import RubricState
from grading.jobs import resynthesise_chunk
from grading.models import Assignment, Grade, RubricVersion
from grading.rubrics.actions import draft_rubric_version
from tests.browser.tabs import Chromium, session_of, tab
from tests.factories.people import CohortFactory, staff_user
from tests.factories.preview_works import judged_assignment

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "java_script_enabled": False}
CHANGED = {
    "Student 000": ("2.5, 30 of 100 points", "2.5, 60 of 100 points"),
    "Student 001": ("3.0, 60 of 100 points", "3.0, 90 of 100 points"),
}


def begun() -> tuple[Assignment, RubricVersion, Any]:
    """Three judged students, and a draft that is still what they were judged under."""
    cohort = CohortFactory.create(name="Autumn")
    teacher = staff_user(cohort.organization)
    teacher.is_staff = True
    teacher.save()
    with scope(organization=cohort.organization):
        assignment = judged_assignment(cohort=cohort, title="Week 2")
        text = copy.deepcopy(assignment.rubric_version.document)
        draft = draft_rubric_version(
            rubric=assignment.rubric_version.rubric, document=text, by=teacher
        )
    return assignment, draft, teacher


def test_draft_is_changed_previewed_published_and_applied(
    live_server: Any, chromium: Chromium
) -> None:
    assignment, draft, teacher = begun()
    session = session_of(teacher, live_server.url)
    with chromium.open() as browser:
        with tab(browser, live_server.url, **DESKTOP) as page:
            page.context.add_cookies([session])
            page.goto(reverse("admin:grading_rubricversion_change", args=[draft.pk]))
            give_the_last_level_points(page)
            page.get_by_text("Preview for…").click()
            page.get_by_role("link", name="Week 2, Autumn").click()
            expect(page.get_by_role("heading", name="2 of 3 results would change")).to_be_visible()
            assert changed_results(page) == CHANGED
            address = page.url
        with tab(browser, live_server.url, **PHONE) as page:
            page.context.add_cookies([session])
            page.goto(address)
            assert (
                page.evaluate("document.documentElement.scrollWidth") == PHONE["viewport"]["width"]
            )
            page.get_by_role("link", name="Publish A small rubric v2").click()
            page.get_by_role("button", name="Publish", exact=True).click()
            expect(page.get_by_role("heading", name="Re-synthesise 3 audits")).to_be_visible()
    [job] = get_queue("bulk").jobs
    resynthesise_chunk(*job.args)
    with scope(organization=assignment.organization):
        assignment.refresh_from_db()
        assert (assignment.rubric_version.pk, assignment.rubric_version.state) == (
            draft.pk,
            RubricState.PUBLISHED,
        )
        assert results(assignment) == {name: after for name, (_, after) in CHANGED.items()} | {
            "Student 002": "5.0, 100 of 100 points"
        }


def give_the_last_level_points(page: Page) -> None:
    page.locator(".criterion > details > summary").first.click()
    page.locator('[name="criteria.0.levels.2.points"]').fill("30")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("is saved as a draft")).to_be_visible()


def changed_results(page: Page) -> dict[str, tuple[str, str]]:
    rows = (
        page.get_by_role("region", name="Changed results, largest change first")
        .get_by_role("row")
        .all()[1:]
    )
    return {
        row.get_by_role("link").inner_text(): (
            row.locator("[data-label=Before]").inner_text(),
            row.locator("[data-label=After]").inner_text(),
        )
        for row in rows
    }


def results(assignment: Assignment) -> dict[str, str]:
    grades = Grade.objects.filter(assignment=assignment).select_related("student")
    return {
        str(
            grade.student
        ): f"{grade.overall_score}, {grade.points_earned:g} of {grade.points_possible:g} points"
        for grade in grades
    }
