"""Read-only administration of grades, overrides, appeals and bulk runs; the pages change them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import (
    Appeal,
    BlindGrade,
    BlindSample,
    BulkItem,
    BulkRun,
    Grade,
    Override,
    SupersededReport,
)


@admin.register(Grade)
class GradeAdmin(MachineMadeAdmin):
    list_display = (
        "student",
        "assignment",
        "overall_score",
        "overridden",
        "needs_review",
        "suspected",
        "unverified",
        "failed_judges",
        "widest_spread",
        "released_at",
    )
    list_filter = (
        "needs_review",
        "suspected",
        "unverified",
        ("assignment", admin.RelatedOnlyFieldListFilter),
    )
    search_fields = ("student__email", "student__name")
    list_select_related = ("student", "assignment")
    # The released value is large JSON, readable on the report's page.
    exclude = ("released",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("released")


@admin.register(Override)
class OverrideAdmin(MachineMadeAdmin):
    list_display = (
        "submission",
        "criterion_id",
        "verdict_score",
        "score",
        "made_by",
        "made_at",
        "withdrawn_at",
    )
    search_fields = ("criterion_id", "reason", "submission__student__email")
    list_select_related = ("submission", "made_by")
    date_hierarchy = "made_at"


@admin.register(Appeal)
class AppealAdmin(MachineMadeAdmin):
    list_display = ("submission", "criterion_name", "state", "filed_at", "decided_by", "decided_at")
    list_filter = ("state",)
    search_fields = ("criterion_id", "text", "submission__student__email")
    list_select_related = ("submission", "decided_by")
    date_hierarchy = "filed_at"


@admin.register(SupersededReport)
class SupersededReportAdmin(MachineMadeAdmin):
    list_display = ("audit", "rubric_version", "digest", "superseded_at")
    search_fields = ("digest",)
    list_select_related = ("rubric_version__rubric",)
    # Reports are large: lists and forms never load them.
    exclude = ("report",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return (
            super().get_queryset(request).select_related("audit").defer("report", "audit__report")
        )


@admin.register(BulkRun)
class BulkRunAdmin(MachineMadeAdmin):
    list_display = (
        "verb",
        "assignment",
        "state",
        "total",
        "done",
        "failed",
        "changed",
        "started_by",
        "created_at",
    )
    list_filter = ("verb", "state")
    list_select_related = ("assignment", "started_by")


@admin.register(BulkItem)
class BulkItemAdmin(MachineMadeAdmin):
    list_display = ("submission", "state", "score_before", "score_after", "changed", "code", "run")
    list_filter = ("state", "changed")
    search_fields = ("submission__student__email", "code")
    list_select_related = ("submission", "run")


@admin.register(BlindSample)
class BlindSampleAdmin(MachineMadeAdmin):
    list_display = ("assignment", "drawn_by", "drawn_at")
    list_select_related = ("assignment", "drawn_by")


@admin.register(BlindGrade)
class BlindGradeAdmin(MachineMadeAdmin):
    list_display = ("submission", "criterion_id", "score", "graded_by", "graded_at")
    search_fields = ("criterion_id",)
    list_select_related = ("submission", "graded_by")
