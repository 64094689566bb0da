"""Decisions of teachers on an appeal: keep, change, judge again, or escalate to an owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.appeals.actions import MAX_CHARACTERS, change_state
from grading.appeals.queries import holder_of, is_about_the_release, release_of
from grading.audits.queries import current_audit
from grading.bulk import renewals
from grading.bulk.actions import Estimate, estimate_bulk
from grading.core.activity_writer import record_activity
from grading.core.enums import TEACHING_ROLES, AppealState, BulkVerb, NoticeKind, Role, WebhookEvent
from grading.core.errors import AppealRefused
from grading.core.permissions import role_of
from grading.core.team_access import graded_students, mates_of
from grading.core.user_text import required_text
from grading.engine import audits as engine_audits
from grading.grades import actions as grade_actions
from grading.grades import releases
from grading.grades.queries.final_scores import released_value_of
from grading.grades.queries.released_changes import (
    ReleaseDifference,
    difference_of,
    marks_with,
    released_row,
)
from grading.models import Appeal, Audit, Grade, Membership, Override, Submission
from grading.notifications.emails import notify
from grading.notifications.webhooks import announce_appeal


@dataclass(frozen=True, slots=True)
class Effect:
    """Released result if this criterion had this score, and nothing else changed."""

    score: int
    level: str
    points: float | None
    overall_score: float | None
    points_earned: float | None
    points_possible: float | None


@dataclass(frozen=True, slots=True)
class CurrentVerdict:
    """Verdict that counts now for the appealed attempt, released or not.

    `row` is the criterion as it counts now, in the shape of a released value
    (grades/queries/final_scores.py).
    """

    audit: Audit
    row: dict[str, Any]
    overall_score: float | None


def keep_verdict(*, appeal: Appeal, answer: str, by: User) -> None:
    """Keep the released verdict, with an answer to the student.

    Raises AppealRefused: answer_missing, answer_too_long, owner_decides, appeal_over.
    """
    answer = _answer(answer)
    with transaction.atomic():
        alone = _refuse_unless_may_answer(appeal, by)
        change_state(
            appeal, AppealState.KEPT, answer=answer, decided_by=by, decided_at=timezone.now()
        )
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
        _email_student(appeal)


def change_score(*, appeal: Appeal, score: int, answer: str, by: User) -> None:
    """Override the score, with the answer as its reason, and release this criterion alone.

    Other changes since the release stay unreleased. If another attempt was released since, the
    score stays with the appealed attempt and nothing is released. Raises AppealRefused as
    keep_verdict, and score_the_same, criterion_unknown; GradeRefused as grades.override_criterion.
    """
    answer = _answer(answer)
    # Verdicts and releases that arrive now wait, so the score is compared with what is released.
    with transaction.atomic():
        grades = _lock_attempt_and_grades(appeal)
        grade = next((row for row in grades if release_of(appeal, row)), grades[0])
        alone = _refuse_unless_may_answer(appeal, by)
        before = _changeable_row(appeal, grade)
        if score == appeal.verdict["score"] == before["score"]:
            raise AppealRefused(
                "decision",
                "score_the_same",
                f"The score is already {score} of 5. Keep the verdict instead.",
            )

        change_state(
            appeal,
            AppealState.CHANGED,
            answer=answer,
            new_score=score,
            decided_by=by,
            decided_at=timezone.now(),
        )
        override = _override(appeal, score, answer, by)

        record_activity(
            organization=appeal.organization_id,
            actor=by,
            verb="appeal.changed",
            about=appeal,
            criterion=appeal.criterion_name,
            before=before["score"],
            score=score,
            answer=answer,
            alone=alone,
        )
        announce_appeal(appeal=appeal, event=WebhookEvent.APPEAL_ANSWERED)
        # One email per decision: the answer's, or the release's if the student switched those off.
        written = _email_student(appeal)
        for released in [row for row in grades if is_about_the_release(appeal, row)]:
            releases.release_criterion(
                grade=released,
                criterion_id=appeal.criterion_id,
                score=score,
                reason=override.reason,
                note=f"Your appeal on “{appeal.criterion_name}”: {answer}",
                by=by,
                send_emails=not written,
            )


def rejudge_criterion(*, appeal: Appeal, by: User) -> Audit:
    """Ask the judges again about this criterion alone; the appeal returns to the inbox afterwards.

    Raises AppealRefused: owner_decides, appeal_over; ActionRefused as renewals.rejudge.
    """
    with transaction.atomic():
        _refuse_unless_may_answer(appeal, by)
        audit = renewals.rejudge(
            submission=appeal.submission, by=by, criteria=(appeal.criterion_id,)
        )
        change_state(appeal, AppealState.REJUDGING, rejudged_in=audit)

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
    """Escalate to an owner: nobody else can answer it then. Raises AppealRefused appeal_over.

    Somebody else who holds it lets go of it.
    """
    holder = holder_of(appeal)
    freed = {} if holder and holder.role == Role.OWNER else {"assigned_to": None}
    with transaction.atomic():
        change_state(appeal, AppealState.ESCALATED, escalated_at=timezone.now(), **freed)
        record_activity(
            organization=appeal.organization_id,
            actor=by,
            verb="appeal.escalated",
            about=appeal,
            criterion=appeal.criterion_name,
        )


def may_answer(appeal: Appeal, user: User) -> bool:
    """Return whether this person may answer: a teacher, or an owner if the appeal is escalated."""
    role = role_of(user, appeal.organization)
    return role == Role.OWNER or (
        role in TEACHING_ROLES and (appeal.escalated_at is None or _is_the_only_teacher(appeal))
    )


def current_verdict_of(appeal: Appeal) -> CurrentVerdict | None:
    """Return the verdict that counts now for the appealed attempt, with overrides.

    None where the verdict does not have this criterion: no score can be given then.
    """
    # The grade may be about another attempt: use the appealed one.
    audit = current_audit(appeal.submission)
    value = released_value_of(audit) if audit else None
    row = released_row(value, appeal.criterion_id) if value else None
    if audit is None or value is None or row is None:
        return None
    return CurrentVerdict(audit=audit, row=row, overall_score=value["overall_score"])


def effects_of(appeal: Appeal, grade: Grade | None) -> tuple[Effect, ...]:
    """Return what the release becomes with each score; `grade` is from grade_for_appeal.

    The courtroom computes them. Empty where the release no longer has this criterion.
    """
    released = release_of(appeal, grade)
    scores = grade_actions.SCORES
    marks = marks_with(released, appeal.criterion_id, scores) if released else []
    return tuple(_effect(appeal, score, mark) for score, mark in zip(scores, marks, strict=False))


def other_changes(appeal: Appeal, grade: Grade | None) -> ReleaseDifference | None:
    """Return what changed since the release besides this criterion; an answer releases none of it.

    None where nothing did, or where another attempt was released since.
    """
    released = release_of(appeal, grade)
    if grade is None or released is None or not grade.changed:
        return None
    if not is_about_the_release(appeal, grade):
        return None
    difference = difference_of(released, released_value_of(grade.audit), but=appeal.criterion_id)
    return difference or None


def rejudging_estimate(appeal: Appeal, standing: CurrentVerdict) -> Estimate:
    """Return the estimated cost of judging this criterion again."""
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


def _lock_attempt_and_grades(appeal: Appeal) -> list[Grade]:
    """Lock the attempt, then its grades, a team's all: the order in which a new verdict does.

    The appeal of one member is decided for all: each released grade gets the new score.
    """
    submission = appeal.submission
    Submission.objects.select_for_update(no_key=True).only("pk").get(pk=submission.pk)
    grades_of = Grade.objects.filter(
        assignment=submission.assignment_id, student__in=graded_students(submission)
    )
    return list(grades_of.select_for_update(no_key=True).order_by("pk"))


def _changeable_row(appeal: Appeal, grade: Grade) -> dict[str, Any]:
    """Return the criterion as released. Raises AppealRefused criterion_unknown."""
    released = release_of(appeal, grade)
    if released is None or not marks_with(released, appeal.criterion_id, [1]):
        raise AppealRefused(
            "decision",
            "criterion_unknown",
            "The released grade has no such criterion any more. Keep the verdict instead.",
        )
    return released_row(released, appeal.criterion_id) or {}


def _override(appeal: Appeal, score: int, answer: str, by: User) -> Override:
    """Return the override with this score that is in force, made now if there is none."""
    same = Override.objects.filter(
        submission=appeal.submission,
        criterion_id=appeal.criterion_id,
        withdrawn_at=None,
        score=score,
    ).first()
    # A second override with this score would only add a log entry.
    return same or grade_actions.override_criterion(
        submission=appeal.submission,
        criterion_id=appeal.criterion_id,
        score=score,
        reason=answer,
        by=by,
    )


def _refuse_unless_may_answer(appeal: Appeal, by: User) -> bool:
    """Return whether a teacher answers an escalated appeal alone, for the log.

    Raises AppealRefused owner_decides.
    """
    if not may_answer(appeal, by):
        raise AppealRefused(
            "", "owner_decides", "This appeal was escalated. An owner must answer it."
        )
    return appeal.escalated_at is not None and _is_the_only_teacher(appeal)


def _is_the_only_teacher(appeal: Appeal) -> bool:
    return (
        Membership.objects.filter(
            organization=appeal.organization_id, role__in=TEACHING_ROLES
        ).count()
        == 1
    )


def _answer(text: str) -> str:
    missing = "Give a reason. The student reads it, and it is kept in the log."
    return required_text(
        text, MAX_CHARACTERS, field="answer", missing=missing, refused=AppealRefused
    )


def _email_student(appeal: Appeal) -> bool:
    submission = appeal.submission
    about = f"“{appeal.criterion_name}” ({submission.assignment.title})"
    written = [
        notify(
            organization=appeal.organization,
            user=member.user,
            kind=NoticeKind.APPEAL_ANSWERED,
            subject=f"Your appeal on {about} was answered",
            body=f"Your appeal on {about} was answered. The answer is about this criterion alone: "
            "no other score changes with it. Open the appeal to read the decision.",
            path=reverse("appeal", args=[appeal.organization.slug, appeal.pk]),
        )
        for member in mates_of(submission)
    ]
    return all(written)
