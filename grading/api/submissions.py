"""What was handed in, and handing in."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    FileField,
    IntegerField,
    Serializer,
    SerializerMethodField,
    UUIDField,
    ValidationError,
)

from grading.api.request_body import BoundedForm, BoundedJSON
from grading.api.schema import REFUSALS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope
from grading.core.permissions import access_assignment, access_enrollment, access_submission, may
from grading.models import Assignment, Submission
from grading.submissions.actions import create_submission
from grading.submissions.idempotency import run_once
from grading.submissions.queries import attempts_of, audit_to_show, submissions_to

KEY = "Idempotency-Key"
MOST_KEY_CHARACTERS = 200


class SubmissionSerializer(Serializer[Submission]):
    """One attempt. `commit` is the one that is audited; `audit` is the id of the audit that stands, or runs."""

    id = UUIDField()
    assignment = CharField(source="assignment.slug")
    student = CharField(source="student.email")
    attempt = IntegerField()
    repo_url = CharField()
    ref = CharField()
    commit = CharField(source="resolved_commit")
    pdf_name = CharField()
    pdf_sha256 = CharField()
    late = BooleanField()
    counts = BooleanField()
    handed_in_at = DateTimeField()
    audit = SerializerMethodField()

    def get_audit(self, submission: Submission) -> str | None:
        audit = audit_to_show(submission)
        return str(audit.pk) if audit else None


class HandInSerializer(Serializer[Submission]):
    """As the form on the site asks, without a report."""

    repo_url = CharField(max_length=500)
    ref = CharField(max_length=250, required=False, allow_blank=True, default="")


class HandInWithReportSerializer(HandInSerializer):
    """The same as multipart/form-data, perhaps with a report."""

    pdf = FileField(max_length=255, required=False, allow_null=True, default=None)

    def validate_pdf(self, pdf: Any) -> Any:
        if pdf is not None and pdf.size > settings.UPLOAD_MAX_BYTES:
            raise ValidationError(f"At most {settings.UPLOAD_MAX_BYTES // 2**20} MB are taken.")
        return pdf


class Submissions(TenantView, ListAPIView[Submission]):
    """One's own attempts at an assignment, or everybody's for its staff."""

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
            return submissions_to(assignment)
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
                description="Any text of your own: asking again with it within a day hands in nothing more.",
            )
        ],
        responses={
            201: SubmissionSerializer,
            200: OpenApiResponse(SubmissionSerializer, "Handed in before under this key."),
            **REFUSALS,
        },
    )
    def post(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """Hand in a repository, with or without a report: it is looked at, stored and queued before the answer."""
        found = self._assignment()
        student = access_enrollment(request.user, found.cohort)
        is_form = not (request.content_type or "").startswith("application/json")
        asked = (HandInWithReportSerializer if is_form else HandInSerializer)(data=request.data)
        asked.is_valid(raise_exception=True)
        by = member(request)

        def hand_it_in() -> Submission:
            return create_submission(
                assignment=found, student=student, by=by, **asked.validated_data
            )

        key = _key_of(request)
        if key:
            submission, new = run_once(
                key=key,
                sent=_sent(found, asked.validated_data),
                assignment=found,
                by=by,
                hand_in=hand_it_in,
            )
        else:
            submission, new = hand_it_in(), True
        return Response(
            SubmissionSerializer(submission).data,
            status=HTTPStatus.CREATED if new else HTTPStatus.OK,
        )

    def _assignment(self) -> Assignment:
        return access_assignment(
            self.request.user, self.kwargs["cohort"], self.kwargs["assignment"]
        )


class OneSubmission(TenantView, RetrieveAPIView[Submission]):
    """One attempt by its id."""

    serializer_class = SubmissionSerializer

    def get_object(self) -> Any:
        return access_submission(self.request.user, self.kwargs["submission_id"])


def _key_of(request: Request) -> str:
    key = str(request.headers.get(KEY, "")).strip()
    if len(key) > MOST_KEY_CHARACTERS or "\0" in key:
        raise ValidationError({KEY: [f"A key has at most {MOST_KEY_CHARACTERS} characters."]})
    return key


def _sent(assignment: Assignment, asked: dict[str, Any]) -> bytes:
    """Everything that makes this request another than one with the same key."""
    pdf = asked.get("pdf")
    content = b"".join(pdf.chunks()) if pdf is not None else b""
    if pdf is not None:
        pdf.seek(0)
    return "\0".join([str(assignment.pk), asked["repo_url"], asked["ref"], ""]).encode() + content
