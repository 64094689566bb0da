"""Read who judges for an organization, what it spent this month, and the latest failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from grading.audits.queries import Usage, start_of_month, usage_of_organization
from grading.engine.bench_settings import (
    address_of,
    audit_limit_of,
    bench_of,
    has_own_key,
    models_of,
    month_limit_of,
    reason_without_models,
)
from grading.engine.model_providers import label_of
from grading.models import Assignment, ModelUsage, OpinionRecord, Organization, OrganizationBench

# Of the last days: in a long history abstentions of heuristic judges are many.
LATEST_FAILURES, RECENT = 10, timedelta(days=30)
MOST_ASSIGNMENTS = 50


@dataclass(frozen=True, slots=True)
class JudgeModel:
    """Model of one judge; prices are US dollars for a million tokens, null without one."""

    judge: str
    model: str
    input: float | None = None
    cached_input: float | None = None
    output: float | None = None


@dataclass(frozen=True, slots=True)
class BenchInUse:
    """Models that judge today. `reason` says why none can, "" where they can.

    `address` is empty where it is the provider's own. Limits are US dollars for an audit and for a
    calendar month in UTC, null without one.
    """

    stored: OrganizationBench | None
    models: tuple[JudgeModel, ...]
    has_own_key: bool
    provider: str
    address: str
    reason: str
    audit_limit: Decimal | None
    month_limit: Decimal | None


@dataclass(frozen=True, slots=True)
class AssignmentSpending:
    """Usage of one assignment in this month; `assignment` is null for what belongs to none."""

    assignment: Assignment | None
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: Decimal
    unpriced: int


@dataclass(frozen=True, slots=True)
class JudgeFailureRow:
    """Answer that a model did not give; `kind` is the type of failure."""

    audit_id: UUID
    at: datetime
    student: str
    judge: str
    criterion_id: str
    model: str
    kind: str
    message: str


def bench_in_use(organization: Organization) -> BenchInUse:
    """Return the models of the organization. Four queries at most."""
    own = bench_of(organization.pk)
    refusal = reason_without_models(organization.pk)
    return BenchInUse(
        stored=own,
        models=tuple(_with_price(judge, model) for judge, model in models_of(own).items()),
        has_own_key=has_own_key(own),
        provider=label_of(own.provider) if own and has_own_key(own) else "",
        address=address_of(own) if has_own_key(own) else "",
        reason=refusal.sentence if refusal else "",
        audit_limit=audit_limit_of(own),
        month_limit=month_limit_of(own),
    )


def _with_price(judge: str, model: str) -> JudgeModel:
    price = settings.MODEL_PRICES.get(model, {})
    label = {"TechLead": "Tech Lead"}.get(judge, judge)
    return JudgeModel(
        label, model, price.get("input"), price.get("cached_input"), price.get("output")
    )


def spent_this_month(organization: Organization) -> Usage:
    return usage_of_organization(organization, since=start_of_month())


def spending_by_assignment(organization: Organization) -> list[AssignmentSpending]:
    """Return this month's usage by assignment, the most expensive first. Two queries."""
    assignment = "audit__submission__assignment"
    rows = list(
        ModelUsage.objects.filter(organization=organization, created_at__gte=start_of_month())
        .order_by()
        .values(key=F(assignment))
        .annotate(
            total_calls=Sum("calls"),
            total_prompt=Sum("prompt_tokens"),
            total_cached=Sum("cached_tokens"),
            total_completion=Sum("completion_tokens"),
            unpriced=Count("pk", filter=Q(cost_usd=None)),
            total_cost=Sum("cost_usd", default=Decimal(0)),
        )
        .order_by("-total_cost", "-total_calls", "key")[:MOST_ASSIGNMENTS]
    )
    assignments = Assignment.objects.select_related("cohort").in_bulk(
        [row["key"] for row in rows if row["key"] is not None]
    )
    return [
        AssignmentSpending(
            assignment=assignments.get(row["key"]),
            calls=row["total_calls"],
            prompt_tokens=row["total_prompt"],
            cached_tokens=row["total_cached"],
            completion_tokens=row["total_completion"],
            cost_usd=row["total_cost"],
            unpriced=row["unpriced"],
        )
        for row in rows
    ]


def latest_failures(organization: Organization) -> list[JudgeFailureRow]:
    """Return the latest answers that models did not give, newest first. One query."""
    failures = OpinionRecord.objects.filter(
        organization=organization, score=None, created_at__gt=timezone.now() - RECENT
    )
    # Heuristic judges abstain: that is no failure of a model.
    failures = failures.exclude(document__model__startswith="heuristic/")
    rows = failures.select_related("audit__submission__student", "audit__submission__team").defer(
        "audit__report"
    )
    return [
        JudgeFailureRow(
            audit_id=row.audit_id,
            at=row.created_at,
            student=row.audit.submission.owner_name,
            judge=row.judge,
            criterion_id=row.criterion_id,
            model=str(row.document.get("model", "")),
            kind=str(row.document.get("failure", "")).replace("_", " "),
            message=str(row.document.get("message", "")),
        )
        for row in rows.order_by("-created_at", "-pk")[:LATEST_FAILURES]
    ]
