"""How long audits take here, as past ones show: what somebody who waits is told."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import structlog
from django.core.cache import cache
from django.db.models import F
from django_rq import get_connection
from redis.exceptions import RedisError
from rq import Worker

from grading.core.enums import REPORTED_STATES, Renewal
from grading.core.fair_turns import queue_of
from grading.models import Audit

LAST = 30
KEPT_SECONDS = 30
NO_PACE = "none"  # kept as well, so that it is not asked for again at once
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """The median seconds of the last `of` audits under the same bench, and how many workers share the queue now."""

    seconds: float
    of: int
    workers: int

    def until_report(self, position: int) -> float:
        """Seconds until the audit at this place in the queue has its report; the workers take turns."""
        return ((position - 1) // self.workers + 1) * self.seconds


def pace_of(audit: Audit) -> Pace | None:
    """None before an audit has ended here, and while no worker is there to keep any pace. At most half a minute old."""
    key = f"pace-{audit.organization_id}-{audit.submission.assignment.bench}-{queue_of(audit)}"
    try:
        kept: Pace | str | None = cache.get(key)
        if kept is None:
            kept = _pace_of(audit) or NO_PACE
            cache.set(key, kept, KEPT_SECONDS)
    except RedisError as error:
        log.warning("pace_not_known", said=str(error))
        return None
    return kept if isinstance(kept, Pace) else None


def _pace_of(audit: Audit) -> Pace | None:
    ended = Audit.objects.filter(
        state__in=REPORTED_STATES,
        renewal=Renewal.MISSING,
        started_at__isnull=False,
        submission__assignment__bench=audit.submission.assignment.bench,
    ).annotate(took=F("finished_at") - F("started_at"))
    times = [
        took.total_seconds()
        for took in ended.order_by("-finished_at").values_list("took", flat=True)[:LAST]
    ]
    queue = queue_of(audit)
    workers = sum(queue in worker.queue_names() for worker in Worker.all(get_connection(queue)))
    return Pace(median(times), len(times), workers) if times and workers else None
