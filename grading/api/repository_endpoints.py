"""A student's accesses to private repositories, for their own programs: list, give a token, revoke."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    IntegerField,
    Serializer,
)

from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import AccessKind, ApiScope
from grading.core.permissions import access_cohort, access_enrollment, access_repository
from grading.models import Enrollment, RepositoryAccess
from grading.repositories.actions import Holder, link_token, revoke_access
from grading.repositories.queries import accesses_of


class RepositoryAccessSerializer(Serializer[RepositoryAccess]):
    """Access to one private repository; its token or key is never returned.

    `ready` is false until the host key of a deploy key is confirmed on its page. `refused_at` is
    the time of the last use if the host refused it, else null.
    """

    id = IntegerField()
    kind = ChoiceField(choices=AccessKind.choices)
    host = CharField()
    path = CharField()
    for_teams = BooleanField()
    ready = BooleanField(source="is_ready")
    public_key = CharField()
    created_at = DateTimeField()
    last_used_at = DateTimeField(allow_null=True)
    last_used_for = CharField()
    refused_at = DateTimeField(allow_null=True)


class GiveTokenSerializer(Serializer[Any]):
    """Https address of the repository, and a token that reads it; it is tried before it is stored."""

    address = CharField(max_length=500)
    token = CharField(max_length=2000, write_only=True)
    username = CharField(max_length=100, required=False, allow_blank=True)
    for_teams = BooleanField(source="teams", required=False)


class OwnRepositories(TenantView, ListAPIView[RepositoryAccess]):
    """List one's own accesses in a cohort, newest first."""

    scopes = {"POST": ApiScope.SUBMIT}
    serializer_class = RepositoryAccessSerializer

    def get_queryset(self) -> QuerySet[RepositoryAccess]:
        return accesses_of(self._student())

    def _student(self) -> Enrollment:
        cohort = access_cohort(self.request.user, self.kwargs["cohort"])
        return access_enrollment(self.request.user, cohort)

    @extend_schema(
        request=GiveTokenSerializer, responses={201: RepositoryAccessSerializer, **ERRORS}
    )
    def post(self, request: Request, org: str, cohort: str) -> Response:
        """Give a token for a repository. The same address again replaces it."""
        student = self._student()
        serializer = GiveTokenSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        access = link_token(
            holder=Holder(student.organization, student),
            by=member(request),
            **serializer.validated_data,
        )
        return Response(RepositoryAccessSerializer(access).data, status=HTTPStatus.CREATED)


class OwnRepository(TenantView, RetrieveAPIView[RepositoryAccess]):
    """Return one of one's own accesses."""

    scopes = {"DELETE": ApiScope.SUBMIT}
    serializer_class = RepositoryAccessSerializer

    def get_object(self) -> Any:
        return access_repository(self.request.user, self.kwargs["cohort"], self.kwargs["access_id"])

    @extend_schema(responses={204: None, **ERRORS})
    def delete(self, request: Request, org: str, cohort: str, access_id: int) -> Response:
        """Revoke an access, and delete what is stored of it."""
        revoke_access(access=self.get_object(), by=member(request))
        return Response(status=HTTPStatus.NO_CONTENT)
