"""Release drafts to students, with their grades or alone, and hide them with a release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from grading.comments.queries import drafts, drafts_with, own_audit_of
from grading.core.activity_writer import record_activity
from grading.core.enums import NoticeKind
from grading.core.team_access import mates_of
from grading.models import Comment, Grade, Submission
from grading.notifications.emails import notify


def release_comments(*, submission: Submission, by: User) -> int:
    """Show the drafts on one attempt to its student, whatever its grade, and send one email.

    Return the number of comments released; without a draft nothing happens.
    """
    with transaction.atomic():
        rows = list(_locked(drafts().filter(submission=submission)))
        if not rows:
            return 0
        _release(rows, by=by, at=timezone.now())
        _notify_student(submission)
    return len(rows)


def release_comments_with(*, grades: Collection[Grade], by: User) -> dict[int, int]:
    """Show the drafts on the attempts that these grades are about, and on earlier ones.

    Call it in the transaction that releases the grades, whose email tells of the comments. Return
    the numbers of comments by the student of the attempt, for those who have any.
    """
    return _release(_locked(drafts_with(grades)), by=by, at=timezone.now())


def hide_comments(*, grade: Grade, by: User) -> None:
    """Make drafts of a student's released comments again, as their grade is taken back.

    They were written with the score in view and would tell of it. Their answers stay, and all of it
    shows again with the next release.
    """
    rows = Comment.objects.filter(
        released_at__isnull=False,
        withdrawn_at=None,
        submission__assignment=grade.assignment_id,
        submission__student=grade.audit.submission.student_id,
    )
    if number := rows.update(released_at=None):
        record_activity(
            organization=grade.organization_id,
            actor=by,
            verb="comment.hidden",
            about=grade,
            comments=number,
        )


def _locked(comments: QuerySet[Comment]) -> QuerySet[Comment]:
    """Lock comments in the order of their keys: two releases that overlap cannot deadlock."""
    rows = comments.select_for_update(no_key=True, of=("self",)).order_by("pk")
    return rows.select_related("submission__assignment", "submission__student")


def _release(comments: Iterable[Comment], *, by: User, at: datetime) -> dict[int, int]:
    """Release these drafts, with an Activity per attempt; return numbers by student."""
    attempts: defaultdict[Submission, list[Comment]] = defaultdict(list)
    for draft in comments:
        draft.released_at = draft.news_at = at
        draft.first_released_at = draft.first_released_at or at
        attempts[draft.submission].append(draft)
    Comment.objects.bulk_update(
        [draft for rows in attempts.values() for draft in rows],
        ["released_at", "news_at", "first_released_at"],
    )

    numbers: defaultdict[int, int] = defaultdict(int)
    for submission, rows in attempts.items():
        numbers[submission.student_id] += len(rows)
        record_activity(
            organization=submission.organization_id,
            actor=by,
            verb="comment.released",
            about=submission,
            attempt=submission.attempt,
            comments=len(rows),
        )
    return dict(numbers)


def _notify_student(submission: Submission) -> None:
    title = submission.assignment.title
    audit = own_audit_of(submission)
    for member in mates_of(submission):
        notify(
            organization=submission.organization,
            user=member.user,
            kind=NoticeKind.RELEASED,
            subject=f"New comments on “{title}”",
            body=f"There are new comments on your work for “{title}”. Open them to read them.",
            path=reverse("comments", args=[submission.organization.slug, audit]),
        )
