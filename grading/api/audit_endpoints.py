"""Progress and report of an audit, as far as the pages show them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.generics import RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.serializers import (
    CharField,
    DateTimeField,
    Serializer,
    SerializerMethodField,
    UUIDField,
)

from grading.api.schema import READ_ERRORS
from grading.api.tenancy import TenantView
from grading.audits.queries import VisibleReport, visible_report
from grading.audits.wait_times import pace_of
from grading.core.enums import AuditState
from grading.core.fair_turns import position_shown
from grading.core.own_work import may_handle
from grading.core.permissions import access_audit
from grading.grades.queries.final_scores import counting_verdict
from grading.models import Audit
from grading.report_pages.override_markdown import override_markdown

STATES = {
    "verdict": AuditState.DONE,
    "needs_review": AuditState.NEEDS_REVIEW,
    "degraded": AuditState.DEGRADED,
}


class AuditSerializer(Serializer[Audit]):
    """Progress and result of an audit.

    `state` is one of received, queued, running, done, needs_review, degraded, failed. If the verdict
    is withheld from you, it is done, and the numbers of opinions are null. `overall_score` is null
    while a criterion needs review. `position` is the place in the queue, 1 for the next, null if it
    does not wait; `seconds_to_report` is an estimate from past audits, null without any. Until
    `grace_until` it does not start and has no position, so that its student can withdraw it on the
    site; null without such a grace. `report` is null until there is one that you may read.
    """

    id = UUIDField()
    submission = UUIDField(source="submission_id")
    kind = CharField()
    state = SerializerMethodField()
    stage = CharField()
    position = SerializerMethodField()
    seconds_to_report = SerializerMethodField()
    opinions_done = SerializerMethodField()
    opinions_expected = SerializerMethodField()
    failure_code = CharField()
    failure_message = CharField()
    created_at = DateTimeField()
    grace_until = DateTimeField(allow_null=True)
    started_at = DateTimeField(allow_null=True)
    finished_at = DateTimeField(allow_null=True)
    overall_score = SerializerMethodField()
    report = SerializerMethodField()

    def get_state(self, audit: Audit) -> str:
        visible: VisibleReport | None = self.context["visible"]
        if visible is not None:
            return STATES[visible.report.status]
        return AuditState.DONE if audit.has_report else audit.state

    def get_opinions_done(self, audit: Audit) -> int | None:
        return None if self._is_withheld(audit) else audit.opinions_done

    def get_opinions_expected(self, audit: Audit) -> int | None:
        return None if self._is_withheld(audit) else audit.opinions_expected

    def _is_withheld(self, audit: Audit) -> bool:
        return audit.has_report and self.context["visible"] is None

    def get_position(self, audit: Audit) -> int | None:
        return position_shown(audit)

    def get_seconds_to_report(self, audit: Audit) -> float | None:
        position = position_shown(audit)
        pace = pace_of(audit) if position else None
        return pace.until_report(position) if pace and position else None

    def get_overall_score(self, audit: Audit) -> float | None:
        visible: VisibleReport | None = self.context["visible"]
        if visible is None:
            return None
        counting = counting_verdict(audit, visible)
        if counting is not None:
            return counting.overall_score
        return visible.report.overall_score if visible.report.status == "verdict" else None

    def get_report(self, audit: Audit) -> str | None:
        if self.context["visible"] is None:
            return None
        names = [audit.organization.slug, audit.pk]
        return reverse("api-audit-report", args=names, request=self.context["request"])


class AuditDetail(TenantView, RetrieveAPIView[Audit]):
    """Return the progress or the result of an audit."""

    serializer_class = AuditSerializer

    def get_object(self) -> Any:
        audit = access_audit(self.request.user, self.kwargs["audit_id"])
        is_staff = may_handle(self.request.user, audit.submission)
        self.visible = visible_report(audit, is_staff=is_staff)
        return audit

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "visible": getattr(self, "visible", None)}


class Report(TenantView):
    """Report as JSON, as far as you may read it."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT, **READ_ERRORS})
    def get(self, request: Request, org: str, audit_id: UUID) -> Response:
        """Return the report (automaton-auditor/report@1; schema: rubric/report.schema.json)."""
        return Response(_visible_report(request, audit_id)[1].document)


class MarkdownReport(TenantView):
    """Report as Markdown."""

    @extend_schema(responses={(200, "text/markdown"): OpenApiTypes.STR, **READ_ERRORS})
    def get(self, request: Request, org: str, audit_id: UUID) -> HttpResponse:
        """Return the report as Markdown."""
        # courtroom is imported only when it is needed.
        from grading.engine import audits as engine_audits

        audit, visible = _visible_report(request, audit_id)
        text = engine_audits.render_markdown(
            visible.document, date=f"{audit.finished_at:%Y-%m-%d %H:%M %Z}"
        )
        text += override_markdown(counting_verdict(audit, visible))

        return _download(text, "text/markdown", "report.md")


class SarifReport(TenantView):
    """Findings of a report, for code scanning."""

    @extend_schema(responses={(200, "application/sarif+json"): OpenApiTypes.OBJECT, **READ_ERRORS})
    def get(self, request: Request, org: str, audit_id: UUID) -> HttpResponse:
        """Return the findings of the report as SARIF 2.1.0."""
        from grading.engine import audits as engine_audits

        text = engine_audits.render_sarif(_visible_report(request, audit_id)[1].document)
        return _download(text, "application/sarif+json", "report.sarif")


class JunitReport(TenantView):
    """Checks of a report, for programs that read test results."""

    @extend_schema(responses={(200, "application/xml"): OpenApiTypes.STR, **READ_ERRORS})
    def get(self, request: Request, org: str, audit_id: UUID) -> HttpResponse:
        """Return the checks of the report as JUnit XML."""
        from grading.engine import audits as engine_audits

        text = engine_audits.render_junit(_visible_report(request, audit_id)[1].document)
        return _download(text, "application/xml", "report.junit.xml")


def _download(text: str, content_type: str, name: str) -> HttpResponse:
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    return HttpResponse(text, content_type=f"{content_type}; charset=utf-8", headers=headers)


def _visible_report(request: Request, audit_id: UUID) -> tuple[Audit, VisibleReport]:
    audit = access_audit(request.user, audit_id)
    visible = visible_report(audit, is_staff=may_handle(request.user, audit.submission))
    if visible is None:
        raise Http404
    return audit, visible
