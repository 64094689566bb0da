"""Extensions of an assignment, for staff; teachers give them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    EmailField,
    IntegerField,
    ListField,
    Serializer,
    ValidationError,
)

from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope
from grading.core.permissions import access_assignment
from grading.courses.extensions.actions import Relief, give_extension
from grading.courses.extensions.queries import extensions_of
from grading.models import Assignment, Enrollment, Extension


class ExtensionSerializer(Serializer[Extension]):
    """Extension of a student (`student` is their email) or of a `group`; one of the two is empty.

    Nulls change nothing. `ending` is "" while it holds, else withdrawn or replaced.
    """

    id = IntegerField()
    student = CharField(source="student.email", default="")
    group = CharField()
    due_at = DateTimeField(allow_null=True)
    max_attempts = IntegerField(allow_null=True)
    no_late_mark = BooleanField()
    reason = CharField()
    given_at = DateTimeField()
    ending = CharField()
    ended_at = DateTimeField(allow_null=True)


class GiveSerializer(Serializer[Any]):
    """New extension: for students by their email, for a group of the roster, or for both."""

    students = ListField(child=EmailField(), default=list, max_length=500)
    group = CharField(max_length=60, default="", allow_blank=True)
    due_at = DateTimeField(default=None, allow_null=True)
    max_attempts = IntegerField(default=None, allow_null=True, min_value=1, max_value=100)
    no_late_mark = BooleanField(default=False)
    reason = CharField(max_length=1000)


class Extensions(TenantView, ListAPIView[Extension]):
    """List an assignment's extensions, the newest first; those that ended too."""

    scopes = {"POST": ApiScope.EXTENSIONS}
    serializer_class = ExtensionSerializer
    ordering = ("-given_at", "-pk")

    def get_queryset(self) -> QuerySet[Extension]:
        return extensions_of(self._assignment(level="staff"))

    @extend_schema(
        request=GiveSerializer, responses={201: ExtensionSerializer(many=True), **ERRORS}
    )
    def post(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """Give an extension; it replaces the current one of the same student or group."""
        row = self._assignment(level="teacher")
        serializer = GiveSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        values = dict(serializer.validated_data)
        given: Any = give_extension(
            assignment=row,
            students=_students_of(row, values.pop("students")),
            group=values.pop("group"),
            reason=values.pop("reason"),
            relief=Relief(**values),
            by=member(request),
        )
        return Response(ExtensionSerializer(given, many=True).data, status=HTTPStatus.CREATED)

    def _assignment(self, *, level: Any) -> Assignment:
        slugs = self.kwargs["cohort"], self.kwargs["assignment"]
        return access_assignment(self.request.user, *slugs, level=level)


def _students_of(assignment: Assignment, emails: list[str]) -> list[Enrollment]:
    """Return the students by their addresses. Raises ValidationError for one not on the roster."""
    roster = Enrollment.objects.filter(cohort=assignment.cohort_id)
    by_email = {student.email.lower(): student for student in roster}
    missing = [email for email in emails if email.lower() not in by_email]
    if missing:
        raise ValidationError({"students": [f"Not on the roster: {', '.join(missing)}."]})
    return [by_email[email] for email in dict.fromkeys(email.lower() for email in emails)]
