"""Change an organization's models and budgets, and try its models."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from grading.audits.benches.bench_checks import BenchChoices, faults_of
from grading.audits.queries import start_of_month, usage_of_organization
from grading.core.activity_writer import record_activity
from grading.core.errors import BenchRefused
from grading.engine.bench_settings import (
    bench_of,
    month_limit_of,
    reason_without_models,
    sealed_key,
)
from grading.engine.events import UsageRow
from grading.models import ModelUsage, Organization, OrganizationBench

# Each setting with its name in the log, as the form calls it.
SETTING_NAMES = {
    "provider": "provider",
    "provider_url": "address of the provider",
    "prosecutor_model": "model of the Prosecutor",
    "defense_model": "model of the Defense",
    "tech_lead_model": "model of the Tech Lead",
    "batch": "calls",
    "debate": "debate",
    "audit_budget_usd": "budget for one audit",
    "monthly_budget_usd": "budget for one month",
    "sealed_key": "API key",
}
MOST_PER_TRIAL = Decimal("0.05")


def choices_of(bench: OrganizationBench | None) -> BenchChoices:
    names = BenchChoices.__dataclass_fields__
    return BenchChoices(**{name: getattr(bench, name) for name in names} if bench else {})


def save_bench(
    *,
    organization: Organization,
    choices: BenchChoices,
    by: User,
    new_key: str = "",
    forget_key: bool = False,
) -> OrganizationBench:
    """Save models and budgets. A new key replaces the stored one, also if that is to be forgotten.

    Raises BenchRefused with an error for every field that does not fit.
    """
    with transaction.atomic():
        # Two teachers must not both create the one row.
        Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        bench = bench_of(organization.pk) or OrganizationBench(organization=organization)
        key = bench.sealed_key if not forget_key else ""
        kept = None if new_key or forget_key else bench
        if faults := faults_of(choices, has_own_key=bool(new_key or key), stored=kept):
            raise BenchRefused("bench_unfit", " ".join(faults.values()), faults)

        after = asdict(choices) | {"sealed_key": sealed_key(new_key) if new_key else key}
        changed = [name for name in SETTING_NAMES if getattr(bench, name) != after[name]]
        if not changed:
            return bench

        before = {name: getattr(bench, name) for name in changed}
        for name in changed:
            setattr(bench, name, after[name])
        bench.save()
        record_activity(
            organization=organization,
            actor=by,
            verb="bench.changed",
            about=bench,
            what=", ".join(SETTING_NAMES[name] for name in changed),
            before=_logged(before),
            after=_logged({name: after[name] for name in changed}),
        )
    return bench


def _logged(values: dict[str, Any]) -> dict[str, Any]:
    """Return values for the log as plain JSON, without the key."""
    return {
        name: str(value) if isinstance(value, Decimal) else value
        for name, value in values.items()
        if name != "sealed_key"
    }


def budget_for_trial(organization: Organization) -> Decimal | None:
    """Return what a trial may cost in USD; None if models have no price.

    Raises BenchRefused: bench_no_models, bench_not_paid, bench_month_spent.
    """
    if refusal := reason_without_models(organization.pk):
        raise BenchRefused(refusal.code, refusal.sentence)
    month = month_limit_of(bench_of(organization.pk))
    if month is None:
        return None
    left = month - usage_of_organization(organization, since=start_of_month()).cost_usd
    if left <= 0:
        raise BenchRefused("bench_month_spent", "The budget of this month is spent.")
    return min(left, MOST_PER_TRIAL)


def record_trial(*, organization_id: int, usages: list[UsageRow]) -> None:
    """Store the usage of a trial, which counts in the month's budget."""
    ModelUsage.objects.bulk_create(
        [
            ModelUsage(
                organization_id=organization_id,
                judge=ModelUsage.TRIAL,
                criterion_id="",
                round=0,
                **asdict(usage),
            )
            for usage in usages
        ]
    )
