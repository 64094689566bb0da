"""Branches whose pushes a student submits, for their own programs: list, link, unlink."""

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
from grading.core.enums import ApiScope, PushAnswer, PushState
from grading.core.permissions import access_assignment, access_enrollment, access_repository
from grading.models import Assignment, Enrollment, Push, PushLink
from grading.submissions.pushes.links import link_branch, unlink_branch
from grading.submissions.pushes.queries import links_of, pushes_of
from grading.submissions.pushes.views import hook_address


class PushSerializer(Serializer[Push]):
    """Push, and what became of it: `attempt` is null unless it is one, `reason` the sentence of a refusal."""

    commit = CharField()
    pushed_at = DateTimeField()
    state = ChoiceField(choices=PushState.choices)
    attempt = IntegerField(source="submission.attempt", allow_null=True, default=None)
    code = CharField()
    reason = CharField(source="sentence")


class PushLinkSerializer(Serializer[PushLink]):
    """Linked branch with its last pushes, newest first; its secret is in the answer to `POST` alone."""

    id = IntegerField()
    address = CharField()
    branch = CharField()
    pdf_path = CharField()
    answer = ChoiceField(choices=PushAnswer.choices)
    student = CharField(source="student.email")
    created_at = DateTimeField()
    pushes = SerializerMethodField()

    @extend_schema(responses=PushSerializer(many=True))
    def get_pushes(self, link: PushLink) -> list[dict[str, Any]]:
        rows: Any = pushes_of(link)
        return list(PushSerializer(rows, many=True).data)


class LinkBranchSerializer(Serializer[Any]):
    """Branch of a repository: of an `access` by the GitHub App (its id), else of an `address`."""

    access = IntegerField(required=False)
    address = CharField(max_length=500, required=False, allow_blank=True, default="")
    branch = CharField(max_length=250)
    pdf_path = CharField(max_length=500, required=False, allow_blank=True, default="")
    answer = ChoiceField(choices=PushAnswer.choices, required=False, default=PushAnswer.FULL)


class LinkedBranchSerializer(PushLinkSerializer):
    """New link: the address and secret of its webhook, "" where the GitHub App signs."""

    hook = CharField()
    secret = CharField()


class PushLinks(TenantView, ListAPIView[PushLink]):
    """List the linked branches of a student and their team."""

    scopes = {"POST": ApiScope.SUBMIT}
    serializer_class = PushLinkSerializer

    def get_queryset(self) -> QuerySet[PushLink]:
        return links_of(*self._place())

    def _place(self) -> tuple[Assignment, Enrollment]:
        user, names = self.request.user, self.kwargs
        assignment = access_assignment(user, names["cohort"], names["assignment"])
        return assignment, access_enrollment(user, assignment.cohort)

    @extend_schema(request=LinkBranchSerializer, responses={201: LinkedBranchSerializer, **ERRORS})
    def post(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """Link a branch: its pushes are submissions."""
        target, student = self._place()
        serializer = LinkBranchSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        values = dict(serializer.validated_data)
        if key := values.pop("access", None):
            values["access"] = access_repository(request.user, cohort, key)
        made = link_branch(assignment=target, student=student, by=member(request), **values)
        body = PushLinkSerializer(made.link).data
        hook = hook_address(made.link) if made.secret else ""
        return Response(body | {"hook": hook, "secret": made.secret}, status=HTTPStatus.CREATED)


class PushLinkDetail(TenantView, RetrieveAPIView[PushLink]):
    """Return one linked branch."""

    scopes = {"DELETE": ApiScope.SUBMIT}
    serializer_class = PushLinkSerializer

    def get_object(self) -> Any:
        user, names = self.request.user, self.kwargs
        assignment = access_assignment(user, names["cohort"], names["assignment"])
        student = access_enrollment(user, assignment.cohort)
        link = links_of(assignment, student).filter(pk=names["push_link_id"]).first()
        if link is None:
            raise Http404
        return link

    @extend_schema(responses={204: None, **ERRORS})
    def delete(
        self, request: Request, org: str, cohort: str, assignment: str, push_link_id: int
    ) -> Response:
        """Unlink a branch. Its attempts stay."""
        unlink_branch(link=self.get_object(), by=member(request))
        return Response(status=HTTPStatus.NO_CONTENT)
