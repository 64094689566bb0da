"""Reminders before a due date: to whom, for which date, and once each."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import ExtensionEnding, NoticeKind, TeamFormation
from grading.core.time_zones import in_words
from grading.models import (
    Assignment,
    DueReminder,
    Enrollment,
    Extension,
    Membership,
    Notice,
    PersonalCalendar,
    Team,
)
from grading.notifications.choices import choose_emails
from grading.submissions.due_reminders import remind_of_due_dates
from grading.workflow import reconcile
from tests.factories.people import CohortFactory, EnrollmentFactory, everywhere, student
from tests.factories.races import at_once
from tests.factories.teams import team_with
from tests.factories.work import AssignmentFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def hours_from_now(hours: float) -> datetime:
    return timezone.now() + timedelta(hours=hours)


class Course:
    """An assignment that is due in so many hours, and Ada, who has not handed in."""

    def __init__(self, hours: float = 71) -> None:
        cohort = CohortFactory.create(time_zone="Europe/Berlin")
        self.assignment: Assignment = AssignmentFactory.create(
            cohort=cohort, title="The auditor", slug="auditor", due_at=hours_from_now(hours)
        )
        self.organization = cohort.organization
        self.ada: Enrollment = student(cohort, name="Ada")

    def due_in(self, hours: float) -> None:
        with scope(organization=self.organization):
            Assignment.objects.filter(pk=self.assignment.pk).update(due_at=hours_from_now(hours))

    def extend(self, **fields: Any) -> None:
        with scope(organization=self.organization):
            Extension.objects.create(
                organization=self.organization,
                assignment=self.assignment,
                reason="Illness.",
                **fields,
            )

    def form_team(self, mate: Enrollment) -> Team:
        """Form a team of Ada and a mate."""
        with everywhere():
            Assignment.objects.update(team_formation=TeamFormation.STUDENTS)
        return team_with(self.assignment, self.ada, mate)

    def reminders(self) -> list[int]:
        """Return the hours of the reminders that were sent, in their order."""
        with scope(organization=self.organization):
            assert Notice.objects.filter(kind=NoticeKind.DUE_SOON).count() == (
                DueReminder.objects.count()
            )
            return list(DueReminder.objects.values_list("hours", flat=True))


@pytest.fixture
def course() -> Course:
    return Course()


def look() -> int:
    """Look at the dates as the first reconciler after five minutes does."""
    cache.delete("due-dates-checked")
    return remind_of_due_dates()


def test_nobody_is_reminded_long_before_nor_after_the_due_date(course):
    for hours in (73, 0, -1):
        course.due_in(hours)
        assert look() == 0


def test_each_reminder_is_sent_once(course):
    assert [look(), look()] == [1, 0]
    course.due_in(70.9)
    assert look() == 0


def test_seventy_two_and_twenty_four_hours_before(course, monkeypatch):
    look()
    later = timezone.now() + timedelta(hours=48)
    monkeypatch.setattr("grading.submissions.due_reminders.timezone.now", lambda: later)
    assert [look(), look()] == [1, 0]
    assert course.reminders() == [72, 24]


def test_assignment_of_the_last_day_has_the_nearer_reminder_alone(course):
    course.due_in(20)
    assert [look(), look()] == [1, 0]
    assert course.reminders() == [24]


def test_email_names_the_time_in_the_students_zone_and_the_page(course):
    PersonalCalendar.objects.create(user=course.ada.user, time_zone="Asia/Tokyo")
    look()
    with scope(organization=course.organization):
        notice = Notice.objects.get()
    at = in_words(course.assignment.due_at, ZoneInfo("Asia/Tokyo"))
    assert notice.subject == "The auditor: due in less than 72 hours"
    assert notice.body == f"“The auditor” is due on {at}. You have not handed in yet."
    cohort = course.assignment.cohort.slug
    assert notice.path == f"/o/{course.organization.slug}/c/{cohort}/a/auditor/"


def test_without_a_zone_of_their_own_the_cohorts_is_named(course):
    look()
    with scope(organization=course.organization):
        assert "(Europe/Berlin)" in Notice.objects.get().body


def test_work_that_counts_needs_no_reminder_and_failed_work_does(course):
    submission = SubmissionFactory.create(
        assignment=course.assignment, student=course.ada, counts=False
    )
    assert look() == 1
    with everywhere():
        DueReminder.objects.all().delete()
        type(submission).objects.update(counts=True)
    assert look() == 0


def test_work_of_a_team_mate_needs_no_reminder_for_any_of_them(course):
    ben, alone = (student(course.assignment.cohort) for _ in range(2))
    team = course.form_team(ben)
    assert look() == 3
    with everywhere():
        DueReminder.objects.all().delete()
    SubmissionFactory.create(assignment=course.assignment, student=ben, team=team, counts=True)
    assert look() == 1
    with everywhere():
        assert [row.student_id for row in DueReminder.objects.all()] == [alone.pk]


def test_extension_of_a_team_mate_moves_the_reminder_of_all_of_them(course):
    ben, alone = (student(course.assignment.cohort) for _ in range(2))
    course.form_team(ben)
    course.extend(student=ben, due_at=hours_from_now(100))
    assert look() == 1
    with everywhere():
        assert [row.student_id for row in DueReminder.objects.all()] == [alone.pk]


def test_withdrawn_extension_brings_the_reminder_of_the_assignment_back(course):
    course.extend(student=course.ada, due_at=hours_from_now(100))
    assert look() == 0
    with everywhere():
        Extension.objects.update(ending=ExtensionEnding.WITHDRAWN, ended_at=timezone.now())
    assert [look(), look()] == [1, 0]


def test_cleared_cache_as_after_a_restart_sends_nothing_twice(course):
    assert look() == 1
    cache.clear()
    assert [remind_of_due_dates(), reconcile().due] == [0, 0]
    assert course.reminders() == [72]


def test_crash_while_writing_the_emails_leaves_no_reminder_marked(course, monkeypatch):
    def die(**_: Any) -> int:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr("grading.submissions.due_reminders.notify_all", die)
        with pytest.raises(RuntimeError):
            look()
    assert course.reminders() == []
    assert look() == 1


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_zone_changes_the_words_and_not_the_moment(course, zone):
    PersonalCalendar.objects.create(user=course.ada.user, time_zone=zone)
    for hours, sent in ((72.1, 0), (71.9, 1), (24.1, 0), (23.9, 1)):
        course.due_in(hours)
        assert look() == sent
    assert course.reminders() == [72, 24]


def test_people_without_an_account_or_who_left_get_none(course):
    EnrollmentFactory.create(cohort=course.assignment.cohort)
    gone, closed = (student(course.assignment.cohort) for _ in range(2))
    with everywhere():
        Membership.objects.filter(user=gone.user).delete()
    User.objects.filter(pk=closed.user.pk).update(is_active=False)
    assert look() == 1
    with everywhere():
        assert [notice.user for notice in Notice.objects.all()] == [course.ada.user]


def test_who_switched_them_off_gets_none(course):
    with scope(organization=course.organization):
        choose_emails(organization=course.organization, user=course.ada.user, wanted=[])
    assert look() == 0


def test_assignment_that_is_not_open_yet_has_none(course):
    with everywhere():
        Assignment.objects.update(opens_at=hours_from_now(1))
    assert look() == 0


@pytest.mark.parametrize("group", [False, True])
def test_extension_moves_the_reminder_of_its_students_alone(course, group):
    with everywhere():
        Enrollment.objects.filter(pk=course.ada.pk).update(group="owls")
    recipients = {"group": "owls"} if group else {"student": course.ada}
    course.extend(due_at=hours_from_now(100), **recipients)
    other = student(course.assignment.cohort)
    assert look() == 1
    with everywhere():
        assert [row.student_id for row in DueReminder.objects.all()] == [other.pk]


def test_extended_date_is_reminded_of_after_that_of_the_assignment(course):
    course.due_in(-24)
    course.extend(student=course.ada, due_at=hours_from_now(20))
    student(course.assignment.cohort)
    assert [look(), look()] == [1, 0]
    with everywhere():
        (row,) = DueReminder.objects.all()
        assert (row.student_id, row.hours) == (course.ada.pk, 24)


def test_date_that_moves_later_is_reminded_of_again(course):
    course.due_in(23)
    look()
    course.due_in(200)
    assert look() == 0
    course.due_in(72)
    assert [look(), look()] == [1, 0]
    assert course.reminders() == [24, 72]


def test_date_that_moves_earlier_repeats_nothing(course):
    look()
    for hours in (60, 50, 40):
        course.due_in(hours)
        assert look() == 0
    course.due_in(10)
    assert [look(), look()] == [1, 0]
    assert course.reminders() == [72, 24]


def test_dates_are_looked_at_every_five_minutes(course):
    cache.delete("due-dates-checked")
    assert remind_of_due_dates() == 1
    student(course.assignment.cohort)
    assert remind_of_due_dates() == 0
    assert look() == 1


def test_reconciler_sends_them(course):
    cache.delete("due-dates-checked")
    assert reconcile().due == 1


def test_database_holds_one_reminder_of_a_date(course):
    look()
    with everywhere():
        row = DueReminder.objects.get()
        row.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_one_reminder(monkeypatch):
    course = Course()
    monkeypatch.setattr("grading.submissions.due_reminders.cache.add", lambda *_, **__: True)
    assert sorted(at_once(remind_of_due_dates)) == [0, 1]
    assert course.reminders() == [72]
