"""Submissions: list, read and create."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    FileField,
    IntegerField,
    RegexField,
    Serializer,
    SerializerMethodField,
    UUIDField,
    ValidationError,
)

from grading.api.request_body import BoundedForm, BoundedJSON
from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope
from grading.core.own_work import handled_by, may_handle
from grading.core.permissions import access_assignment, access_enrollment, access_submission, may
from grading.models import Assignment, Submission
from grading.submissions.actions import create_submission
from grading.submissions.idempotent_submit import run_once
from grading.submissions.queries import attempts_of, audit_to_show, counting_ids, submissions_to

KEY = "Idempotency-Key"
MAX_KEY_CHARACTERS = 200
# PostgreSQL stores no NUL in text; as a pattern it stands in the schema too.
NO_NUL = r"^[^\x00]+$"


class SubmissionSerializer(Serializer[Submission]):
    """One attempt. `commit` is the audited one; `audit` is the id of the current or running audit.

    `team` is the name of the team that it is of, null for one student's; `student` is then the
    team's representative, the same for all its attempts. `counts` is false where it used up no attempt. `counts_for_grade` is true where its verdict is the
    grade, or will be if the grade is released now; false while that is withheld.
    """

    id = UUIDField()
    assignment = CharField(source="assignment.slug")
    student = CharField(source="student.email")
    team = SerializerMethodField()
    attempt = IntegerField()
    repo_url = CharField()
    ref = CharField()
    commit = CharField(source="resolved_commit")
    pdf_name = CharField()
    pdf_sha256 = CharField()
    late = BooleanField()
    counts = BooleanField()
    counts_for_grade = SerializerMethodField()
    handed_in_at = DateTimeField()
    audit = SerializerMethodField()

    def get_team(self, submission: Submission) -> str | None:
        return submission.team.name if submission.team else None

    def get_counts_for_grade(self, submission: Submission) -> bool:
        # A new submission has no verdict yet, and its response no such context.
        return str(submission.pk) in self.context.get("counting", ())

    def get_audit(self, submission: Submission) -> str | None:
        audit = audit_to_show(submission)
        return str(audit.pk) if audit else None


class HandInSerializer(Serializer[Submission]):
    """New submission without a report; `again` confirms the commit and report of the last attempt."""

    repo_url = RegexField(NO_NUL, max_length=500)
    ref = RegexField(NO_NUL, max_length=250, required=False, allow_blank=True, default="")
    again = BooleanField(required=False, default=False)


class HandInWithReportSerializer(HandInSerializer):
    """New submission as multipart/form-data, optionally with a report."""

    pdf = FileField(max_length=255, required=False, allow_null=True, default=None)

    def validate_pdf(self, pdf: Any) -> Any:
        if pdf is not None and pdf.size > settings.UPLOAD_MAX_BYTES:
            raise ValidationError(f"The limit is {settings.UPLOAD_MAX_BYTES // 2**20} MB.")
        return pdf


class SubmissionView(TenantView, GenericAPIView[Submission]):
    """View of submissions, with those that count for the grade at one query for the whole page."""

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        serializer: Any = super().get_serializer(*args, **kwargs)
        shown = serializer.instance
        if shown is not None:
            rows = shown if kwargs.get("many") else [shown]
            is_staff = may(self.request.user, self.organization, "staff") and (
                # Lists of staff have no work of theirs.
                bool(kwargs.get("many")) or may_handle(self.request.user, shown)
            )
            serializer.context["counting"] = counting_ids(rows, is_staff=is_staff)
        return serializer


class Submissions(SubmissionView, ListAPIView[Submission]):
    """List attempts at an assignment: all for staff, their own for students."""

    serializer_class = SubmissionSerializer
    ordering = ("-handed_in_at", "pk")
    parser_classes = (BoundedJSON, BoundedForm)
    scopes = {"POST": ApiScope.SUBMIT}

    def get_throttles(self) -> list[Any]:
        self.throttle_scope = "submit" if self.request.method == "POST" else None
        return super().get_throttles()

    def get_queryset(self) -> QuerySet[Submission]:
        assignment = self._assignment()
        if may(self.request.user, self.organization, "staff"):
            handled = handled_by(self.request.user, self.organization)
            return submissions_to(assignment).filter(handled)
        return attempts_of(access_enrollment(self.request.user, assignment.cohort), assignment)

    @extend_schema(
        request={
            "application/json": HandInSerializer,
            "multipart/form-data": HandInWithReportSerializer,
        },
        parameters=[
            OpenApiParameter(
                KEY,
                str,
                OpenApiParameter.HEADER,
                description=(
                    "Any text of your own: repeating it within a day creates no second submission."
                ),
            )
        ],
        responses={
            201: SubmissionSerializer,
            200: OpenApiResponse(SubmissionSerializer, "Already submitted with this key."),
            **ERRORS,
        },
    )
    def post(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """Submit a repository, with or without a report; it is checked, stored and queued."""
        row = self._assignment()
        student = access_enrollment(request.user, row.cohort)
        is_form = not (request.content_type or "").startswith("application/json")
        serializer_class = HandInWithReportSerializer if is_form else HandInSerializer
        serializer = serializer_class(data=request.data)
        serializer.is_valid(raise_exception=True)
        by = member(request)

        def submit() -> Submission:
            return create_submission(
                assignment=row, student=student, by=by, **serializer.validated_data
            )

        key = _idempotency_key(request)
        if key:
            submission, is_new = run_once(
                key=key,
                body=_request_digest_input(row, serializer.validated_data),
                assignment=row,
                by=by,
                create=submit,
            )
        else:
            submission, is_new = submit(), True

        status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
        return Response(SubmissionSerializer(submission).data, status=status)

    def _assignment(self) -> Assignment:
        return access_assignment(
            self.request.user, self.kwargs["cohort"], self.kwargs["assignment"]
        )


class SubmissionDetail(SubmissionView, RetrieveAPIView[Submission]):
    """Return one attempt by its id."""

    serializer_class = SubmissionSerializer

    def get_object(self) -> Any:
        return access_submission(self.request.user, self.kwargs["submission_id"])


def _idempotency_key(request: Request) -> str:
    key = str(request.headers.get(KEY, "")).strip()
    # PostgreSQL stores no NUL in text.
    if len(key) > MAX_KEY_CHARACTERS or "\0" in key:
        raise ValidationError({KEY: [f"The limit is {MAX_KEY_CHARACTERS} characters."]})
    return key


def _request_digest_input(assignment: Assignment, data: dict[str, Any]) -> bytes:
    """Return all bytes by which two requests with the same key may differ."""
    pdf = data.get("pdf")
    content = b"".join(pdf.chunks()) if pdf is not None else b""
    if pdf is not None:
        pdf.seek(0)
    words = [str(assignment.pk), data["repo_url"], data["ref"], str(data["again"]), ""]
    return "\0".join(words).encode() + content
