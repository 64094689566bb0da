"""Learning platforms for teachers' programs: what is registered, and the courses of a cohort there."""

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
    ChoiceField,
    DateTimeField,
    DecimalField,
    EmailField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
)

from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope, ScoreState
from grading.core.errors import PlatformRefused
from grading.core.own_work import own_students
from grading.core.permissions import access_assignment, access_cohort, access_organization
from grading.lti.gradebooks import scores_of, send_again
from grading.lti.queries import courses_of_cohort, platforms_of
from grading.models import Assignment, Enrollment, LtiCourseLink, LtiRegistration, LtiScore


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
    """Course of a learning platform that belongs to the cohort; `context_id` is its id there.

    `roster_at` is the time of the last import of its people, `roster_next_at` that of the next by
    itself; `roster_error` says why a later one failed. `sends_grades` on release by itself.
    """

    id = IntegerField()
    platform = CharField(source="context.registration.name")
    context_id = CharField(source="context.context_id")
    title = CharField(source="context.title")
    roster_at = DateTimeField(allow_null=True)
    roster_next_at = DateTimeField(allow_null=True)
    roster_error = CharField()
    sends_grades = BooleanField()
    created_at = DateTimeField()


class PlatformGradeSerializer(Serializer[LtiScore]):
    """Grade for a platform's gradebook. `state` says what became of it, `answer` why.

    `points` of `maximum` are the last that were sent, at `sent_at` the last that were accepted; both
    are null before. `tries` counts those of the last change.
    """

    student = EmailField(source="student.email")
    platform = CharField(source="line_item.context.registration.name")
    context_id = CharField(source="line_item.context.context_id")
    state = ChoiceField(choices=ScoreState.choices)
    status = IntegerField(allow_null=True)
    answer = CharField()
    points = DecimalField(max_digits=8, decimal_places=2, allow_null=True, coerce_to_string=False)
    maximum = DecimalField(
        source="line_item.maximum", max_digits=8, decimal_places=2, coerce_to_string=False
    )
    tries = IntegerField()
    sent_at = DateTimeField(allow_null=True)


class SendAgainSerializer(Serializer[Any]):
    """Students by their addresses; without any, all."""

    students = ListField(child=EmailField(), default=list, max_length=500)


class SentAgainSerializer(Serializer[Any]):
    queued = IntegerField()


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


class PlatformGrades(TenantView, ListAPIView[LtiScore]):
    """List an assignment's grades for gradebooks of learning platforms, for staff."""

    scopes = {"POST": ApiScope.EXPORTS}
    serializer_class = PlatformGradeSerializer

    def get_queryset(self) -> QuerySet[LtiScore]:
        row = self._assignment(level="staff")
        return scores_of(row).exclude(student__in=own_students(self.request.user, row))

    @extend_schema(request=SendAgainSerializer, responses={202: SentAgainSerializer, **ERRORS})
    def post(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """Send grades to every connected course again; `queued` counts them."""
        row = self._assignment(level="teacher")
        serializer = SendAgainSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        keys = _keys_of(row, serializer.validated_data["students"]) or None
        queued = send_again(assignment=row, by=member(request), students=keys)
        return Response({"queued": queued}, status=HTTPStatus.ACCEPTED)

    def _assignment(self, *, level: Any) -> Assignment:
        slugs = self.kwargs["cohort"], self.kwargs["assignment"]
        return access_assignment(self.request.user, *slugs, level=level)


def _keys_of(assignment: Assignment, emails: list[str]) -> list[int]:
    """Return the students' keys by their addresses. Raises PlatformRefused student_unknown."""
    roster = Enrollment.objects.filter(cohort=assignment.cohort_id)
    by_email = {student.email.lower(): student.pk for student in roster}
    if missing := [email for email in emails if email.lower() not in by_email]:
        sentence = f"Not on the roster: {', '.join(missing)}."
        raise PlatformRefused("students", "student_unknown", sentence)
    return [by_email[email.lower()] for email in emails]
