"""Read-only admin pages of rounds, reports and findings; they are made on the cohort's pages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import (
    CommunicationEntry,
    Complaint,
    FeedbackReport,
    Finding,
    FindingResponse,
    FindingSighting,
    Pairing,
    PairingRound,
    RoundMember,
)


@admin.register(PairingRound)
class PairingRoundAdmin(MachineMadeAdmin):
    list_display = ("assignment", "number", "peers", "anonymity", "starts_at", "ends_at")
    list_filter = ("anonymity", ("assignment", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("assignment",)
    # With the seed anybody could draw the pairs of the round again.
    exclude = ("seed",)


@admin.register(RoundMember)
class RoundMemberAdmin(MachineMadeAdmin):
    list_display = ("student", "round", "alias", "joined_at", "left_at", "reminders")
    search_fields = ("student__email", "student__name")
    list_select_related = ("student", "round")


@admin.register(Pairing)
class PairingAdmin(MachineMadeAdmin):
    list_display = ("round", "auditor", "auditee", "made_by", "created_at", "ended_at")
    search_fields = ("auditor__email", "auditee__email")
    list_select_related = ("round", "auditor", "auditee", "made_by")


@admin.register(FeedbackReport)
class FeedbackReportAdmin(MachineMadeAdmin):
    list_display = ("subject", "author", "kind", "source", "assignment", "created_at", "read_at")
    list_filter = ("kind", "source")
    search_fields = ("subject__email", "author__email")
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


@admin.register(CommunicationEntry)
class CommunicationEntryAdmin(MachineMadeAdmin):
    list_display = ("student", "kind", "assignment", "posted_at")
    list_filter = ("kind",)
    search_fields = ("student__email", "text")
    list_select_related = ("student", "assignment")


@admin.register(Finding)
class FindingAdmin(MachineMadeAdmin):
    list_display = (
        "student",
        "criterion_id",
        "title",
        "place",
        "state",
        "fixed_commit",
        "changed_at",
    )
    list_filter = ("state",)
    search_fields = ("student__email", "title", "place")
    list_select_related = ("student",)


@admin.register(FindingSighting)
class FindingSightingAdmin(MachineMadeAdmin):
    list_display = ("finding", "submission", "present", "priority")
    list_select_related = ("finding", "submission")


@admin.register(FindingResponse)
class FindingResponseAdmin(MachineMadeAdmin):
    list_display = ("finding", "kind", "commit", "verified", "created_at", "replaced_at")
    list_filter = ("kind",)
    list_select_related = ("finding",)
