"""Scores, reviews and flags of the grading queue, and the pages that readers have open."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.audits.queries import current_audit
from grading.core.activity_writer import record_activity
from grading.core.errors import ReviewRefused
from grading.core.own_work import may_handle
from grading.core.permissions import may
from grading.grades.actions import SCORES, override_criterion, withdraw_override
from grading.grading_queue.queries import (
    WHOLE_WORK,
    flag_fingerprint,
    is_in_share,
    overrides_of,
    review_fingerprint,
)
from grading.models import (
    Assignment,
    Audit,
    CriterionVerdict,
    Enrollment,
    Override,
    ReviewMark,
    ReviewPresence,
    Submission,
)

DEFAULT_REASON = "Scored by hand in the grading queue."


def score_criterion(
    *, submission: Submission, criterion_id: str, score: int, reason: str, shown: str, by: User
) -> ReviewMark:
    """Give a criterion this score and mark it as reviewed.

    The verdict's own score needs no override, and withdraws one. `shown` is the fingerprint of the
    page (review_fingerprint). Raises ReviewRefused: score_out_of_range, verdict_missing,
    criterion_unknown, review_changed, not_your_share, own_work.
    """
    if score not in SCORES:
        raise ReviewRefused("score", "score_out_of_range", "A score is a whole number from 1 to 5.")
    with transaction.atomic():
        audit, verdict = _verdict_for_update(submission, criterion_id)
        override = _refuse_outdated(submission, audit, criterion_id, shown)
        _refuse_outside_share(submission, [criterion_id], by)
        _apply_score(submission, verdict, override, score=score, reason=reason.strip(), by=by)
        return _mark(submission, audit, criterion_id, verdict.name, by, score=score)


def mark_reviewed(*, submission: Submission, criterion_id: str, shown: str, by: User) -> ReviewMark:
    """Mark a criterion, or the whole work, as reviewed with the score that counts.

    Raises ReviewRefused: verdict_missing, criterion_unknown, review_changed, not_your_share, own_work.
    """
    with transaction.atomic():
        audit, names = _names_for_update(submission, criterion_id)
        _refuse_outdated(submission, audit, criterion_id, shown)
        _refuse_outside_share(submission, list(names), by)
        return _mark(submission, audit, criterion_id, names.get(criterion_id, ""), by)


def unmark_reviewed(*, submission: Submission, criterion_id: str, shown: str, by: User) -> None:
    """Mark a criterion, or the whole work, as not reviewed; its score stays.

    Raises ReviewRefused: verdict_missing, criterion_unknown, review_changed, not_your_share, own_work.
    """
    with transaction.atomic():
        audit, names = _names_for_update(submission, criterion_id)
        _refuse_outdated(submission, audit, criterion_id, shown)
        _refuse_outside_share(submission, list(names), by)
        rows = ReviewMark.objects.filter(submission=submission, reviewed_at__isnull=False)
        # A review of the whole work covers each criterion, so it ends with any of them.
        keys = {criterion_id, WHOLE_WORK} if criterion_id else {*names, WHOLE_WORK}
        cleared = {"reviewed_at": None, "reviewed_by": None, "report_digest": ""}
        if rows.filter(criterion_id__in=keys).update(**cleared):
            _record("review.unmarked", submission, by, names.get(criterion_id, ""))


def flag_work(
    *, submission: Submission, criterion_id: str, word: str, shown: str, by: User
) -> ReviewMark:
    """Flag a criterion, or the whole work, with an optional word.

    Raises ReviewRefused: verdict_missing, criterion_unknown, word_long, flag_changed,
    own_work.
    """
    word = " ".join(word.split())
    if len(word) > (longest := 80):
        raise ReviewRefused("word", "word_long", f"Use at most {longest} characters.")
    with transaction.atomic():
        _audit, names = _names_for_update(submission, criterion_id)
        _refuse_own_work(submission, by)
        _refuse_outdated_flag(submission, criterion_id, shown)
        flag = {"flagged_by": by, "flagged_at": timezone.now(), "flag_word": word}
        mark = _save_mark(submission, criterion_id, flag)
        _record("review.flagged", submission, by, names.get(criterion_id, ""), word=word)
        return mark


def unflag_work(*, submission: Submission, criterion_id: str, shown: str, by: User) -> None:
    """Remove a flag.

    Raises ReviewRefused: verdict_missing, criterion_unknown, flag_changed, own_work.
    """
    with transaction.atomic():
        _audit, names = _names_for_update(submission, criterion_id)
        _refuse_own_work(submission, by)
        _refuse_outdated_flag(submission, criterion_id, shown)
        flagged = ReviewMark.objects.filter(
            submission=submission, criterion_id=criterion_id, flagged_at__isnull=False
        )
        if flagged.update(flagged_at=None, flagged_by=None, flag_word=""):
            _record("review.unflagged", submission, by, names.get(criterion_id, ""))


def open_work(*, assignment: Assignment, student: Enrollment, by: User) -> None:
    """Store that the reader has this work open, in one statement and without an Activity."""
    row = ReviewPresence(
        organization_id=assignment.organization_id,
        assignment=assignment,
        reader=by,
        student=student,
        seen_at=timezone.now(),
    )
    ReviewPresence.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["assignment", "reader"],
        update_fields=["student", "seen_at"],
    )


def _apply_score(
    submission: Submission,
    verdict: CriterionVerdict,
    override: Override | None,
    *,
    score: int,
    reason: str,
    by: User,
) -> None:
    if score == verdict.score and not reason:
        if override is not None:
            withdraw_override(override=override, by=by)
        return
    is_standing = override is not None and override.score == score
    if is_standing and reason in ("", override.reason if override else ""):
        return
    override_criterion(
        submission=submission,
        criterion_id=verdict.criterion_id,
        score=score,
        reason=reason or DEFAULT_REASON,
        by=by,
    )


def _verdict_for_update(
    submission: Submission, criterion_id: str
) -> tuple[Audit, CriterionVerdict]:
    audit = _audit_for_update(submission)
    verdict = CriterionVerdict.objects.filter(audit=audit, criterion_id=criterion_id).first()
    if verdict is None:
        raise ReviewRefused("", "criterion_unknown", "The current verdict has no such criterion.")
    return audit, verdict


def _names_for_update(submission: Submission, criterion_id: str) -> tuple[Audit, dict[str, str]]:
    """Return the audit and the names of its criteria: of this one, or of all of the whole work."""
    if criterion_id != WHOLE_WORK:
        audit, verdict = _verdict_for_update(submission, criterion_id)
        return audit, {criterion_id: verdict.name}
    audit = _audit_for_update(submission)
    verdicts = CriterionVerdict.objects.filter(audit=audit)
    return audit, dict(verdicts.values_list("criterion_id", "name"))


def _audit_for_update(submission: Submission) -> Audit:
    # The lock lets one reader at a time compare what they saw, and save.
    Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
    audit = current_audit(submission)
    if audit is None:
        raise ReviewRefused("", "verdict_missing", "There is no verdict to review yet.")
    return audit


def _refuse_outdated(
    submission: Submission, audit: Audit, criterion_id: str, shown: str
) -> Override | None:
    """Return the override in force, if score and review are as `shown`; else refuse."""
    override = overrides_of(submission).get(criterion_id)
    marks = ReviewMark.objects.select_related("reviewed_by")
    mark = marks.filter(submission=submission, criterion_id=criterion_id).first()
    if shown == review_fingerprint(audit.report_digest, criterion_id, override, mark):
        return override
    raise ReviewRefused("score", "review_changed", _changed_sentence(override, mark))


def _changed_sentence(override: Override | None, mark: ReviewMark | None) -> str:
    """Return who did what meanwhile, and that nothing was saved."""
    reader = mark.reviewed_by if mark and mark.reviewed_at else None
    made_by = override.made_by if override else None
    if override is not None and made_by is not None:
        news = f"{made_by.email} scored this {override.score} of 5 meanwhile."
    elif reader is not None:
        news = f"{reader.email} reviewed this meanwhile."
    else:
        news = "This changed since you opened the page."
    return f"{news} Nothing of yours was saved. To replace it, choose again."


def _refuse_outside_share(submission: Submission, criterion_ids: list[str], by: User) -> None:
    """Refuse assistants outside of their share and on their own work; teachers review everything."""
    assignment = submission.assignment
    if may(by, assignment.organization, "teacher"):
        return
    _refuse_own_work(submission, by)
    if not is_in_share(assignment, submission.student_id, criterion_ids, by):
        raise ReviewRefused(
            "", "not_your_share", "This is in another reader's share. You can read and flag it."
        )


def _refuse_own_work(submission: Submission, by: User) -> None:
    if not may_handle(by, submission):
        raise ReviewRefused("", "own_work", "This is your own work: another reader reviews it.")


def _refuse_outdated_flag(submission: Submission, criterion_id: str, shown: str) -> None:
    mark = ReviewMark.objects.filter(submission=submission, criterion_id=criterion_id).first()
    if shown != flag_fingerprint(mark):
        raise ReviewRefused(
            "word", "flag_changed", "The flag was changed meanwhile. Check it, then choose again."
        )


def _mark(
    submission: Submission,
    audit: Audit,
    criterion_id: str,
    name: str,
    by: User,
    **detail: Any,
) -> ReviewMark:
    review = {
        "report_digest": audit.report_digest,
        "reviewed_by": by,
        "reviewed_at": timezone.now(),
    }
    mark = _save_mark(submission, criterion_id, review)
    _record("review.marked", submission, by, name, **detail)
    return mark


def _save_mark(submission: Submission, criterion_id: str, values: dict[str, Any]) -> ReviewMark:
    mark, _ = ReviewMark.objects.update_or_create(
        submission=submission,
        criterion_id=criterion_id,
        defaults=values,
        create_defaults=values | {"organization_id": submission.organization_id},
    )
    return mark


def _record(verb: str, submission: Submission, by: User, name: str, **detail: Any) -> None:
    record_activity(
        organization=submission.organization_id,
        actor=by,
        verb=verb,
        about=submission,
        criterion=f"“{name}”" if name else "the whole work",
        **detail,
    )
