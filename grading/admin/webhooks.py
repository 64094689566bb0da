"""Webhooks and what they were told; the secrets are not shown."""

from django.contrib import admin

from grading.admin.tenancy import MachineMadeAdmin
from grading.models import Webhook, WebhookDelivery


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
