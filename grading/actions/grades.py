"""What counts for students: verdicts counted, scores that people give, attempts that they pin, and releases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.actions.activities import note as note_activity
from grading.actions.marking import Reckoning, columns_of, is_the_same, reckon, told
from grading.actions.notices import notify
from grading.enums import PENDING_APPEALS, AuditKind, NoticeKind
from grading.errors import GradeRefused
from grading.models import Appeal, Assignment, Audit, CriterionVerdict, Grade, Override, Submission
from grading.queries.audits import counting_audit, standing_audit

SCORES = range(1, 6)
CHANGED_SINCE = "Something changed since you looked: it is shown as it is now. Look once more."


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
        locked.changed = locked.released is not None and not is_the_same(locked.released, told(reckoning))
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
    reason = _reason(reason)
    with transaction.atomic():
        Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        audit, verdict = _verdict_on(submission, criterion_id)
        before = Override.objects.filter(
            submission=submission, criterion_id=criterion_id, withdrawn_at=None
        ).first()
        if before is not None:
            _withdraw(before)
        override = Override.objects.create(
            organization_id=submission.organization_id, submission=submission, criterion_id=criterion_id,
            score=score, verdict_score=verdict.score, reason=reason, made_by=by,
        )  # fmt: skip
        note_activity(
            organization=submission.organization_id, actor=by, verb="criterion.overridden", about=submission,
            criterion=verdict.name, before=before.score if before else verdict.score, score=score, reason=reason,
        )  # fmt: skip
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
        note_activity(
            organization=submission.organization_id, actor=by, verb="override.withdrawn", about=submission,
            criterion_id=override.criterion_id, score=override.score,
        )  # fmt: skip
        audit = standing_audit(submission)
        if audit is not None:
            count_verdict(audit=audit)


def pin_grade(*, grade: Grade, audit: Audit, reason: str, by: User) -> Grade:
    """Let this attempt count, whatever is handed in later. Raises GradeRefused: reason_missing, verdict_missing."""
    reason = _reason(reason)
    same = audit.submission.assignment_id == grade.assignment_id and (
        audit.submission.student_id == grade.student_id
    )
    if not same or standing_audit(audit.submission) is None:
        raise GradeRefused("", "verdict_missing", "This attempt has no verdict that could count.")
    with transaction.atomic():
        Grade.objects.select_for_update(no_key=True).get(pk=grade.pk)
        Grade.objects.filter(pk=grade.pk).update(pinned=True, audit=audit)
        note_activity(
            organization=grade.organization_id, actor=by, verb="grade.pinned", about=grade,
            attempt=audit.submission.attempt, reason=reason,
        )  # fmt: skip
        return recount(grade=grade)


def unpin_grade(*, grade: Grade, by: User) -> Grade:
    """Let the latest attempt with a verdict count again."""
    with transaction.atomic():
        if Grade.objects.filter(pk=grade.pk, pinned=True).update(pinned=False):
            note_activity(organization=grade.organization_id, actor=by, verb="grade.unpinned", about=grade)
        return recount(grade=grade)


def release_grades(
    *,
    assignment: Assignment,
    grades: Sequence[Grade],
    by: User,
    note: str = "",
    letters: bool = True,
    as_seen: bool = False,
) -> int:
    """Tell students what counts for them, with a letter to each; `note` is for them to read. Without `letters` the
    caller has written to them about this. `as_seen`: only if none has changed since these rows were read, as bulk work
    that goes on may do; raises GradeRefused grades_changed.

    Answers how many were told: who has been told the same already is left alone. A criterion that waits for a person
    is told as waiting.
    """
    with transaction.atomic():
        keys = sorted({grade.pk for grade in grades})
        locked = list(
            Grade.objects.select_for_update(no_key=True, of=("self",))
            .filter(assignment=assignment, pk__in=keys)
            .select_related("student__user")
            .order_by("pk")
        )
        if as_seen and _moments(locked) != _moments(grades):
            raise GradeRefused("", "grades_changed", CHANGED_SINCE)
        reckonings = reckon(locked)
        news = [grade for grade in locked if _is_news(grade, reckonings[grade.pk])]
        for grade in news:
            grade.assignment = assignment
            _release(grade, reckonings[grade.pk], by=by, note=note.strip())
            if letters:
                _write_to(grade)
    return len(news)


def take_back_release(*, grade: Grade, reason: str, by: User) -> Grade:
    """The student sees their work again as before any release, by the assignment's policy; a letter says that.

    Raises GradeRefused: reason_missing, not_released, appeal_pending.
    """
    reason = _reason(reason)
    with transaction.atomic():
        held = Grade.objects.select_for_update(no_key=True, of=("self",)).select_related("assignment")
        grade = held.get(pk=grade.pk)
        told = _told_and_unappealed(grade)
        grade.released, grade.released_at, grade.released_by, grade.changed = None, None, None, False
        grade.save()
        note_activity(
            organization=grade.organization_id, actor=by, verb="grade.taken_back", about=grade,
            student=str(grade.student), attempt=told["attempt"], score=told["overall_score"], reason=reason,
        )  # fmt: skip
        _write_of_taking_back(grade, told)
    return grade


def _told_and_unappealed(grade: Grade) -> dict[str, Any]:
    """Whoever files an appeal holds the grade, too: none comes in between."""
    if grade.released is None:
        raise GradeRefused("", "not_released", "Nothing is released here that could be taken back.")
    appeals = Appeal.objects.filter(
        submission__assignment=grade.assignment_id, submission__student=grade.student_id
    )
    if appeals.filter(state__in=PENDING_APPEALS).exists():
        raise GradeRefused("", "appeal_pending", "An appeal on it waits for its answer: answer that first.")
    return dict(grade.released)


def _write_of_taking_back(grade: Grade, told: dict[str, Any]) -> None:
    title = grade.assignment.title
    notify(
        organization=grade.organization,
        user=grade.student.user,
        kind=NoticeKind.RELEASED,
        subject=f"Your grade for “{title}” was taken back",
        body=f"Your grade for “{title}” was taken back: a person looks at it once more. You get a letter when it is "
        "released again.",
        path=reverse("audit", args=[grade.organization.slug, told["audit"]]),
    )


def _moments(grades: Sequence[Grade]) -> dict[int, datetime]:
    return {grade.pk: grade.changed_at for grade in grades}


def _is_news(grade: Grade, reckoning: Reckoning) -> bool:
    return grade.released is None or not is_the_same(grade.released, told(reckoning))


def _release(grade: Grade, reckoning: Reckoning, *, by: User, note: str) -> None:
    before = grade.released
    value = told(reckoning, note=note) | {"before": _summary(before, grade) if before else None}
    value["earlier"] = _told_of_others(before, grade, value["submission"]) if before else []
    for column, now in columns_of(reckoning).items():
        setattr(grade, column, now)
    grade.released, grade.released_at, grade.released_by = value, timezone.now(), by
    grade.changed = False
    grade.save()
    note_activity(
        organization=grade.organization_id, actor=by, verb="grade.released", about=grade,
        student=str(grade.student), attempt=value["attempt"], before=before and before["overall_score"],
        score=value["overall_score"], note=note,
    )  # fmt: skip


def _summary(released: dict[str, Any], grade: Grade) -> dict[str, Any]:
    """What a student was told before, kept beside what is told now: {attempt, overall_score, points, scores, at}."""
    return {
        "attempt": released["attempt"],
        "overall_score": released["overall_score"],
        "points": released["points"],
        "scores": {row["id"]: row["score"] for row in released["criteria"]},
        "at": grade.released_at.isoformat() if grade.released_at else None,
    }


def _told_of_others(released: dict[str, Any], grade: Grade, submission: str) -> list[dict[str, Any]]:
    """What the student was told of other attempts, each as it was told last: they keep it. Beside each, when: `at`."""
    last = {key: said for key, said in released.items() if key != "earlier"}
    last["at"] = grade.released_at.isoformat() if grade.released_at else None
    return [told for told in [*released.get("earlier", ()), last] if told["submission"] != submission]


def _write_to(grade: Grade) -> None:
    title, told = grade.assignment.title, grade.released or {}
    what = "was changed" if told["before"] else "was released"
    notify(
        organization=grade.organization,
        user=grade.student.user,
        kind=NoticeKind.RELEASED,
        subject=f"Your grade for “{title}” {what}",
        body=f"Your grade for “{title}” {what}. What it is, and why, stands on the page of the report.",
        path=reverse("audit", args=[grade.organization.slug, told["audit"]]),
    )


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
        found = standing_audit(grade.audit.submission)
    else:
        found = counting_audit(assignment_id=grade.assignment_id, student_id=grade.student_id)
    return found or grade.audit


def _verdict_on(submission: Submission, criterion_id: str) -> tuple[Audit, CriterionVerdict]:
    audit = standing_audit(submission)
    if audit is None:
        raise GradeRefused("", "verdict_missing", "There is no verdict yet whose place a score could take.")
    verdict = CriterionVerdict.objects.filter(audit=audit, criterion_id=criterion_id).first()
    if verdict is None:
        raise GradeRefused("", "criterion_unknown", "The verdict that stands now knows no such criterion.")
    return audit, verdict


def _withdraw(override: Override) -> None:
    Override.objects.filter(pk=override.pk).update(withdrawn_at=timezone.now())


def _reason(text: str) -> str:
    if not text.strip():
        raise GradeRefused("reason", "reason_missing", "Say why: the reason stays on the record.")
    return text.strip()
