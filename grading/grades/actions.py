"""What counts for students: verdicts counted, scores that people give, and attempts that they pin."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.audits.queries import counting_audit, current_audit
from grading.core.activity import record_activity
from grading.core.enums import AuditKind
from grading.core.errors import GradeRefused
from grading.grades.queries.final_scores import columns_of, is_the_same, reckon, told
from grading.models import Audit, CriterionVerdict, Grade, Override, Submission

SCORES = range(1, 6)


def count_verdict(*, audit: Audit) -> Grade | None:
    """Let a verdict that has just been written count; call it in the transaction that wrote it.

    The grade follows the student's latest attempt with a verdict, a pinned one stays with its attempt. What a peer's
    audit or one without a report says counts for nothing: None.
    """
    if audit.kind == AuditKind.PEER or not audit.has_report:
        return None
    with transaction.atomic():
        grade = _grade_for_update(audit)
        return recount(grade=grade)


def recount(*, grade: Grade) -> Grade:
    """Work out anew which audit counts and what it comes to."""
    with transaction.atomic():
        locked = Grade.objects.select_for_update(no_key=True).get(pk=grade.pk)
        locked.audit = _audit_that_counts(locked)
        reckoning = reckon([locked])[locked.pk]
        for column, value in columns_of(reckoning).items():
            setattr(locked, column, value)
        locked.changed = locked.released is not None and not is_the_same(
            locked.released, told(reckoning)
        )
        locked.save()
    return locked


def override_criterion(
    *, submission: Submission, criterion_id: str, score: int, reason: str, by: User
) -> Override:
    """Put a person's score in the place of the verdict on one criterion. One that stood before is withdrawn.

    Raises GradeRefused: score_out_of_range, reason_missing, verdict_missing, criterion_unknown, override_same.
    """
    if score not in SCORES:
        raise GradeRefused("score", "score_out_of_range", "A score is a whole number from 1 to 5.")
    reason = reason_given(reason)
    with transaction.atomic():
        Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        audit, verdict = _verdict_on(submission, criterion_id)
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
    """The verdict counts again. Withdrawing twice does nothing."""
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
        audit = current_audit(submission)
        if audit is not None:
            count_verdict(audit=audit)


def pin_grade(*, grade: Grade, audit: Audit, reason: str, by: User) -> Grade:
    """Let this attempt count, whatever is handed in later. Raises GradeRefused: reason_missing, verdict_missing."""
    reason = reason_given(reason)
    same = audit.submission.assignment_id == grade.assignment_id and (
        audit.submission.student_id == grade.student_id
    )
    if not same or current_audit(audit.submission) is None:
        raise GradeRefused("", "verdict_missing", "This attempt has no verdict that could count.")
    with transaction.atomic():
        hold_attempts(grade)
        Grade.objects.select_for_update(no_key=True).get(pk=grade.pk)
        Grade.objects.filter(pk=grade.pk).update(pinned=True, audit=audit)
        record_activity(
            organization=grade.organization_id,
            actor=by,
            verb="grade.pinned",
            about=grade,
            attempt=audit.submission.attempt,
            reason=reason,
        )
        return recount(grade=grade)


def unpin_grade(*, grade: Grade, by: User) -> Grade:
    """Let the latest attempt with a verdict count again."""
    with transaction.atomic():
        hold_attempts(grade)
        if Grade.objects.filter(pk=grade.pk, pinned=True).update(pinned=False):
            record_activity(
                organization=grade.organization_id, actor=by, verb="grade.unpinned", about=grade
            )
        return recount(grade=grade)


def hold_attempts(grade: Grade) -> None:
    """Lock the student's attempts, which what refers to them would ask for later: first, as whoever deletes the cohort
    does, who would otherwise wait for the grade while it is waited for."""
    theirs = Submission.objects.filter(assignment=grade.assignment_id, student=grade.student_id)
    list(theirs.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def _grade_for_update(audit: Audit) -> Grade:
    submission = audit.submission
    grade, _ = Grade.objects.get_or_create(
        assignment_id=submission.assignment_id,
        student_id=submission.student_id,
        defaults={"organization_id": audit.organization_id, "audit_id": audit.pk},
    )
    return grade


def _audit_that_counts(grade: Grade) -> Audit:
    """A pinned grade stays with its attempt, not with one audit of it: what is judged again is judged for it, too."""
    if grade.pinned:
        found = current_audit(grade.audit.submission)
    else:
        found = counting_audit(assignment_id=grade.assignment_id, student_id=grade.student_id)
    return found or grade.audit


def _verdict_on(submission: Submission, criterion_id: str) -> tuple[Audit, CriterionVerdict]:
    audit = current_audit(submission)
    if audit is None:
        raise GradeRefused(
            "", "verdict_missing", "There is no verdict yet whose place a score could take."
        )
    verdict = CriterionVerdict.objects.filter(audit=audit, criterion_id=criterion_id).first()
    if verdict is None:
        raise GradeRefused(
            "", "criterion_unknown", "The verdict that stands now knows no such criterion."
        )
    return audit, verdict


def _withdraw(override: Override) -> None:
    Override.objects.filter(pk=override.pk).update(withdrawn_at=timezone.now())


def reason_given(text: str) -> str:
    """Raises GradeRefused reason_missing."""
    if not text.strip():
        raise GradeRefused("reason", "reason_missing", "Say why: the reason stays on the record.")
    return text.strip()
