"""Who audits whom, as either side may know it, and the reports between them."""

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

from grading.api.schema import READING, REFUSALS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope, AuditState
from grading.core.pairing_access import Side, granted_pairings
from grading.core.permissions import access_cohort, access_feedback, access_pairing, may
from grading.models import FeedbackReport, Pairing
from grading.peer_review.actions import run_peer_audit
from grading.peer_review.exchange.queries import reports_under
from grading.peer_review.feedback.actions import mark_read
from grading.peer_review.feedback.queries import edition_of, shown_names


class PairingSerializer(Serializer[Pairing]):
    """`side` is where you stand: auditor, auditee or staff; `other` what the one on the other side is called here."""

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
    """A report, without what it says, not even what it ended in: `state` is imported, or the audit's, done for all that
    have a report. `source` is platform (signed) or imported, `created_on` the day (UTC)."""

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
    """What you may read of a report; `withheld` says in words what is missing.

    `report` is an automaton-auditor/report@1, null for an imported one, of which `reading` is what was understood.
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
    """The pairings of a cohort that grant me something now; for staff all that do."""

    serializer_class = PairingSerializer
    # By their random keys: in the order in which they were made, a change by hand would show the roster's order.
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
        return {**super().get_serializer_context(), **_known(getattr(self, "_sides", {}))}

    def _side(self, pairing: Pairing) -> Side:
        sides: dict[int | None, Side] = {
            pairing.auditee.user_id: "auditee",
            pairing.auditor.user_id: "auditor",
        }
        return sides.get(self.request.user.pk, "staff")


class OnePairing(TenantView):
    """One pairing with its reports, and auditing under it."""

    scopes = {"POST": ApiScope.ANSWER}

    @extend_schema(responses={200: OpenApiTypes.OBJECT, **READING})
    def get(self, request: Request, org: str, pairing_id: UUID) -> Response:
        """The pairing, and in `reports` those that you may read."""
        pairing, side = access_pairing(request.user, pairing_id)
        told = PairingSerializer(pairing, context=_known({pairing.pk: side})).data
        reports = [each for each in reports_under(pairing) if _is_theirs(each, side)]
        return Response({**told, "reports": [FeedbackSerializer(each).data for each in reports]})

    @extend_schema(request=None, responses={201: FeedbackSerializer, **REFUSALS})
    def post(self, request: Request, org: str, pairing_id: UUID) -> Response:
        """Begin the courtroom's audit of the other's latest attempt; for the auditor."""
        pairing, side = access_pairing(request.user, pairing_id)
        if side != "auditor":
            raise Http404
        report = run_peer_audit(pairing=pairing, by=member(request))
        return Response(FeedbackSerializer(report).data, status=HTTPStatus.CREATED)


class Feedback(TenantView):
    """What a report says."""

    @extend_schema(responses={200: FeedbackTextSerializer, **READING})
    def get(self, request: Request, org: str, report_id: UUID) -> Response:
        """The edition for your side of it; its subject has read it from now on."""
        report, side = access_feedback(request.user, report_id)
        if report.audit is not None and not report.audit.has_report:
            raise Http404
        if side == "subject" and request.method == "GET":
            mark_read(report=report, by=member(request))
        return Response(FeedbackTextSerializer(edition_of(report, side=side)).data)


def _known(sides: Mapping[UUID, Side]) -> dict[str, Any]:
    """What pairings are told with: on which side the reader stands, and what the other is called; a query a side."""
    names: dict[UUID, str] = {}
    for side in set(sides.values()):
        theirs = Pairing.objects.filter(pk__in=[pk for pk, each in sides.items() if each == side])
        names |= shown_names(theirs.select_related("round", "auditor", "auditee"), side=side)
    return {"sides": sides, "names": names}


def _is_theirs(report: FeedbackReport, side: str) -> bool:
    """Whoever is audited learns of a report when there is one."""
    return side != "auditee" or report.audit is None or report.audit.has_report
