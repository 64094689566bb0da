"""Administration of learning platforms: what was registered, and what became of launches."""

from __future__ import annotations

from django.contrib import admin

from grading.core.admin_lists import LongListAdmin
from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import LtiLaunch, LtiRegistration


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
