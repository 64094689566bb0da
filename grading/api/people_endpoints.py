"""Students of a cohort: list, add, and import of a roster with its preview."""

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
    EmailField,
    IntegerField,
    ListField,
    RegexField,
    Serializer,
    SerializerMethodField,
)

from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope
from grading.core.permissions import access_cohort
from grading.courses.people.students import add_student
from grading.courses.queries import roster_of
from grading.courses.roster import PreviewedRow, RosterPreview, confirm_roster, preview_roster
from grading.models import Cohort, Enrollment

# As many characters as the file of a roster may have bytes (courses/people/forms.py).
MAX_CHARACTERS = 2 * 1024 * 1024
# PostgreSQL stores no NUL in text; as a pattern it stands in the schema too.
NO_NUL = r"^[^\x00]*$"


class StudentSerializer(Serializer[Enrollment]):
    """Student of the roster. `accepted` is false until the person accepts the invitation."""

    id = IntegerField()
    email = CharField()
    name = CharField()
    student_number = CharField()
    group = CharField()
    accepted = SerializerMethodField()

    def get_accepted(self, student: Enrollment) -> bool:
        return student.user_id is not None


class AddStudentSerializer(Serializer[Any]):
    """New student, who is invited."""

    email = EmailField(max_length=254)
    name = RegexField(NO_NUL, max_length=200, default="", allow_blank=True)
    student_number = RegexField(NO_NUL, max_length=64, default="", allow_blank=True)
    group = RegexField(NO_NUL, max_length=60, default="", allow_blank=True)


class RosterSerializer(Serializer[Any]):
    """List as CSV text; with the fingerprint of its preview it is imported."""

    roster = CharField(max_length=MAX_CHARACTERS, trim_whitespace=False)
    fingerprint = CharField(max_length=64, default="", allow_blank=True)


class RowSerializer(Serializer[PreviewedRow]):
    """Row of the list; `state` is new, changed, unchanged or refused.

    `changes` are [field, old value, new value]; `reason` is of a refused row.
    """

    line = IntegerField()
    email = CharField()
    name = CharField()
    student_number = CharField()
    group = CharField()
    state = CharField()
    changes = ListField(child=ListField(child=CharField()))
    reason = CharField()


class PreviewSerializer(Serializer[RosterPreview]):
    """Preview of an import, or what it did. `letters` is the number of invitations by email."""

    imported = SerializerMethodField()
    importable = BooleanField(source="is_importable")
    fingerprint = CharField()
    letters = IntegerField()
    rows = RowSerializer(many=True)

    def get_imported(self, _preview: RosterPreview) -> bool:
        return bool(self.context["imported"])


class Students(TenantView, ListAPIView[Enrollment]):
    """List a cohort's students, for staff."""

    scopes = {"POST": ApiScope.PEOPLE}
    serializer_class = StudentSerializer
    ordering = ("pk",)

    def get_queryset(self) -> QuerySet[Enrollment]:
        return roster_of(access_cohort(self.request.user, self.kwargs["cohort"], level="staff"))

    @extend_schema(request=AddStudentSerializer, responses={201: StudentSerializer, **ERRORS})
    def post(self, request: Request, org: str, cohort: str) -> Response:
        """Add one student, for teachers; a new address is invited."""
        row = access_cohort(request.user, cohort, level="teacher")
        serializer = AddStudentSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        student = add_student(cohort=row, by=member(request), **serializer.validated_data)
        student.refresh_from_db()
        return Response(StudentSerializer(student).data, status=HTTPStatus.CREATED)


class RosterImport(TenantView):
    """Import of a roster, for teachers."""

    scopes = {"POST": ApiScope.PEOPLE}

    @extend_schema(request=RosterSerializer, responses={200: PreviewSerializer, **ERRORS})
    def post(self, request: Request, org: str, cohort: str) -> Response:
        """Preview a list; with the preview's fingerprint import it, all of it or nothing."""
        row: Cohort = access_cohort(request.user, cohort, level="teacher")
        serializer = RosterSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        text, fingerprint = (serializer.validated_data[key] for key in ("roster", "fingerprint"))
        if fingerprint:
            done = confirm_roster(
                cohort=row, text=text, fingerprint=fingerprint, by=member(request)
            )
        else:
            done = preview_roster(cohort=row, text=text)
        context = {"imported": bool(fingerprint)}
        return Response(PreviewSerializer(done, context=context).data)
