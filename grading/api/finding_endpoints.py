"""Findings in a student's work, and their owner's answers."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
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
    SerializerMethodField,
    UUIDField,
    ValidationError,
)

from grading.api.paging import PAGING_PARAMETERS, ListPagination
from grading.api.schema import ERRORS, PAGING, READ_ERRORS, paged
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope, ResponseKind
from grading.core.own_work import may_handle, may_handle_student
from grading.core.permissions import access_assignment, access_enrollment, access_finding, may
from grading.core.team_access import work_key
from grading.findings.answers import answer_finding
from grading.findings.queries.visible_findings import (
    FIX_STATUSES,
    GROUPS,
    VisibleAnswer,
    VisibleFinding,
    findings_of,
)
from grading.models import Assignment, Enrollment, Finding


class AnswerSerializer(Serializer[VisibleAnswer]):
    """Answer to a finding; the `status` of a fix is null for other answers.

    A fix is `claimed` until an audit looks: `confirmed` if the fault is gone, `not_confirmed` if
    the audit of that commit or of a later attempt still sees it. `verified` is then true or false,
    else null. A commit that changes nothing of the place is `refused`, and `verification` says why.
    """

    kind = ChoiceField(choices=ResponseKind.choices, source="row.kind")
    commit = CharField(
        max_length=200, required=False, allow_blank=True, default="", source="row.commit"
    )
    reason = CharField(
        max_length=5000, required=False, allow_blank=True, default="", source="row.reason"
    )
    status = ChoiceField(choices=FIX_STATUSES, read_only=True, allow_null=True)
    verified = BooleanField(read_only=True, allow_null=True, source="is_verified")
    verification = CharField(read_only=True, source="row.verification")
    created_at = DateTimeField(read_only=True, source="row.created_at")


class FindingSerializer(Serializer[VisibleFinding]):
    """Finding. `group` is one of regressed, new, open, fixed; `place` is a path, or words without one.

    `title` says what is wrong and `text` the fact that shows it. `lines` are 1-based, at the commit of the last attempt that has the finding; `peers` are the
    names that the pages show. `refused_answer` is the newest answer if its commit was refused; then
    an earlier `answer` stands, or none.
    """

    id = UUIDField(source="finding.pk")
    group = ChoiceField(choices=GROUPS)
    criterion = CharField(source="finding.criterion_id")
    check_id = CharField(source="finding.check_id")
    title = CharField()
    text = CharField(source="last.row.text")
    place = CharField(source="finding.place")
    lines = ListField(child=IntegerField(), source="last.row.lines")
    action = CharField(source="last.row.action")
    priority = CharField(source="last.row.priority")
    first_attempt = IntegerField(source="life.first")
    last_attempt = IntegerField(source="life.last")
    fixed_in_commit = SerializerMethodField()
    seen_by_oneself = BooleanField(source="is_own")
    peers = ListField(child=CharField())
    answer = AnswerSerializer(allow_null=True)
    refused_answer = AnswerSerializer(allow_null=True)

    def get_fixed_in_commit(self, finding: VisibleFinding) -> str | None:
        fixed = finding.fixed_by if finding.group == "fixed" else None
        return fixed.resolved_commit if fixed else None


class Findings(TenantView):
    """Findings of a student at an assignment."""

    filters = ("group", "criterion", "student", *PAGING_PARAMETERS)

    @extend_schema(
        parameters=[
            OpenApiParameter("group", str, enum=GROUPS, description="Filter by group."),
            OpenApiParameter("criterion", str, description="Filter by the id of a criterion."),
            OpenApiParameter("student", str, description="For staff: the student's email."),
            *PAGING,
        ],
        responses={200: paged(FindingSerializer), **READ_ERRORS},
    )
    def get(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """List a student's findings, most urgent first."""
        row = access_assignment(request.user, cohort, assignment)
        if request.query_params.get("group", GROUPS[0]) not in GROUPS:
            raise ValidationError({"group": [f"Must be one of {', '.join(GROUPS)}."]})

        is_staff = may(request.user, self.organization, "staff")
        student = _student_of(request, row, is_staff)
        author = work_key(row, student)
        rows = findings_of(row, author, is_staff=is_staff, reader=student) if author else ()
        page = ListPagination().page_of(
            [finding for finding in rows if _matches(finding, request)],
            request,
            key=lambda finding: str(finding.finding.pk),
            serialize=lambda finding: FindingSerializer(finding).data,
        )
        return Response(page)


class FindingDetail(TenantView):
    """Finding by its id."""

    @extend_schema(responses={200: FindingSerializer, **READ_ERRORS})
    def get(self, request: Request, org: str, finding_id: UUID) -> Response:
        """Return one finding with its last place and its answer."""
        row = access_finding(request.user, finding_id)
        return Response(
            FindingSerializer(
                _visible_finding(row, is_staff=may_handle(request.user, row.first_submission))
            ).data
        )


class Answers(TenantView):
    """Answers to a finding."""

    scopes = {"POST": ApiScope.ANSWER}

    @extend_schema(request=AnswerSerializer, responses={201: AnswerSerializer, **ERRORS})
    def post(self, request: Request, org: str, finding_id: UUID) -> Response:
        """Answer a finding, replacing the earlier answer; a worker then looks up a fix."""
        row = access_finding(request.user, finding_id)
        if row.first_submission.reader.user_id != member(request).pk:
            raise Http404
        # Its owner must be able to see it, too.
        _visible_finding(row, is_staff=False)

        serializer = AnswerSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        answer_finding(finding=row, by=member(request), **serializer.validated_data["row"])
        answered = _visible_finding(row, is_staff=False)
        return Response(AnswerSerializer(answered.answer).data, status=HTTPStatus.CREATED)


def _student_of(request: Request, assignment: Assignment, is_staff: bool) -> Enrollment:
    if not is_staff:
        return access_enrollment(request.user, assignment.cohort)
    email = request.query_params.get("student", "")
    students = Enrollment.objects.filter(cohort=assignment.cohort_id, email__iexact=email)
    # PostgreSQL refuses NUL in a parameter.
    student = students.first() if "\0" not in email else None
    if student is None or not may_handle_student(request.user, assignment, student):
        raise Http404
    return student


def _matches(finding: VisibleFinding, request: Request) -> bool:
    values: dict[str, Any] = {"group": finding.group, "criterion": finding.finding.criterion_id}
    return all(request.query_params.get(name) in (None, value) for name, value in values.items())


def _visible_finding(row: Finding, *, is_staff: bool) -> VisibleFinding:
    """Return the finding as this reader may see it. Raises Http404 if it is hidden from them."""
    rows = findings_of(
        row.assignment, row.student, is_staff=is_staff, reader=row.first_submission.reader
    )
    visible = next((finding for finding in rows if finding.finding.pk == row.pk), None)
    if visible is None:
        raise Http404
    return visible
