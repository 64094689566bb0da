"""Email students of the terms under which they hand in, when an extension begins or ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.urls import reverse

from grading.core.enums import NoticeKind
from grading.core.time_zones import in_words, zones_of
from grading.courses.extensions.queries import Terms, terms_of_students
from grading.models import Assignment, Enrollment, Extension
from grading.notifications.emails import Email, notify_all


def email_students(
    assignment: Assignment, extensions: Sequence[Extension], *, is_withdrawn: bool
) -> None:
    """Write one email to each student of these extensions, in the caller's transaction.

    It names the due date and attempts that hold now, and not the reason, which may be about health.
    """
    own = Q(pk__in=[row.student_id for row in extensions if row.student_id])
    groups = Q(group__in=[row.group for row in extensions if row.group])
    students = Enrollment.objects.filter(own | groups, cohort=assignment.cohort_id)
    members = list(students.filter(user__isnull=False).select_related("user").order_by("pk"))
    if members:
        notify_all(
            organization_id=assignment.organization_id,
            kind=NoticeKind.EXTENSION,
            emails=list(_emails(assignment, members, is_withdrawn)),
        )


def _emails(
    assignment: Assignment, students: Sequence[Enrollment], is_withdrawn: bool
) -> Iterable[Email]:
    cohort = assignment.cohort
    path = reverse("assignment", args=[cohort.organization.slug, cohort.slug, assignment.slug])
    terms = terms_of_students(assignment, students)
    zones = zones_of([student.user_id for student in students if student.user_id])
    what = "An extension was withdrawn" if is_withdrawn else "You have an extension"
    for student in students:
        zone = zones.get(student.user_id or 0, ZoneInfo(cohort.time_zone))
        yield Email(
            student.user,
            f"{assignment.title}: {what[0].lower()}{what[1:]}",
            f"{what} for “{assignment.title}”. {_in_words(terms[student.pk], zone)}",
            path,
        )


def _in_words(terms: Terms, zone: ZoneInfo) -> str:
    due = f"It is due on {in_words(terms.due_at, zone)}" if terms.due_at else "It has no due date"
    attempts = f"{terms.max_attempts} attempt{'' if terms.max_attempts == 1 else 's'}"
    waived = "" if terms.marks_late else " Work after the due date is not marked as late."
    return f"{due}, and you have {attempts} in all.{waived}"
