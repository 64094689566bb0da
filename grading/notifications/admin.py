"""Admin of emails, webhooks and deliveries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from grading.core.admin_lists import LongListAdmin, member_at
from grading.core.admin_tenancy import MachineMadeAdmin, known_address
from grading.models import Notice, Webhook, WebhookDelivery


@admin.register(Notice)
class NoticeAdmin(LongListAdmin):
    list_display = ("subject", "recipient", "kind", "created_at", "sent_at", "tries", "held_at")
    list_filter = ("created_at", "kind")
    searched = (member_at("user"),)
    exclude = ("user",)
    ordering = ("-pk",)

    def conditions(self, word: str) -> Iterator[Q]:
        yield from super().conditions(word)
        yield Q(address=word.lower()) & ~Q(address="")

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
    exclude = ("sealed_secret", "sealed_previous")


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(LongListAdmin):
    list_display = ("id", "webhook", "event", "state", "tries", "next_at", "status", "created_at")
    list_filter = ("created_at", "event", "state")
    list_select_related = ("webhook",)
