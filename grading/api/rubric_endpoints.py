"""Rubrics: read, import, and preview before anybody is judged under them."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    IntegerField,
    JSONField,
    Serializer,
    SerializerMethodField,
)

from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope
from grading.core.errors import RubricRefused
from grading.core.permissions import access_assignment, access_organization, access_rubric_version
from grading.engine import rubrics as engine_rubrics
from grading.engine.rubrics import RubricFault
from grading.models import Rubric, RubricVersion
from grading.rubrics.actions import import_rubric
from grading.rubrics.previews.cohort_preview import Change, preview, share_of

MAX_CHARACTERS = 1_000_000


class VersionSerializer(Serializer[RubricVersion]):
    """Version of a rubric. `state` is draft, published or superseded; a published one never changes."""

    id = IntegerField()
    rubric = CharField(source="rubric.slug")
    number = IntegerField()
    state = CharField()
    digest = CharField()
    published_at = DateTimeField(allow_null=True)


class WholeVersionSerializer(VersionSerializer):
    """Version with its document; rubric/schema.json is its JSON Schema."""

    document = DictField()


class RubricSerializer(Serializer[Rubric]):
    """Rubric; its documents are its versions."""

    slug = CharField()
    name = CharField()


class ImportSerializer(Serializer[Any]):
    """Rubric as text, in any supported layout; `again` imports one that already exists again."""

    text = CharField(max_length=MAX_CHARACTERS, trim_whitespace=False)
    source = CharField(max_length=200, required=False, allow_blank=True, default="")  # type: ignore[assignment]  # -- the action's word
    again = BooleanField(default=False)


class PreviewSerializer(Serializer[Any]):
    """Rubric as JSON. `rules` names a shipped constitution to use instead of the rubric's own rules."""

    document = JSONField()
    rules = CharField(max_length=60, required=False, allow_blank=True, default="")


class ChangeSerializer(Serializer[Change]):
    """Result of one student before and after: shares from 0 to 1, null without a score."""

    student = CharField(source="grade.student.email")
    before = SerializerMethodField()
    after = SerializerMethodField()
    changed = BooleanField(source="is_changed")
    criteria_moved = SerializerMethodField()
    refusal = CharField()

    def get_before(self, change: Change) -> float | None:
        return share_of(change.before)

    def get_after(self, change: Change) -> float | None:
        return share_of(change.after)

    def get_criteria_moved(self, change: Change) -> list[str]:
        return sorted(change.moved)


class Rubrics(TenantView, ListAPIView[Rubric]):
    """List the organization's rubrics, for staff."""

    serializer_class = RubricSerializer

    def get_queryset(self) -> QuerySet[Rubric]:
        access_organization(self.request.user, self.organization.slug, level="staff")
        return Rubric.objects.all()


class Versions(TenantView, ListAPIView[RubricVersion]):
    """List a rubric's versions without their documents, for staff."""

    serializer_class = VersionSerializer

    def get_queryset(self) -> QuerySet[RubricVersion]:
        access_organization(self.request.user, self.organization.slug, level="staff")
        rubric = get_object_or_404(Rubric, slug=self.kwargs["rubric"])
        versions = RubricVersion.objects.filter(rubric=rubric).select_related("rubric")
        return versions.defer("document")


class VersionDetail(TenantView, RetrieveAPIView[RubricVersion]):
    """Return one version with its document, for staff."""

    serializer_class = WholeVersionSerializer

    def get_object(self) -> Any:
        return access_rubric_version(self.request.user, self.kwargs["version_id"], level="staff")


class Import(TenantView):
    """Import of a rubric."""

    scopes = {"POST": ApiScope.RUBRICS}

    @extend_schema(request=ImportSerializer, responses={201: WholeVersionSerializer, **ERRORS})
    def post(self, request: Request, org: str) -> Response:
        """Import a rubric as a new draft, for teachers; the activity log lists what was not used."""
        organization = access_organization(request.user, self.organization.slug, level="teacher")
        serializer = ImportSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        draft = import_rubric(
            organization=organization, by=member(request), **serializer.validated_data
        )
        return Response(WholeVersionSerializer(draft).data, status=HTTPStatus.CREATED)


class Preview(TenantView):
    """Preview of a rubric."""

    scopes = {"POST": ApiScope.RUBRICS}

    @extend_schema(
        request=PreviewSerializer, responses={200: ChangeSerializer(many=True), **ERRORS}
    )
    def post(self, request: Request, org: str, cohort: str, assignment: str) -> Response:
        """Return each student's result under this rubric. Nothing is stored, no model is called."""
        row = access_assignment(request.user, cohort, assignment, level="staff")
        serializer = PreviewSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)

        document = serializer.validated_data["document"]
        faults = engine_rubrics.rubric_faults(document) if isinstance(document, dict) else ()
        if faults or not isinstance(document, dict):
            raise RubricRefused("rubric_faulty", _first_sentence(faults))

        changes = preview(row, document, rules=serializer.validated_data["rules"])
        return Response([ChangeSerializer(change).data for change in changes])


def _first_sentence(faults: Sequence[RubricFault]) -> str:
    if not faults:
        return "A rubric must be one JSON object."
    place = ".".join(map(str, faults[0].place))
    return f"{place}: {faults[0].message}" if place else faults[0].message
