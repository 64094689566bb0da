"""The audits behind each number of how audits go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Exists, OuterRef, Q, QuerySet

from grading.enums import AuditState
from grading.models import Audit, ModelUsage
from grading.queries.audits.queue_length import waiting_since

Show = Literal["waiting", "running", "queued", "ended", "failed", "paid"]
SHOWN: dict[Show, str] = {
    "waiting": "waiting now",
    "running": "running now",
    "queued": "in the queue",
    "ended": "ended",
    "failed": "failed",
    "paid": "asked a model",
}


@dataclass(frozen=True, slots=True)
class Behind:
    """Which audits: `since` is inside, `until` outside and null for no end; `code` of a failure, "" for any."""

    show: Show
    since: datetime
    until: datetime | None = None
    code: str = ""


def audits_behind(asked: Behind) -> QuerySet[Audit]:
    """Of the organization whose scope is entered, with students and assignments: what ended latest first, all else
    first come first."""
    every = waiting_since(asked.since) if asked.show == "queued" else Audit.objects.all()
    audits = every.filter(_which(asked)).defer("report")
    order = "-finished_at" if asked.show in ("ended", "failed", "paid") else "queued_at"
    return audits.select_related("submission__student", "submission__assignment").order_by(order, "pk")


def _which(asked: Behind) -> Q | Exists:
    if asked.show == "waiting":
        return Q(state=AuditState.QUEUED)
    if asked.show == "running":
        return Q(state=AuditState.RUNNING)
    if asked.show == "queued":
        return Q(queued_at__lt=asked.until) if asked.until else Q()
    if asked.show == "paid":
        return Exists(ModelUsage.objects.filter(_within("created_at", asked), audit=OuterRef("pk")))
    ended = _within("finished_at", asked)
    if asked.show == "failed":
        ended &= Q(state=AuditState.FAILED)
    return ended & Q(failure_code=asked.code) if asked.code else ended


def _within(field: str, asked: Behind) -> Q:
    begun = Q(**{f"{field}__gte": asked.since})
    return begun if asked.until is None else begun & Q(**{f"{field}__lt": asked.until})
