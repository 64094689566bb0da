"""Release drafts to students, with their grades or alone, and hide them with a release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse
from django.utils import timezone

from grading.comments.queries import drafts_with, own_audit_of, unshared_on
from grading.core.activity_writer import record_activity
from grading.core.comment_access import RELEASED, is_shown_to
from grading.core.enums import NoticeKind
from grading.core.team_access import mates_of
from grading.models import Comment, Grade, Submission
from grading.notifications.emails import notify


def release_comments(*, submission: Submission, by: User) -> int:
    """Show the comments on one attempt to its student or team, whatever their grades, by one email.

    Return the number of comments released; nothing happens where there is none to show.
    """
    with transaction.atomic():
        rows = list(_locked(unshared_on(submission)))
        if not rows:
            return 0
        _release(rows, by=by, at=timezone.now(), to_team=True)
        _notify_student(submission)
    return len(rows)


def release_comments_with(*, grades: Collection[Grade], by: User) -> frozenset[int]:
    """Show the drafts on the attempts that these grades are about, and on earlier ones.

    Call it in the transaction that released the grades, whose emails tell of the comments. Return
    the keys of the grades whose students see comments with it that they did not see before.
    """
    # Not later than any of these releases: a member sees what was released until theirs.
    times = [grade.released_at for grade in grades if grade.released_at]
    if not times:
        return frozenset()
    released = list(_locked(drafts_with(grades)))
    _release(released, by=by, at=min(times), to_team=False)

    # Others of the team may have been shown comments before, with their own releases.
    of_teams = {row.audit.submission.team_id for row in grades} - {None}
    if of_teams:
        with_grades = Comment.objects.filter(RELEASED, to_team=False, submission__team__in=of_teams)
        released += with_grades.select_related("submission")
    return frozenset(
        grade.pk for grade in grades if any(_is_news(grade, comment) for comment in released)
    )


def _is_news(grade: Grade, comment: Comment) -> bool:
    """Return whether the release of this grade was the first to show its student the comment."""
    work, value = comment.submission, grade.released or {}
    before = (value.get("before") or {}).get("at")
    return (
        work.student_id == grade.audit.submission.student_id
        and work.attempt <= value["attempt"]
        and comment.released_at is not None
        and (before is None or comment.released_at > datetime.fromisoformat(before))
    )


def hide_comments(*, grade: Grade, by: User) -> None:
    """Hide from a student the comments on their work, as their release is withdrawn.

    They were written with the score in view and would tell of it. Their answers stay, and all of it
    shows again with the next release. Other members of a team still see what is released for them;
    what nobody sees any more is a draft again. Call it before the release is removed; the caller
    saves the grade.
    """
    rows = Comment.objects.filter(
        RELEASED,
        submission__assignment=grade.assignment_id,
        submission__student=grade.audit.submission.student_id,
    )
    if grade.audit.submission.team_id is None:
        number = rows.update(released_at=None)
    else:
        number = rows.filter(is_shown_to(grade.student)).count()
        grade.comments_hidden_at = timezone.now()
        others = Grade.objects.filter(
            assignment=OuterRef("submission__assignment"),
            audit__submission__team=OuterRef("submission__team"),
            released_at__gte=OuterRef("released_at"),
        ).exclude(pk=grade.pk)
        rows.filter(~Exists(others), to_team=False).update(released_at=None)
    if number:
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


def _release(comments: Iterable[Comment], *, by: User, at: datetime, to_team: bool) -> None:
    """Release these comments, with an Activity per attempt."""
    attempts: defaultdict[Submission, list[Comment]] = defaultdict(list)
    for draft in comments:
        draft.released_at = draft.news_at = at
        draft.first_released_at = min(draft.first_released_at or at, at)
        draft.to_team = to_team
        attempts[draft.submission].append(draft)
    Comment.objects.bulk_update(
        [draft for rows in attempts.values() for draft in rows],
        ["released_at", "news_at", "first_released_at", "to_team"],
    )
    for submission, rows in attempts.items():
        record_activity(
            organization=submission.organization_id,
            actor=by,
            verb="comment.released",
            about=submission,
            attempt=submission.attempt,
            comments=len(rows),
        )


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
