"""Daily limits of the letters that an organization can cause."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.utils import timezone
from django_scopes import scope

from grading.core.user_text import name_in_email, without_links
from grading.courses.roster import import_roster
from grading.models import Notice, Organization
from grading.notifications import letter_limits
from grading.notifications.email_outbox import send_due_emails
from tests.factories.graded_work import signed_in
from tests.factories.grades import NoticeFactory
from tests.factories.people import CohortFactory, OrganizationFactory, UserFactory, staff_user

pytestmark = pytest.mark.django_db


def send(organization: Organization) -> int:
    return send_due_emails(organization_id=organization.pk)


def held(organization: Organization) -> int:
    with scope(organization=organization):
        return Notice.objects.exclude(held_at=None).count()


@pytest.mark.parametrize("is_approved", [True, False])
def test_letters_beyond_the_daily_limit_are_held_back_for_good(
    settings: Any, is_approved: bool
) -> None:
    settings.LETTERS_PER_DAY = 2 if is_approved else 3
    settings.LETTERS_PER_DAY_UNAPPROVED = 1 if is_approved else 2
    organization = OrganizationFactory.create(approved_at=timezone.now() if is_approved else None)
    for _ in range(3):
        NoticeFactory.create(organization=organization)
    other = NoticeFactory.create()
    settings.INSTITUTIONS_BY_APPROVAL = False
    assert [send(organization), send(organization), send(other.organization)] == [2, 0, 1]
    assert (held(organization), held(other.organization)) == (1, 0)


def test_one_person_gets_a_bounded_number_of_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letter_limits, "PER_RECIPIENT", 2)
    organization, user = OrganizationFactory.create(), UserFactory.create()
    for _ in range(3):
        NoticeFactory.create(organization=organization, user=user)
    NoticeFactory.create(organization=organization)
    assert (send(organization), held(organization)) == (3, 1)


def test_address_gets_a_bounded_number_of_invitations_of_all_organizations() -> None:
    for _ in range(letter_limits.INVITATIONS_PER_ADDRESS + 1):
        cohort = CohortFactory.create()
        import_roster(cohort=cohort, text="email\nbram@demo.test\n", by=None)
        send(cohort.organization)
    assert len(mail.outbox) == letter_limits.INVITATIONS_PER_ADDRESS
    assert held(cohort.organization) == 1


def test_held_back_invitation_is_shown_to_staff_and_written_by_the_next_import(
    settings: Any,
) -> None:
    settings.LETTERS_PER_DAY_UNAPPROVED = 0
    cohort = CohortFactory.create(organization__approved_at=None)
    address = f"/o/{cohort.organization.slug}/c/{cohort.slug}/people/"
    import_roster(cohort=cohort, text="email\nbram@demo.test\n", by=None)
    assert send(cohort.organization) == 0
    page = signed_in(staff_user(cohort.organization)).get(address).content.decode()
    assert ["1 letter of" in page, "letter not sent" in page] == [True, True]

    settings.LETTERS_PER_DAY_UNAPPROVED = 5
    for _ in range(2):
        import_roster(cohort=cohort, text="email\nbram@demo.test\n", by=None)
        send(cohort.organization)
    assert [letter.to for letter in mail.outbox] == [["bram@demo.test"]]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("see https://evil.example/login now", "see [link removed] now"),
        ("northfie1d.example/login", "[link removed]"),
        ("(www.evil)", "[link removed]"),
        ("ask me@evil.example", "ask [link removed]"),
        ("e\uff56il\u3002example", "[link removed]"),
        ("pay at 192.0.2.7/login", "pay at [link removed]"),
        ("http:\\\\evil", "[link removed]"),
        ("\N{GRINNING FACE}.example (evil).example", "[link removed] [link removed]"),
        ("ev\u200bil.exam\u202eple", "[link removed]"),
        ("evil\ufe0f.example or evil.\u034fexample", "[link removed] or [link removed]"),
        ("line\x07 one\nline two", "line one\nline two"),
        ("wait...until version 1.2.3", "wait...until version 1.2.3"),
        ("Week 2, 18.30 h, e.g. part 1.2 @ noon.", "Week 2, 18.30 h, e.g. part 1.2 @ noon."),
    ],
)
def test_text_of_a_letter_holds_no_links(text: str, plain: str) -> None:
    assert without_links(text) == plain


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Northfield\r\nInstitute", "Northfield Institute"),
        ("[Site] <b> https://evil.example", "(Site) (b)"),
        ("evil.example", "An organization"),
        ("N" * 120, "N" * 60),
    ],
)
def test_name_in_a_letter_is_one_short_line(name: str, plain: str) -> None:
    assert name_in_email(name) == plain
