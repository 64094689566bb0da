"""Cohorts and what they are asked for."""

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
    """A cohort, for whoever is in it or teaches it."""

    slug = CharField()
    name = CharField()
    starts_on = DateField(allow_null=True)
    ends_on = DateField(allow_null=True)
    students = IntegerField(source="student_count")


class AssignmentSerializer(Serializer[Assignment]):
    """What a cohort is asked to hand in; times are ISO 8601 with their zone."""

    slug = CharField()
    title = CharField()
    instructions = CharField()
    opens_at = DateTimeField(allow_null=True)
    due_at = DateTimeField(allow_null=True)
    late_policy = CharField()
    max_attempts = IntegerField()
    bench = CharField()
    release_policy = CharField()
    rubric = CharField(source="rubric_version.rubric.slug")
    rubric_version = IntegerField(source="rubric_version.number")


class Cohorts(TenantView, ListAPIView[Cohort]):
    """The organization's cohorts: all for staff, one's own for students."""

    serializer_class = CohortSerializer

    def get_queryset(self) -> QuerySet[Cohort]:
        return cohorts_of(member(self.request), self.organization)


class OneCohort(TenantView, RetrieveAPIView[Cohort]):
    """One cohort by its slug."""

    serializer_class = CohortSerializer

    def get_object(self) -> Cohort:
        found = access_cohort(self.request.user, self.kwargs["cohort"])
        return cohorts_of(member(self.request), self.organization).get(pk=found.pk)


class Assignments(TenantView, ListAPIView[Assignment]):
    """A cohort's assignments."""

    serializer_class = AssignmentSerializer

    def get_queryset(self) -> QuerySet[Assignment]:
        return assignments_of(access_cohort(self.request.user, self.kwargs["cohort"]))


class OneAssignment(TenantView, RetrieveAPIView[Assignment]):
    """One assignment by its slug."""

    serializer_class = AssignmentSerializer

    def get_object(self) -> Any:
        return access_assignment(
            self.request.user, self.kwargs["cohort"], self.kwargs["assignment"]
        )
