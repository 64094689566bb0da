"""What is to be mended in a student's work, and what its owner answers."""

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

from grading.api.paging import PAGED, ByPlace
from grading.api.schema import PAGING, READING, REFUSALS, paged
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope, ResponseKind
from grading.core.permissions import access_assignment, access_enrollment, access_finding, may
from grading.findings.answers import answer_finding
from grading.findings.queries import GROUPS, VisibleFinding, findings_of
from grading.models import Assignment, Enrollment, Finding, FindingResponse


class AnswerSerializer(Serializer[FindingResponse]):
    """`verified` tells of a fix whether its commit exists and changes the place; null until that is known."""

    kind = ChoiceField(choices=ResponseKind.choices)
    commit = CharField(max_length=200, required=False, allow_blank=True, default="")
    reason = CharField(max_length=5000, required=False, allow_blank=True, default="")
    verified = BooleanField(read_only=True, allow_null=True)
    verification = CharField(read_only=True)
    created_at = DateTimeField(read_only=True)


class FindingSerializer(Serializer[VisibleFinding]):
    """`group` is one of regressed, new, open, fixed; `place` a path of the tree, or words where there is no path.

    `lines` are 1-based, at the commit of the last attempt that showed it; `peers` are called as the pages call them.
    """

    id = UUIDField(source="finding.pk")
    group = ChoiceField(choices=GROUPS)
    criterion = CharField(source="finding.criterion_id")
    check_id = CharField(source="finding.check_id")
    title = CharField()
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

    def get_fixed_in_commit(self, seen: VisibleFinding) -> str | None:
        fixed = seen.fixed_by if seen.group == "fixed" else None
        return fixed.resolved_commit if fixed else None


class Findings(TenantView):
    """A student's findings at an assignment."""

    filters = ("group", "criterion", "student", *PAGED)

    @extend_schema(
        parameters=[
            OpenApiParameter("group", str, enum=GROUPS, description="Only these."),
            OpenApiParameter(
                "criterion", str, description="Only those of this criterion, by its id."
            ),
            OpenApiParameter("student", str, description="For staff: whose, by e-mail."),
            *PAGING,
        ],
        responses={200: paged(FindingSerializer), **READING},
    )
    def get(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """What needs its owner most comes first."""
        found = access_assignment(request.user, cohort, assignment)
        if request.query_params.get("group", GROUPS[0]) not in GROUPS:
            raise ValidationError({"group": [f"One of {', '.join(GROUPS)}."]})
        is_staff = may(request.user, self.organization, "staff")
        seen = findings_of(found, _whose(request, found, is_staff), is_staff=is_staff)
        picked = [each for each in seen if _asked_for(each, request)]
        page = ByPlace().page_of(
            picked,
            request,
            key=lambda each: str(each.finding.pk),
            told=lambda each: FindingSerializer(each).data,
        )
        return Response(page)


class OneFinding(TenantView):
    """One finding by its id."""

    @extend_schema(responses={200: FindingSerializer, **READING})
    def get(self, request: Request, org: str, finding_id: UUID) -> Response:
        """Where it was last seen, and what was answered."""
        row = access_finding(request.user, finding_id)
        return Response(FindingSerializer(_seen(row, is_staff=self._is_staff(request))).data)

    def _is_staff(self, request: Request) -> bool:
        return may(request.user, self.organization, "staff")


class Answers(TenantView):
    """Its owner's answers."""

    scopes = {"POST": ApiScope.ANSWER}

    @extend_schema(request=AnswerSerializer, responses={201: AnswerSerializer, **REFUSALS})
    def post(self, request: Request, org: str, finding_id: UUID) -> Response:
        """Answer, in the place of what was answered before; a fix is then verified by a worker."""
        row = access_finding(request.user, finding_id)
        if row.student.user_id != member(request).pk:
            raise Http404
        _seen(row, is_staff=False)
        asked = AnswerSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        answer = answer_finding(finding=row, by=member(request), **asked.validated_data)
        return Response(AnswerSerializer(answer).data, status=HTTPStatus.CREATED)


def _whose(request: Request, assignment: Assignment, is_staff: bool) -> Enrollment:
    if not is_staff:
        return access_enrollment(request.user, assignment.cohort)
    email = request.query_params.get("student", "")
    found = Enrollment.objects.filter(cohort=assignment.cohort_id, email__iexact=email)
    student = found.first() if "\0" not in email else None  # which PostgreSQL cannot be asked for
    if student is None:
        raise Http404
    return student


def _asked_for(seen: VisibleFinding, request: Request) -> bool:
    asked: dict[str, Any] = {"group": seen.group, "criterion": seen.finding.criterion_id}
    return all(request.query_params.get(name) in (None, value) for name, value in asked.items())


def _seen(row: Finding, *, is_staff: bool) -> VisibleFinding:
    """As this reader may see it; nothing of a verdict that is withheld."""
    listed = findings_of(row.assignment, row.student, is_staff=is_staff)
    seen = next((each for each in listed if each.finding.pk == row.pk), None)
    if seen is None:
        raise Http404
    return seen
