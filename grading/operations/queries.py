"""How an organization's audits went over time: how many ended, how long they had waited, what failed, what it cost."""

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

from grading.core.enums import AuditState
from grading.models import Audit, ModelUsage

PeriodUnit = Literal["hour", "day"]
PERIODS: dict[PeriodUnit, tuple[timedelta, int]] = {
    "hour": (timedelta(hours=1), 24),
    "day": (timedelta(days=1), 30),
}
LATEST_FAILURES = 20


class Percentile(Aggregate):
    """PostgreSQL's percentile_cont: between two rows it interpolates. `fraction` is 0.5 for the median."""

    function = "PERCENTILE_CONT"
    name = "Percentile"
    template = "%(function)s(%(fraction)s) WITHIN GROUP (ORDER BY %(expressions)s)"

    def __init__(self, expression: Any, fraction: float) -> None:
        super().__init__(expression, fraction=fraction, output_field=DurationField())


@dataclass(frozen=True, slots=True)
class Period:
    """An hour or a day. `waited_*` (seconds) are of the audits that ended in it, from the queue to the run that
    ended them; null where none was taken up. `longest` is how many waited at once at the most. `unpriced` counts
    answers of models whose cost is not known."""

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
    """A code of the audits that failed, how often, and when last."""

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
    """`stretches` oldest first, without a gap, the last one still going on."""

    stretches: tuple[Period, ...]
    failures: tuple[Failure, ...]
    failed: tuple[Audit, ...]
    now: Now


def operations_of(slot: PeriodUnit, now: datetime) -> Operations:
    """Of the organization whose scope is entered. Six queries."""
    begins = period_starts(slot, now)
    failed = Audit.objects.filter(state=AuditState.FAILED, finished_at__gte=begins[0])
    counted = failed.order_by().values_list("failure_code")
    rows = counted.annotate(count=Count("pk"), last=Max("finished_at")).order_by(
        "-count", "failure_code"
    )
    latest = failed.select_related("submission__student", "submission__assignment").order_by(
        "-finished_at", "pk"
    )
    return Operations(
        stretches=_stretches(slot, begins),
        failures=tuple(Failure(*row) for row in rows),
        failed=tuple(latest[:LATEST_FAILURES]),
        now=_now(),
    )


def period_starts(slot: PeriodUnit, now: datetime) -> list[datetime]:
    """Of the hours or days that are told of, oldest first; in UTC, like every date of the site."""
    last = now.replace(minute=0, second=0, microsecond=0)
    step, count = PERIODS[slot]
    if slot == "day":
        last = last.replace(hour=0)
    return [last - step * back for back in reversed(range(count))]


def _stretches(slot: PeriodUnit, begins: Sequence[datetime]) -> tuple[Period, ...]:
    ended, bought = _ended(slot, begins[0]), _bought(slot, begins[0])
    longest = longest_queues(waits_since(begins[0]), begins)
    return tuple(
        Period(each, **ended.get(each, {}), **bought.get(each, {}), longest=waited)
        for each, waited in zip(begins, longest, strict=True)
    )


def _ended(slot: PeriodUnit, since: datetime) -> dict[datetime, dict[str, Any]]:
    waited = F("started_at") - F("queued_at")
    rows = (
        Audit.objects.filter(finished_at__gte=since)
        .order_by()
        .values(begins=Trunc("finished_at", slot, output_field=DateTimeField()))
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


def _bought(slot: PeriodUnit, since: datetime) -> dict[datetime, dict[str, Any]]:
    rows = (
        ModelUsage.objects.filter(created_at__gte=since)
        .order_by()
        .values(begins=Trunc("created_at", slot, output_field=DateTimeField()))
        .annotate(
            bought=Sum("cost_usd", default=Decimal(0)), unknown=Count("pk", filter=Q(cost_usd=None))
        )
    )
    return {row["begins"]: {"cost_usd": row["bought"], "unpriced": row["unknown"]} for row in rows}


def _now() -> Now:
    waiting = Q(state=AuditState.QUEUED)
    seen = Audit.objects.aggregate(
        waiting=Count("pk", filter=waiting),
        running=Count("pk", filter=Q(state=AuditState.RUNNING)),
        oldest=Min("queued_at", filter=waiting),
    )
    return Now(**seen)


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
class AuditListing:
    """Which audits: `since` is inside, `until` outside and null for no end; `code` of a failure, "" for any."""

    show: Show
    since: datetime
    until: datetime | None = None
    code: str = ""


def audits_listed(asked: AuditListing) -> QuerySet[Audit]:
    """Of the organization whose scope is entered, with students and assignments: what ended latest first, all else
    first come first."""
    every = waiting_since(asked.since) if asked.show == "queued" else Audit.objects.all()
    audits = every.filter(_which(asked)).defer("report")
    order = "-finished_at" if asked.show in ("ended", "failed", "paid") else "queued_at"
    return audits.select_related("submission__student", "submission__assignment").order_by(
        order, "pk"
    )


def _which(asked: AuditListing) -> Q | Exists:
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


def _within(field: str, asked: AuditListing) -> Q:
    begun = Q(**{f"{field}__gte": asked.since})
    return begun if asked.until is None else begun & Q(**{f"{field}__lt": asked.until})


Wait = tuple[datetime, datetime | None]


def waits_since(since: datetime) -> list[Wait]:
    """When each audit came to the queue, and when it left it: null for what still waits. One query.

    What a worker gave back counts as waiting until the run that ended it, as in the times that are told beside it.
    """
    there = waiting_since(since).order_by().values_list("queued_at", "left")
    return list(there)


def waiting_since(since: datetime) -> QuerySet[Any]:
    """The audits that were in the queue at that moment or came to it later; each with when it `left`."""
    waits_still = When(state=AuditState.QUEUED, then=Value(None, output_field=DateTimeField()))
    left = Case(waits_still, default=Coalesce(F("started_at"), F("finished_at")))
    waits = Audit.objects.filter(queued_at__isnull=False).annotate(left=left)
    return waits.filter(Q(state=AuditState.QUEUED) | Q(left__gt=since))


def longest_queues(waits: Iterable[Wait], begins: Sequence[datetime]) -> list[int]:
    """How many waited at once at the most, in each stretch between these moments; the last one still goes on."""
    listed = list(waits)
    moves = [(came, 1) for came, _left in listed] + [
        (left, -1) for _came, left in listed if left is not None
    ]
    moves.sort()  # who leaves as somebody comes has left before
    length, place, longest = 0, 0, []
    for begin, end in pairwise([*begins, datetime.max.replace(tzinfo=UTC)]):
        while place < len(moves) and moves[place] <= (begin, -1):
            length, place = length + moves[place][1], place + 1
        most = length
        while place < len(moves) and moves[place] <= (end, -1):
            length, place = length + moves[place][1], place + 1
            most = max(most, length)
        longest.append(most)
    return longest
