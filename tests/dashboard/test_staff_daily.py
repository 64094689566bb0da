"""Daily email to staff: on request, when something waits, and once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import NoticeKind, Role
from grading.dashboard.staff_daily import email_waiting_work, waiting_for
from grading.models import Membership, Notice, NoticeDaily
from grading.notifications.choices import choose_emails
from grading.notifications.emails import notify
from grading.workflow import reconcile
from tests.factories.grades import AppealFactory, GradeFactory
from tests.factories.peers import ComplaintFactory
from tests.factories.people import CohortFactory, everywhere, staff_user
from tests.factories.races import at_once
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


class Desk:
    """An instructor who wants the email, and an assignment past its due date."""

    def __init__(self) -> None:
        self.assignment = AssignmentFactory.create(
            cohort=CohortFactory.create(),
            title="The auditor https://evil.example",
            due_at=timezone.now() - timedelta(days=1),
        )
        self.organization = self.assignment.organization
        self.teacher = staff_user(self.organization)
        self.submission = SubmissionFactory.create(assignment=self.assignment)
        with scope(organization=self.organization):
            choose_emails(
                organization=self.organization, user=self.teacher, wanted=[NoticeKind.STAFF_DAILY]
            )

    def appeal(self) -> Any:
        return AppealFactory.create(submission=self.submission)

    def morning_comes(self) -> None:
        with scope(organization=self.organization):
            NoticeDaily.objects.update(next_at=timezone.now() - timedelta(minutes=1))

    def emails(self) -> list[Notice]:
        with scope(organization=self.organization):
            return list(Notice.objects.filter(kind=NoticeKind.STAFF_DAILY))


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_nobody_gets_it_without_asking():
    AppealFactory.create()
    assert email_waiting_work() == 0


def test_nothing_is_sent_before_the_morning(desk):
    desk.appeal()
    assert email_waiting_work() == 0


def test_nothing_is_sent_on_a_day_on_which_nothing_waits(desk):
    desk.morning_comes()
    assert (email_waiting_work(), desk.emails()) == (0, [])
    with everywhere():
        next_at = NoticeDaily.objects.get().next_at
    assert next_at is not None
    assert next_at > timezone.now()


def test_one_email_a_day_says_how_much_waits_and_where(desk):
    appeal = desk.appeal()
    ComplaintFactory.create(
        organization=desk.organization, report__pairing__round__assignment=desk.assignment
    )
    AuditFactory.create(submission=desk.submission, failed=True)
    GradeFactory.create(
        audit__submission=SubmissionFactory.create(assignment=desk.assignment),
        needs_review=True,
        suspected=True,
    )
    with scope(organization=desk.organization):
        member = Membership.objects.get(user=desk.teacher)
        type(appeal).objects.update(assigned_to=member)
    desk.morning_comes()
    assert [reconcile().staff_emails, reconcile().staff_emails] == [1, 0]
    (email,) = desk.emails()
    base = f"{settings.SITE_URL}/o/{desk.organization.slug}"
    grades = f"{base}/c/{desk.assignment.cohort.slug}/a/{desk.assignment.slug}/grades/"
    assert email.body.split("\n\n") == [
        "This waits today:",
        f"Appeals that were handed to you: 1\n{base}/appeals/?holder=mine",
        f"Appeals in all: 1\n{base}/appeals/",
        f"Peer reports reported as abusive: 1\n{base}/complaints/",
        f"Audits that failed since yesterday: 1\n{base}/operations/",
        f"The auditor [link removed], works that need review: 1\n{grades}",
        f"The auditor [link removed], possible prompt injections: 1\n{grades}",
        f"The auditor [link removed], grades not released after the due date: 1\n{grades}",
    ]


def test_person_who_is_staff_no_more_gets_none(desk):
    desk.appeal()
    desk.morning_comes()
    with everywhere():
        Membership.objects.filter(user=desk.teacher).update(role=Role.STUDENT)
    assert email_waiting_work() == 0


def test_turning_it_off_ends_it(desk):
    desk.appeal()
    with scope(organization=desk.organization):
        choose_emails(organization=desk.organization, user=desk.teacher, wanted=[])
    desk.morning_comes()
    assert email_waiting_work() == 0


def test_other_kinds_are_not_changed_by_it(desk):
    with scope(organization=desk.organization):
        choose_emails(
            organization=desk.organization, user=desk.teacher, wanted=[NoticeKind.STAFF_DAILY]
        )
        assert not notify(
            organization=desk.organization,
            user=desk.teacher,
            kind=NoticeKind.MENTIONED,
            subject="A",
            body="B",
            path="/",
        )


@pytest.mark.parametrize("assignments", [1, 3])
def test_six_queries_for_any_number_of_assignments(desk, assignments, django_assert_num_queries):
    for _ in range(assignments):
        GradeFactory.create(
            audit__submission__assignment=AssignmentFactory.create(cohort=desk.assignment.cohort)
        )
    with scope(organization=desk.organization):
        member = Membership.objects.select_related("organization").get(user=desk.teacher)
        with django_assert_num_queries(6):
            list(waiting_for(member, timezone.now()))


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_one_email():
    desk = Desk()
    desk.appeal()
    desk.morning_comes()
    assert sorted(at_once(email_waiting_work)) == [0, 1]
    assert len(desk.emails()) == 1
