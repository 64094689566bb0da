"""Changes to students' grades: new verdicts, overrides, and pinned attempts."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.audits.queries import current_audit
from grading.core.activity_writer import record_activity
from grading.core.enums import JUDGED_STATES, AuditKind, CountingPolicy
from grading.core.errors import GradeRefused
from grading.core.team_access import counts_for, graded_students, is_readable_by
from grading.grades.queries.counting_audit import counting_audit
from grading.grades.queries.final_scores import (
    columns_of,
    grade_results,
    is_same_result,
    released_value,
)
from grading.models import Audit, CriterionVerdict, Enrollment, Grade, Override, Submission
from grading.notifications.commit_answers import answer_again

SCORES = range(1, 6)


def count_verdict(*, audit: Audit) -> list[Grade]:
    """Update the grades for a new verdict; call it in the transaction that wrote the verdict.

    A grade follows the assignment's policy, a pinned one stays with its attempt. A team's verdict
    is that of every member for whom the attempt counts. Returns none for a peer's audit or one
    without a report: they never count.
    """
    if audit.kind == AuditKind.PEER or not audit.has_report:
        return []
    answer_again(organization_id=audit.organization_id, submission=audit.submission_id)
    with transaction.atomic():
        students = graded_students(audit.submission)
        return [count_verdict_for(audit=audit, student=student) for student in students]


def count_verdict_for(*, audit: Audit, student: Enrollment) -> Grade:
    """Update the grade of one student, as count_verdict; the first verdict creates it."""
    # Creating and counting belong together.
    with transaction.atomic():
        return recalculate_grade(grade=_grade_for_update(audit, student))


def recalculate_grade(*, grade: Grade) -> Grade:
    """Choose the audit that counts again and recalculate its result."""
    with transaction.atomic():
        locked = Grade.objects.select_for_update(no_key=True).get(pk=grade.pk)
        locked.audit = counting_audit(locked) or locked.audit
        result = grade_results([locked])[locked.pk]
        for column, value in columns_of(result).items():
            setattr(locked, column, value)
        # Only a change that the student would notice asks for a new release.
        locked.changed = locked.released is not None and not is_same_result(
            locked.released, released_value(result)
        )
        locked.save()
    return locked


def override_criterion(
    *, submission: Submission, criterion_id: str, score: int, reason: str, by: User
) -> Override:
    """Replace the verdict on one criterion with a person's score.

    An earlier override is withdrawn. Raises GradeRefused: score_out_of_range, reason_missing,
    verdict_missing, criterion_unknown, override_same.
    """
    if score not in SCORES:
        raise GradeRefused("score", "score_out_of_range", "A score is a whole number from 1 to 5.")
    reason = required_reason(reason)
    with transaction.atomic():
        # The lock lets one override at a time replace the one before it.
        Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        audit, verdict = _verdict_on(submission, criterion_id)
        # The log shows the score that counted until now: an earlier override or the verdict.
        before = Override.objects.filter(
            submission=submission, criterion_id=criterion_id, withdrawn_at=None
        ).first()
        if before is not None:
            _withdraw(before)
        override = Override.objects.create(
            organization_id=submission.organization_id,
            submission=submission,
            criterion_id=criterion_id,
            score=score,
            verdict_score=verdict.score,
            reason=reason,
            made_by=by,
        )

        record_activity(
            organization=submission.organization_id,
            actor=by,
            verb="criterion.overridden",
            about=submission,
            criterion=verdict.name,
            before=before.score if before else verdict.score,
            score=score,
            reason=reason,
        )
        count_verdict(audit=audit)

    return override


def withdraw_override(*, override: Override, by: User) -> None:
    """Let the verdict count again. A second call does nothing."""
    submission = override.submission
    with transaction.atomic():
        Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        standing = Override.objects.filter(pk=override.pk, withdrawn_at=None).first()
        if standing is None:
            return

        _withdraw(standing)
        record_activity(
            organization=submission.organization_id,
            actor=by,
            verb="override.withdrawn",
            about=submission,
            criterion_id=override.criterion_id,
            score=override.score,
        )
        # Without a current verdict there is no grade to update.
        audit = current_audit(submission)
        if audit is not None:
            count_verdict(audit=audit)


def pin_grade(*, grade: Grade, audit: Audit, reason: str, by: User) -> Grade:
    """Let this attempt count, whatever is submitted later.

    Raises GradeRefused: reason_missing, verdict_missing.
    """
    reason = required_reason(reason)
    # The address names an audit and not a grade, so check that they belong together.
    theirs = Submission.objects.filter(
        counts_for(grade.student_id), pk=audit.submission_id, assignment=grade.assignment_id
    )
    if not theirs.exists() or current_audit(audit.submission) is None:
        raise GradeRefused("", "verdict_missing", "This attempt has no verdict that can count.")

    with transaction.atomic():
        lock_attempts(grade)
        Grade.objects.select_for_update(no_key=True).get(pk=grade.pk)
        # Pin first: recalculate_grade then keeps this attempt's audit.
        Grade.objects.filter(pk=grade.pk).update(pinned=True, audit=audit)
        record_activity(
            organization=grade.organization_id,
            actor=by,
            verb="grade.pinned",
            about=grade,
            attempt=audit.submission.attempt,
            reason=reason,
        )

        return recalculate_grade(grade=grade)


def unpin_grade(*, grade: Grade, by: User) -> Grade:
    """Let the assignment's policy say again which attempt counts."""
    with transaction.atomic():
        lock_attempts(grade)
        if Grade.objects.filter(pk=grade.pk, pinned=True).update(pinned=False):
            record_activity(
                organization=grade.organization_id, actor=by, verb="grade.unpinned", about=grade
            )
        return recalculate_grade(grade=grade)


def choose_attempt(*, submission: Submission, by: User) -> Grade:
    """Let the attempt that its student chose count, where the assignment's policy lets them.

    Raises GradeRefused: choice_closed, verdict_missing, attempt_pinned, grade_released.
    """
    # A team chooses once for all its members.
    theirs = Grade.objects.filter(
        assignment=submission.assignment_id, student__in=graded_students(submission)
    )
    own = theirs.filter(student=submission.reader_id)
    grade, audit = own.first(), current_audit(submission)
    if submission.assignment.counting_policy != CountingPolicy.CHOSEN:
        raise GradeRefused("", "choice_closed", "Here students don't choose the attempt.")
    if grade is None or audit is None or audit.state not in JUDGED_STATES:
        raise GradeRefused("", "verdict_missing", "This attempt has no verdict that can count.")

    with transaction.atomic():
        lock_attempts(grade)
        locked = list(theirs.select_for_update(no_key=True).order_by("pk"))
        for row in locked:
            _refuse_fixed(row)
        theirs.update(chosen=submission)
        record_activity(
            organization=grade.organization_id,
            actor=by,
            verb="grade.chosen",
            about=grade,
            attempt=submission.attempt,
        )
        recalculated = {row.pk: recalculate_grade(grade=row) for row in locked}
        return recalculated[grade.pk]


def _refuse_fixed(grade: Grade) -> None:
    """Raise GradeRefused where staff decided already which attempt counts."""
    if grade.pinned:
        raise GradeRefused(
            "", "attempt_pinned", "Your teachers decided which attempt counts: ask them."
        )
    if grade.released is not None:
        raise GradeRefused("", "grade_released", "Your grade was released: ask your teachers.")


def lock_attempts(grade: Grade) -> None:
    """Lock the student's attempts before the grade.

    The deletion of a cohort locks in this order too; the other order would deadlock with it.
    """
    theirs = Submission.objects.filter(
        is_readable_by(grade.student_id), assignment=grade.assignment_id
    )
    list(theirs.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def _grade_for_update(audit: Audit, student: Enrollment) -> Grade:
    grade, _ = Grade.objects.get_or_create(
        assignment_id=audit.submission.assignment_id,
        student=student,
        defaults={"organization_id": audit.organization_id, "audit_id": audit.pk},
    )
    return grade


def _verdict_on(submission: Submission, criterion_id: str) -> tuple[Audit, CriterionVerdict]:
    audit = current_audit(submission)
    if audit is None:
        raise GradeRefused("", "verdict_missing", "There is no verdict to override yet.")

    verdict = CriterionVerdict.objects.filter(audit=audit, criterion_id=criterion_id).first()
    if verdict is None:
        raise GradeRefused("", "criterion_unknown", "The current verdict has no such criterion.")

    return audit, verdict


def _withdraw(override: Override) -> None:
    Override.objects.filter(pk=override.pk).update(withdrawn_at=timezone.now())


def required_reason(text: str) -> str:
    """Return the stripped reason. Raises GradeRefused reason_missing."""
    if not text.strip():
        raise GradeRefused("reason", "reason_missing", "Give a reason. It is kept in the log.")
    return text.strip()
