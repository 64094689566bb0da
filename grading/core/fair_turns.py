"""Fair order of waiting audits between organizations.

Each organization has its few longest waiting audits on a queue. Valkey serves a queue in the order
of arrival; when one of an organization's audits starts, its next one is added behind everybody
else's (core/audit_queue.py).

A new submission is held for a short grace, in which it can be withdrawn: until then it is in no turn.

Organizations are free to create, so all that no operator approved wait in one line together, and in
that line the accounts that created them take turns.
"""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django_scopes import scope
from redis.exceptions import RedisError

from grading.core.enums import OPEN_STATES, AuditKind, AuditState
from grading.core.job_queues import job_queue
from grading.core.rls.rls_scope import as_dispatcher
from grading.models import Audit, Organization

# Jobs of one organization on one queue: enough to keep workers busy, since each start adds the
# next.
AHEAD = 4
# Of all organizations without approval together; so many strangers' audits are before anybody's.
UNAPPROVED_AHEAD = 2
UNAPPROVED = 0
CACHE_SECONDS = 2
SUBMISSIONS, BULK = "submissions", "bulk"
NO_ROOM = (
    "Too many audits of organizations without the operator's approval are waiting or running. "
    "Try again later."
)
# By the database's clock, as a claim is decided there.
IN_GRACE = Q(grace_until__gt=Now())
# An organization's key or UNAPPROVED, and the queue.
Line = tuple[int, str]
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


def line_of(audit: Audit) -> Line:
    """Return the line in which an audit waits: its organization's, or the shared one."""
    organization = audit.organization
    return (organization.pk if organization.is_approved else UNAPPROVED, queue_of(audit))


def lines_of(waiting: Iterable[Audit]) -> dict[Line, list[Audit]]:
    """Return each line in the order of its turns; `waiting` are sorted longest first."""
    lines = defaultdict(list)
    for audit in waiting:
        lines[line_of(audit)].append(audit)
    return {
        line: _by_rounds(audits) if line[0] == UNAPPROVED else audits
        for line, audits in lines.items()
    }


def _by_rounds(audits: list[Audit]) -> list[Audit]:
    """Return the first audit of each organization's founder, then the second of each, and so on."""
    rounds: Counter[int | None] = Counter()
    ranked = []
    for audit in audits:
        founder = audit.organization.founder_id
        rounds[founder] += 1
        ranked.append((rounds[founder], audit))
    return [audit for _round, audit in sorted(ranked, key=lambda pair: pair[0])]


def ahead_in(line: Line) -> int:
    """Return how many jobs of this line are on its queue at a time."""
    return UNAPPROVED_AHEAD if line[0] == UNAPPROVED else AHEAD


def in_turn(waiting: Iterable[Audit]) -> list[Audit]:
    """Return the audits that belong on a queue now; `waiting` are all, longest first."""
    lines = lines_of(waiting).items()
    chosen = [audit for line, audits in lines for audit in audits[: ahead_in(line)]]
    return sorted(chosen, key=lambda audit: (audit.queued_at, audit.pk))


def waiting_beside(audit: Audit) -> list[Audit]:
    """Return the audits in turn of this audit's line."""
    queue = belongs_on(queue_of(audit))
    if audit.organization.is_approved:
        with scope(organization=audit.organization_id):
            own = _waiting().filter(queue, organization=audit.organization_id)
            return list(own[:AHEAD])
    with as_dispatcher():
        return in_turn(_waiting().filter(queue, organization__approved_at=None))


def has_room(organization: Organization, number: int = 1) -> bool:
    """Return whether so many more audits fit: organizations without approval share a limit."""
    if organization.is_approved:
        return True
    with as_dispatcher():
        opened = Audit.objects.filter(state__in=OPEN_STATES, organization__approved_at=None)
        return opened.count() + number <= settings.OPEN_AUDITS_UNAPPROVED


def _waiting() -> QuerySet[Audit]:
    waiting = Audit.objects.filter(~IN_GRACE, state=AuditState.QUEUED).select_related(
        "organization"
    )
    organization = ("organization__approved_at", "organization__founder")
    return waiting.only("kind", "run_attempt", "queued_at", *organization).order_by(
        "queued_at", "pk"
    )


def queue_position(audit: Audit) -> int | None:
    """Return the position of an audit, 1 for the next; None if it does not wait or is held.

    One query.

    Students' own submissions are served before bulk runs. A later submission of another
    organization goes before an audit only if that is not among the first `AHEAD` of its own.
    """
    if audit.state != AuditState.QUEUED or audit.is_in_grace:
        return None
    return _positions(queue_of(audit)).get(str(audit.pk))


def position_shown(audit: Audit) -> int | None:
    """Return `queue_position`, at most `CACHE_SECONDS` old."""
    if audit.state != AuditState.QUEUED or audit.is_in_grace:
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
        waiting = list(_waiting())

    ahead = sum(queue_of(audit) == SUBMISSIONS for audit in waiting) if queue == BULK else 0
    own = [audit for audit in waiting if queue_of(audit) == queue]
    order = service_order(own, _queue_order(queue))
    return {str(audit.pk): place for place, audit in enumerate(order, ahead + 1)}


def _cached_positions(queue: str) -> dict[str, int] | None:
    try:
        kept: dict[str, int] | None = cache.get(f"positions-{queue}")
    except RedisError as error:
        log.warning("places_not_kept", error=str(error))
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
    waiting = list(waiting)
    # In the shared line one may have a job whose turn has passed to another account.
    turns = {audit.pk for audit in in_turn(waiting)}
    is_on_queue = {
        audit.pk: audit.pk in turns or job_id(audit, audit.run_attempt + 1) in arrivals
        for audit in waiting
    }
    on_queue = [audit for audit in waiting if is_on_queue[audit.pk]]
    number = Counter(map(line_of, on_queue))
    behind = {
        line: iter([audit for audit in audits if not is_on_queue[audit.pk]])
        for line, audits in lines_of(waiting).items()
    }

    # Audits whose job is not on the queue yet come last.
    last = len(arrivals)
    on_queue.sort(key=lambda audit: arrivals.get(job_id(audit, audit.run_attempt + 1), last))

    # The list grows in the loop: each audit that starts adds the next of its line.
    for audit in on_queue:
        yield audit
        line = line_of(audit)
        number[line] -= 1
        following = next(behind[line], None) if number[line] < ahead_in(line) else None
        if following:
            number[line] += 1
            on_queue.append(following)


def _queue_order(queue: str) -> dict[str, int]:
    """Return the places of jobs on the queue; empty if Valkey is down."""
    try:
        return {job: place for place, job in enumerate(job_queue(queue).job_ids)}
    except RedisError as error:
        log.warning("queue_not_asked", error=str(error))
        return {}
