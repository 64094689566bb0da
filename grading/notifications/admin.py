"""Admin of emails, email preferences, webhooks and deliveries."""

from django.contrib import admin

from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import Notice, NoticeOptOut, Webhook, WebhookDelivery


@admin.register(Notice)
class NoticeAdmin(MachineMadeAdmin):
    list_display = ("user", "kind", "subject", "created_at", "sent_at", "tries", "tried_at")
    list_filter = ("kind",)
    search_fields = ("user__email", "subject")
    list_select_related = ("user",)
    date_hierarchy = "created_at"


@admin.register(NoticeOptOut)
class NoticeOptOutAdmin(MachineMadeAdmin):
    list_display = ("user", "kind")
    list_filter = ("kind",)
    list_select_related = ("user",)


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
