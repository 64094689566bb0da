"""Webhooks: made and switched by teachers, and told of what happens in the transaction in which it does.

What is told is which object and where it stands: no score, and nobody's name. Whoever may read it reads it there.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from itertools import product
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.core.activity import record_activity
from grading.core.crypto import seal
from grading.core.enums import WEBHOOK_EVENTS, AuditKind, DeliveryState, WebhookEvent
from grading.core.errors import WebhookRefused
from grading.engine import repository_addresses
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    FeedbackReport,
    Organization,
    Submission,
    Webhook,
    WebhookDelivery,
)
from grading.notifications.webhook_deliveries import DELIVERIES, SEAL

MOST_WEBHOOKS = 10
RANDOM_BYTES = 32
SWITCHED_OFF = "The webhook was switched off before it could be sent."


def add_webhook(
    *, organization: Organization, url: str, events: Collection[WebhookEvent], by: User
) -> tuple[Webhook, str]:
    """A webhook and, this once, the secret that signs what it is told.

    Raises WebhookRefused: events_missing, too_many_webhooks, and what repository_addresses.pinned refuses.
    """
    chosen = _chosen(events)
    repository_addresses.pinned(url)
    secret = f"whsec_{secrets.token_urlsafe(RANDOM_BYTES)}"
    with transaction.atomic():
        Organization.objects.select_for_update(no_key=True).get(
            pk=organization.pk
        )  # two may not be the last
        if Webhook.objects.filter(organization=organization).count() >= MOST_WEBHOOKS:
            sentence = f"There are {MOST_WEBHOOKS} webhooks already: delete one first."
            raise WebhookRefused("", "too_many_webhooks", sentence)
        webhook = Webhook.objects.create(
            organization=organization,
            url=url,
            sealed_secret=seal(secret, purpose=SEAL),
            events=chosen,
            made_by=by,
        )
        _note(webhook, by, verb="webhook.added")
    return webhook, secret


def change_webhook(
    *,
    webhook: Webhook,
    by: User,
    url: str | None = None,
    events: Collection[WebhookEvent] | None = None,
    active: bool | None = None,
) -> None:
    """Another address, which is sent what waits as well, under the same secret; other events; on or off. None: as it is.

    Raises WebhookRefused as add_webhook does; then nothing has changed.
    """
    changed: dict[str, Any] = {} if events is None else {"events": _chosen(events)}
    if url is not None:
        repository_addresses.pinned(url)
        changed["url"] = url
    with transaction.atomic():
        if changed and Webhook.objects.filter(pk=webhook.pk).update(**changed):
            webhook.url = changed.get("url", webhook.url)
            _note(webhook, by, verb="webhook.changed")
        if active is not None:
            switch_webhook(webhook=webhook, active=active, by=by)


def switch_webhook(*, webhook: Webhook, active: bool, by: User) -> None:
    """From now on it is told, or is not; what waited when it was switched off is not sent. Twice changes nothing."""
    with transaction.atomic():
        if not Webhook.objects.filter(pk=webhook.pk, active=not active).update(active=active):
            return
        if not active:
            WebhookDelivery.objects.filter(webhook=webhook, state=DeliveryState.WAITING).update(
                state=DeliveryState.FAILED, error=SWITCHED_OFF, ended_at=timezone.now()
            )
        _note(webhook, by, verb="webhook.switched_on" if active else "webhook.switched_off")


def delete_webhook(*, webhook: Webhook, by: User) -> None:
    """With all that was ever sent to it."""
    with transaction.atomic():
        _note(webhook, by, verb="webhook.deleted")
        webhook.delete()


def send_test(*, webhook: Webhook, by: User) -> WebhookDelivery:
    """Tell it of an event that stands for nothing. Raises WebhookRefused webhook_off."""
    if not webhook.active:
        raise WebhookRefused("", "webhook_off", "Switch it on first: nothing is sent to it now.")
    with transaction.atomic():
        _note(webhook, by, verb="webhook.tested")
        (delivery,) = _write([webhook], WebhookEvent.TEST, webhook.organization_id, [{}])
    return delivery


def announce_audit(*, audit: Audit, event: WebhookEvent) -> None:
    """An audit has ended. A peer's is not told of: when a peer is at work would tell who it is."""
    if audit.kind == AuditKind.PEER or not (webhooks := _told_of(event)):
        return
    submission = _submission(audit.submission_id)
    told = {"audit": str(audit.pk), "submission": str(submission.pk), "attempt": submission.attempt}
    _tell(webhooks, event, submission.assignment, "audit", [(audit.pk, told)])


def announce_releases(*, assignment: Assignment, audits: Collection[str]) -> None:
    """Students were told what counts: `audits` are the ids of those that they were told of. Two queries for any number."""
    if audits and (webhooks := _told_of(WebhookEvent.GRADE_RELEASED)):
        news = [(audit, {"audit": audit}) for audit in audits]
        _tell(webhooks, WebhookEvent.GRADE_RELEASED, assignment, "audit", news)


def announce_appeal(*, appeal: Appeal, event: WebhookEvent) -> None:
    """An appeal was filed or answered."""
    if webhooks := _told_of(event):
        submission = _submission(appeal.submission_id)
        told = {
            "appeal": appeal.pk,
            "submission": str(submission.pk),
            "criterion": appeal.criterion_id,
        }
        _tell(webhooks, event, submission.assignment, "appeal", [(appeal.pk, told)])


def announce_feedback(*, report: FeedbackReport) -> None:
    """A peer's report arrived. Neither who wrote it nor on whom is told: its page says to each what they may know."""
    if webhooks := _told_of(WebhookEvent.FEEDBACK_RECEIVED):
        news = [(report.pk, {"feedback": str(report.pk)})]
        _tell(webhooks, WebhookEvent.FEEDBACK_RECEIVED, report.assignment, "feedback", news)


def _chosen(events: Collection[WebhookEvent]) -> list[str]:
    if not events:
        raise WebhookRefused("events", "events_missing", "Choose at least one event to be told of.")
    return [event.value for event in WEBHOOK_EVENTS if event in events]


def _told_of(event: WebhookEvent) -> list[Webhook]:
    """Of the organization whose scope is entered."""
    return list(
        Webhook.objects.filter(active=True, events__contains=[event.value]).defer("sealed_secret")
    )


def _submission(key: UUID) -> Submission:
    return Submission.objects.select_related("assignment__cohort", "assignment__organization").get(
        pk=key
    )


def _tell(
    webhooks: list[Webhook],
    event: WebhookEvent,
    assignment: Assignment,
    page: str,
    news: Collection[tuple[Any, dict[str, Any]]],
) -> None:
    """`news` are keys of what `page` shows, each with what is told of it."""
    slug = assignment.organization.slug
    place = {"organization": slug, "cohort": assignment.cohort.slug, "assignment": assignment.slug}
    tolds = [
        {**place, **told, "page": f"{settings.SITE_URL}{reverse(page, args=[slug, key])}"}
        for key, told in news
    ]
    _write(webhooks, event, assignment.organization_id, tolds)


def _write(
    webhooks: list[Webhook],
    event: WebhookEvent,
    organization_id: int,
    tolds: Collection[dict[str, Any]],
) -> list[WebhookDelivery]:
    at = timezone.now().isoformat(timespec="seconds")
    rows = []
    for told, webhook in product(tolds, webhooks):
        key = uuid4()
        payload = {"id": str(key), "event": event.value, "at": at, **told}
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


def _note(webhook: Webhook, by: User, *, verb: str) -> None:
    host = urlsplit(webhook.url).hostname or ""
    record_activity(
        organization=webhook.organization_id, actor=by, verb=verb, about=webhook, host=host
    )
