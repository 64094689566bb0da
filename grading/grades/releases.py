"""Telling students what counts for them, and taking that back. What they are told is frozen until the next release."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.core.activity import record_activity
from grading.core.enums import PENDING_APPEALS, NoticeKind
from grading.core.errors import GradeRefused
from grading.grades.actions import reason_given
from grading.grades.queries.final_scores import Reckoning, columns_of, is_the_same, reckon, told
from grading.models import Appeal, Assignment, Grade
from grading.notifications.emails import Email, notify, notify_all
from grading.notifications.webhooks import announce_releases

CHANGED_SINCE = "Something changed since you looked: it is shown as it is now. Look once more."


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
            grade.assignment, grade.audit = assignment, reckonings[grade.pk].audit  # read already
            grade.audit.submission.assignment = assignment
            _release(grade, reckonings[grade.pk], by=by, note=note.strip())
        _tell(assignment, news, letters=letters)
    return len(news)


def take_back_release(*, grade: Grade, reason: str, by: User) -> Grade:
    """The student sees their work again as before any release, by the assignment's policy; a letter says that.

    Raises GradeRefused: reason_missing, not_released, appeal_pending.
    """
    reason = reason_given(reason)
    with transaction.atomic():
        held = Grade.objects.select_for_update(no_key=True, of=("self",)).select_related(
            "assignment"
        )
        grade = held.get(pk=grade.pk)
        told = _told_and_unappealed(grade)
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
            attempt=told["attempt"],
            score=told["overall_score"],
            reason=reason,
        )
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
        raise GradeRefused(
            "", "appeal_pending", "An appeal on it waits for its answer: answer that first."
        )
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
    record_activity(
        organization=grade.organization_id,
        actor=by,
        verb="grade.released",
        about=grade,
        student=str(grade.student),
        attempt=value["attempt"],
        before=before and before["overall_score"],
        score=value["overall_score"],
        note=note,
    )


def _summary(released: dict[str, Any], grade: Grade) -> dict[str, Any]:
    """What a student was told before, kept beside what is told now: {attempt, overall_score, points, scores, at}."""
    return {
        "attempt": released["attempt"],
        "overall_score": released["overall_score"],
        "points": released["points"],
        "scores": {row["id"]: row["score"] for row in released["criteria"]},
        "at": grade.released_at.isoformat() if grade.released_at else None,
    }


def _told_of_others(
    released: dict[str, Any], grade: Grade, submission: str
) -> list[dict[str, Any]]:
    """What the student was told of other attempts, each as it was told last: they keep it. Beside each, when: `at`."""
    last = {key: said for key, said in released.items() if key != "earlier"}
    last["at"] = grade.released_at.isoformat() if grade.released_at else None
    return [
        told for told in [*released.get("earlier", ()), last] if told["submission"] != submission
    ]


def _tell(assignment: Assignment, news: Sequence[Grade], *, letters: bool) -> None:
    announce_releases(
        assignment=assignment, audits=[(grade.released or {})["audit"] for grade in news]
    )
    if letters:
        written = [_letter_to(grade) for grade in news]
        notify_all(
            organization_id=assignment.organization_id, kind=NoticeKind.RELEASED, emails=written
        )


def _letter_to(grade: Grade) -> Email:
    title, told = grade.assignment.title, grade.released or {}
    what = "was changed" if told["before"] else "was released"
    return Email(
        user=grade.student.user,
        subject=f"Your grade for “{title}” {what}",
        body=f"Your grade for “{title}” {what}. What it is, and why, stands on the page of the report.",
        path=reverse("audit", args=[grade.assignment.organization.slug, told["audit"]]),
    )
