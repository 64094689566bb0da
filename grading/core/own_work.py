"""Assistants who are students too: of their own and their team's work they are its student."""

from __future__ import annotations

from django.db.models import Q

from grading.core.request_cache import cached
from grading.core.roles import Somebody, may
from grading.core.team_access import is_readable_for_user, read_as_of
from grading.models import Assignment, Enrollment, Organization, Submission, TeamMember


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
    own = Submission.objects.filter(is_readable_for_user(user.pk))
    return ~Q(**{f"{path}__in": own})
