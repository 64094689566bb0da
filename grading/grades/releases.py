"""Release grades, and withdraw releases. A released value is frozen until the next one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.comments.releases import hide_comments, release_comments_with
from grading.core.activity_writer import record_activity
from grading.core.enums import PENDING_APPEALS, NoticeKind, TeamFormation
from grading.core.errors import GradeRefused
from grading.grades.actions import required_reason
from grading.grades.queries.final_scores import (
    GradeResult,
    columns_of,
    grade_results,
    is_same_result,
    released_value,
)
from grading.grades.queries.released_changes import marks_with, released_row, value_with
from grading.models import Appeal, Assignment, Audit, Grade, Team
from grading.notifications.commit_answers import answer_again
from grading.notifications.emails import Email, notify, notify_all
from grading.notifications.gradebooks import send_released_scores
from grading.notifications.webhooks import announce_releases

CHANGED_SINCE = "Something has changed since you opened this page. Check the current grades below."


def release_grades(
    *,
    assignment: Assignment,
    grades: Sequence[Grade],
    by: User,
    note: str = "",
    send_emails: bool = True,
    only_unchanged: bool = False,
) -> int:
    """Release grades with the comments on them, with an email to each; `note` is shown to them.

    Without `send_emails` no email is sent, because the caller has sent one. With `only_unchanged`
    nothing is released if a grade changed since the caller read it (a bulk run may do that): raises
    GradeRefused grades_changed.

    Returns the number of students with news; a student who knows this result already is skipped. A
    criterion that needs review is released as such.
    """
    with transaction.atomic():
        # Lock in the order of ids: two releases that overlap cannot deadlock.
        keys = sorted({grade.pk for grade in grades})
        locked = list(
            Grade.objects.select_for_update(no_key=True, of=("self",))
            .filter(assignment=assignment, pk__in=keys)
            .select_related("student__user")
            .order_by("pk")
        )
        _lock_teams(assignment, locked)
        # The rows were read before the lock; another writer may have come between.
        if only_unchanged and _change_times(locked) != _change_times(grades):
            raise GradeRefused("", "grades_changed", CHANGED_SINCE)

        results = grade_results(locked)
        news = [grade for grade in locked if _is_news(grade, results[grade.pk])]
        for grade in news:
            # Reuse the objects that are loaded already, so that no query runs for each grade.
            grade.assignment, grade.audit = assignment, results[grade.pk].audit  # read already
            grade.audit.submission.assignment = assignment
            for column, value in columns_of(results[grade.pk]).items():
                setattr(grade, column, value)
            _release(grade, released_value(results[grade.pk], note=note.strip()), by=by)

        comments = release_comments_with(grades=news, by=by)
        # Inside the transaction: the outbox sends nothing if it is rolled back.
        _notify_students(assignment, news, comments, send_emails=send_emails)
        send_released_scores(assignment=assignment, students=[grade.student_id for grade in news])
        answer_again(
            organization_id=assignment.organization_id,
            link__assignment=assignment,
            link__student__in=[grade.student_id for grade in news],
        )
    return len(news)


def release_criterion(
    *,
    grade: Grade,
    criterion_id: str,
    score: int,
    reason: str,
    note: str,
    by: User,
    send_emails: bool = True,
) -> None:
    """Release one criterion's score on its own: all else stays as it was released.

    What changed besides since that release waits for the next one. `reason` stands at the score,
    `note` at the release. Raises GradeRefused criterion_unknown.
    """
    with transaction.atomic():
        grade = (
            Grade.objects.select_for_update(no_key=True, of=("self",))
            .select_related("student__user", "assignment__organization", "assignment__cohort")
            .get(pk=grade.pk)
        )
        released = grade.released or {"criteria": []}
        marks = marks_with(released, criterion_id, [score]) if grade.released else []
        if not marks:
            raise GradeRefused("", "criterion_unknown", "The release has no such criterion.")

        value = value_with(released, marks[0], criterion_id, reason=reason)
        if is_same_result(released, value):
            return
        row = released_row(value, criterion_id) or {}
        _release(grade, value | {"note": note.strip()}, by=by, criterion=row["name"])
        announce_releases(
            assignment=grade.assignment, audits=[value["audit"]], criterion=criterion_id
        )
        send_released_scores(assignment=grade.assignment, students=[grade.student_id])
        _answer_again(grade)
        if send_emails:
            notify_all(
                organization_id=grade.organization_id,
                kind=NoticeKind.RELEASED,
                emails=[_release_email(grade, criterion=row["name"])],
            )


def withdraw_release(*, grade: Grade, reason: str, by: User) -> Grade:
    """Withdraw a release: the student sees the work as before, by the assignment's policy.

    Its comments are hidden from this student again, because they tell of the score. The student
    gets an email. Raises GradeRefused: reason_missing, not_released, appeal_pending.
    """
    reason = required_reason(reason)
    with transaction.atomic():
        held = Grade.objects.select_for_update(no_key=True, of=("self",)).select_related(
            "assignment", "audit__submission"
        )
        grade = held.defer("audit__report").get(pk=grade.pk)
        _lock_teams(grade.assignment, [grade])
        released = _withdrawable_release(grade)
        hide_comments(grade=grade, by=by)
        # The policy decides again what the student sees, as before the first release.
        grade.released, grade.released_at, grade.released_by, grade.changed = (
            None,
            None,
            None,
            False,
        )
        grade.save()

        record_activity(
            organization=grade.organization_id,
            actor=by,
            verb="grade.taken_back",
            about=grade,
            student=str(grade.student),
            attempt=released["attempt"],
            score=released["overall_score"],
            reason=reason,
        )
        _notify_of_withdrawal(grade, released)
        send_released_scores(assignment=grade.assignment, students=[grade.student_id])
        _answer_again(grade)

    return grade


def _answer_again(grade: Grade) -> None:
    answer_again(
        organization_id=grade.organization_id,
        link__assignment=grade.assignment_id,
        link__student=grade.student_id,
    )


def _lock_teams(assignment: Assignment, grades: Sequence[Grade]) -> None:
    """Let releases for members of one team follow one another; call it with the grades locked.

    A release shows the comments that were released before it, by its time. Two at once could each
    get their time first and the comments last, which would leave these hidden from a member.
    """
    if assignment.team_formation == TeamFormation.NONE:
        return
    works = Audit.objects.filter(pk__in={grade.audit_id for grade in grades})
    teams = works.filter(submission__team__isnull=False).values("submission__team")
    # In the order of ids, as the grades: two releases that overlap cannot deadlock.
    locked = Team.objects.select_for_update(no_key=True).filter(pk__in=teams).order_by("pk")
    list(locked.values_list("pk"))


def _withdrawable_release(grade: Grade) -> dict[str, Any]:
    """Return the released value. Filing an appeal locks the grade too: none can come between."""
    if grade.released is None:
        raise GradeRefused("", "not_released", "There is no release to withdraw.")
    appeals = Appeal.objects.filter(
        submission__assignment=grade.assignment_id, submission__student=grade.student_id
    )
    if appeals.filter(state__in=PENDING_APPEALS).exists():
        raise GradeRefused(
            "", "appeal_pending", "An appeal on this grade is pending. Answer it first."
        )

    return dict(grade.released)


def _notify_of_withdrawal(grade: Grade, released: dict[str, Any]) -> None:
    title = grade.assignment.title
    notify(
        organization=grade.organization,
        user=grade.student.user,
        kind=NoticeKind.RELEASED,
        subject=f"Your grade for “{title}” was withdrawn",
        body=f"Your grade for “{title}” was withdrawn and is being checked again. "
        "You will get an email when it is released.",
        path=reverse("audit", args=[grade.organization.slug, released["audit"]]),
    )


def _change_times(grades: Sequence[Grade]) -> dict[int, datetime]:
    return {grade.pk: grade.changed_at for grade in grades}


def _is_news(grade: Grade, result: GradeResult) -> bool:
    return grade.released is None or not is_same_result(grade.released, released_value(result))


def _release(grade: Grade, value: dict[str, Any], *, by: User, criterion: str = "") -> None:
    """Store this value as released; `criterion` is the name of one that was released alone."""
    before = grade.released
    # The student sees the earlier result beside the new one.
    value = value | {"before": _summary(before, grade) if before else None}
    value["earlier"] = _earlier_attempts(before, grade, value["submission"]) if before else []
    grade.released, grade.released_at, grade.released_by = value, timezone.now(), by
    # What was released alone may leave other changes to release.
    grade.changed = bool(criterion) and not is_same_result(
        value, released_value(grade_results([grade])[grade.pk])
    )
    grade.save()

    record_activity(
        organization=grade.organization_id,
        actor=by,
        verb="grade.released",
        about=grade,
        student=str(grade.student),
        attempt=value["attempt"],
        before=before and before["overall_score"],
        score=value["overall_score"],
        note=value["note"],
        **({"alone": criterion} if criterion else {}),
    )


def _summary(released: dict[str, Any], grade: Grade) -> dict[str, Any]:
    """Return the earlier release to keep beside the new one.

    {attempt, overall_score, points, scores, at}
    """
    return {
        "attempt": released["attempt"],
        "overall_score": released["overall_score"],
        "points": released["points"],
        "scores": {row["id"]: row["score"] for row in released["criteria"]},
        "at": grade.released_at.isoformat() if grade.released_at else None,
    }


def _earlier_attempts(
    released: dict[str, Any], grade: Grade, submission: str
) -> list[dict[str, Any]]:
    """Return the last release of each other attempt, which students keep; `at` is its time."""
    # `earlier` is flat: an entry never contains the entries before it.
    last = {key: value for key, value in released.items() if key != "earlier"}
    last["at"] = grade.released_at.isoformat() if grade.released_at else None
    return [
        attempt
        for attempt in [*released.get("earlier", ()), last]
        if attempt["submission"] != submission
    ]


def _notify_students(
    assignment: Assignment,
    news: Sequence[Grade],
    comments: frozenset[int],
    *,
    send_emails: bool,
) -> None:
    announce_releases(
        assignment=assignment, audits=[(grade.released or {})["audit"] for grade in news]
    )
    # No score stands in an email: it may be read by others, and may be out of date.
    if send_emails:
        written = [_release_email(grade, with_comments=grade.pk in comments) for grade in news]
        notify_all(
            organization_id=assignment.organization_id, kind=NoticeKind.RELEASED, emails=written
        )


def _release_email(grade: Grade, *, criterion: str = "", with_comments: bool = False) -> Email:
    title, released = grade.assignment.title, grade.released or {}
    change = "was changed" if released["before"] else "was released"
    alone = f" No criterion but “{criterion}” changed." if criterion else ""
    comments = " There are comments on your work." if with_comments else ""
    return Email(
        user=grade.student.user,
        subject=f"Your grade for “{title}” {change}",
        body=f"Your grade for “{title}” {change}.{alone}{comments} Open the report to read it.",
        path=reverse("audit", args=[grade.assignment.organization.slug, released["audit"]]),
    )
