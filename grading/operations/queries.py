"""Measure an organization's audits over time: finished, failed, waiting times and cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal

from django.db.models import (
    Aggregate,
    Case,
    Count,
    DateTimeField,
    DurationField,
    Exists,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Trunc

from grading.core.enums import OPEN_STATES, AuditState
from grading.core.fair_turns import IN_GRACE
from grading.models import Audit, ModelUsage

PeriodUnit = Literal["hour", "day"]
# Length of a period and the number of them on the page: a day, or a month.
PERIODS: dict[PeriodUnit, tuple[timedelta, int]] = {
    "hour": (timedelta(hours=1), 24),
    "day": (timedelta(days=1), 30),
}
LATEST_FAILURES = 20


class Percentile(Aggregate):
    """PostgreSQL's percentile_cont, which interpolates. `fraction` is 0.5 for the median."""

    function = "PERCENTILE_CONT"
    name = "Percentile"
    template = "%(function)s(%(fraction)s) WITHIN GROUP (ORDER BY %(expressions)s)"

    def __init__(self, expression: Any, fraction: float) -> None:
        super().__init__(expression, fraction=fraction, output_field=DurationField())


@dataclass(frozen=True, slots=True)
class Period:
    """An hour or a day.

    `waited_*` are seconds in the queue before their last run, of the audits that finished in this
    period; null without any. `longest` is the greatest number that waited at once. `unpriced`
    counts answers of models without a known price.
    """

    begins: datetime
    ended: int = 0
    failed: int = 0
    waited_p50: float | None = None
    waited_p95: float | None = None
    longest: int = 0
    cost_usd: Decimal = Decimal(0)
    unpriced: int = 0

    @property
    def is_quiet(self) -> bool:
        return not (self.ended or self.longest or self.cost_usd or self.unpriced)


@dataclass(frozen=True, slots=True)
class Failure:
    """Failure code with its number of audits and the time of the last one."""

    code: str
    count: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Now:
    waiting: int
    running: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Operations:
    """Figures for the Operations page. `periods` are oldest first and without gaps."""

    periods: tuple[Period, ...]
    failures: tuple[Failure, ...]
    failed: tuple[Audit, ...]
    now: Now


def operations_of(unit: PeriodUnit, now: datetime) -> Operations:
    """Measure the organization of the current scope. Six queries."""
    begins = period_starts(unit, now)

    failed = Audit.objects.filter(state=AuditState.FAILED, finished_at__gte=begins[0])
    by_code = failed.order_by().values_list("failure_code")
    rows = by_code.annotate(count=Count("pk"), last=Max("finished_at")).order_by(
        "-count", "failure_code"
    )
    latest = failed.select_related(
        "submission__student", "submission__team", "submission__assignment"
    ).order_by("-finished_at", "pk")

    return Operations(
        periods=_periods(unit, begins),
        failures=tuple(Failure(*row) for row in rows),
        failed=tuple(latest[:LATEST_FAILURES]),
        now=_now(),
    )


def period_starts(unit: PeriodUnit, now: datetime) -> list[datetime]:
    """Return when each hour or day on the page begins, oldest first, in UTC."""
    last = now.replace(minute=0, second=0, microsecond=0)
    step, count = PERIODS[unit]
    if unit == "day":
        last = last.replace(hour=0)
    return [last - step * back for back in reversed(range(count))]


def _periods(unit: PeriodUnit, begins: Sequence[datetime]) -> tuple[Period, ...]:
    ended, costs = _ended(unit, begins[0]), _costs(unit, begins[0])
    longest = longest_queues(waits_since(begins[0]), begins)

    return tuple(
        Period(start, **ended.get(start, {}), **costs.get(start, {}), longest=waiting)
        for start, waiting in zip(begins, longest, strict=True)
    )


def _ended(unit: PeriodUnit, since: datetime) -> dict[datetime, dict[str, Any]]:
    waited = F("started_at") - F("queued_at")
    rows = (
        Audit.objects.filter(finished_at__gte=since)
        .order_by()
        .values(begins=Trunc("finished_at", unit, output_field=DateTimeField()))
        .annotate(
            ended=Count("pk"),
            failed=Count("pk", filter=Q(state=AuditState.FAILED)),
            waited_p50=Percentile(waited, 0.5),
            waited_p95=Percentile(waited, 0.95),
        )
    )
    return {
        row["begins"]: {name: _in_seconds(value) for name, value in row.items() if name != "begins"}
        for row in rows
    }


def _in_seconds(value: object) -> object:
    return value.total_seconds() if isinstance(value, timedelta) else value


def _costs(unit: PeriodUnit, since: datetime) -> dict[datetime, dict[str, Any]]:
    rows = (
        ModelUsage.objects.filter(created_at__gte=since)
        .order_by()
        .values(begins=Trunc("created_at", unit, output_field=DateTimeField()))
        .annotate(
            # Not named cost_usd: an annotation may not have the name of a column.
            total=Sum("cost_usd", default=Decimal(0)),
            unpriced=Count("pk", filter=Q(cost_usd=None)),
        )
    )
    return {row["begins"]: {"cost_usd": row["total"], "unpriced": row["unpriced"]} for row in rows}


def _now() -> Now:
    waiting = Q(~IN_GRACE, state=AuditState.QUEUED)
    # Not all audits: an index has those that are not over.
    figures = Audit.objects.filter(state__in=OPEN_STATES).aggregate(
        waiting=Count("pk", filter=waiting),
        running=Count("pk", filter=Q(state=AuditState.RUNNING)),
        oldest=Min("queued_at", filter=waiting),
    )
    return Now(**figures)


ListingKind = Literal["waiting", "running", "queued", "ended", "failed", "paid"]
LISTING_LABELS: dict[ListingKind, str] = {
    "waiting": "waiting now",
    "running": "running now",
    "queued": "in the queue",
    "ended": "finished",
    "failed": "failed",
    "paid": "used a model",
}


@dataclass(frozen=True, slots=True)
class AuditListing:
    """Choice of audits. `since` is included, `until` not and may be null; `code` "" means any."""

    show: ListingKind
    since: datetime
    until: datetime | None = None
    code: str = ""


def audits_listed(listing: AuditListing) -> QuerySet[Audit]:
    """Return the chosen audits of the current scope, with students and assignments.

    Finished audits are sorted with the latest first, others by their place in the queue.
    """
    is_queue = listing.show == "queued"
    candidates = waiting_since(listing.since) if is_queue else Audit.objects.all()
    audits = candidates.filter(_condition(listing)).defer("report")

    order = "-finished_at" if listing.show in ("ended", "failed", "paid") else "queued_at"
    return audits.select_related(
        "submission__student", "submission__team", "submission__assignment"
    ).order_by(order, "pk")


def _condition(listing: AuditListing) -> Q | Exists:
    if listing.show == "waiting":
        return Q(~IN_GRACE, state=AuditState.QUEUED)
    if listing.show == "running":
        return Q(state=AuditState.RUNNING)
    if listing.show == "queued":
        return Q(queued_at__lt=listing.until) if listing.until else Q()
    if listing.show == "paid":
        return Exists(
            ModelUsage.objects.filter(_within("created_at", listing), audit=OuterRef("pk"))
        )

    ended = _within("finished_at", listing)
    if listing.show == "failed":
        ended &= Q(state=AuditState.FAILED)
    return ended & Q(failure_code=listing.code) if listing.code else ended


def _within(field: str, listing: AuditListing) -> Q:
    condition = Q(**{f"{field}__gte": listing.since})
    if listing.until is not None:
        condition &= Q(**{f"{field}__lt": listing.until})
    return condition


Wait = tuple[datetime, datetime | None]


def waits_since(since: datetime) -> list[Wait]:
    """Return when each audit entered and left the queue, null while it waits. One query.

    An audit that a worker gave back counts as waiting until its last run, as in `waited_*`.
    """
    return list(waiting_since(since).order_by().values_list("queued_at", "left"))


def waiting_since(since: datetime) -> QuerySet[Any]:
    """Return the audits in the queue at that time or later; each with the time it `left`."""
    # `started_at` may be of an earlier run while the audit waits again, so the state decides.
    is_waiting = When(state=AuditState.QUEUED, then=Value(None, output_field=DateTimeField()))
    left = Case(is_waiting, default=Coalesce(F("started_at"), F("finished_at")))
    # Whoever left the queue since has not ended before: an index has both kinds.
    candidates = Audit.objects.filter(Q(finished_at__gt=since) | Q(state__in=OPEN_STATES))
    waits = candidates.filter(queued_at__isnull=False).annotate(left=left)
    # One that was withdrawn while it was held never entered.
    has_left = Q(left__gt=since, left__gte=F("queued_at"))
    return waits.filter(Q(~IN_GRACE, state=AuditState.QUEUED) | has_left)


def longest_queues(waits: Iterable[Wait], begins: Sequence[datetime]) -> list[int]:
    """Return the greatest number that waited at once in each period; the last has no end."""
    waits = list(waits)
    moves = [(entered, 1) for entered, _left in waits]
    moves += [(left, -1) for _entered, left in waits if left is not None]
    # -1 sorts before 1: who leaves at the moment another enters is not counted together with them.
    moves.sort()

    length, place, longest = 0, 0, []
    for begin, end in pairwise([*begins, datetime.max.replace(tzinfo=UTC)]):
        # All moves before this period, and the audits that left at its very start.
        while place < len(moves) and moves[place] <= (begin, -1):
            length, place = length + moves[place][1], place + 1

        most = length
        while place < len(moves) and moves[place] <= (end, -1):
            length, place = length + moves[place][1], place + 1
            most = max(most, length)
        longest.append(most)
    return longest
