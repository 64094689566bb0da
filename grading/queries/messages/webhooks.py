"""Webhooks with how they fare."""

from __future__ import annotations

from django.db.models import Count, Max, Q, QuerySet

from grading.enums import DeliveryState
from grading.models import Organization, Webhook, WebhookDelivery


def webhooks_of(organization: Organization) -> QuerySet[Webhook]:
    """The newest first, each with `waiting`, `failed` and `last_at`, when something arrived last, of what is kept."""
    return Webhook.objects.filter(organization=organization).annotate(
        waiting=Count("deliveries", Q(deliveries__state=DeliveryState.WAITING)),
        failed=Count("deliveries", Q(deliveries__state=DeliveryState.FAILED)),
        last_at=Max("deliveries__ended_at", filter=Q(deliveries__state=DeliveryState.DELIVERED)),
    )


def deliveries_of(webhook: Webhook) -> QuerySet[WebhookDelivery]:
    """Newest first."""
    return WebhookDelivery.objects.filter(webhook=webhook)
