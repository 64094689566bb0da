"""Read-only admin pages of rounds, reports and complaints; they are made on the cohort's pages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from grading.core.admin_lists import LongListAdmin, student_at
from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import (
    Complaint,
    FeedbackReport,
    PairingRound,
)


@admin.register(PairingRound)
class PairingRoundAdmin(MachineMadeAdmin):
    list_display = ("assignment", "number", "peers", "anonymity", "starts_at", "ends_at")
    list_filter = ("anonymity", ("assignment", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("assignment",)
    # With the seed anybody could draw the pairs of the round again.
    exclude = ("seed",)


@admin.register(FeedbackReport)
class FeedbackReportAdmin(LongListAdmin):
    list_display = ("subject", "author", "kind", "source", "assignment", "created_at", "read_at")
    list_filter = ("kind", "source")
    searched = (student_at("subject"), student_at("author"))
    list_select_related = ("subject", "author", "assignment")
    # What a report says is given out by feedback/queries.py alone.
    exclude = ("original", "reading")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("original", "reading")


@admin.register(Complaint)
class ComplaintAdmin(MachineMadeAdmin):
    list_display = ("student", "report", "state", "made_at", "decided_by")
    list_filter = ("state",)
    search_fields = ("student__email", "text", "answer")
    list_select_related = ("student", "report", "decided_by")
