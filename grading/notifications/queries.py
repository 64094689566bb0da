"""Queries of email preferences and webhooks."""

from __future__ import annotations

from collections.abc import Collection

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
    return timings_by_organization([organization], user)[organization.pk]


def _timings(off: set[str], daily: set[str]) -> dict[NoticeKind, EmailTiming]:
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


def enrolled_in(organizations: Collection[Organization], user: User) -> set[int]:
    """Return the keys of those in which the user is a student. One query, in the scope of all."""
    rows = Enrollment.objects.filter(organization__in=organizations, user=user)
    return set(rows.order_by().values_list("organization", flat=True))


def timings_by_organization(
    organizations: Collection[Organization], user: User
) -> dict[int, dict[NoticeKind, EmailTiming]]:
    """Return email_timings by the key of the organization. Two queries, in the scope of all."""
    about = {"organization__in": organizations, "user": user}
    off = set(NoticeOptOut.objects.filter(**about).values_list("organization", "kind"))
    daily = set(NoticeDaily.objects.filter(**about).values_list("organization", "kind"))
    return {
        row.pk: _timings(
            {kind for organization, kind in off if organization == row.pk},
            {kind for organization, kind in daily if organization == row.pk},
        )
        for row in organizations
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
    return WebhookDelivery.objects.filter(webhook=webhook).select_related("webhook")
