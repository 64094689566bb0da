"""Estimates of waiting times, from past audits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import structlog
from django.core.cache import cache
from django.db.models import F
from django_rq import get_connection
from redis.exceptions import RedisError
from rq import Worker

from grading.core.enums import REPORTED_STATES, Renewal
from grading.core.fair_turns import queue_of
from grading.models import Audit

SAMPLE_SIZE = 30
CACHE_SECONDS = 30
# Cached too, so that an unknown pace is not computed at every poll.
NO_PACE = "none"
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """Median seconds of the last `of` audits with the same bench, and the workers of the queue."""

    seconds: float
    of: int
    workers: int

    def until_report(self, position: int) -> float:
        """Return the seconds until the audit at this place in the queue has its report."""
        # A worker has one audit at a time: the full rounds before this one, then its own.
        return ((position - 1) // self.workers + 1) * self.seconds


def pace_of(audit: Audit) -> Pace | None:
    """Return the pace, at most 30 s old; None without an ended audit or without a worker."""
    key = f"pace-{audit.organization_id}-{audit.submission.assignment.bench}-{queue_of(audit)}"
    try:
        cached: dict[str, Any] | str | None = cache.get(key)
        if cached is None:
            pace = _compute_pace(audit)
            cached = asdict(pace) if pace else NO_PACE
            cache.set(key, cached, CACHE_SECONDS)
    except RedisError as error:
        log.warning("pace_not_known", error=str(error))
        return None
    return Pace(**cached) if isinstance(cached, dict) else None


def _compute_pace(audit: Audit) -> Pace | None:
    ended = Audit.objects.filter(
        state__in=REPORTED_STATES,
        # Renewals compute again what other audits reuse: their times do not compare.
        renewal=Renewal.MISSING,
        started_at__isnull=False,
        submission__assignment__bench=audit.submission.assignment.bench,
    ).annotate(took=F("finished_at") - F("started_at"))
    times = [
        took.total_seconds()
        for took in ended.order_by("-finished_at").values_list("took", flat=True)[:SAMPLE_SIZE]
    ]

    queue = queue_of(audit)
    workers = sum(queue in worker.queue_names() for worker in Worker.all(get_connection(queue)))
    return Pace(median(times), len(times), workers) if times and workers else None
