"""Learning platforms for teachers' programs: what is registered, and the courses of a cohort there."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.generics import ListAPIView
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from grading.api.tenancy import TenantView
from grading.core.permissions import access_cohort, access_organization
from grading.lti.queries import courses_of_cohort, platforms_of
from grading.models import LtiCourseLink, LtiRegistration


class PlatformSerializer(Serializer[LtiRegistration]):
    """Learning platform (LTI 1.3). `issuer` and `client_id` are empty until it is complete.

    `people` are connected accounts, `courses` those that were opened, `deployments` their ids.
    """

    id = IntegerField()
    name = CharField()
    active = BooleanField()
    complete = BooleanField(source="is_complete")
    issuer = CharField()
    client_id = CharField()
    teacher_role = CharField()
    deployments = SerializerMethodField()
    people = IntegerField()
    courses = IntegerField()
    created_at = DateTimeField()

    def get_deployments(self, platform: LtiRegistration) -> list[str]:
        return [row.deployment_id for row in platform.deployments.all()]


class CourseSerializer(Serializer[LtiCourseLink]):
    """Course of a learning platform that belongs to the cohort; `context_id` is its id there."""

    id = IntegerField()
    platform = CharField(source="context.registration.name")
    context_id = CharField(source="context.context_id")
    title = CharField(source="context.title")
    created_at = DateTimeField()


class Platforms(TenantView, ListAPIView[LtiRegistration]):
    """List the learning platforms, for teachers."""

    serializer_class = PlatformSerializer

    def get_queryset(self) -> QuerySet[LtiRegistration]:
        slug = self.organization.slug
        organization = access_organization(self.request.user, slug, level="teacher")
        return platforms_of(organization).prefetch_related("deployments")


class Courses(TenantView, ListAPIView[LtiCourseLink]):
    """List the courses of learning platforms that belong to a cohort, for teachers."""

    serializer_class = CourseSerializer

    def get_queryset(self) -> QuerySet[LtiCourseLink]:
        cohort = access_cohort(self.request.user, self.kwargs["cohort"], level="teacher")
        return courses_of_cohort(cohort)
