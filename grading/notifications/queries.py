"""Who wants which letters."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q, QuerySet

from grading.core.enums import DeliveryState, NoticeKind
from grading.models import NoticeOptOut, Organization, Webhook, WebhookDelivery


def wanted_email_kinds(organization: Organization, user: User) -> list[NoticeKind]:
    """All kinds but those switched off."""
    off = NoticeOptOut.objects.filter(organization=organization, user=user).values_list(
        "kind", flat=True
    )
    return [kind for kind in NoticeKind if kind not in set(off)]


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
