"""Grades of a team's members: each has their own, on the verdict of the team's work."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.errors import GradeRefused
from grading.core.team_access import graded_students
from grading.grades.actions import (
    count_verdict_for,
    lock_attempts,
    pin_grade,
    recalculate_grade,
    required_reason,
    unpin_grade,
)
from grading.grades.queries.counting_audit import counting_audit
from grading.grades.releases import withdraw_release
from grading.models import Assignment, Audit, Enrollment, Grade, GradeAdjustment, Submission


def grades_on(submission: Submission) -> list[Grade]:
    """Return the grades of all for whom this work counts: a team's members, else its student."""
    grades = Grade.objects.filter(
        assignment=submission.assignment_id, student__in=graded_students(submission)
    )
    related = grades.select_related("released_by", "audit__submission", "assignment", "student")
    return list(related.defer("audit__report").order_by("pk"))


def pin_grades(*, grades: Sequence[Grade], audit: Audit, reason: str, by: User) -> list[Grade]:
    """Pin the grades of all members to one attempt, as pin_grade does; all or none."""
    with transaction.atomic():
        return [pin_grade(grade=row, audit=audit, reason=reason, by=by) for row in grades]


def unpin_grades(*, grades: Sequence[Grade], by: User) -> list[Grade]:
    with transaction.atomic():
        return [unpin_grade(grade=row, by=by) for row in grades]


def withdraw_releases(*, grades: Sequence[Grade], reason: str, by: User) -> list[Grade]:
    """Withdraw the releases of all members, as withdraw_release does; all or none."""
    with transaction.atomic():
        return [withdraw_release(grade=row, reason=reason, by=by) for row in grades]


def count_for_member(*, assignment: Assignment, student: Enrollment) -> Grade | None:
    """Make the grade of a student follow the team that they are in or left.

    Without attempts that count for them an unreleased grade is removed. Call it in the transaction
    that changed the membership. Returns None where they have no grade then.
    """
    grade = Grade.objects.filter(assignment=assignment, student=student).first()
    if grade is None:
        audit = _latest_audit(assignment, student)
        return count_verdict_for(audit=audit, student=student) if audit else None
    if counting_audit(grade) is not None:
        return recalculate_grade(grade=grade)
    if grade.released is not None:
        return grade

    record_activity(
        organization=grade.organization_id,
        actor=None,
        verb="grade.removed",
        about=grade,
        student=str(student),
    )
    grade.delete()
    return None


def _latest_audit(assignment: Assignment, student: Enrollment) -> Audit | None:
    """Return any audit with a verdict that counts for them: the policy then chooses among all."""
    probe = Grade(assignment=assignment, student=student)
    return counting_audit(probe)


def adjust_grade(*, grade: Grade, delta: float, reason: str, by: User) -> GradeAdjustment:
    """Change one student's own result by `delta`, in place of an earlier adjustment.

    The verdict and everybody else's result stay. The student reads it with its reason after the
    next release. Raises GradeRefused: delta_zero, delta_too_large, reason_missing, score_missing.
    """
    reason = required_reason(reason)
    if delta == 0:
        raise GradeRefused("delta", "delta_zero", "Enter a number other than 0.")
    with transaction.atomic():
        lock_attempts(grade)
        locked = Grade.objects.select_for_update(no_key=True).get(pk=grade.pk)
        if locked.overall_score is None:
            sentence = "There is no overall score yet: a criterion needs review."
            raise GradeRefused("", "score_missing", sentence)
        scale = locked.points_possible or 4
        if abs(delta) > scale:
            raise GradeRefused("delta", "delta_too_large", f"The scale is {scale:g} wide.")
        _end_adjustment(locked)
        adjustment = GradeAdjustment.objects.create(
            organization_id=grade.organization_id,
            grade=locked,
            delta=delta,
            reason=reason,
            made_by=by,
        )
        record_activity(
            organization=grade.organization_id,
            actor=by,
            verb="grade.adjusted",
            about=grade,
            student=str(locked.student),
            delta=f"{delta:+g}",
            reason=reason,
        )
        recalculate_grade(grade=locked)
    return adjustment


def withdraw_adjustment(*, grade: Grade, by: User) -> None:
    """Let the verdict be the student's result again. A second call does nothing."""
    with transaction.atomic():
        lock_attempts(grade)
        locked = Grade.objects.select_for_update(no_key=True).get(pk=grade.pk)
        if not _end_adjustment(locked):
            return
        record_activity(
            organization=grade.organization_id,
            actor=by,
            verb="grade.adjustment_withdrawn",
            about=grade,
            student=str(locked.student),
        )
        recalculate_grade(grade=locked)


def _end_adjustment(grade: Grade) -> int:
    standing = GradeAdjustment.objects.filter(grade=grade, withdrawn_at=None)
    return standing.update(withdrawn_at=timezone.now())
