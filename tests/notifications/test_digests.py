"""Daily emails: what waits for them, when they are gathered, and that each leaves once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import IntegrityError, transaction
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import NoticeKind
from grading.courses.organizations.invitations import leave_organization
from grading.jobs import send_letters
from grading.models import Notice, Organization, PersonalCalendar
from grading.notifications.choices import choose_emails
from grading.notifications.digests import gather_digests, next_morning
from grading.notifications.emails import notify
from tests.factories.grades import NoticeFactory
from tests.factories.people import CohortFactory, everywhere, student
from tests.factories.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
BERLIN = ZoneInfo("Europe/Berlin")


class Reader:
    """A student who gets releases and receipts once a day."""

    def __init__(self, zone: str = "Europe/Berlin") -> None:
        cohort = CohortFactory.create(time_zone=zone)
        self.organization: Organization = cohort.organization
        self.user: User = student(cohort).user
        self.choose(NoticeKind.RELEASED, NoticeKind.HANDED_IN)

    def choose(self, *daily: NoticeKind) -> None:
        with scope(organization=self.organization):
            choose_emails(
                organization=self.organization,
                user=self.user,
                wanted=list(NoticeKind),
                daily=daily,
            )

    def tell(self, subject: str, kind: NoticeKind = NoticeKind.RELEASED) -> None:
        with scope(organization=self.organization):
            notify(
                organization=self.organization,
                user=self.user,
                kind=kind,
                subject=subject,
                body=f"{subject} was released.",
                path=f"/o/{subject.lower()}/",
            )

    def morning_comes(self) -> None:
        with scope(organization=self.organization):
            waiting = Notice.objects.filter(digest_after__isnull=False, sent_at=None)
            waiting.update(digest_after=timezone.now() - timedelta(minutes=1))

    def notices(self, kind: NoticeKind) -> list[Notice]:
        with scope(organization=self.organization):
            return list(Notice.objects.filter(user=self.user, kind=kind))


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.mark.parametrize(
    ("now", "morning"),
    [
        ("2026-01-31T05:59:00", "2026-01-31T06:00:00"),
        ("2026-01-31T06:00:00", "2026-02-01T06:00:00"),
        # Clocks go forward, then back, in the night before.
        ("2026-03-28T12:00:00", "2026-03-29T05:00:00"),
        ("2026-10-24T12:00:00", "2026-10-25T06:00:00"),
    ],
)
def test_morning_is_seven_on_the_clock_of_the_zone(now, morning):
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert next_morning(moment, BERLIN) == datetime.fromisoformat(morning).replace(tzinfo=UTC)


def test_daily_kind_waits_until_seven_in_the_zone_of_the_newest_cohort(reader):
    reader.tell("Week1")
    (notice,) = reader.notices(NoticeKind.RELEASED)
    assert notice.digest_after == next_morning(notice.created_at, BERLIN)
    send_letters(reader.organization.pk)
    assert (gather_digests(), len(mail.outbox)) == (0, 0)


def test_chosen_zone_of_the_person_comes_first(reader):
    PersonalCalendar.objects.create(user=reader.user, time_zone="Asia/Tokyo")
    reader.tell("Week1")
    (notice,) = reader.notices(NoticeKind.RELEASED)
    assert notice.digest_after == next_morning(notice.created_at, ZoneInfo("Asia/Tokyo"))


@pytest.mark.parametrize(
    "kind", [NoticeKind.AUDIT_FAILED, NoticeKind.DUE_SOON, NoticeKind.REPORT_RECEIVED]
)
def test_what_cannot_wait_or_was_not_chosen_is_sent_at_once(reader, kind):
    daily = [NoticeKind.AUDIT_FAILED, NoticeKind.DUE_SOON, NoticeKind.RELEASED]
    reader.choose(*daily)
    reader.tell("Week1", kind)
    assert [notice.digest_after for notice in reader.notices(kind)] == [None]


def test_database_lets_no_urgent_kind_wait(reader):
    with pytest.raises(IntegrityError), transaction.atomic():
        NoticeFactory.create(kind=NoticeKind.AUDIT_FAILED, digest_after=timezone.now())


def test_one_email_carries_those_of_the_day_in_their_order(reader):
    for subject, kind in (
        ("Week1", NoticeKind.RELEASED),
        ("Week2", NoticeKind.HANDED_IN),
        ("Week3", NoticeKind.RELEASED),
    ):
        reader.tell(subject, kind)
    reader.morning_comes()
    assert [gather_digests(), gather_digests()] == [1, 0]
    send_letters(reader.organization.pk)
    send_letters(reader.organization.pk)
    (email,) = mail.outbox
    assert email.to == [reader.user.email]
    assert email.subject.endswith("your daily email: 3 messages")
    places = [email.body.index(f"Week{number} was released.") for number in (1, 2, 3)]
    assert places == sorted(places)
    assert "/o/week2/" in email.body
    assert f"/o/{reader.organization.slug}/notices/" in email.body
    (digest,) = reader.notices(NoticeKind.DIGEST)
    with scope(organization=reader.organization):
        assert {row.digest_id for row in Notice.objects.exclude(pk=digest.pk)} == {digest.pk}


def test_each_person_and_organization_has_an_email_of_its_own(reader):
    other = Reader()
    for person in (reader, other):
        person.tell("Week1")
        person.morning_comes()
    assert gather_digests() == 2
    assert [len(person.notices(NoticeKind.DIGEST)) for person in (reader, other)] == [1, 1]


def test_what_waits_is_sent_after_switching_back_and_after_switching_off(reader):
    reader.tell("Week1")
    reader.choose()
    reader.tell("Week2")
    with scope(organization=reader.organization):
        choose_emails(organization=reader.organization, user=reader.user, wanted=[])
    send_letters(reader.organization.pk)
    assert ["Week2" in email.subject for email in mail.outbox] == [True]
    reader.morning_comes()
    assert gather_digests() == 1
    send_letters(reader.organization.pk)
    assert "Week1 was released." in mail.outbox[1].body


def test_closed_account_gets_no_daily_email(reader):
    reader.tell("Week1")
    reader.morning_comes()
    User.objects.filter(pk=reader.user.pk).update(is_active=False)
    assert [gather_digests(), gather_digests()] == [0, 0]
    assert reader.notices(NoticeKind.DIGEST) == []


def test_person_who_left_gets_neither_the_daily_email_nor_one_that_waits(reader):
    reader.tell("Week1")
    reader.tell("Failed", NoticeKind.AUDIT_FAILED)
    reader.morning_comes()
    with scope(organization=reader.organization):
        leave_organization(organization=reader.organization, user=reader.user)
    assert gather_digests() == 0
    send_letters(reader.organization.pk)
    assert mail.outbox == []
    assert reader.notices(NoticeKind.RELEASED) == []
    assert reader.notices(NoticeKind.AUDIT_FAILED) == []


def test_crash_while_gathering_leaves_all_to_wait(reader, monkeypatch):
    reader.tell("Week1")
    reader.morning_comes()

    def die(*_: Any, **__: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(
            "grading.notifications.digests.EMAILS", type("Dead", (), {"enqueue_on_commit": die})
        )
        with pytest.raises(RuntimeError):
            gather_digests()
    assert reader.notices(NoticeKind.DIGEST) == []
    assert gather_digests() == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_write_one_email():
    reader = Reader()
    reader.tell("Week1")
    reader.morning_comes()
    assert sorted(at_once(gather_digests)) == [0, 1]
    with everywhere():
        assert Notice.objects.filter(kind=NoticeKind.DIGEST).count() == 1
