"""Email students of the terms under which they hand in, when an extension begins or ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.urls import reverse

from grading.core.enums import NoticeKind
from grading.core.team_access import mates_by_pair
from grading.core.time_zones import in_words, zones_of
from grading.courses.extensions.queries import Terms, terms_of_students
from grading.models import Assignment, Enrollment, Extension
from grading.notifications.emails import Email, notify_all


def email_students(
    assignment: Assignment, extensions: Sequence[Extension], *, is_withdrawn: bool
) -> None:
    """Write one email to each student of these extensions, in the caller's transaction.

    It names the due date and attempts that hold now, and not the reason, which may be about health.
    The other members of their teams have the same terms, and are told that these changed, not for
    whom.
    """
    own = Q(pk__in=[row.student_id for row in extensions if row.student_id])
    groups = Q(group__in=[row.group for row in extensions if row.group])
    students = Enrollment.objects.filter(own | groups, cohort=assignment.cohort_id)
    named = list(students.select_related("user").order_by("pk"))
    mates = _mates(assignment, named)
    members = [student for student in named if student.user]
    if members or mates:
        notify_all(
            organization_id=assignment.organization_id,
            kind=NoticeKind.EXTENSION,
            emails=list(_emails(assignment, members, mates, is_withdrawn)),
        )


def _mates(assignment: Assignment, students: Sequence[Enrollment]) -> list[Enrollment]:
    """Return the other members of these students' teams, each once."""
    teams = mates_by_pair((assignment, student) for student in students)
    keys = {mate.pk for mates in teams.values() for mate in mates}
    keys -= {student.pk for student in students}
    if not keys:
        return []
    rows = Enrollment.objects.filter(pk__in=keys, user__isnull=False)
    return list(rows.select_related("user").order_by("pk"))


def _emails(
    assignment: Assignment,
    students: Sequence[Enrollment],
    mates: Sequence[Enrollment],
    is_withdrawn: bool,
) -> Iterable[Email]:
    cohort = assignment.cohort
    path = reverse("assignment", args=[cohort.organization.slug, cohort.slug, assignment.slug])
    everybody = [*students, *mates]
    terms = terms_of_students(assignment, everybody)
    zones = zones_of([student.user_id for student in everybody if student.user_id])
    own = "An extension was withdrawn" if is_withdrawn else "You have an extension"
    changed = "The due date or the attempts of your team changed"
    for student in everybody:
        what = changed if student in mates else own
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
