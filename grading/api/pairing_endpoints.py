"""Pairings of peers and the reports between them, as each side may know them."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    CharField,
    DateTimeField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    UUIDField,
)

from grading.api.schema import ERRORS, READ_ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope, AuditState
from grading.core.pairing_access import Side, granted_pairings
from grading.core.peer_permissions import access_feedback, access_pairing
from grading.core.permissions import access_cohort, may
from grading.models import FeedbackReport, Pairing
from grading.peer_review.actions import run_peer_audit
from grading.peer_review.exchange.queries import reports_under
from grading.peer_review.feedback.actions import mark_read
from grading.peer_review.feedback.queries import redacted_copy_of, refuse_unless_ready, shown_names


class PairingSerializer(Serializer[Pairing]):
    """Pairing. `side` is yours: auditor, auditee or staff; `other` is the other side's name."""

    id = UUIDField()
    assignment = CharField(source="round.assignment.slug")
    round = IntegerField(source="round.number")
    anonymity = CharField(source="round.anonymity")
    starts_at = DateTimeField(source="round.starts_at")
    ends_at = DateTimeField(source="round.ends_at")
    side = SerializerMethodField()
    other = SerializerMethodField()

    def get_side(self, pairing: Pairing) -> str:
        side: Side = self.context["sides"][pairing.pk]
        return side

    def get_other(self, pairing: Pairing) -> str:
        other: str = self.context["names"][pairing.pk]
        return other


class FeedbackSerializer(Serializer[FeedbackReport]):
    """Report without its content or result.

    `state` is imported, or the audit's state, which is done for all that have a report. `source` is
    platform (signed) or imported; `created_on` is the day (UTC).
    """

    id = UUIDField()
    kind = CharField()
    source = CharField()  # type: ignore[assignment]  # -- the word is the record's
    state = SerializerMethodField()
    created_on = SerializerMethodField()

    def get_state(self, report: FeedbackReport) -> str:
        if report.audit is None:
            return "imported"
        return AuditState.DONE if report.audit.has_report else report.audit.state

    def get_created_on(self, report: FeedbackReport) -> str:
        made_at = (report.audit.finished_at if report.audit else None) or report.created_at
        return made_at.date().isoformat()


class FeedbackTextSerializer(Serializer[Any]):
    """Report as far as you may read it; `withheld` lists in words what is missing.

    `report` is an automaton-auditor/report@1, null for an imported report, whose parsed content is
    in `reading`.
    """

    signed = SerializerMethodField()
    withheld = ListField(child=CharField())
    report = SerializerMethodField()
    reading = SerializerMethodField()

    def get_signed(self, edition: Any) -> bool:
        return bool(edition.signed)

    def get_report(self, edition: Any) -> dict[str, Any] | None:
        return edition.document  # type: ignore[no-any-return]  # -- plain JSON

    def get_reading(self, edition: Any) -> dict[str, Any] | None:
        return edition.reading  # type: ignore[no-any-return]  # -- plain JSON


class Pairings(TenantView, ListAPIView[Pairing]):
    """List the pairings of a cohort that are active now: all for staff, their own for students."""

    serializer_class = PairingSerializer
    # By random keys: the order of creation would reveal the roster's order after manual changes.
    ordering = ("pk",)

    def get_queryset(self) -> QuerySet[Pairing]:
        cohort = access_cohort(self.request.user, self.kwargs["cohort"])
        granted = granted_pairings().filter(round__assignment__cohort=cohort)
        if not may(self.request.user, self.organization, "staff"):
            me = member(self.request)
            granted = granted.filter(Q(auditor__user=me) | Q(auditee__user=me))
        return granted.select_related("round__assignment", "auditor", "auditee")

    def paginate_queryset(self, queryset: Any) -> Any:
        page = super().paginate_queryset(queryset)
        self._sides = {pairing.pk: self._side(pairing) for pairing in page or ()}
        return page

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), **_context_for(getattr(self, "_sides", {}))}

    def _side(self, pairing: Pairing) -> Side:
        sides: dict[int | None, Side] = {
            pairing.auditee.user_id: "auditee",
            pairing.auditor.user_id: "auditor",
        }
        return sides.get(self.request.user.pk, "staff")


class PairingDetail(TenantView):
    """Pairing with its reports, and the audit under it."""

    scopes = {"POST": ApiScope.ANSWER}

    @extend_schema(responses={200: OpenApiTypes.OBJECT, **READ_ERRORS})
    def get(self, request: Request, org: str, pairing_id: UUID) -> Response:
        """Return the pairing, with the `reports` that you may read."""
        pairing, side = access_pairing(request.user, pairing_id)
        data = PairingSerializer(pairing, context=_context_for({pairing.pk: side})).data
        reports = [
            FeedbackSerializer(report).data
            for report in reports_under(pairing)
            if _is_visible(report, side)
        ]
        return Response({**data, "reports": reports})

    @extend_schema(request=None, responses={201: FeedbackSerializer, **ERRORS})
    def post(self, request: Request, org: str, pairing_id: UUID) -> Response:
        """Start an audit of the peer's latest attempt; for the auditor."""
        pairing, side = access_pairing(request.user, pairing_id)
        if side != "auditor":
            raise Http404
        report = run_peer_audit(pairing=pairing, by=member(request))
        return Response(FeedbackSerializer(report).data, status=HTTPStatus.CREATED)


class Feedback(TenantView):
    """Content of a report."""

    @extend_schema(responses={200: FeedbackTextSerializer, 409: ERRORS[409], **READ_ERRORS})
    def get(self, request: Request, org: str, report_id: UUID) -> Response:
        """Return the report for your side; it counts as read when its subject gets it.

        409 `edition_preparing`: your redacted copy of a long report is being prepared, try again in
        a minute. 409 `edition_failed`: it could not be made, and a person looks at it.
        """
        report, side = access_feedback(request.user, report_id)
        if report.audit is not None and not report.audit.has_report:
            raise Http404
        copy = redacted_copy_of(report, side=side)
        refuse_unless_ready(copy)
        if side == "subject" and request.method == "GET":
            mark_read(report=report, by=member(request))
        return Response(FeedbackTextSerializer(copy).data)


def _context_for(sides: Mapping[UUID, Side]) -> dict[str, Any]:
    """Return the serializer's context: the reader's sides and the others' names; a query a side."""
    names: dict[UUID, str] = {}
    for side in set(sides.values()):
        keys = [key for key, pairing_side in sides.items() if pairing_side == side]
        pairings = Pairing.objects.filter(pk__in=keys)
        names |= shown_names(pairings.select_related("round", "auditor", "auditee"), side=side)
    return {"sides": sides, "names": names}


def _is_visible(report: FeedbackReport, side: str) -> bool:
    """Return whether the reader may know of the report; the auditee only once it exists."""
    return side != "auditee" or report.audit is None or report.audit.has_report
