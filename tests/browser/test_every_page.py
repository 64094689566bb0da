"""Every page for everybody who may open it: axe-core finds no fault, and it fits 320 px."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.examiner import axe, faults_of
from tests.browser.tabs import Chromium, tab
from tests.browser.town import Town
from tests.tenancy.matrix_rows import ASSIGNMENT, COHORT, PERSONS, ROWS

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
]
ACCOUNTS = {
    "anonymous": ("login/", "signup/", "password/reset/", "password/reset/done/", "inactive/"),
    "student": (
        "email/",
        "password/change/",
        "2fa/",
        "2fa/totp/activate/",
        "tokens/",
        "times/",
        "reauthenticate/",
        "logout/",
    ),
}
WINDOW: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}


# Addresses like those of pages: a file, and what a page asks for.
NO_PAGES = (
    "o/<slug:org>/rubrics/<int:version_id>/export/",
    f"{COHORT}{ASSIGNMENT}queue/<int:enrollment_id>/open/",
    "o/<slug:org>/rubrics/<slug:rubric>/comments/matches/",
)


def pages_of(person: str) -> Iterator[str]:
    """Return the routes that answer this person with a whole page for people."""
    for route, (answers, _) in ROWS.items():
        is_page = re.fullmatch(r"(?!api/).*(?<!/progress)/|", route) and route not in NO_PAGES
        if answers[PERSONS.index(person)] == 200 and is_page:
            yield route


def walked(person: str, town: Town) -> list[str]:
    site = [town.address(route) for route in pages_of(person)]
    bare = [town.bare_address(route) for route in pages_of(person) if town.is_bare(route)]
    code = town.code_pages if person == "student" else []
    return [*site, *bare, *code, *(f"/accounts/{page}" for page in ACCOUNTS.get(person, ()))]


@pytest.mark.parametrize("person", ["anonymous", "student", "instructor"])
def test_every_page_is_sound_in_both_themes_and_on_a_small_phone(
    person: str, live_server: Any, chromium: Chromium
) -> None:
    source, town = axe(), Town()
    faults = {}
    with chromium.open(draws=False) as browser, tab(browser, live_server.url, **WINDOW) as page:
        page.context.add_cookies(town.cookies(person, live_server.url))
        page.context.add_init_script(source)
        for address in walked(person, town):
            page.goto(address)
            if page_faults := faults_of(page):
                faults[address] = page_faults
        assert faults == {}
