"""Audits and what they found and heard: written by the site alone."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from grading.admin.tenancy import MachineMadeAdmin
from grading.models import Assignment, Audit, CriterionVerdict, Enrollment, EvidenceRecord, OpinionRecord


@admin.register(Audit)
class AuditAdmin(MachineMadeAdmin):
    list_display = (
        "student",
        "assignment",
        "attempt",
        "kind",
        "state",
        "stage",
        "overall_score",
        "run_attempt",
        "queued_at",
        "finished_at",
    )
    list_filter = ("state", "kind", ("submission__assignment", admin.RelatedOnlyFieldListFilter))
    search_fields = (
        "id",
        "submission__repo_url",
        "submission__student__email",
        "failure_code",
        "report_digest",
    )
    list_select_related = ("submission__student", "submission__assignment")
    date_hierarchy = "created_at"
    exclude = ("lease_token", "report")

    @admin.display(ordering="submission__student__name")
    def student(self, audit: Audit) -> Enrollment:
        return audit.submission.student

    @admin.display(ordering="submission__assignment__title")
    def assignment(self, audit: Audit) -> Assignment:
        return audit.submission.assignment

    @admin.display(ordering="submission__attempt")
    def attempt(self, audit: Audit) -> int:
        return audit.submission.attempt

    def view_on_site(self, audit: Audit) -> str:
        """The page where its report is read."""
        return reverse("audit", args=[audit.organization.slug, audit.pk])

    def get_queryset(self, request: HttpRequest) -> QuerySet[Audit]:
        return super().get_queryset(request).defer("report")


class OfAnAudit(MachineMadeAdmin):
    list_select_related = ("audit__submission",)

    @admin.display(ordering="audit__submission__repo_url")
    def repository(self, row: EvidenceRecord | OpinionRecord | CriterionVerdict) -> str:
        return row.audit.submission.repo_url

    def get_queryset(self, request: HttpRequest) -> QuerySet[EvidenceRecord]:
        return super().get_queryset(request).defer("audit__report")


@admin.register(EvidenceRecord)
class EvidenceRecordAdmin(OfAnAudit):
    list_display = ("key", "detective", "check_id", "found", "path", "line_start", "repository")
    list_filter = ("detective", "found")
    search_fields = ("key", "check_id", "path")


@admin.register(OpinionRecord)
class OpinionRecordAdmin(OfAnAudit):
    list_display = ("criterion_id", "judge", "score", "round", "repository", "created_at")
    list_filter = ("judge", "score", "round")
    search_fields = ("criterion_id", "key")


@admin.register(CriterionVerdict)
class CriterionVerdictAdmin(OfAnAudit):
    list_display = (
        "criterion_id",
        "name",
        "score",
        "points",
        "max_points",
        "needs_review",
        "excluded",
        "repository",
    )
    list_filter = ("score", "needs_review", "excluded")
    search_fields = ("criterion_id", "name")
