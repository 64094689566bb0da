"""A private repository in a browser: from the token to the verdict, and who can read what.

With PICTURES the pictures of the documents are made again (test_documentation_pictures.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from django_scopes import scope
from playwright.sync_api import Page, expect

from grading.jobs import run_audit
from grading.models import Audit, RepositoryAccess
from tests.browser.tabs import AUDIT_PATIENCE_MS, Chromium, session_of, tab
from tests.browser.test_documentation_pictures import WINDOW, keep_picture
from tests.courtroom.in_process import read_in_process
from tests.factories.github_server import app_settings
from tests.factories.people import CohortFactory, everywhere, staff_user, student
from tests.factories.private_git_server import serve_private
from tests.factories.repositories import Commit, make_repository
from tests.factories.repository_accesses import (
    TOKEN,
    RepositoryAccessFactory,
    RepositoryGrantFactory,
    access_of,
    app_access_of,
)
from tests.factories.work import AssignmentFactory, rubric_document

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ada(monkeypatch) -> Any:
    read_in_process(monkeypatch)
    cohort = CohortFactory.create(name="Autumn 2026", slug="autumn")
    AssignmentFactory.create(
        cohort=cohort,
        title="The auditor",
        slug="auditor",
        rubric_version__document=rubric_document(),
    )
    return student(cohort, name="Ada")


def test_private_repository_goes_from_the_token_to_the_verdict(
    live_server: Any, chromium: Chromium, ada: Any, tmp_path: Path
) -> None:
    make_repository(
        tmp_path / "ada" / "auditor.git", [Commit("First", {"README.md": "#\n", "a.py": "a = 1\n"})]
    )
    cookie, cohort = session_of(ada.user, live_server.url), f"/o/{ada.organization.slug}/c/autumn/"
    with serve_private(tmp_path) as private:
        private.is_allowed = lambda _name, token, _path: token == TOKEN
        address = f"{private.url}/ada/auditor.git"
        with chromium.open() as browser, tab(browser, live_server.url, **WINDOW) as page:
            page.context.add_cookies([cookie])
            submit(page, cohort, address)
            expect(page.get_by_text("The repository requires a login").first).to_be_visible()
            page.get_by_role("main").get_by_role("link", name="Repositories").click()

            form = page.get_by_role("region", name="Any host, by a token")
            form.get_by_label("Address").fill(address)
            form.get_by_label("Token", exact=True).fill(TOKEN)
            form.get_by_role("button", name="Store the token").click()
            expect(page.get_by_text("was stored")).to_be_visible()

            submit(page, cohort, address)
            expect(page.get_by_text("Attempt 1 was submitted")).to_be_visible()
            report = page.url

        # Playwright's loop would be in the way of the database.
        with everywhere():
            audit = Audit.objects.get()
        run_audit(str(audit.pk), 1)

        with chromium.open() as browser, tab(browser, live_server.url, **WINDOW) as page:
            page.context.add_cookies([cookie])
            page.goto(report)
            verdicts = page.get_by_role("region", name="Verdicts at a glance")
            expect(verdicts).to_be_visible(timeout=AUDIT_PATIENCE_MS)
            page.goto(f"{cohort}repositories/")
            expect(page.get_by_text("the audit of attempt 1")).to_be_visible()


def submit(page: Page, cohort: str, address: str) -> None:
    page.goto(f"{cohort}a/auditor/submit/")
    page.get_by_label("Repository", exact=True).fill(address)
    page.get_by_role("button", name="Submit for audit").click()


def test_people_see_who_can_read_what(live_server: Any, chromium: Chromium, ada: Any) -> None:
    access_of(ada, host="gitlab.example.edu", path="ada/auditor", last_used_for="")
    app_access_of(ada, host="github.com", path="ada/auditor", for_teams=True)
    shared = RepositoryAccessFactory.create(
        organization=ada.organization, host="gitlab.example.edu", path="course-2026"
    )
    RepositoryGrantFactory.create(access=shared, student=ada, path="course-2026/ada")
    with scope(organization=ada.organization):
        used = {"last_used_at": shared.created_at, "last_used_for": "the audit of attempt 2"}
        RepositoryAccess.objects.filter(student=ada).update(**used)
    cookie = session_of(ada.user, live_server.url)
    teachers = session_of(staff_user(ada.organization), live_server.url)
    with (
        override_settings(**app_settings("https://github.com")),
        chromium.open() as browser,
    ):
        pages = {
            "repositories": (cookie, "c/autumn/repositories/"),
            "shared-repository": (teachers, f"repositories/{shared.pk}/"),
        }
        for name, (signed_in, path) in pages.items():
            with tab(browser, live_server.url, **WINDOW) as page:
                page.context.add_cookies([signed_in])
                page.goto(f"/o/{ada.organization.slug}/{path}")
                expect(page.get_by_role("table").first).to_be_visible()
                keep_picture(browser, page, page.locator("main"), name)
