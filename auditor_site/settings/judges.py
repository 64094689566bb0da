"""Settings of the operator's model judges. An organization may set its own in the admin."""

import json
from decimal import Decimal, InvalidOperation

from django.core.exceptions import ImproperlyConfigured

from auditor_site import env

MOST_TEMPERATURE = 2
PRICE_FIELDS = ("input", "cached_input", "output")


def _prices(text: str) -> dict[str, dict[str, float]]:
    try:
        return {name: _price(price) for name, price in json.loads(text or "{}").items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ImproperlyConfigured(
            'MODEL_PRICES must be JSON such as {"model": '
            '{"input": 1, "cached_input": 0.1, "output": 4}}, '
            "in US dollars for a million tokens."
        ) from error


def _price(price: dict[str, float]) -> dict[str, float]:
    unknown = price.keys() - set(PRICE_FIELDS)
    if unknown:
        raise KeyError(*unknown)
    return {field: float(price[field]) for field in PRICE_FIELDS}


def _dollars(name: str) -> Decimal | None:
    text = env.text(name)
    try:
        amount = Decimal(text) if text else None
    except InvalidOperation:
        amount = Decimal("NaN")

    if amount is None or (amount.is_finite() and amount >= 0):
        return amount

    raise ImproperlyConfigured(f"{name} must be an amount in US dollars, not {text!r}.")


def _temperatures(variables: dict[str, str]) -> dict[str, float]:
    texts = {persona: env.text(name) for persona, name in variables.items()}
    return {
        persona: _temperature(variables[persona], text) for persona, text in texts.items() if text
    }


def _temperature(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value <= MOST_TEMPERATURE:
        return value
    raise ImproperlyConfigured(f"{name} must be a number from 0 to 2, not {text!r}.")


MODEL_PRICES = _prices(env.text("MODEL_PRICES"))
MODEL_CACHES_PREFIXES = env.flag("MODEL_CACHES_PREFIXES")
# For one API key, over all workers. 0: no limit.
MODEL_REQUESTS_PER_MINUTE = env.number("MODEL_REQUESTS_PER_MINUTE", least=0, most=1_000_000)
MODEL_TOKENS_PER_MINUTE = env.number("MODEL_TOKENS_PER_MINUTE", least=0, most=1_000_000_000)
JUDGES_CONCURRENCY = env.number("JUDGES_CONCURRENCY", least=1, most=1000)
JUDGES_DEADLINE_SECONDS = env.number("JUDGES_DEADLINE_SECONDS", least=1, most=600)
JUDGES_BATCH = env.choice("JUDGES_BATCH", {"per_criterion", "per_judge"})
JUDGES_DEBATE = env.flag("JUDGES_DEBATE")
JUDGES_EXHIBIT_CHARACTERS = env.number("JUDGES_EXHIBIT_CHARACTERS", least=1000, most=400_000)
JUDGES_MAY_ASK = env.flag("JUDGES_MAY_ASK")
JUDGES_SCREEN = env.flag("JUDGES_SCREEN")
# Personas without one have the provider's own.
JUDGES_TEMPERATURES = _temperatures(
    {
        "Prosecutor": "PROSECUTOR_TEMPERATURE",
        "Defense": "DEFENSE_TEMPERATURE",
        "TechLead": "TECH_LEAD_TEMPERATURE",
    }
)
AUDIT_BUDGET_USD = _dollars("AUDIT_BUDGET_USD")
MONTHLY_BUDGET_USD = _dollars("MONTHLY_BUDGET_USD")
# Audits run beside each other: without a bound for each, the first would be promised all of a month.
if MONTHLY_BUDGET_USD is not None and AUDIT_BUDGET_USD is None:
    raise ImproperlyConfigured("MONTHLY_BUDGET_USD needs AUDIT_BUDGET_USD.")
