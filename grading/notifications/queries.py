"""Queries of email preferences and webhooks."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q, QuerySet

from grading.core.enums import OPTIONAL_NOTICES, DeliveryState, NoticeKind
from grading.models import NoticeOptOut, Organization, Webhook, WebhookDelivery


def wanted_email_kinds(organization: Organization, user: User) -> list[NoticeKind]:
    """Return all kinds of email that the user has not turned off."""
    off = NoticeOptOut.objects.filter(organization=organization, user=user).values_list(
        "kind", flat=True
    )
    return [kind for kind in OPTIONAL_NOTICES if kind not in set(off)]


def webhooks_of(organization: Organization) -> QuerySet[Webhook]:
    """Return webhooks, newest first, with counts of kept deliveries.

    Each has `waiting`, `failed` and `last_at`, the time of the last delivery that arrived.
    """
    return Webhook.objects.filter(organization=organization).annotate(
        waiting=Count("deliveries", Q(deliveries__state=DeliveryState.WAITING)),
        failed=Count("deliveries", Q(deliveries__state=DeliveryState.FAILED)),
        last_at=Max("deliveries__ended_at", filter=Q(deliveries__state=DeliveryState.DELIVERED)),
    )


def deliveries_of(webhook: Webhook) -> QuerySet[WebhookDelivery]:
    """Return the webhook's deliveries, newest first."""
    return WebhookDelivery.objects.filter(webhook=webhook)
