"""How an organization's audits went over time: how many ended, how long they had waited, what failed, what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from django.db.models import Aggregate, Count, DateTimeField, DurationField, F, Max, Min, Q, Sum
from django.db.models.functions import Trunc

from grading.enums import AuditState
from grading.models import Audit, ModelUsage
from grading.queries.audits.queue_length import longest_in, waits_since

Slot = Literal["hour", "day"]
SLOTS: dict[Slot, tuple[timedelta, int]] = {
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
class Stretch:
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

    stretches: tuple[Stretch, ...]
    failures: tuple[Failure, ...]
    failed: tuple[Audit, ...]
    now: Now


def operations_of(slot: Slot, now: datetime) -> Operations:
    """Of the organization whose scope is entered. Six queries."""
    begins = beginnings(slot, now)
    failed = Audit.objects.filter(state=AuditState.FAILED, finished_at__gte=begins[0])
    counted = failed.order_by().values_list("failure_code")
    rows = counted.annotate(count=Count("pk"), last=Max("finished_at")).order_by("-count", "failure_code")
    latest = failed.select_related("submission__student", "submission__assignment").order_by(
        "-finished_at", "pk"
    )
    return Operations(
        stretches=_stretches(slot, begins),
        failures=tuple(Failure(*row) for row in rows),
        failed=tuple(latest[:LATEST_FAILURES]),
        now=_now(),
    )


def beginnings(slot: Slot, now: datetime) -> list[datetime]:
    """Of the hours or days that are told of, oldest first; in UTC, like every date of the site."""
    last = now.replace(minute=0, second=0, microsecond=0)
    step, count = SLOTS[slot]
    if slot == "day":
        last = last.replace(hour=0)
    return [last - step * back for back in reversed(range(count))]


def _stretches(slot: Slot, begins: Sequence[datetime]) -> tuple[Stretch, ...]:
    ended, bought = _ended(slot, begins[0]), _bought(slot, begins[0])
    longest = longest_in(waits_since(begins[0]), begins)
    return tuple(
        Stretch(each, **ended.get(each, {}), **bought.get(each, {}), longest=waited)
        for each, waited in zip(begins, longest, strict=True)
    )


def _ended(slot: Slot, since: datetime) -> dict[datetime, dict[str, Any]]:
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


def _bought(slot: Slot, since: datetime) -> dict[datetime, dict[str, Any]]:
    rows = (
        ModelUsage.objects.filter(created_at__gte=since)
        .order_by()
        .values(begins=Trunc("created_at", slot, output_field=DateTimeField()))
        .annotate(bought=Sum("cost_usd", default=Decimal(0)), unknown=Count("pk", filter=Q(cost_usd=None)))
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
