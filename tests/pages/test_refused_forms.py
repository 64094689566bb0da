"""Every form of the site, sent empty and sent full of nonsense.

What is refused says so in one place above the form, which has the focus, and in words beside each
field at fault; and what was typed stands there still. The forms are found on the pages themselves:
a new one is asked the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from tests.browser.test_every_page import ACCOUNTS
from tests.browser.town import Town
from tests.tenancy.matrix_rows import AUDIT, PERSONS, ROWS
from tests.web_client.form_parser import Control, Form, FormsPage
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.usefixtures("redis", "empty_cache")
NONSENSE = {"empty": "", "wrong": "no such thing " * 500}
# What is taken all the same, and why.
TAKEN = {
    (
        "o/<slug:org>/c/<slug:cohort>/platforms/<int:link_id>/",
        "wrong",
    ): "a box is ticked by whatever is sent for it",
    ("o/<slug:org>/notices/", "empty"): "who wants no letter at all ticks nothing",
    (
        "o/<slug:org>/pairings/<uuid:pairing_id>/",
        "wrong",
    ): "a report is kept in whatever words it is written",
    (
        "o/<slug:org>/c/<slug:cohort>/people/<int:student_id>/",
        "empty",
    ): "only the address must be there, which a person who accepted keeps",
    ("o/<slug:org>/leave/", "wrong"): "a box is ticked, whatever its value",
    ("accounts/email/", "empty"): "no address is chosen, so none is changed",
    ("accounts/email/", "wrong"): "likewise",
    ("accounts/times/", "empty"): "without a zone of one's own, that of each cohort",
    ("accounts/tokens/", "empty"): "asks for the password first",
    ("accounts/tokens/", "wrong"): "likewise",
}
# Names of buttons that need no field of their form: what they do when all are empty.
COMPLETE = {"archive", "do", "score", "search"}
# Names of buttons that read no field that could be wrong.
HEEDLESS = {"archive", "search"}


class Sending(NamedTuple):
    """A form of the page at this route, sent with the button of this name and value."""

    route: str
    address: str
    form: Form
    button: tuple[str, str]
    how: str

    @property
    def content(self) -> dict[str, Any]:
        filled = [
            form_control
            for form_control in self.form.visible
            if self.how != "empty" or form_control.is_typed
        ]
        pressed = [self.button] if self.button[0] else []
        return {
            **self.form.hidden,
            **{form_control.name: nonsense(form_control, self.how) for form_control in filled},
            **dict(pressed),
        }

    @property
    def nowhere(self) -> list[str]:
        """Sent to the page's address with its fragment, behind which no browser moves the focus to
        a refusal.
        """
        return [] if self.form.action else ["it names no address"]

    @property
    def needs_nothing(self) -> bool:
        """True where the button asks for no field, or these are empty and may be."""
        return self.button[0] in (COMPLETE if self.how == "empty" else HEEDLESS)

    def missed(self, answer: Any) -> list[str]:
        """Return the faults of an answer."""
        if answer.status_code == 302 or answer.streaming:
            is_taken = (
                not self.form.visible or (self.route, self.how) in TAKEN or self.needs_nothing
            )
            return [] if is_taken else [f"taken: {answer.headers.get('Location')}"]
        if answer.status_code not in {200, 429}:
            return [f"answered {answer.status_code}"]
        html = answer.content.decode()
        unkept = []
        if answer.status_code == 200 and self.form.visible:
            page = FormsPage(html)
            unkept = ([] if self.needs_nothing else not_told(page)) + self.lost(page)
        return faults_of(html) + unkept

    def lost(self, page: FormsPage) -> list[str]:
        names = {control.name for control in self.form.visible}
        # A page may have several forms of one shape: what was typed stands in one of them.
        kept = {
            (control.name, control.value)
            for form in page.forms
            if names <= {control.name for control in form.visible}
            for control in form.visible
        }
        typed = [control.name for control in self.form.visible if control.is_typed]
        return [f"{name} was lost" for name in typed if (name, self.content[name]) not in kept]


def nonsense(control: Control, how: str) -> Any:
    text = NONSENSE[how]
    return SimpleUploadedFile("report.pdf", text.encode()) if control.kind == "file" else text


def not_told(page: FormsPage) -> list[str]:
    wrong = [
        form_control
        for form in page.forms
        for form_control in form.controls
        if form_control.is_wrong
    ]
    silent = [
        form_control.name
        for form_control in wrong
        if not any(page.texts[name].strip() for name in form_control.described_by)
    ]
    return [
        *([] if page.alerts == 1 else [f"{page.alerts} alerts"]),
        *([] if page.focused == ["div"] else [f"the focus is on {page.focused}"]),
        *(f"nothing says what is wrong with {name}" for name in dict.fromkeys(silent)),
    ]


@pytest.fixture(scope="module")
def town(kept: Path) -> Town:
    return Town()


def pages_of(person: str, town: Town) -> Iterator[tuple[str, str]]:
    """Routes and addresses of the pages with forms that this person may send."""
    for route, (got, sent) in ROWS.items():
        if (
            (sent or route == AUDIT)
            and got[PERSONS.index(person)] == 200
            and not route.startswith("api/")
        ):
            yield route, town.address(route)
    for page in ACCOUNTS.get(person, ()):
        yield f"accounts/{page}", f"/accounts/{page}"


def sendings(person: str, town: Town) -> Iterator[Sending]:
    for route, address in pages_of(person, town):
        page = FormsPage(town.client(person).get(address).content.decode())
        for form in page.forms:
            for button in form.buttons or [("", "")]:
                for how in NONSENSE:
                    yield Sending(route, form.action or address, form, button, how)


@pytest.mark.parametrize("person", ["anonymous", "student", "instructor"])
def test_forms_report_every_error_without_failing(
    person: str, town: Town, db: None, kept_uploads: None
) -> None:
    client = town.client(person, raise_request_exception=False)
    missed = {}
    for sending in sendings(person, town):
        with transaction.atomic():
            answer = client.post(sending.address, sending.content)
            if missing := sending.nowhere + sending.missed(answer):
                missed[sending.address, sending.button, sending.how] = missing
            transaction.set_rollback(True)
    assert missed == {}, "\n".join(f"{k}: {v}" for k, v in missed.items())
