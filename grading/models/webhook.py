"""Webhooks and their deliveries."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from grading.core.enums import DeliveryState, WebhookEvent
from grading.models.tenant import TenantModel, TenantPart


class Webhook(TenantModel):
    """URL that receives events. `events` are values of WebhookEvent; an inactive one gets nothing.

    The signing secret is encrypted (grading/core/crypto.py) and displayed only once. The one before
    it signs beside it until `previous_until`.
    """

    url = models.CharField(max_length=500)
    sealed_secret = models.TextField(editable=False)
    sealed_previous = models.TextField(blank=True, editable=False)
    previous_until = models.DateTimeField(null=True, blank=True, editable=False)
    events = models.JSONField(default=list)
    active = models.BooleanField(default=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(sealed_previous="", previous_until=None)
                | (~Q(sealed_previous="") & Q(previous_until__isnull=False)),
                name="webhook_previous_secret_ends",
            ),
        ]

    def __str__(self) -> str:
        return self.url


class WebhookDelivery(TenantPart):
    """One event for one webhook. `payload` holds ids and links: no score and no name.

    `tries` counts how often it was sent; `next_at` is the time of the next try. `status` is the
    last response's status, or null, and `answer` the start of that response; `error` says why it
    failed.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=24, choices=WebhookEvent.choices)
    payload = models.JSONField()
    state = models.CharField(
        max_length=10, choices=DeliveryState.choices, default=DeliveryState.WAITING
    )
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.CharField(max_length=500, blank=True)
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.CheckConstraint(
                condition=Q(event__in=WebhookEvent.values), name="delivery_event_known"
            ),
            models.CheckConstraint(
                condition=Q(state=DeliveryState.WAITING, ended_at=None)
                | Q(
                    state__in=(DeliveryState.DELIVERED, DeliveryState.FAILED),
                    ended_at__isnull=False,
                ),
                name="delivery_ended_has_a_time",
            ),
        ]
        indexes = [
            models.Index(
                # Only waiting rows, which are few; the rest are history.
                fields=["next_at"],
                condition=Q(state=DeliveryState.WAITING),
                name="delivery_waiting",
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.pk}"
