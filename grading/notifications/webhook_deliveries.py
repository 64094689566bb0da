"""What webhooks are told leaves after it has committed, is tried eight times over a day, and each is its own request.

A delivery is claimed (its try is counted, its next moment set) before it is sent, so a machine that dies in between
sends that one again and no other; both carry the same id.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django_scopes import scope

from grading.core.crypto import unseal
from grading.core.enums import DeliveryState
from grading.core.errors import SealBrokenError, WebhookRefused
from grading.engine import repository_addresses
from grading.models import WebhookDelivery
from grading.notifications.outbox import Outbox
from grading.notifications.pinned_post import Answer, post

STOP_AFTER_SECONDS = 60  # what is left then goes with the next job
# After each try but the last; together 23 hours and 21 minutes.
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 780))
MAX_TRIES = len(PAUSES) + 1
KEPT = timedelta(days=30)
SEAL = "webhook"
INTERRUPTED = "The last try broke off on our side."
log = structlog.get_logger(__name__)


def _due(now: datetime) -> Q:
    return Q(state=DeliveryState.WAITING, next_at__lte=now)


DELIVERIES = Outbox(
    WebhookDelivery, job="grading.jobs.send_deliveries", name="deliveries", seconds=120, due=_due
)


def send_due_deliveries(*, organization_id: int) -> int:
    """Send what is due, oldest first, for at most a minute; how many arrived.

    Whose address cannot be reached at all is not asked again for the rest of it: what else it is due waits a minute
    without losing a try.
    """
    until, arrived = monotonic() + STOP_AFTER_SECONDS, 0
    with scope(organization=organization_id):
        while monotonic() < until and (delivery := _claim()):
            answer = _sent(delivery)
            _write_down(delivery, answer)
            arrived += answer.is_taken
            if answer.status is None:
                due = WebhookDelivery.objects.filter(
                    _due(timezone.now()), webhook=delivery.webhook_id
                )
                due.update(next_at=timezone.now() + PAUSES[0])
        old = WebhookDelivery.objects.filter(ended_at__lt=timezone.now() - KEPT)
        old.delete()
    return arrived


def _claim() -> WebhookDelivery | None:
    """The oldest that is due, due for nobody else until its next try. One whose last try broke off has failed."""
    now = timezone.now()
    with transaction.atomic():
        due = WebhookDelivery.objects.filter(_due(now))
        due.filter(tries__gte=MAX_TRIES).update(
            state=DeliveryState.FAILED, error=INTERRUPTED, ended_at=now
        )
        waiting = due.select_for_update(skip_locked=True, of=("self",)).select_related("webhook")
        delivery = waiting.order_by("next_at", "pk").first()
        if delivery is not None:
            pause = PAUSES[min(delivery.tries, len(PAUSES) - 1)]
            WebhookDelivery.objects.filter(pk=delivery.pk).update(
                tries=F("tries") + 1, next_at=now + pause
            )
            delivery.tries += 1
    return delivery


def _sent(delivery: WebhookDelivery) -> Answer:
    webhook = delivery.webhook
    try:
        secret = unseal(webhook.sealed_secret, purpose=SEAL)
        pinned = repository_addresses.pinned(webhook.url)
    except (SealBrokenError, WebhookRefused) as refused:
        return Answer(None, "", refused.sentence)
    body = json.dumps(
        delivery.payload, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    ).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Automaton-Auditor",
        "Auditor-Event": delivery.event,
        "Auditor-Delivery": str(delivery.pk),
        "Auditor-Signature": signature_of(body, secret, int(timezone.now().timestamp())),
    }
    return post(pinned, body, headers)


def signature_of(body: bytes, secret: str, timestamp: int) -> str:
    """`t=<seconds since 1970>,v1=<hex>`: HMAC-SHA256 of “timestamp.body” under the webhook's secret."""
    signed = f"{timestamp}.".encode() + body
    return f"t={timestamp},v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def _write_down(delivery: WebhookDelivery, answer: Answer) -> None:
    """Whoever was switched off meanwhile has failed already, and that stays."""
    told: dict[str, Any] = {"status": answer.status, "answer": answer.text, "error": answer.error}
    now = timezone.now()
    if answer.is_taken:
        told |= {"state": DeliveryState.DELIVERED, "ended_at": now}
    elif delivery.tries >= MAX_TRIES:
        told |= {"state": DeliveryState.FAILED, "ended_at": now}
    WebhookDelivery.objects.filter(pk=delivery.pk, state=DeliveryState.WAITING).update(**told)
    log.info("delivery_sent", delivery=str(delivery.pk), status=answer.status, tries=delivery.tries)
