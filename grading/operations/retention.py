"""Deletion of rows that nobody needs any more: messages that were sent, copies that can be made
again, keys of requests, sessions that are over.

Verdicts, evidence, opinions, appeals, grades and the log stay: a student may ask for their reason
years later. Each organization's rows are deleted in its scope, so many at a time that no page
waits for them; what is left is for the next round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import DeliveryState
from grading.models import (
    AuditContents,
    FeedbackEdition,
    HeldSlot,
    IdempotencyKey,
    LtiKey,
    LtiLaunch,
    Notice,
    Organization,
    Webhook,
    WebhookDelivery,
)

CHECK_SECONDS = 3600
BATCH, MOST_BATCHES = 1000, 20
# As docs/api.md promises, with a day to spare for the keys.
KEYS_KEPT, DELIVERIES_KEPT = timedelta(days=2), timedelta(days=30)
LAUNCHES_KEPT = timedelta(days=30)
# Of courses that are over: nobody may open them any more.
EDITIONS_KEPT = timedelta(days=30)
log = structlog.get_logger(__name__)
Rows = Callable[[datetime], QuerySet[Any]]


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of one kind that are due at a time. `erase` deletes them, or what is to go of them."""

    name: str
    rows: Rows
    erase: Callable[[QuerySet[Any]], object] = QuerySet.delete


def prune_if_due() -> int:
    """Delete what is due, at most once an hour over all reconcilers; return the number of rows."""
    if not cache.add("pruned", 1, timeout=CHECK_SECONDS):
        return 0
    return sum(prune().values())


def prune(*, dry_run: bool = False) -> dict[str, int]:
    """Delete what is due in all organizations; return the number of rows of each kind.

    With `dry_run` nothing is deleted, and the numbers are of all that is due.
    """
    now = timezone.now()
    counts = {kind.name: _prune(kind, now, dry_run=dry_run) for kind in OF_SITE}
    for organization in Organization.objects.order_by("pk").values_list("pk", flat=True):
        with scope(organization=organization):
            for kind in OF_ORGANIZATION:
                number = _prune(kind, now, dry_run=dry_run)
                counts[kind.name] = counts.get(kind.name, 0) + number
    if any(counts.values()) and not dry_run:
        log.info("pruned", **{name.replace(" ", "_"): n for name, n in counts.items() if n})
    return counts


def _prune(kind: Kind, now: datetime, *, dry_run: bool) -> int:
    rows = kind.rows(now)
    if dry_run:
        return rows.count()
    pruned = 0
    for _ in range(MOST_BATCHES):
        with transaction.atomic():
            keys = list(rows.order_by().values_list("pk", flat=True)[:BATCH])
            kind.erase(rows.filter(pk__in=keys))
        pruned += len(keys)
        if len(keys) < BATCH:
            break
    return pruned


def _sent_emails(now: datetime) -> QuerySet[Notice]:
    """Return emails that were sent long ago. Those of invitations are counted for ever."""
    before = now - timedelta(days=settings.KEEP_EMAILS_DAYS)
    return Notice.objects.filter(tried_at__lt=before, sent_at__isnull=False, invitation=None)


def _ended_deliveries(now: datetime) -> QuerySet[WebhookDelivery]:
    ended = WebhookDelivery.objects.exclude(state=DeliveryState.WAITING)
    return ended.filter(ended_at__lt=now - DELIVERIES_KEPT)


def _replaced_secrets(now: datetime) -> QuerySet[Webhook]:
    """Return the webhooks with a former secret that signs no more."""
    return Webhook.objects.filter(previous_until__lt=now)


def _forget_secrets(webhooks: QuerySet[Webhook]) -> int:
    return webhooks.update(sealed_previous="", previous_until=None)


def _editions(now: datetime) -> QuerySet[FeedbackEdition]:
    """Return the editions of cohorts that are over; each would be made again if it was read."""
    over = (now - EDITIONS_KEPT).date()
    return FeedbackEdition.objects.filter(report__assignment__cohort__ends_on__lt=over)


def _sources(now: datetime) -> QuerySet[AuditContents]:
    """Return the contents with texts of files whose audit ended long ago."""
    if not settings.KEEP_SOURCES_DAYS:
        return AuditContents.objects.none()
    before = now - timedelta(days=settings.KEEP_SOURCES_DAYS)
    return AuditContents.objects.filter(sources__isnull=False, audit__finished_at__lt=before)


def _forget_sources(contents: QuerySet[AuditContents]) -> int:
    return contents.update(sources=None)


def _keys(now: datetime) -> QuerySet[IdempotencyKey]:
    return IdempotencyKey.objects.filter(created_at__lt=now - KEYS_KEPT)


def _launches(now: datetime) -> QuerySet[LtiLaunch]:
    """Return old launches; those that never came back from the platform after a day."""
    unfinished = Q(received_at=None, created_at__lt=now - timedelta(days=1))
    return LtiLaunch.objects.filter(unfinished | Q(created_at__lt=now - LAUNCHES_KEPT))


def _platform_keys(now: datetime) -> QuerySet[LtiKey]:
    return LtiKey.objects.filter(published_until__lt=now)


def _sessions(now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(expire_date__lt=now)


def _slots(now: datetime) -> QuerySet[HeldSlot]:
    return HeldSlot.objects.filter(until__lt=now - timedelta(days=1))


OF_SITE = (Kind("sessions", _sessions), Kind("held slots", _slots))
OF_ORGANIZATION = (
    Kind("sent emails", _sent_emails),
    Kind("webhook deliveries", _ended_deliveries),
    Kind("replaced secrets", _replaced_secrets, _forget_secrets),
    Kind("editions", _editions),
    Kind("idempotency keys", _keys),
    Kind("launches", _launches),
    Kind("former keys for platforms", _platform_keys),
    Kind("texts of files", _sources, _forget_sources),
)
