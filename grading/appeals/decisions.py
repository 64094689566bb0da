"""What teachers do about an appeal: keep, change, have it judged again, leave it to an owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now

from grading.appeals.actions import MOST_CHARACTERS, move
from grading.appeals.queries import counts_for_the_grade, grade_behind
from grading.audits.queries import current_audit
from grading.bulk import renewals
from grading.bulk.actions import Estimate, estimate_bulk
from grading.core.activity import record_activity
from grading.core.enums import TEACHING_ROLES, AppealState, BulkVerb, NoticeKind, Role, WebhookEvent
from grading.core.errors import AppealRefused
from grading.core.permissions import role_of
from grading.core.user_text import required_text
from grading.engine import audits as engine_audits
from grading.grades import actions as grade_actions
from grading.grades import releases
from grading.grades.queries.final_scores import reckon, told
from grading.models import Appeal, Audit, Grade, Membership, Override, Submission
from grading.notifications.emails import notify
from grading.notifications.webhooks import announce_appeal


@dataclass(frozen=True, slots=True)
class Effect:
    """What the work would come to with this score on the criterion."""

    score: int
    level: str
    points: float | None
    overall_score: float | None
    points_earned: float | None
    points_possible: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """`row` is the criterion as it counts now, in the shape of what is told (grades/queries/final_scores.py)."""

    audit: Audit
    row: dict[str, Any]
    overall_score: float | None
    effects: tuple[Effect, ...]


def keep_verdict(*, appeal: Appeal, answer: str, by: User) -> None:
    """What was released stays. Raises AppealRefused: answer_missing, answer_too_long, owner_decides, appeal_over."""
    answer = _answer(answer)
    with transaction.atomic():
        alone = _refuse_unless_theirs(appeal, by)
        move(appeal, AppealState.KEPT, answer=answer, decided_by=by, decided_at=now())
        record_activity(
            organization=appeal.organization_id,
            actor=by,
            verb="appeal.kept",
            about=appeal,
            criterion=appeal.criterion_name,
            answer=answer,
            alone=alone,
        )
        announce_appeal(appeal=appeal, event=WebhookEvent.APPEAL_ANSWERED)
        _write_to_student(appeal)


def change_score(*, appeal: Appeal, score: int, answer: str, by: User) -> None:
    """Another score, as an override whose reason is the answer; the grade is released again with it.

    If meanwhile another attempt counts, the score stands with the attempt that was appealed and nothing is released.
    Raises AppealRefused as keep_verdict, and score_the_same; GradeRefused as grades.override_criterion.
    """
    answer = _answer(answer)
    with transaction.atomic():
        _hold(appeal)
        alone = _refuse_unless_theirs(appeal, by)
        standing = standing_of(appeal)
        if standing is not None and score == appeal.verdict["score"] == standing.row["score"]:
            raise AppealRefused(
                "decision", "score_the_same", f"{score} of 5 is what stands: keep it instead."
            )
        move(
            appeal,
            AppealState.CHANGED,
            answer=answer,
            new_score=score,
            decided_by=by,
            decided_at=now(),
        )
        _override(appeal, score, answer, by)
        record_activity(
            organization=appeal.organization_id,
            actor=by,
            verb="appeal.changed",
            about=appeal,
            criterion=appeal.criterion_name,
            before=appeal.verdict["score"],
            score=score,
            answer=answer,
            alone=alone,
        )
        announce_appeal(appeal=appeal, event=WebhookEvent.APPEAL_ANSWERED)
        # One letter for one decision: the answer's, or, for who wants none of those, the release's.
        written = _write_to_student(appeal)
        _release_again(appeal, answer, by, letters=not written)


def rejudge_criterion(*, appeal: Appeal, by: User) -> Audit:
    """Have the judges heard anew on this criterion alone; the appeal comes back when that has ended.

    Raises AppealRefused: owner_decides, appeal_over; ActionRefused as renewals.rejudge.
    """
    with transaction.atomic():
        _refuse_unless_theirs(appeal, by)
        audit = renewals.rejudge(
            submission=appeal.submission, by=by, criteria=(appeal.criterion_id,)
        )
        move(appeal, AppealState.REJUDGING, rejudged_in=audit)
        record_activity(
            organization=appeal.organization_id,
            actor=by,
            verb="appeal.rejudged",
            about=appeal,
            criterion=appeal.criterion_name,
            audit=str(audit.pk),
        )
    return audit


def escalate_appeal(*, appeal: Appeal, by: User) -> None:
    """Leave it to an owner; from now on nobody else answers it. Raises AppealRefused appeal_over."""
    with transaction.atomic():
        move(appeal, AppealState.ESCALATED, escalated_at=now())
        record_activity(
            organization=appeal.organization_id,
            actor=by,
            verb="appeal.escalated",
            about=appeal,
            criterion=appeal.criterion_name,
        )


def may_answer(appeal: Appeal, user: User) -> bool:
    """Who teaches; of an escalated one an owner, or whoever is the only one who teaches."""
    role = role_of(user, appeal.organization)
    return role == Role.OWNER or (
        role in TEACHING_ROLES and (appeal.escalated_at is None or _is_the_only_teacher(appeal))
    )


def standing_of(appeal: Appeal) -> Standing | None:
    """The verdict that stands now for the attempt that was appealed, and what each score would make of it by the
    courtroom's arithmetic. Null where it does not know the criterion: then no score can be given."""
    audit = current_audit(appeal.submission)
    if audit is None:
        return None
    reckoning = reckon([Grade(pk=0, audit=audit)])[0]
    value = told(reckoning)
    row = next((row for row in value["criteria"] if row["id"] == appeal.criterion_id), None)
    if row is None:
        return None
    standing = {key: override.score for key, override in reckoning.overrides.items()}
    works = [
        (list(reckoning.verdicts.values()), standing | {appeal.criterion_id: score})
        for score in grade_actions.SCORES
    ]
    marks = engine_audits.marks_under(audit.rubric_version.document, works)
    effects = [
        _effect(appeal, score, mark)
        for score, mark in zip(grade_actions.SCORES, marks, strict=True)
    ]
    return Standing(
        audit=audit, row=row, overall_score=value["overall_score"], effects=tuple(effects)
    )


def price_of_rejudging(appeal: Appeal, standing: Standing) -> Estimate:
    """What it would cost to have this criterion judged again, as far as that is known."""
    return estimate_bulk(
        assignment=appeal.submission.assignment,
        verb=BulkVerb.REJUDGE,
        audits=[standing.audit],
        version=standing.audit.rubric_version,
        criteria=[appeal.criterion_id],
    )


def _effect(appeal: Appeal, score: int, marks: engine_audits.Marks) -> Effect:
    row = next(row for row in marks.criteria if row.criterion_id == appeal.criterion_id)
    return Effect(
        score=score,
        level=row.level,
        points=row.points,
        overall_score=marks.overall_score,
        points_earned=marks.points_earned,
        points_possible=marks.points_possible,
    )


def _hold(appeal: Appeal) -> None:
    """Lock what a changed score touches in the order in which a verdict that arrives does: the attempt, the grade."""
    submission = appeal.submission
    Submission.objects.select_for_update(no_key=True).only("pk").get(pk=submission.pk)
    grades_of = Grade.objects.filter(
        assignment=submission.assignment_id, student=submission.student_id
    )
    grades_of.select_for_update(no_key=True).only("pk").first()


def _override(appeal: Appeal, score: int, answer: str, by: User) -> None:
    standing = Override.objects.filter(
        submission=appeal.submission, criterion_id=appeal.criterion_id, withdrawn_at=None
    )
    if standing.filter(score=score).exists():
        return
    grade_actions.override_criterion(
        submission=appeal.submission,
        criterion_id=appeal.criterion_id,
        score=score,
        reason=answer,
        by=by,
    )


def _release_again(appeal: Appeal, answer: str, by: User, *, letters: bool) -> None:
    grade = grade_behind(appeal)
    if grade is not None and counts_for_the_grade(appeal, grade):
        reason = f"Your appeal on “{appeal.criterion_name}”: {answer}"
        releases.release_grades(
            assignment=grade.assignment, grades=[grade], by=by, note=reason, letters=letters
        )


def _refuse_unless_theirs(appeal: Appeal, by: User) -> bool:
    """Whether somebody answers an escalated one alone, for the log. Raises AppealRefused owner_decides."""
    if not may_answer(appeal, by):
        raise AppealRefused("", "owner_decides", "This appeal was escalated: an owner answers it.")
    return appeal.escalated_at is not None and _is_the_only_teacher(appeal)


def _is_the_only_teacher(appeal: Appeal) -> bool:
    return (
        Membership.objects.filter(
            organization=appeal.organization_id, role__in=TEACHING_ROLES
        ).count()
        == 1
    )


def _answer(text: str) -> str:
    missing = "Say why: the student reads it, and it stays on record."
    return required_text(
        text, MOST_CHARACTERS, field="answer", missing=missing, refused=AppealRefused
    )


def _write_to_student(appeal: Appeal) -> bool:
    submission = appeal.submission
    about = f"“{appeal.criterion_name}” ({submission.assignment.title})"
    return notify(
        organization=appeal.organization,
        user=submission.student.user,
        kind=NoticeKind.APPEAL_ANSWERED,
        subject=f"Your appeal on {about} was answered",
        body=f"Your appeal on {about} was answered. What was decided, and why, stands on its page.",
        path=reverse("appeal", args=[appeal.organization.slug, appeal.pk]),
    )
