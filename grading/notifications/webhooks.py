"""Webhooks: managed by teachers; their events are written in the transaction that they are about.

An event says which object changed and links to its page: it holds no score and no name.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from itertools import product
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import WEBHOOK_EVENTS, AuditKind, DeliveryState, WebhookEvent
from grading.core.errors import WebhookRefused
from grading.engine import repository_addresses
from grading.models import (
    Activity,
    Appeal,
    Assignment,
    Audit,
    FeedbackReport,
    Organization,
    Submission,
    Webhook,
    WebhookDelivery,
)
from grading.notifications.webhook_deliveries import DELIVERIES
from grading.notifications.webhook_signatures import new_secret, sealed

MAX_WEBHOOKS = 10
# A test costs the letter worker up to ten seconds.
MAX_TESTS, TESTS_WITHIN = 5, timedelta(minutes=1)
# So does what is sent again; after a receiver was down there is more of it.
MAX_REDELIVERIES = 50
# Time in which a receiver may change over to a new secret.
OVERLAP = timedelta(hours=24)
ROTATED, REDELIVERED = "webhook.secret_replaced", "webhook.redelivered"
TURNED_OFF = "The webhook was turned off before this was sent."


def add_webhook(
    *, organization: Organization, url: str, events: Collection[WebhookEvent], by: User
) -> tuple[Webhook, str]:
    """Create a webhook; return it with its signing secret, which is readable only now.

    Raises WebhookRefused: events_missing, too_many_webhooks, and the codes of
    repository_addresses.pinned.
    """
    chosen = _event_values(events)
    repository_addresses.pinned(url)
    secret = new_secret()
    with transaction.atomic():
        # Two teachers must not both add the last one.
        Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        if Webhook.objects.filter(organization=organization).count() >= MAX_WEBHOOKS:
            sentence = f"You already have {MAX_WEBHOOKS} webhooks. Delete one first."
            raise WebhookRefused("", "too_many_webhooks", sentence)
        webhook = Webhook.objects.create(
            organization=organization,
            url=url,
            sealed_secret=sealed(secret),
            events=chosen,
            made_by=by,
        )
        _record(webhook, by, verb="webhook.added")
    return webhook, secret


def change_webhook(
    *,
    webhook: Webhook,
    by: User,
    url: str | None = None,
    events: Collection[WebhookEvent] | None = None,
    active: bool | None = None,
) -> None:
    """Change the URL, the events or whether it is on; None leaves a value as it is.

    A new URL also gets the waiting deliveries, signed by the same secret. Raises WebhookRefused as
    `add_webhook` does, and then changes nothing.
    """
    changed: dict[str, Any] = {} if events is None else {"events": _event_values(events)}
    if url is not None:
        repository_addresses.pinned(url)
        changed["url"] = url

    with transaction.atomic():
        if changed and Webhook.objects.filter(pk=webhook.pk).update(**changed):
            webhook.url = changed.get("url", webhook.url)
            _record(webhook, by, verb="webhook.changed")
        if active is not None:
            switch_webhook(webhook=webhook, active=active, by=by)


def rotate_secret(*, webhook: Webhook, by: User) -> str:
    """Replace the signing secret and return the new one, which is readable only now.

    The old one signs beside it for a day, and one before that no more.
    """
    secret = new_secret()
    with transaction.atomic():
        row = Webhook.objects.select_for_update().get(pk=webhook.pk)
        webhook.sealed_secret, webhook.sealed_previous = sealed(secret), row.sealed_secret
        webhook.previous_until = timezone.now() + OVERLAP
        webhook.save(update_fields=["sealed_secret", "sealed_previous", "previous_until"])
        _record(webhook, by, verb=ROTATED)
    return secret


def switch_webhook(*, webhook: Webhook, active: bool, by: User) -> None:
    """Turn a webhook on or off; turning off fails its waiting deliveries. It is idempotent."""
    with transaction.atomic():
        if not Webhook.objects.filter(pk=webhook.pk, active=not active).update(active=active):
            return
        if not active:
            WebhookDelivery.objects.filter(webhook=webhook, state=DeliveryState.WAITING).update(
                state=DeliveryState.FAILED, error=TURNED_OFF, ended_at=timezone.now()
            )
        _record(webhook, by, verb="webhook.switched_on" if active else "webhook.switched_off")


def delete_webhook(*, webhook: Webhook, by: User) -> None:
    """Delete a webhook with its deliveries."""
    with transaction.atomic():
        # Before the deletion: the log needs the row's key.
        _record(webhook, by, verb="webhook.deleted")
        webhook.delete()


def send_test(*, webhook: Webhook, by: User) -> WebhookDelivery:
    """Send a test event. Raises WebhookRefused webhook_off, too_many_tests."""
    if not webhook.active:
        raise WebhookRefused("", "webhook_off", "Turn the webhook on first.")
    with transaction.atomic():
        # Two teachers must not both send the last one.
        Organization.objects.select_for_update(no_key=True).get(pk=webhook.organization_id)
        _refuse_many_tests()
        _record(webhook, by, verb="webhook.tested")
        (delivery,) = _create_deliveries(
            [webhook], WebhookEvent.TEST, webhook.organization_id, [{}]
        )
    return delivery


def redeliver(*, delivery: WebhookDelivery, by: User) -> None:
    """Send a delivery again, now and with all its tries. Its id stays, so that it counts once.

    Raises WebhookRefused webhook_off, too_many_redeliveries.
    """
    if not delivery.webhook.active:
        raise WebhookRefused("", "webhook_off", "Turn the webhook on first.")
    with transaction.atomic():
        Organization.objects.select_for_update(no_key=True).get(pk=delivery.organization_id)
        _refuse_many_redeliveries()
        again = {"state": DeliveryState.WAITING, "tries": 0, "next_at": timezone.now()}
        again |= {"status": None, "answer": "", "error": "", "ended_at": None}
        WebhookDelivery.objects.filter(pk=delivery.pk).update(**again)
        _record(delivery.webhook, by, verb=REDELIVERED)
        DELIVERIES.enqueue_on_commit(delivery.organization_id)
    delivery.refresh_from_db()


def _refuse_many_redeliveries() -> None:
    """Count those of the organization whose scope is entered."""
    since = timezone.now() - TESTS_WITHIN
    if Activity.objects.filter(verb=REDELIVERED, at__gt=since).count() >= MAX_REDELIVERIES:
        sentence = f"{MAX_REDELIVERIES} were sent again within a minute. Wait a minute."
        raise WebhookRefused("", "too_many_redeliveries", sentence)


def _refuse_many_tests() -> None:
    """Count the tests of the organization whose scope is entered."""
    tests = WebhookDelivery.objects.filter(
        event=WebhookEvent.TEST, created_at__gt=timezone.now() - TESTS_WITHIN
    )
    if tests.count() >= MAX_TESTS:
        sentence = f"{MAX_TESTS} tests were sent within a minute. Wait a minute, then try again."
        raise WebhookRefused("", "too_many_tests", sentence)


def announce_audit(*, audit: Audit, event: WebhookEvent) -> None:
    """Announce that an audit ended, unless it is a peer's."""
    # The time at which a peer works would reveal who it is.
    if audit.kind == AuditKind.PEER or not (webhooks := _subscribers_of(event)):
        return
    submission = _submission(audit.submission_id)
    data = {"audit": str(audit.pk), "submission": str(submission.pk), "attempt": submission.attempt}
    _queue_events(webhooks, event, submission.assignment, "audit", [(audit.pk, data)])


def announce_releases(
    *, assignment: Assignment, audits: Collection[str], criterion: str = ""
) -> None:
    """Announce released grades by the ids of their audits. Two queries for any number.

    `criterion` is the id of one that was released alone.
    """
    if audits and (webhooks := _subscribers_of(WebhookEvent.GRADE_RELEASED)):
        alone = {"criterion": criterion} if criterion else {}
        events_data = [(audit, {"audit": audit} | alone) for audit in audits]
        _queue_events(webhooks, WebhookEvent.GRADE_RELEASED, assignment, "audit", events_data)


def announce_appeal(*, appeal: Appeal, event: WebhookEvent) -> None:
    """Announce that an appeal was filed or answered."""
    if webhooks := _subscribers_of(event):
        submission = _submission(appeal.submission_id)
        data = {
            "appeal": appeal.pk,
            "submission": str(submission.pk),
            "criterion": appeal.criterion_id,
        }
        _queue_events(webhooks, event, submission.assignment, "appeal", [(appeal.pk, data)])


def announce_feedback(*, report: FeedbackReport) -> None:
    """Announce a peer's report, without its author or subject: its page shows what each may know."""
    if webhooks := _subscribers_of(WebhookEvent.FEEDBACK_RECEIVED):
        events_data = [(report.pk, {"feedback": str(report.pk)})]
        _queue_events(
            webhooks, WebhookEvent.FEEDBACK_RECEIVED, report.assignment, "feedback", events_data
        )


def _event_values(events: Collection[WebhookEvent]) -> list[str]:
    if not events:
        raise WebhookRefused("events", "events_missing", "Choose at least one event.")
    return [event.value for event in WEBHOOK_EVENTS if event in events]


def _subscribers_of(event: WebhookEvent) -> list[Webhook]:
    """Return the active webhooks for this event, in the organization whose scope is entered."""
    return list(
        Webhook.objects.filter(active=True, events__contains=[event.value]).defer("sealed_secret")
    )


def _submission(key: UUID) -> Submission:
    return Submission.objects.select_related("assignment__cohort", "assignment__organization").get(
        pk=key
    )


def _queue_events(
    webhooks: list[Webhook],
    event: WebhookEvent,
    assignment: Assignment,
    page: str,
    events_data: Collection[tuple[Any, dict[str, Any]]],
) -> None:
    """Queue one event for each row of `events_data`: the key of its `page`, and its own data."""
    slug = assignment.organization.slug
    place = {"organization": slug, "cohort": assignment.cohort.slug, "assignment": assignment.slug}
    payloads = [
        {**place, **data, "page": f"{settings.SITE_URL}{reverse(page, args=[slug, key])}"}
        for key, data in events_data
    ]
    _create_deliveries(webhooks, event, assignment.organization_id, payloads)


def _create_deliveries(
    webhooks: list[Webhook],
    event: WebhookEvent,
    organization_id: int,
    payloads: Collection[dict[str, Any]],
) -> list[WebhookDelivery]:
    at = timezone.now().isoformat(timespec="seconds")

    rows = []
    for data, webhook in product(payloads, webhooks):
        key = uuid4()
        payload = {"id": str(key), "event": event.value, "at": at, **data}
        rows.append(
            WebhookDelivery(
                id=key,
                organization_id=organization_id,
                webhook=webhook,
                event=event,
                payload=payload,
            )
        )

    WebhookDelivery.objects.bulk_create(rows)
    DELIVERIES.enqueue_on_commit(organization_id)
    return rows


def _record(webhook: Webhook, by: User, *, verb: str) -> None:
    host = urlsplit(webhook.url).hostname or ""
    record_activity(
        organization=webhook.organization_id, actor=by, verb=verb, about=webhook, host=host
    )
