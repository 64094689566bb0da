"""Administration of learning platforms: what was registered, and what became of launches."""

from __future__ import annotations

from django.contrib import admin

from grading.core.admin_lists import LongListAdmin
from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import LtiCourseLink, LtiLaunch, LtiRegistration, LtiScore


@admin.register(LtiRegistration)
class LtiRegistrationAdmin(MachineMadeAdmin):
    list_display = ("name", "organization", "issuer", "client_id", "active", "created_at")
    list_filter = ("active",)
    search_fields = ("name", "issuer", "client_id")
    list_select_related = ("organization",)
    exclude = ("setup_sha256", "made_by")


@admin.register(LtiLaunch)
class LtiLaunchAdmin(LongListAdmin):
    list_display = ("created_at", "registration", "kind", "refusal", "detail", "entered_at")
    list_filter = ("created_at", "kind", "refusal")
    list_select_related = ("registration",)
    # What a platform said of a person, and secrets in short.
    exclude = (
        "claims",
        "user",
        "nonce",
        "state_sha256",
        "browser_sha256",
        "frame_sha256",
    )


@admin.register(LtiCourseLink)
class LtiCourseLinkAdmin(MachineMadeAdmin):
    list_display = (
        "context",
        "cohort",
        "sends_grades",
        "roster_at",
        "roster_next_at",
        "roster_error",
    )
    list_filter = ("sends_grades",)
    list_select_related = ("context", "cohort")
    exclude = ("made_by",)


@admin.register(LtiScore)
class LtiScoreAdmin(LongListAdmin):
    list_display = ("student", "line_item", "state", "status", "answer", "tries", "next_at")
    list_filter = ("state",)
    list_select_related = ("student", "line_item")
    # A grade is read where its release is.
    exclude = ("points", "comment", "digest")
