"""Write, edit, delete and withdraw comments, and answer them."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from grading.comments.places import Place, place_of
from grading.core.activity_writer import record_activity
from grading.core.code_locations import refuse_missing
from grading.core.comment_access import students_who_see
from grading.core.enums import CommentPlace, NoticeKind
from grading.core.errors import AppealRefused, CommentRefused
from grading.core.user_text import required_text
from grading.models import (
    AuditContents,
    BankedComment,
    Comment,
    CommentReply,
    CriterionVerdict,
    Submission,
)
from grading.models.comment import LONGEST
from grading.notifications.emails import notify

MAX_COMMENTS = 300  # on one attempt
# A student's answers: to one comment before staff say something, and on one work in a day.
MAX_ANSWERS_IN_A_ROW, MAX_ANSWERS_A_DAY = 5, 30
GONE = "This comment has changed since you opened it. Read it again."


def write_comment(
    *,
    submission: Submission,
    place: Place,
    text: str,
    by: User,
    banked: BankedComment | None = None,
) -> Comment:
    """Write a draft of a comment on a submission; students see it once it is released.

    `banked` is the entry of the bank that the text was made from: its uses grow by one. Raises
    CommentRefused: text_missing, text_too_long, criterion_unknown, place_missing,
    comments_too_many.
    """
    text = _required(text)
    with transaction.atomic():
        # With the attempt locked, the limit holds for comments that are sent at once.
        Submission.objects.select_for_update(no_key=True).only("pk").get(pk=submission.pk)
        if Comment.objects.filter(submission=submission).count() >= MAX_COMMENTS:
            sentence = f"An attempt can have {MAX_COMMENTS} comments. Edit one of them instead."
            raise CommentRefused("", "comments_too_many", sentence)

        comment = Comment.objects.create(
            organization_id=submission.organization_id,
            submission=submission,
            place=place.kind,
            criterion_id=place.criterion_id,
            criterion_name=_criterion_name(submission, place),
            **_columns_in_work(submission, place),
            text=text,
            banked=banked,
            author=by,
        )
        if banked is not None:
            BankedComment.objects.filter(pk=banked.pk).update(uses=F("uses") + 1)
        _record(comment, by, "comment.written")
    return comment


def edit_comment(*, comment: Comment, text: str, by: User) -> None:
    """Change the words of a draft. Raises CommentRefused text_missing, text_too_long, comment_gone.

    Words that were released stay as they are: withdraw them and write others.
    """
    text = _required(text)
    with transaction.atomic():
        draft = _locked(comment)
        if not draft.is_draft or draft.withdrawn_at is not None:
            sentence = "This comment is released. Withdraw it and write another."
            raise CommentRefused("", "comment_gone", sentence)
        if draft.text == text:
            return

        # What a student could read is kept in the log; other drafts are nobody's business.
        before = draft.text if draft.first_released_at else ""
        draft.text, draft.edited_at = text, timezone.now()
        draft.save(update_fields=["text", "edited_at"])
        _record(draft, by, "comment.edited", before=before)
    comment.refresh_from_db()


def delete_draft(*, comment: Comment, by: User) -> None:
    """Delete a draft that no student was ever shown. Raises CommentRefused comment_gone."""
    with transaction.atomic():
        draft = _locked(comment)
        if draft.first_released_at is not None:
            sentence = "A student has been shown this comment. Withdraw it instead."
            raise CommentRefused("", "comment_gone", sentence)
        _record(draft, by, "comment.deleted")
        draft.delete()


def withdraw_comment(*, comment: Comment, by: User) -> None:
    """Withdraw a comment that was released: students no longer see it, the log keeps its words.

    Raises CommentRefused comment_gone: a draft is deleted, and a withdrawn one stays so.
    """
    with transaction.atomic():
        current = _locked(comment)
        if current.first_released_at is None or current.withdrawn_at is not None:
            raise CommentRefused("", "comment_gone", GONE)
        current.withdrawn_at, current.answer_waits = timezone.now(), False
        current.save(update_fields=["withdrawn_at", "answer_waits"])
        _record(current, by, "comment.withdrawn", text=current.text)
    comment.refresh_from_db()


def answer_comment(*, comment: Comment, text: str, by: User, is_staff: bool) -> CommentReply:
    """Add an answer of the student, or further words of staff, which the student sees at once.

    Raises CommentRefused: text_missing, text_too_long, comment_gone where it is not released,
    answers_too_many.
    """
    text = _required(text)
    with transaction.atomic():
        current = _locked(comment)
        if not current.is_visible:
            raise CommentRefused("", "comment_gone", GONE)
        if not is_staff:
            _refuse_too_many(current)

        reply = CommentReply.objects.create(
            organization_id=current.organization_id,
            comment=current,
            by_student=not is_staff,
            text=text,
            author=by,
        )
        current.answer_waits = not is_staff
        current.news_at = reply.created_at if is_staff else current.news_at
        current.save(update_fields=["answer_waits", "news_at"])
        _record(current, by, "comment.replied" if is_staff else "comment.answered")
        if is_staff:
            _notify_of_reply(current)
    comment.refresh_from_db()
    return reply


def settle_answer(*, comment: Comment, by: User) -> None:
    """Mark a student's answer as read; it needs no words. Nothing happens if none waits."""
    with transaction.atomic():
        if Comment.objects.filter(pk=comment.pk, answer_waits=True).update(answer_waits=False):
            _record(comment, by, "comment.settled")
    comment.refresh_from_db()


def _required(text: str) -> str:
    missing = "Write a few words first."
    return required_text(text, LONGEST, field="text", missing=missing, refused=CommentRefused)


def _locked(comment: Comment) -> Comment:
    """Return the comment as it is now, locked. Raises CommentRefused comment_gone."""
    rows = Comment.objects.select_for_update(no_key=True, of=("self",))
    current = rows.select_related("submission__assignment").filter(pk=comment.pk).first()
    if current is None:
        raise CommentRefused("", "comment_gone", "This comment was deleted.")
    return current


def _criterion_name(submission: Submission, place: Place) -> str:
    """Return the name of a criterion of this work. Raises CommentRefused criterion_unknown."""
    if place.kind != CommentPlace.CRITERION:
        return ""
    verdicts = CriterionVerdict.objects.filter(
        audit__submission=submission, criterion_id=place.criterion_id
    )
    name = verdicts.order_by("-pk").values_list("name", flat=True).first()
    if name is None:
        raise CommentRefused("place", "criterion_unknown", "This work has no such criterion.")
    return name


def _columns_in_work(submission: Submission, place: Place) -> dict[str, str | int | None]:
    """Return the columns of a place of code or of the PDF. Raises CommentRefused place_missing."""
    if place.kind not in (CommentPlace.CODE, CommentPlace.PAGE):
        return {}
    contents = (
        AuditContents.objects.defer("sources")
        .filter(audit__submission=submission)
        .order_by("-audit__created_at")
        .first()
    )
    # Audits of an older make have no list to look in.
    if contents is not None:
        try:
            refuse_missing([place.as_named()], contents.files, contents.pages)
        except AppealRefused as refused:
            raise CommentRefused("place", refused.code, refused.sentence) from refused
    if place.kind == CommentPlace.PAGE:
        return {"page": place.page}
    return {
        "path": place.path,
        "commit": submission.resolved_commit,
        "first_line": place.first_line,
        "last_line": place.last_line,
    }


def _refuse_too_many(comment: Comment) -> None:
    answers = CommentReply.objects.filter(comment__submission=comment.submission_id)
    since = timezone.now() - timedelta(days=1)
    if answers.filter(by_student=True, created_at__gte=since).count() >= MAX_ANSWERS_A_DAY:
        sentence = f"The limit is {MAX_ANSWERS_A_DAY} answers in 24 hours. Come back later."
        raise CommentRefused("text", "answers_too_many", sentence)

    newest = answers.filter(comment=comment).order_by("-created_at", "-pk")
    in_a_row = newest.values_list("by_student", flat=True)[:MAX_ANSWERS_IN_A_ROW]
    if len(in_a_row) == MAX_ANSWERS_IN_A_ROW and all(in_a_row):
        raise CommentRefused("text", "answers_too_many", "Wait until staff reply to your answers.")


def _notify_of_reply(comment: Comment) -> None:
    submission = comment.submission
    title = submission.assignment.title
    for member in students_who_see(comment):
        notify(
            organization=comment.organization_id,
            user=member.user,
            kind=NoticeKind.RELEASED,
            subject=f"A reply to a comment on “{title}”",
            body=f"There is a reply to a comment on your work for “{title}”. Open it to read it.",
            path=reverse("comment", args=[comment.organization.slug, comment.pk]),
        )


def _record(comment: Comment, by: User, verb: str, **detail: str) -> None:
    record_activity(
        organization=comment.organization_id,
        actor=by,
        verb=verb,
        about=comment,
        place=str(place_of(comment)),
        attempt=comment.submission.attempt,
        **detail,
    )
