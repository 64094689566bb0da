"""Fair order of waiting audits between organizations.

Each organization has its few longest waiting audits on a queue. Valkey serves a queue in the order
of arrival; when one of an organization's audits starts, its next one is added behind everybody
else's (core/audit_queue.py).
"""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

import structlog
from django.core.cache import cache
from django.db.models import Q
from django_rq import get_queue
from redis.exceptions import RedisError

from grading.core.enums import AuditKind, AuditState
from grading.core.rls.rls_scope import as_dispatcher
from grading.models import Audit

# Jobs of one organization on one queue: enough to keep workers busy, since each start adds the
# next.
AHEAD = 4
CACHE_SECONDS = 2
SUBMISSIONS, BULK = "submissions", "bulk"
log = structlog.get_logger(__name__)


def queue_of(audit: Audit) -> str:
    """Return the queue: students' own submissions are served before an instructor's bulk runs."""
    return BULK if audit.kind == AuditKind.INSTRUCTOR else SUBMISSIONS


def belongs_on(queue: str) -> Q:
    """Return the filter for the audits of this queue, as `queue_of` decides."""
    bulk = Q(kind=AuditKind.INSTRUCTOR)
    return bulk if queue == BULK else ~bulk


def job_id(audit: Audit, attempt: int) -> str:
    return f"audit-{audit.pk}-{attempt}"


def in_turn(waiting: Iterable[Audit]) -> list[Audit]:
    """Return the audits that belong on a queue now; `waiting` are all, longest first."""
    counts: Counter[tuple[int, str]] = Counter()
    chosen = []
    for audit in waiting:
        line = (audit.organization_id, queue_of(audit))
        counts[line] += 1
        if counts[line] <= AHEAD:
            chosen.append(audit)
    return chosen


def queue_position(audit: Audit) -> int | None:
    """Return the position of an audit, 1 for the next; None if it does not wait. One query.

    Students' own submissions are served before bulk runs. A later submission of another
    organization goes before an audit only if that is not among the first `AHEAD` of its own.
    """
    return (
        _positions(queue_of(audit)).get(str(audit.pk)) if audit.state == AuditState.QUEUED else None
    )


def position_shown(audit: Audit) -> int | None:
    """Return `queue_position`, at most `CACHE_SECONDS` old."""
    if audit.state != AuditState.QUEUED:
        return None
    # A whole course reloads its pages while it waits: that must not load the database.
    queue, key = queue_of(audit), str(audit.pk)
    positions = _cached_positions(queue)

    # The audit may have been queued after the positions were cached.
    if positions is None or key not in positions:
        positions = _positions(queue)
        _cache_positions(queue, positions)
    return positions.get(key)


def _positions(queue: str) -> dict[str, int]:
    """Return the positions of all audits that wait for this queue, by their ids."""
    with as_dispatcher():
        everywhere = Audit.objects.filter(state=AuditState.QUEUED).only(
            "organization_id", "kind", "run_attempt"
        )
        waiting = list(everywhere.order_by("queued_at", "pk"))

    ahead = sum(queue_of(audit) == SUBMISSIONS for audit in waiting) if queue == BULK else 0
    own = [audit for audit in waiting if queue_of(audit) == queue]
    order = service_order(own, _queue_order(queue))
    return {str(audit.pk): place for place, audit in enumerate(order, ahead + 1)}


def _cached_positions(queue: str) -> dict[str, int] | None:
    try:
        kept: dict[str, int] | None = cache.get(f"positions-{queue}")
    except RedisError as error:
        log.warning("places_not_kept", said=str(error))
        return None
    return kept


def _cache_positions(queue: str, positions: dict[str, int]) -> None:
    # Logged already by _cached_positions.
    with contextlib.suppress(RedisError):
        cache.set(f"positions-{queue}", positions, CACHE_SECONDS)


def service_order(waiting: Iterable[Audit], arrivals: dict[str, int]) -> Iterator[Audit]:
    """Yield one queue's audits in the order in which workers take them.

    `waiting` are sorted longest first; `arrivals` are the places of jobs on the queue.
    """
    lines = {key: list(line) for key, line in groupby(sorted(waiting, key=_line), key=_line)}
    on_queue = in_turn(waiting)
    behind = {key: iter(line[AHEAD:]) for key, line in lines.items()}

    # Audits whose job is not on the queue yet come last.
    last = len(arrivals)
    on_queue.sort(key=lambda audit: arrivals.get(job_id(audit, audit.run_attempt + 1), last))

    # The list grows in the loop: each audit that starts adds the next of its organization.
    for audit in on_queue:
        yield audit
        following = next(behind[_line(audit)], None)
        if following:
            on_queue.append(following)


def _queue_order(queue: str) -> dict[str, int]:
    """Return the places of jobs on the queue; empty if Valkey is down."""
    try:
        return {job: place for place, job in enumerate(get_queue(queue).job_ids)}
    except RedisError as error:
        log.warning("queue_not_asked", said=str(error))
        return {}


_line = attrgetter("organization_id")
