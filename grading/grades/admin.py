"""Read-only administration of grades, appeals and bulk runs; the pages change them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from grading.core.admin_lists import LongListAdmin, NewestFilter, assignment_at, student_at
from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import (
    Appeal,
    BulkRun,
    Grade,
)


@admin.register(Grade)
class GradeAdmin(LongListAdmin):
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
        ("assignment", NewestFilter),
    )
    searched = (student_at("student"), assignment_at("assignment"))
    list_select_related = ("student", "assignment")
    # The released value is large JSON, readable on the report's page.
    exclude = ("released",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("released")


@admin.register(Appeal)
class AppealAdmin(LongListAdmin):
    list_display = ("submission", "criterion_name", "state", "filed_at", "decided_by", "decided_at")
    list_filter = ("filed_at", "state")
    searched = (student_at("submission__student"), assignment_at("submission__assignment"))
    list_select_related = ("submission", "decided_by")


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
