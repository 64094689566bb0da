"""Faults of models and budgets that an organization chooses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings

from grading.core.enums import Batch
from grading.engine.bench_settings import models_of
from grading.engine.model_providers import (
    OPENAI,
    fault_of_address,
    fault_of_provider,
    has_prefix,
)
from grading.models import OrganizationBench

MODEL_FIELDS = ("prosecutor_model", "defense_model", "tech_lead_model")
OPERATORS_MODELS = (
    "The operator's API key serves the operator's models. Leave this blank, or enter an API key of "
    "your own."
)
OPERATORS_PLACE = (
    "The operator's API key is sent to the operator's endpoint. Leave this as it was, or enter an API "
    "key of your own."
)
PREFIXED = "Choose the provider above, and enter the model's own name without it."
KEY_OF_ANOTHER_PLACE = (
    "The stored key was entered for another provider or address. Enter the key for this one."
)


@dataclass(frozen=True, slots=True)
class BenchChoices:
    """Settings that teachers choose. Budgets are US dollars, null without one."""

    provider: str = OPENAI
    provider_url: str = ""
    prosecutor_model: str = ""
    defense_model: str = ""
    tech_lead_model: str = ""
    batch: str = Batch.PER_CRITERION
    debate: bool = False
    audit_budget_usd: Decimal | None = None
    monthly_budget_usd: Decimal | None = None


def faults_of(
    choices: BenchChoices, *, has_own_key: bool, stored: OrganizationBench | None = None
) -> dict[str, str]:
    """Return a sentence by field that does not fit the others; empty if all fit.

    `stored` is what was saved before, if its key is to be kept.
    """
    faults = dict(_unfit_provider(choices, has_own_key=has_own_key))
    faults |= dict(_unpaid_models(choices, has_own_key=has_own_key))
    if stored and stored.sealed_key and not is_same_place(choices, stored):
        faults["new_key"] = KEY_OF_ANOTHER_PLACE
    if choices.audit_budget_usd is None:
        if choices.monthly_budget_usd is not None:
            faults["audit_budget_usd"] = "A monthly budget needs a budget for one audit."
    elif sentence := _without_price(choices, has_own_key=has_own_key):
        faults["audit_budget_usd"] = sentence
    return faults


def is_same_place(choices: BenchChoices, stored: OrganizationBench) -> bool:
    """Return whether a stored key would go where its owner sent it."""
    # A key is shown to nobody: not to those either who may name another address for it.
    return (choices.provider, choices.provider_url) == (stored.provider, stored.provider_url)


def _unfit_provider(choices: BenchChoices, *, has_own_key: bool) -> Iterator[tuple[str, str]]:
    if has_own_key:
        yield from _faults(
            provider=fault_of_provider(choices.provider),
            provider_url=fault_of_address(choices.provider, choices.provider_url),
        )
    else:
        yield from _faults(
            provider=OPERATORS_PLACE if choices.provider != OPENAI else "",
            provider_url=OPERATORS_PLACE if choices.provider_url else "",
        )


def _faults(**sentences: str) -> Iterator[tuple[str, str]]:
    return ((field, sentence) for field, sentence in sentences.items() if sentence)


def _unpaid_models(choices: BenchChoices, *, has_own_key: bool) -> Iterator[tuple[str, str]]:
    """Yield faults of models without an own key, and of an own key without models."""
    for field in MODEL_FIELDS:
        model = getattr(choices, field)
        if model and not has_own_key:
            yield field, OPERATORS_MODELS
        elif has_own_key and not model:
            yield field, "Your own API key pays for your own models: enter one."
        elif model and has_prefix(model):
            yield field, PREFIXED


def _without_price(choices: BenchChoices, *, has_own_key: bool) -> str:
    """Return why no budget is possible, else an empty text."""
    # An answer without a price would never use up a budget. Whether there is a key alone decides
    # whose models count.
    bench = OrganizationBench(
        **{field: getattr(choices, field) for field in MODEL_FIELDS},
        provider=choices.provider,
        sealed_key="own" if has_own_key else "",
    )
    unpriced = sorted(set(models_of(bench).values()) - set(settings.MODEL_PRICES))
    if not unpriced:
        return ""
    models = ", ".join(unpriced) or "these models"
    return f"The operator has set no price for {models}: a budget is not possible."
