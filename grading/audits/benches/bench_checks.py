"""Faults of models and budgets that an organization chooses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings

from grading.core.enums import Batch
from grading.engine.bench_settings import models_of, needs_server_credentials
from grading.models import OrganizationBench

MODEL_FIELDS = ("prosecutor_model", "defense_model", "tech_lead_model")
OPERATORS_MODELS = (
    "The operator's API key serves the operator's models. Leave this blank, or enter an API key of "
    "your own."
)


@dataclass(frozen=True, slots=True)
class BenchChoices:
    """Settings that teachers choose. Budgets are US dollars, null without one."""

    prosecutor_model: str = ""
    defense_model: str = ""
    tech_lead_model: str = ""
    batch: str = Batch.PER_CRITERION
    debate: bool = False
    audit_budget_usd: Decimal | None = None
    monthly_budget_usd: Decimal | None = None


def faults_of(choices: BenchChoices, *, has_own_key: bool) -> dict[str, str]:
    """Return a sentence by field that does not fit the others; empty if all fit."""
    faults = dict(_unpaid_models(choices, has_own_key=has_own_key))
    if choices.audit_budget_usd is None:
        if choices.monthly_budget_usd is not None:
            faults["audit_budget_usd"] = "A monthly budget needs a budget for one audit."
    elif sentence := _without_price(choices, has_own_key=has_own_key):
        faults["audit_budget_usd"] = sentence
    return faults


def _unpaid_models(choices: BenchChoices, *, has_own_key: bool) -> Iterator[tuple[str, str]]:
    """Yield faults of models without an own key, and of an own key without models."""
    for field in MODEL_FIELDS:
        model = getattr(choices, field)
        if model and not has_own_key:
            yield field, OPERATORS_MODELS
        elif has_own_key and not model:
            yield field, "Your own API key pays for your own models: enter one."
        elif model and needs_server_credentials(model):
            yield field, "Your API key cannot be used with this provider."


def _without_price(choices: BenchChoices, *, has_own_key: bool) -> str:
    """Return why no budget is possible, else an empty text."""
    # An answer without a price would never use up a budget. Whether there is a key alone decides
    # whose models count.
    bench = OrganizationBench(
        **{field: getattr(choices, field) for field in MODEL_FIELDS},
        sealed_key="own" if has_own_key else "",
    )
    unpriced = sorted(set(models_of(bench).values()) - set(settings.MODEL_PRICES))
    if not unpriced:
        return ""
    models = ", ".join(unpriced) or "these models"
    return f"The operator has set no price for {models}: a budget is not possible."
