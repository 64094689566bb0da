"""Cohorts and assignments."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateField,
    DateTimeField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from grading.api.tenancy import TenantView, member
from grading.core.permissions import access_assignment, access_cohort, access_enrollment, may
from grading.courses.extensions.queries import Terms, terms_of_pairs
from grading.courses.queries import assignments_of, cohorts_of
from grading.models import Assignment, Cohort


class CohortSerializer(Serializer[Cohort]):
    """Cohort, for its members and staff."""

    slug = CharField()
    name = CharField()
    starts_on = DateField(allow_null=True)
    ends_on = DateField(allow_null=True)
    students = IntegerField(source="student_count")


class TermsSerializer(Serializer[Terms]):
    """Dates and limits of one student, with their extensions."""

    due_at = DateTimeField(allow_null=True)
    max_attempts = IntegerField()
    marks_late = BooleanField()
    reasons = SerializerMethodField()

    def get_reasons(self, terms: Terms) -> list[str]:
        return [extension.reason for extension in terms.extensions]


class AssignmentSerializer(Serializer[Assignment]):
    """Assignment of a cohort; times are ISO 8601 with their zone.

    `your_terms` are those of the student who asks, null for staff.
    """

    slug = CharField()
    title = CharField()
    instructions = CharField()
    opens_at = DateTimeField(allow_null=True)
    due_at = DateTimeField(allow_null=True)
    late_policy = CharField()
    max_attempts = IntegerField()
    counting_policy = CharField()
    bench = CharField()
    release_policy = CharField()
    rubric = CharField(source="rubric_version.rubric.slug")
    rubric_version = IntegerField(source="rubric_version.number")
    your_terms = SerializerMethodField()

    @extend_schema_field(TermsSerializer(allow_null=True))
    def get_your_terms(self, assignment: Assignment) -> Any:
        terms = self.context["terms"].get(assignment.pk)
        return None if terms is None else TermsSerializer(terms).data


class Cohorts(TenantView, ListAPIView[Cohort]):
    """List cohorts: all for staff, their own for students."""

    serializer_class = CohortSerializer

    def get_queryset(self) -> QuerySet[Cohort]:
        return cohorts_of(member(self.request), self.organization)


class CohortDetail(TenantView, RetrieveAPIView[Cohort]):
    """Return one cohort by its slug."""

    serializer_class = CohortSerializer

    def get_object(self) -> Cohort:
        cohort = access_cohort(self.request.user, self.kwargs["cohort"])
        return cohorts_of(member(self.request), self.organization).get(pk=cohort.pk)


class _AssignmentView(TenantView, GenericAPIView[Assignment]):
    """View of assignments with the terms of the student who asks."""

    serializer_class = AssignmentSerializer

    def get_serializer_context(self) -> dict[str, Any]:
        cohort = access_cohort(self.request.user, self.kwargs["cohort"])
        terms: dict[int, Terms] = {}
        if not may(self.request.user, self.organization, "staff"):
            student = access_enrollment(self.request.user, cohort)
            pairs = terms_of_pairs((row, student) for row in assignments_of(cohort))
            terms = {assignment: row for (assignment, _student), row in pairs.items()}
        return {**super().get_serializer_context(), "terms": terms}


class Assignments(_AssignmentView, ListAPIView[Assignment]):
    """List a cohort's assignments."""

    def get_queryset(self) -> QuerySet[Assignment]:
        return assignments_of(access_cohort(self.request.user, self.kwargs["cohort"]))


class AssignmentDetail(_AssignmentView, RetrieveAPIView[Assignment]):
    """Return one assignment by its slug."""

    def get_object(self) -> Any:
        return access_assignment(
            self.request.user, self.kwargs["cohort"], self.kwargs["assignment"]
        )
