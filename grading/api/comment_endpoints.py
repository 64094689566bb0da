"""Comments on a submission: written by staff, read and answered by its student."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    IntegerField,
    ListField,
    Serializer,
    UUIDField,
)

from grading.api.paging import PAGING_PARAMETERS, ListPagination
from grading.api.schema import ERRORS, PAGING, READ_ERRORS, paged
from grading.api.tenancy import TenantView, member
from grading.comments.actions import answer_comment, write_comment
from grading.comments.bank.actions import LONGEST_LABEL, save_entry
from grading.comments.bank.queries import entries_of, entry_of
from grading.comments.forms import HIGHEST
from grading.comments.places import WORK, Place, on_criterion, on_lines, on_page
from grading.comments.queries import Reply, ShownComment, comment_shown, comments_on
from grading.comments.releases import release_comments
from grading.core.enums import ApiScope, CommentPlace
from grading.core.errors import CommentRefused
from grading.core.own_work import may_handle
from grading.core.permissions import access_comment, access_rubric, access_submission
from grading.models import BankedComment, Submission
from grading.models.comment import LONGEST

# Ids are PostgreSQL's bigint.
LARGEST_ID = 2**63 - 1


class CommentReplySerializer(Serializer[Reply]):
    """Words under a comment; `name` is that of a person of the staff."""

    by_student = BooleanField()
    name = CharField()
    text = CharField()
    created_at = DateTimeField()


class CommentSerializer(Serializer[ShownComment]):
    """Comment of staff. `place` is work, criterion, code or page; columns of other places are empty.

    `attempt` is that of the comment; comments on earlier attempts follow. `released_at` is null for
    a draft, which students do not get.
    """

    id = IntegerField(source="comment.pk")
    submission = UUIDField(source="comment.submission_id")
    attempt = IntegerField()
    place = CharField(source="comment.place")
    criterion = CharField(source="comment.criterion_id")
    path = CharField(source="comment.path")
    commit = CharField(source="comment.commit")
    first_line = IntegerField(source="comment.first_line", allow_null=True)
    last_line = IntegerField(source="comment.last_line", allow_null=True)
    page = IntegerField(source="comment.page", allow_null=True)
    text = CharField(source="comment.text")
    created_at = DateTimeField(source="comment.created_at")
    released_at = DateTimeField(source="comment.released_at", allow_null=True)
    withdrawn_at = DateTimeField(source="comment.withdrawn_at", allow_null=True)
    replies = ListField(child=CommentReplySerializer())


class TextField(CharField):
    """Text as it is sent; the framework's own field would also take a number for a text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class CommentDraftSerializer(Serializer[Any]):
    """New draft at a `place`, which is the whole work by default.

    A criterion is named by `criterion`, lines by `path`, `first_line` and `last_line` (one line
    without it), a page of the report by `page`. `banked` is the entry of the rubric's bank that the
    text was made from, and counts as a use of it.
    """

    text = TextField(max_length=LONGEST)
    place = ChoiceField(choices=CommentPlace.choices, default=CommentPlace.WORK)
    criterion = TextField(max_length=200, default="", allow_blank=True)
    path = TextField(max_length=1000, default="", allow_blank=True)
    first_line = IntegerField(min_value=1, max_value=HIGHEST, default=None, allow_null=True)
    last_line = IntegerField(min_value=1, max_value=HIGHEST, default=None, allow_null=True)
    page = IntegerField(min_value=1, max_value=HIGHEST, default=None, allow_null=True)
    banked = IntegerField(min_value=1, max_value=LARGEST_ID, default=None, allow_null=True)


class BankedCommentSerializer(Serializer[BankedComment]):
    """Entry of a rubric's bank of comments. `points` propose a score, relative to the judges'.

    `criterion` is empty for an entry of any place; `uses` counts the comments made from it.
    """

    id = IntegerField(source="pk", read_only=True)
    # The framework uses the name for its own attribute of a field.
    label = TextField(max_length=LONGEST_LABEL)  # type: ignore[assignment]
    text = TextField(max_length=LONGEST)
    criterion = TextField(source="criterion_id", max_length=200, default="", allow_blank=True)
    points = IntegerField(min_value=-4, max_value=4, default=None, allow_null=True)
    uses = IntegerField(read_only=True)


class BankSearchSerializer(Serializer[Any]):
    """Words that an entry must have in its label or text."""

    q = CharField(max_length=200, default="", allow_blank=True)


class ReleasedCommentsSerializer(Serializer[Any]):
    """Number of comments that a release showed to the student or the team."""

    released = IntegerField()


class CommentAnswerSerializer(Serializer[Any]):
    """Words under a comment."""

    text = TextField(max_length=LONGEST)


def _place_of(values: dict[str, Any]) -> Place:
    """Return the place of a draft's data. Raises CommentRefused place_incomplete."""
    match CommentPlace(values["place"]):
        case CommentPlace.CRITERION:
            return on_criterion(_needed(values, "criterion"))
        case CommentPlace.CODE:
            path, first = _needed(values, "path"), _needed(values, "first_line")
            last = values["last_line"]
            if last is not None and last < first:
                sentence = "The last line must not be before the first."
                raise CommentRefused("last_line", "place_incomplete", sentence)
            return on_lines(path, first, last)
        case CommentPlace.PAGE:
            return on_page(_needed(values, "page"))
    return WORK


def _needed(values: dict[str, Any], name: str) -> Any:
    if not values[name]:
        raise CommentRefused(name, "place_incomplete", f"This place needs {name}.")
    return values[name]


def _banked(submission: Submission, key: int | None) -> BankedComment | None:
    """Return the entry of the bank. Raises CommentRefused entry_unknown."""
    entry = entry_of(submission.assignment.rubric_version.rubric, key)
    if key is not None and entry is None:
        sentence = "The bank of this rubric has no such entry."
        raise CommentRefused("banked", "entry_unknown", sentence)
    return entry


class Comments(TenantView):
    """Comments on an attempt and on the student's earlier ones."""

    scopes = {"POST": ApiScope.COMMENTS}
    filters = PAGING_PARAMETERS

    @extend_schema(parameters=[*PAGING], responses={200: paged(CommentSerializer), **READ_ERRORS})
    def get(self, request: Request, org: str, submission_id: UUID) -> Response:
        """List comments: all for staff, released ones for the student."""
        submission = access_submission(request.user, submission_id)
        page = ListPagination().page_of(
            comments_on(submission, member(request)).comments,
            request,
            key=lambda shown: str(shown.comment.pk),
            serialize=lambda shown: CommentSerializer(shown).data,
        )
        return Response(page)

    @extend_schema(request=CommentDraftSerializer, responses={201: CommentSerializer, **ERRORS})
    def post(self, request: Request, org: str, submission_id: UUID) -> Response:
        """Write a draft, for staff; its student sees it once it is released."""
        submission = access_submission(request.user, submission_id, level="staff")
        serializer = CommentDraftSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        written = write_comment(
            submission=submission,
            place=_place_of(serializer.validated_data),
            text=serializer.validated_data["text"],
            banked=_banked(submission, serializer.validated_data["banked"]),
            by=member(request),
        )
        shown = comment_shown(written, member(request))
        return Response(CommentSerializer(shown).data, status=HTTPStatus.CREATED)


class CommentRelease(TenantView):
    """Release of the comments on an attempt, apart from its grade."""

    scopes = {"POST": ApiScope.COMMENTS}

    @extend_schema(request=None, responses={200: ReleasedCommentsSerializer, **ERRORS})
    def post(self, request: Request, org: str, submission_id: UUID) -> Response:
        """Show the drafts to the student or the whole team, for owners and instructors."""
        submission = access_submission(request.user, submission_id, level="teacher")
        released = release_comments(submission=submission, by=member(request))
        return Response({"released": released})


class CommentBank(TenantView):
    """Bank of comments of a rubric."""

    scopes = {"POST": ApiScope.COMMENTS}
    filters = (*PAGING_PARAMETERS, "q")

    @extend_schema(
        parameters=[BankSearchSerializer, *PAGING],
        responses={200: paged(BankedCommentSerializer), **READ_ERRORS},
    )
    def get(self, request: Request, org: str, rubric: str) -> Response:
        """List entries for staff, the most used first; `q` narrows them by words."""
        bank_rubric = access_rubric(request.user, rubric)
        search = BankSearchSerializer(data=request.query_params.dict())
        search.is_valid(raise_exception=True)
        entries = entries_of(bank_rubric, search.validated_data["q"])
        page = ListPagination().page_of(
            list(entries.order_by("-uses", "label", "pk")),
            request,
            key=lambda entry: str(entry.pk),
            serialize=lambda entry: BankedCommentSerializer(entry).data,
        )
        return Response(page)

    @extend_schema(
        request=BankedCommentSerializer, responses={201: BankedCommentSerializer, **ERRORS}
    )
    def post(self, request: Request, org: str, rubric: str) -> Response:
        """Add an entry, for staff."""
        bank_rubric = access_rubric(request.user, rubric)
        serializer = BankedCommentSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        entry = save_entry(rubric=bank_rubric, by=member(request), **serializer.validated_data)
        return Response(BankedCommentSerializer(entry).data, status=HTTPStatus.CREATED)


class CommentAnswers(TenantView):
    """Answers to a comment."""

    scopes = {"POST": ApiScope.COMMENTS}

    @extend_schema(request=CommentAnswerSerializer, responses={201: CommentSerializer, **ERRORS})
    def post(self, request: Request, org: str, comment_id: int) -> Response:
        """Answer a released comment on one's own work, or reply to the student as staff."""
        comment = access_comment(request.user, comment_id)
        serializer = CommentAnswerSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        answer_comment(
            comment=comment,
            text=serializer.validated_data["text"],
            by=member(request),
            is_staff=may_handle(request.user, comment.submission),
        )
        shown = comment_shown(comment, member(request))
        return Response(CommentSerializer(shown).data, status=HTTPStatus.CREATED)
