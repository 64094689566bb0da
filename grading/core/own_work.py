"""Assistants who are students too: of their own and their team's work they are its student."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q

from grading.core.enums import TEACHING_ROLES
from grading.core.request_cache import cached
from grading.core.roles import Somebody, may
from grading.core.team_access import is_about_work_of, is_readable_for_user, read_as_of
from grading.models import (
    Assignment,
    Enrollment,
    Grade,
    Membership,
    Organization,
    Submission,
    TeamMember,
)


def may_handle(user: Somebody, submission: Submission) -> bool:
    """Return whether the user is staff for this work; an assistant not for theirs. Needs `student`."""
    if may(user, submission.organization, "teacher"):
        return True
    if not may(user, submission.organization, "staff"):
        return False
    key = user.pk
    reads = cached("reads as", key, submission.pk, ask=lambda: read_as_of(key, submission))
    return reads is None


def may_handle_student(user: Somebody, assignment: Assignment, student: Enrollment) -> bool:
    """Return whether the user is staff for this student; an assistant not for their team's."""
    if may(user, assignment.organization, "teacher"):
        return True
    teams = TeamMember.objects.filter(assignment=assignment, student__user=user.pk).values("team")
    is_own = student.user_id == user.pk
    shared = TeamMember.objects.filter(student=student, team__in=teams)
    return may(user, assignment.organization, "staff") and not is_own and not shared.exists()


def handled_by(user: Somebody, organization: Organization, path: str = "pk") -> Q:
    """Match what is about submissions that the user may handle; `path` leads to the submission."""
    if user.pk is None or may(user, organization, "teacher"):
        return Q()
    return _not_own(user.pk, path)


def handled_by_member(member: Membership, path: str = "pk") -> Q:
    """Match as handled_by does, for a membership that is at hand."""
    return Q() if member.role in TEACHING_ROLES else _not_own(member.user_id, path)


def own_works(user: Somebody, assignment: Assignment) -> set[UUID]:
    """Return the submissions of an assignment that an assistant reads as their student."""
    if user.pk is None or may(user, assignment.organization, "teacher"):
        return set()
    own = Submission.objects.filter(is_readable_for_user(user.pk), assignment=assignment)
    return set(own.values_list("pk", flat=True))


def own_students(user: Somebody, assignment: Assignment) -> frozenset[int]:
    """Return the students with whom an assistant shares the graded work, themself included."""
    if user.pk is None or may(user, assignment.organization, "teacher"):
        return frozenset()
    is_own = is_about_work_of(user.pk, "audit__submission")
    grades = Grade.objects.filter(is_own, assignment=assignment)
    students = Enrollment.objects.filter(cohort=assignment.cohort_id)
    shared = students.filter(Q(user=user.pk) | Q(pk__in=grades.values("student")))
    return frozenset(shared.values_list("pk", flat=True))


def _not_own(user: int, path: str) -> Q:
    return ~is_about_work_of(user, path)
