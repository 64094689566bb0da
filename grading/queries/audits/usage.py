"""What judges by a model took: sums over the answers as they were stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from grading.models import Assignment, Audit, BulkRun, Cohort, ModelUsage, Organization


@dataclass(frozen=True, slots=True)
class Spent:
    """`cost_usd` sums what has a price, `today_usd` what of it was bought since midnight in UTC; `unpriced` counts the
    answers whose cost is not known."""

    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: Decimal
    today_usd: Decimal
    unpriced: int

    def __str__(self) -> str:
        unpriced = f"; answers without a known price: {self.unpriced}" if self.unpriced else ""
        tokens = f"{self.prompt_tokens} tokens in ({self.cached_tokens} cached), {self.completion_tokens} out"
        return f"{self.calls} calls, {tokens}, {self.cost_usd:.4f} USD{unpriced}"


def usage_of_audit(audit: Audit) -> Spent:
    return _sum(ModelUsage.objects.filter(audit=audit))


def usage_of_cohort(cohort: Cohort) -> Spent:
    return _sum(ModelUsage.objects.filter(audit__submission__assignment__cohort=cohort))


def usage_of_assignment(assignment: Assignment) -> Spent:
    return _sum(ModelUsage.objects.filter(audit__submission__assignment=assignment))


def usage_of_run(run: BulkRun) -> Spent:
    """What a bulk run has bought so far."""
    return _sum(ModelUsage.objects.filter(audit__bulk_run=run))


def usage_of_organization(organization: Organization | int, *, since: datetime | None = None) -> Spent:
    """All of it, or what was bought at `since` and later."""
    rows = ModelUsage.objects.filter(organization=organization)
    return _sum(rows.filter(created_at__gte=since) if since else rows)


def start_of_today() -> datetime:
    """In UTC, like every date of the site."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


def start_of_month() -> datetime:
    """When today's month began: budgets are for calendar months."""
    return start_of_today().replace(day=1)


def _sum(rows: QuerySet[ModelUsage]) -> Spent:
    sums = rows.aggregate(  # `cost_usd` last: after it the name means the sum, and no longer the column
        calls=Sum("calls", default=0),
        prompt_tokens=Sum("prompt_tokens", default=0),
        cached_tokens=Sum("cached_tokens", default=0),
        completion_tokens=Sum("completion_tokens", default=0),
        unpriced=Count("pk", filter=Q(cost_usd=None)),
        today_usd=Sum("cost_usd", filter=Q(created_at__gte=start_of_today()), default=Decimal(0)),
        cost_usd=Sum("cost_usd", default=Decimal(0)),
    )
    return Spent(**sums)
