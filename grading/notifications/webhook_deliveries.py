"""Sending of webhook deliveries: after the commit, eight tries within a day, one request each.

A delivery is claimed (its try is counted, the next one scheduled) before it is sent. A machine that
dies in between sends only that one again, with the same id.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from grading.core.enums import DeliveryState
from grading.core.errors import SealBrokenError, WebhookRefused
from grading.engine import repository_addresses
from grading.models import WebhookDelivery
from grading.notifications.outbox import Outbox
from grading.notifications.pinned_post import Answer, post
from grading.notifications.webhook_signatures import older_signature, secrets_of, signed_headers

# A turn begins no delivery later than this, and a delivery ends after ten seconds (pinned_requests.py).
BEGIN_SECONDS = 1
# Waits after each try but the last; together 23 hours and 21 minutes.
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 780))
MAX_TRIES = len(PAUSES) + 1
INTERRUPTED = "The last try was interrupted on our side."
log = structlog.get_logger(__name__)


def _due(now: datetime) -> Q:
    return Q(state=DeliveryState.WAITING, next_at__lte=now)


DELIVERIES = Outbox(
    WebhookDelivery,
    job="grading.jobs.send_deliveries",
    queue="webhooks",
    name="deliveries",
    seconds=30,
    due=_due,
)


def send_due_deliveries(*, organization_id: int) -> int:
    """Send due deliveries for one turn, oldest first; return the number accepted.

    An organization has one open delivery at a time. If an address cannot be reached, its other
    deliveries wait a minute without losing a try.
    """
    answers = DELIVERIES.send_for_a_turn(
        organization_id, claim=_claim, send=_send_and_store, begin_seconds=BEGIN_SECONDS
    )
    return sum(answer.is_accepted for answer in answers)


def _send_and_store(delivery: WebhookDelivery) -> Answer:
    answer = _send(delivery)
    _store_result(delivery, answer)

    # One silent receiver must not use up the time of the others.
    if answer.status is None:
        due = WebhookDelivery.objects.filter(_due(timezone.now()), webhook=delivery.webhook_id)
        due.update(next_at=timezone.now() + PAUSES[0])
    return answer


def _claim() -> WebhookDelivery | None:
    """Claim the oldest due delivery; no other worker sees it as due until its next try."""
    now = timezone.now()
    with transaction.atomic():
        due = WebhookDelivery.objects.filter(_due(now))
        # A worker died during their last try.
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


def _send(delivery: WebhookDelivery) -> Answer:
    webhook, at = delivery.webhook, int(timezone.now().timestamp())
    try:
        secrets = secrets_of(webhook, at)
        pinned = repository_addresses.pinned(webhook.url)
    except (SealBrokenError, WebhookRefused) as refused:
        return Answer(None, "", refused.sentence)
    body = json.dumps(
        delivery.payload, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    ).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Automaton-Auditor",
        **signed_headers(body, str(delivery.pk), at, secrets),
        # Headers of receivers that were written for 0.1; they go with the next version.
        "Auditor-Event": delivery.event,
        "Auditor-Delivery": str(delivery.pk),
        "Auditor-Signature": older_signature(body, secrets[0], at),
    }
    return post(pinned, body, headers)


def _store_result(delivery: WebhookDelivery, answer: Answer) -> None:
    result: dict[str, Any] = {"status": answer.status, "answer": answer.text, "error": answer.error}
    now = timezone.now()
    if answer.is_accepted:
        result |= {"state": DeliveryState.DELIVERED, "ended_at": now}
    elif delivery.tries >= MAX_TRIES:
        result |= {"state": DeliveryState.FAILED, "ended_at": now}

    # A webhook that was turned off meanwhile has failed its deliveries already; that stays.
    WebhookDelivery.objects.filter(pk=delivery.pk, state=DeliveryState.WAITING).update(**result)
    log.info("delivery_sent", delivery=str(delivery.pk), status=answer.status, tries=delivery.tries)
