"""Queries of email preferences and webhooks."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q, QuerySet

from grading.core.enums import OPTIONAL_NOTICES, DeliveryState, EmailTiming, NoticeKind
from grading.models import (
    Enrollment,
    NoticeDaily,
    NoticeOptOut,
    Organization,
    Webhook,
    WebhookDelivery,
)


def email_timings(organization: Organization, user: User) -> dict[NoticeKind, EmailTiming]:
    """Return the user's choices by the kind of email, for those that can be turned off. Two queries."""
    about = {"organization": organization, "user": user}
    off = set(NoticeOptOut.objects.filter(**about).values_list("kind", flat=True))
    daily = set(NoticeDaily.objects.filter(**about).values_list("kind", flat=True))
    # The mail for staff is off until somebody asks for it.
    off |= {NoticeKind.STAFF_DAILY} - daily
    return {
        kind: EmailTiming.OFF
        if kind in off
        else EmailTiming.DAILY
        if kind in daily
        else EmailTiming.NOW
        for kind in OPTIONAL_NOTICES
    }


def has_enrollments(organization: Organization, user: User) -> bool:
    """Return whether the user is a student of the organization, whatever their role in it is."""
    return Enrollment.objects.filter(organization=organization, user=user).exists()


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
