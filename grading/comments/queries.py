"""Queries about comments: those on a work as one reader sees them, and what waits for an answer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    CharField,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Cast, Coalesce, Concat, JSONObject, Trim

from grading.comments.places import Place, place_of
from grading.core.comment_access import is_shown_to, is_shown_to_user
from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import AuditKind, CommentPlace, Opened
from grading.core.own_work import handled_by, may_handle
from grading.core.permissions import may
from grading.core.team_access import is_about_work_of
from grading.models import (
    Assignment,
    Audit,
    Comment,
    CommentReply,
    CriterionVerdict,
    Grade,
    Opening,
    Override,
    Submission,
)

ANSWER_WAITS = Q(answer_waits=True, withdrawn_at=None)


@dataclass(frozen=True, slots=True)
class Reply:
    """Words under a comment; `name` is that of a person of the staff, "" for none."""

    by_student: bool
    name: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ShownComment:
    """Comment as one reader sees it. `audit` is the newest own audit of its attempt, `rubric` the
    slug of its assignment's rubric, in whose bank the words may be kept.

    `is_new` marks what a student has not opened yet, `is_earlier` a comment on an earlier attempt
    than the one that the page is about.
    """

    comment: Comment
    replies: tuple[Reply, ...]
    audit: UUID
    rubric: str
    is_new: bool = False
    is_earlier: bool = False
    may_change: bool = False

    @property
    def place(self) -> Place:
        return place_of(self.comment)

    @property
    def attempt(self) -> int:
        return self.comment.submission.attempt


@dataclass(frozen=True, slots=True)
class CommentsOf:
    """Comments on a submission and on its student's earlier attempts, as one reader sees them.

    Each of the methods returns the comments at one place, those of earlier attempts last.
    """

    submission: Submission
    is_staff: bool
    comments: tuple[ShownComment, ...] = ()

    def on_work(self) -> list[ShownComment]:
        return self._at(CommentPlace.WORK)

    def on_criterion(self, criterion_id: str) -> list[ShownComment]:
        own = self._at(CommentPlace.CRITERION)
        return [shown for shown in own if shown.comment.criterion_id == criterion_id]

    def on_file(self, path: str) -> list[ShownComment]:
        return [shown for shown in self._at(CommentPlace.CODE) if shown.comment.path == path]

    def on_pages(self) -> list[ShownComment]:
        return self._at(CommentPlace.PAGE)

    @property
    def own(self) -> list[ShownComment]:
        """Comments on this attempt."""
        return [shown for shown in self.comments if not shown.is_earlier]

    @property
    def earlier(self) -> list[ShownComment]:
        return [shown for shown in self.comments if shown.is_earlier]

    @property
    def drafts(self) -> int:
        """Number of drafts on this attempt."""
        return sum(shown.comment.is_draft for shown in self.own)

    @property
    def unshared(self) -> int:
        """Number of comments on this attempt that not all of its students see yet."""
        return sum(
            shown.comment.is_shown_with_grades
            or (shown.comment.is_draft and shown.comment.withdrawn_at is None)
            for shown in self.own
        )

    @property
    def new(self) -> int:
        """Number of comments with words that a student has not opened."""
        return sum(shown.is_new for shown in self.comments)

    def _at(self, kind: CommentPlace) -> list[ShownComment]:
        return [shown for shown in self.comments if shown.comment.place == kind]


def comments_on(submission: Submission, reader: User) -> CommentsOf:
    """Return the comments that this reader may see, in one query.

    The submission's `organization` is loaded. The reader was let in by `access_audit` or
    `access_submission`: staff see drafts and withdrawn comments too, anybody else what is released
    for them.
    """
    is_staff = may_handle(reader, submission)
    query = FOR_STAFF if is_staff else FOR_STUDENT
    rows = query.rows_in_scope(
        assignment=submission.assignment_id,
        student=submission.student_id,
        attempt=submission.attempt,
        reader=reader.pk,
    )
    shown = (show(row, reader, is_staff=is_staff, of=submission) for row in rows)
    return CommentsOf(submission, is_staff, tuple(shown))


def _for_staff(assignment: int, student: int, attempt: int, reader: int) -> QuerySet[Comment]:
    rows = Comment.objects.filter(
        submission__assignment=assignment,
        submission__student=student,
        # As a value, for a stand-in is no number that an attempt may have.
        submission__attempt__lte=Value(attempt),
    )
    # Nulls first: the whole work and criteria, then pages, then code.
    order = (
        "path",
        F("first_line").asc(nulls_first=True),
        F("page").asc(nulls_first=True),
        "created_at",
        "pk",
    )
    return with_details(rows, User(pk=reader)).order_by("-submission__attempt", *order)


def _for_student(assignment: int, student: int, attempt: int, reader: int) -> QuerySet[Comment]:
    return _for_staff(assignment, student, attempt, reader).filter(is_shown_to_user(reader))


FOR_STAFF = OrganizationQuery(_for_staff, assignment=int, student=int, attempt=int, reader=int)
FOR_STUDENT = OrganizationQuery(_for_student, assignment=int, student=int, attempt=int, reader=int)


def comment_shown(comment: Comment, reader: User) -> ShownComment:
    """Return one comment as a reader who may open it sees it, read anew."""
    row = with_details(Comment.objects.all(), reader).get(pk=comment.pk)
    return show(row, reader, is_staff=may_handle(reader, row.submission))


def with_details(comments: QuerySet[Comment], reader: User) -> QuerySet[Comment]:
    """Load in the same query what `show` reads, for comments that this reader may see."""
    replies = CommentReply.objects.filter(comment=OuterRef("pk")).order_by("created_at", "pk")
    name = Trim(Concat("author__first_name", Value(" "), "author__last_name"))
    fields = JSONObject(by_student="by_student", name=name, text="text", created_at="created_at")
    opened = Opening.objects.filter(
        student__user=reader, kind=Opened.COMMENTS, about=Cast(OuterRef("submission"), CharField())
    )
    return (
        comments.annotate(
            own_audit=Subquery(
                _own_audits().filter(submission=OuterRef("submission")).values("pk")[:1]
            ),
            reply_rows=ArraySubquery(replies.annotate(row=fields).values("row")),
            rubric=F("submission__assignment__rubric_version__rubric__slug"),
            opened_at=Subquery(opened.values("opened_at")[:1]),
        )
        .filter(own_audit__isnull=False)
        .select_related("author", "organization", "submission__organization", "submission__student")
    )


def show(
    comment: Comment, reader: User, *, is_staff: bool, of: Submission | None = None
) -> ShownComment:
    """Return a comment from `with_details`; `of` is the attempt that the page is about."""
    details = vars(comment)
    is_teacher = may(reader, comment.organization, "teacher")
    replies = (
        Reply(
            row["by_student"],
            row["name"] or "",
            row["text"],
            datetime.fromisoformat(row["created_at"]),
        )
        for row in details["reply_rows"]
    )
    return ShownComment(
        comment=comment,
        replies=tuple(replies),
        audit=details["own_audit"],
        rubric=details["rubric"],
        is_new=not is_staff and _is_new(comment, details["opened_at"]),
        is_earlier=of is not None and of.pk != comment.submission_id,
        may_change=is_staff and (is_teacher or comment.author_id == reader.pk),
    )


def own_audit_of(submission: Submission) -> UUID:
    """Return the key of the submission's newest audit that is not a peer's."""
    return _own_audits().filter(submission=submission).values_list("pk", flat=True)[0]


def _own_audits() -> QuerySet[Audit]:
    return Audit.objects.exclude(kind=AuditKind.PEER).order_by("-created_at", "pk")


def _is_new(comment: Comment, opened_at: datetime | None) -> bool:
    return opened_at is None or (comment.news_at is not None and comment.news_at > opened_at)


def new_comments(reader: User) -> QuerySet[Comment]:
    """Return the visible comments on a student's work with words that they have not opened."""
    opened = Opening.objects.filter(
        student__user=reader,
        kind=Opened.COMMENTS,
        about=Cast(OuterRef("submission"), CharField()),
        opened_at__gte=OuterRef("news_at"),
    )
    return visible_to(reader).filter(~Exists(opened))


def visible_to(reader: User) -> QuerySet[Comment]:
    """Return the visible comments on the student's own work and their teams'."""
    is_theirs = is_about_work_of(reader.pk, "submission")
    return Comment.objects.filter(is_shown_to_user(reader.pk), is_theirs)


def comment_readers(submission: OuterRef) -> ArraySubquery:
    """Return an expression for the students who see comments on a submission, once per comment.

    Of a team's work each member may see other comments.
    """
    # Without a team there is no member, and the student of the submission is the reader.
    reader = Coalesce("submission__team__members__student", "submission__student")
    rows = Comment.objects.filter(submission=submission).annotate(reader=reader)
    return ArraySubquery(rows.filter(is_shown_to(OuterRef("reader"))).order_by().values("reader"))


def waiting_answers() -> QuerySet[Comment]:
    """Return the comments whose student answered and waits for staff, the longest wait first."""
    waiting = Comment.objects.filter(ANSWER_WAITS)
    last = Max("replies__created_at", filter=Q(replies__by_student=True))
    return waiting.annotate(answered_at=last).order_by("answered_at", "pk")


def drafts_with(grades: Collection[Grade]) -> QuerySet[Comment]:
    """Return the drafts that a release of these grades shows, each with its attempt.

    They are those on the attempt that counts and on earlier ones.
    """
    counting = [grade.audit.submission for grade in grades]
    upto = Q(pk__in=())
    for submission in counting:
        upto |= Q(
            submission__student=submission.student_id, submission__attempt__lte=submission.attempt
        )
    assignments = {submission.assignment_id for submission in counting}
    return drafts().filter(upto, submission__assignment__in=assignments)


def unshared_on(submission: Submission) -> QuerySet[Comment]:
    """Return the comments that not all of the submission's students see: drafts, and on a team's
    work those that each member sees with their own grade.
    """
    rows = Comment.objects.filter(submission=submission, withdrawn_at=None)
    with_grades = Q(submission__team__isnull=False, to_team=False)
    return rows.filter(Q(released_at=None) | with_grades)


def drafts() -> QuerySet[Comment]:
    """Return what no student sees now and may yet see."""
    return Comment.objects.filter(released_at=None, withdrawn_at=None)


@dataclass(frozen=True, slots=True)
class CommentCounts:
    """Numbers of drafts, and of comments whose student waits for staff."""

    drafts: int
    answers: int


def comment_counts(assignment: Assignment, reader: User) -> CommentCounts:
    """Return the numbers of what the reader handles at one assignment, in one query."""
    handled = handled_by(reader, assignment.organization, "submission")
    rows = Comment.objects.filter(handled, submission__assignment=assignment, withdrawn_at=None)
    numbers = rows.aggregate(
        drafts=Count("pk", filter=Q(released_at=None)),
        answers=Count("pk", filter=Q(answer_waits=True)),
    )
    return CommentCounts(**numbers)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Score that the points of a banked comment come to, and the criterion's place in the audit."""

    score: int
    position: int


def proposed_score(audit: Audit, criterion_id: str, points: int) -> Proposal | None:
    """Return the score that counts now with these points, from 1 to 5; None without a score."""
    verdict = CriterionVerdict.objects.filter(audit=audit, criterion_id=criterion_id).first()
    overrides = Override.objects.filter(
        submission=audit.submission_id, criterion_id=criterion_id, withdrawn_at=None
    )
    override = overrides.first()
    if verdict is None:
        return None
    score = override.score if override else verdict.score
    if score is None:
        return None
    return Proposal(min(5, max(1, score + points)), verdict.position)
