"""Whose turn it is: of what waits, each organization has its few longest waiting audits on a queue.

Valkey serves a queue in the order of arrival; whenever an organization's audit is taken up, its next one arrives,
behind everybody else's (core/audit_queue.py).
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

AHEAD = 4  # of one organization on one queue: enough to keep workers busy, as each that is taken up brings the next
SHOWN_SECONDS = 2
SUBMISSIONS, BULK = "submissions", "bulk"
log = structlog.get_logger(__name__)


def queue_of(audit: Audit) -> str:
    """Students' own submissions are served before what an instructor runs over a whole cohort."""
    return BULK if audit.kind == AuditKind.INSTRUCTOR else SUBMISSIONS


def belongs_on(queue: str) -> Q:
    """The audits of which `queue_of` says this name."""
    bulk = Q(kind=AuditKind.INSTRUCTOR)
    return bulk if queue == BULK else ~bulk


def job_id(audit: Audit, attempt: int) -> str:
    return f"audit-{audit.pk}-{attempt}"


def in_turn(waiting: Iterable[Audit]) -> list[Audit]:
    """Of all that wait anywhere, longest first: those that belong on a queue now."""
    seen: Counter[tuple[int, str]] = Counter()
    chosen = []
    for audit in waiting:
        line = (audit.organization_id, queue_of(audit))
        seen[line] += 1
        if seen[line] <= AHEAD:
            chosen.append(audit)
    return chosen


def queue_position(audit: Audit) -> int | None:
    """1 for the next to be taken up, as things stand; None when it is not waiting. One query.

    Students' own hand-ins are all served before bulk work. What others hand in later can only go before an audit
    that is not yet among the first `AHEAD` of its organization.
    """
    return _places(queue_of(audit)).get(str(audit.pk)) if audit.state == AuditState.QUEUED else None


def position_shown(audit: Audit) -> int | None:
    """As queue_position, at most `SHOWN_SECONDS` old: a course that watches its queue must not be what fills it."""
    if audit.state != AuditState.QUEUED:
        return None
    queue, key = queue_of(audit), str(audit.pk)
    places = _kept(queue)
    if places is None or key not in places:
        places = _places(queue)
        _keep(queue, places)
    return places.get(key)


def _places(queue: str) -> dict[str, int]:
    """The place of each audit that waits for this queue, whosever it is, by its id."""
    with as_dispatcher():
        everywhere = Audit.objects.filter(state=AuditState.QUEUED).only(
            "organization_id", "kind", "run_attempt"
        )
        waiting = list(everywhere.order_by("queued_at", "pk"))
    sooner = [each for each in waiting if queue_of(each) == SUBMISSIONS] if queue == BULK else []
    order = in_order_of_turns(
        [each for each in waiting if queue_of(each) == queue], _arrivals(queue)
    )
    return {str(each.pk): place for place, each in enumerate(order, len(sooner) + 1)}


def _kept(queue: str) -> dict[str, int] | None:
    try:
        kept: dict[str, int] | None = cache.get(f"places-{queue}")
    except RedisError as error:
        log.warning("places_not_kept", said=str(error))
        return None
    return kept


def _keep(queue: str, places: dict[str, int]) -> None:
    with contextlib.suppress(RedisError):  # said already where they were asked for
        cache.set(f"places-{queue}", places, SHOWN_SECONDS)


def in_order_of_turns(waiting: Iterable[Audit], arrivals: dict[str, int]) -> Iterator[Audit]:
    """One queue's audits as workers take them up; `waiting` longest first, `arrivals` the places of jobs on it."""
    lines = {key: list(line) for key, line in groupby(sorted(waiting, key=_line), key=_line)}
    on_queue = in_turn(waiting)
    behind = {key: iter(line[AHEAD:]) for key, line in lines.items()}
    last = len(arrivals)
    on_queue.sort(key=lambda each: arrivals.get(job_id(each, each.run_attempt + 1), last))
    for each in on_queue:  # it grows while it is walked: who is taken up brings the next
        yield each
        on_queue.extend(next_one for next_one in [next(behind[_line(each)], None)] if next_one)


def _arrivals(queue: str) -> dict[str, int]:
    """Without the queue's server, the order of handing in is all that is known."""
    try:
        return {job: place for place, job in enumerate(get_queue(queue).job_ids)}
    except RedisError as error:
        log.warning("queue_not_asked", said=str(error))
        return {}


_line = attrgetter("organization_id")
