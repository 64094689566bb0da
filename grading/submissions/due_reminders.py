"""Emails to students before their due date: 72 and 24 hours, while they have not handed in.

Each is sent once for a date: a row with a unique constraint decides, not the clock. A date that
moves later has reminders of its own; one that moves earlier repeats none that was sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import structlog
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import NoticeKind
from grading.core.rls.rls_scope import as_dispatcher
from grading.core.team_access import is_readable_by
from grading.core.time_zones import in_words, zones_of
from grading.courses.extensions.queries import Terms, terms_of_students
from grading.models import (
    Assignment,
    DueReminder,
    Enrollment,
    Extension,
    Membership,
    Organization,
    Submission,
)
from grading.notifications.emails import Email, notify_all

HOURS = (72, 24)
LONGEST = timedelta(hours=max(HOURS))
# How often dates are looked at; a crash in between delays a reminder by so much.
CHECK_SECONDS = 300
log = structlog.get_logger(__name__)


def remind_of_due_dates() -> int:
    """Send the reminders that are due in all organizations; return the number of emails.

    Called by the reconcilers. Who failed at an attempt has a submission that does not count, and
    may still hand in: attempts are used up only by work that counts, and that needs no reminder.
    """
    if not cache.add("due-dates-checked", 1, timeout=CHECK_SECONDS):
        return 0
    now, sent = timezone.now(), 0
    for organization_id, assignments in _with_due_dates(now).items():
        with scope(organization=organization_id):
            if Organization.objects.usable().filter(pk=organization_id).exists():
                sent += sum(_remind(assignment, now) for assignment in assignments)
    return sent


def _with_due_dates(now: datetime) -> dict[int, list[int]]:
    """Return the assignments that are due soon for anybody, by organization."""
    is_soon = {"due_at__gt": now, "due_at__lte": now + LONGEST}
    # Only the dispatcher sees those of all organizations, and it may only read.
    with as_dispatcher():
        own = Assignment.objects.filter(**is_soon).order_by()
        given = Extension.objects.filter(**is_soon, ending="").order_by()
        rows = {
            *own.values_list("organization", "pk"),
            *given.values_list("organization", "assignment"),
        }
    assignments = defaultdict(list)
    for organization_id, key in sorted(rows):
        assignments[organization_id].append(key)
    return assignments


def _remind(assignment_id: int, now: datetime) -> int:
    rows = Assignment.objects.select_related("cohort__organization")
    assignment = rows.filter(pk=assignment_id).first()
    if assignment is None or (assignment.opens_at and assignment.opens_at > now):
        return 0
    due = _due_students(assignment, now)
    try:
        with transaction.atomic():
            # Another worker that sends the same reminder makes this fail, and nothing is written.
            DueReminder.objects.bulk_create(
                DueReminder(
                    organization_id=assignment.organization_id,
                    assignment=assignment,
                    student=student,
                    hours=hours,
                    due_at=due_at,
                )
                for student, hours, due_at in due
            )
            return notify_all(
                organization_id=assignment.organization_id,
                kind=NoticeKind.DUE_SOON,
                emails=list(_emails(assignment, due)),
            )
    except IntegrityError:
        log.info("due_reminders_sent_elsewhere", assignment=assignment.pk)
        return 0


Due = tuple[Enrollment, int, datetime]


def _due_students(assignment: Assignment, now: datetime) -> list[Due]:
    """Return who has not handed in and was not reminded yet: (student, hours, their due date)."""
    students = _without_work(assignment)
    terms = terms_of_students(assignment, students)
    reminded = _reminded(assignment)

    due = []
    for student in students:
        hours = _hours_left(terms[student.pk], now)
        due_at = terms[student.pk].due_at
        # A reminder of a later date counts too: the date has moved earlier since.
        last = reminded.get((student.pk, hours))
        if hours and due_at and (last is None or last < due_at):
            due.append((student, hours, due_at))
    return due


def _without_work(assignment: Assignment) -> list[Enrollment]:
    """Return the members among the students who have no submission that counts.

    What a team handed in is the work of each of its members.
    """
    theirs = Submission.objects.filter(
        is_readable_by(OuterRef("pk")), assignment=assignment, counts=True
    )
    members = Membership.objects.filter(organization=assignment.organization_id)
    students = Enrollment.objects.filter(
        cohort=assignment.cohort_id, user__is_active=True, user__in=members.values("user")
    )
    waiting = students.exclude(Exists(theirs))
    return list(waiting.select_related("user").order_by("pk"))


def _reminded(assignment: Assignment) -> dict[tuple[int, int], datetime]:
    """Return the latest date for which each reminder was sent, by student and hours."""
    rows = DueReminder.objects.filter(assignment=assignment).order_by(F("due_at"))
    return {
        (student, hours): due_at
        for student, hours, due_at in rows.values_list("student", "hours", "due_at")
    }


def _hours_left(terms: Terms, now: datetime) -> int:
    """Return the reminder whose time has come, the nearest alone; 0 for none."""
    if terms.due_at is None or terms.due_at <= now:
        return 0
    left = terms.due_at - now
    return min((hours for hours in HOURS if left <= timedelta(hours=hours)), default=0)


def _emails(assignment: Assignment, due: Iterable[Due]) -> Iterable[Email]:
    cohort = assignment.cohort
    path = reverse("assignment", args=[cohort.organization.slug, cohort.slug, assignment.slug])
    users = [student.user_id for student, _hours, _due_at in due if student.user_id]
    zones, zone = zones_of(users), ZoneInfo(cohort.time_zone)
    for student, hours, due_at in due:
        at = in_words(due_at, zones.get(student.user_id or 0, zone))
        yield Email(
            student.user,
            f"{assignment.title}: due in less than {hours} hours",
            f"“{assignment.title}” is due on {at}. You have not handed in yet.",
            path,
        )
