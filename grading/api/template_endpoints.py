"""Repositories from a template: for programs of teachers all of an assignment, of a student their own."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    CharField,
    ChoiceField,
    DateTimeField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope, CollaboratorState, RepositoryState
from grading.core.permissions import access_assignment, access_enrollment
from grading.models import Assignment, RepositoryMember, StudentRepository
from grading.repositories.generated.actions import create_all
from grading.repositories.generated.queries import repositories_of, repository_of


class InvitedSerializer(Serializer[RepositoryMember]):
    """Student who is invited to a repository, by their account at GitHub."""

    email = CharField(source="student.email")
    login = CharField()
    state = ChoiceField(choices=CollaboratorState.choices)
    words = CharField()


class MadeRepositorySerializer(Serializer[StudentRepository]):
    """Repository that is made of the assignment's template; `words` are GitHub's own on a failure.

    `student` is the email of the student, or of a team's representative; `team` its name, or empty.
    """

    id = IntegerField()
    name = CharField()
    full_name = CharField()
    url = CharField()
    state = ChoiceField(choices=RepositoryState.choices)
    sentence = CharField()
    words = CharField()
    student = CharField(source="student.email")
    team = SerializerMethodField()
    members = InvitedSerializer(many=True)
    created_at = DateTimeField()

    def get_team(self, row: StudentRepository) -> str:
        return row.team.name if row.team else ""


class MakeAllSerializer(Serializer[Any]):
    """No fields: repositories are made for all students and teams without one."""


class CountSerializer(Serializer[Any]):
    """Number of repositories that are being made."""

    count = IntegerField()


class MadeRepositories(TenantView, ListAPIView[StudentRepository]):
    """List the repositories that were made of an assignment's template, for teachers."""

    scopes = {"POST": ApiScope.PEOPLE}
    serializer_class = MadeRepositorySerializer

    def get_queryset(self) -> QuerySet[StudentRepository]:
        return repositories_of(self._assignment())

    @extend_schema(request=MakeAllSerializer, responses={202: CountSerializer, **ERRORS})
    def post(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """Make those that are missing; nobody is invited before they have shown their account."""
        count = create_all(assignment=self._assignment(), by=member(request))
        return Response({"count": count}, status=HTTPStatus.ACCEPTED)

    def _assignment(self) -> Assignment:
        slugs = self.kwargs["cohort"], self.kwargs["assignment"]
        return access_assignment(self.request.user, *slugs, level="teacher")


class OwnMadeRepository(TenantView, RetrieveAPIView[StudentRepository]):
    """Return the repository that was made for the student or their team."""

    serializer_class = MadeRepositorySerializer

    def get_object(self) -> StudentRepository:
        slugs = self.kwargs["cohort"], self.kwargs["assignment"]
        assignment = access_assignment(self.request.user, *slugs)
        student = access_enrollment(self.request.user, assignment.cohort)
        row = repository_of(assignment, student)
        if row is None:
            raise Http404
        return row
