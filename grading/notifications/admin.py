"""Admin of emails, webhooks and deliveries."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from grading.core.admin_tenancy import MachineMadeAdmin, known_address
from grading.models import Notice, Webhook, WebhookDelivery


@admin.register(Notice)
class NoticeAdmin(MachineMadeAdmin):
    list_display = ("subject", "recipient", "kind", "created_at", "sent_at", "tries", "held_at")
    list_filter = ("kind",)
    search_fields = ("subject",)
    exclude = ("user",)
    date_hierarchy = "created_at"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(known=known_address("user"))

    @admin.display(ordering="known")
    def recipient(self, notice: Any) -> str:
        return notice.address or notice.known or "no member any more"


@admin.register(Webhook)
class WebhookAdmin(MachineMadeAdmin):
    list_display = ("url", "active", "made_by", "created_at")
    list_filter = ("active",)
    search_fields = ("url",)
    list_select_related = ("made_by",)
    exclude = ("sealed_secret",)


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(MachineMadeAdmin):
    list_display = ("id", "webhook", "event", "state", "tries", "next_at", "status", "created_at")
    list_filter = ("event", "state")
    list_select_related = ("webhook",)
    date_hierarchy = "created_at"
