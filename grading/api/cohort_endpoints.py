"""Cohorts and assignments."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.serializers import (
    CharField,
    DateField,
    DateTimeField,
    IntegerField,
    Serializer,
)

from grading.api.tenancy import TenantView, member
from grading.core.permissions import access_assignment, access_cohort
from grading.courses.queries import assignments_of, cohorts_of
from grading.models import Assignment, Cohort


class CohortSerializer(Serializer[Cohort]):
    """Cohort, for its members and staff."""

    slug = CharField()
    name = CharField()
    starts_on = DateField(allow_null=True)
    ends_on = DateField(allow_null=True)
    students = IntegerField(source="student_count")


class AssignmentSerializer(Serializer[Assignment]):
    """Assignment of a cohort; times are ISO 8601 with their zone."""

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


class Assignments(TenantView, ListAPIView[Assignment]):
    """List a cohort's assignments."""

    serializer_class = AssignmentSerializer

    def get_queryset(self) -> QuerySet[Assignment]:
        return assignments_of(access_cohort(self.request.user, self.kwargs["cohort"]))


class AssignmentDetail(TenantView, RetrieveAPIView[Assignment]):
    """Return one assignment by its slug."""

    serializer_class = AssignmentSerializer

    def get_object(self) -> Any:
        return access_assignment(
            self.request.user, self.kwargs["cohort"], self.kwargs["assignment"]
        )
