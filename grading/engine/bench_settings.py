"""Model settings of an organization: its own under its own key, else the operator's.

Whoever's key pays chooses the models, with their provider and its address. The operator's key, and
what other credentials the server has, serve approved organizations alone, with the operator's
models at the operator's URL.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.conf import settings

from grading.core.crypto import seal, unseal
from grading.core.errors import InputRefused
from grading.engine.model_providers import OPENAI, has_prefix
from grading.models import Audit, Organization, OrganizationBench

# The encryption key is derived from it: if it changed, no stored key could be read.
KEY_PURPOSE = "model api key"
# Named, because a client without a URL would take the operator's from the environment.
OPENAI_URL = "https://api.openai.com/v1"


def sealed_key(key: str) -> str:
    """Return the key encrypted for storage."""
    return seal(key, purpose=KEY_PURPOSE)


def bench_of(organization_id: int) -> OrganizationBench | None:
    return OrganizationBench.objects.filter(organization=organization_id).first()


def reason_without_models(organization_id: int) -> InputRefused | None:
    """Return why models cannot judge for this organization, or None."""
    own = bench_of(organization_id)
    if not has_own_key(own):
        if own and own.base_url:
            return InputRefused(
                "bench_not_paid",
                "This organization has a model address of its own but no API key for it.",
            )
        if not Organization.objects.exclude(approved_at=None).filter(pk=organization_id).exists():
            return InputRefused(
                "bench_not_paid",
                "Language models need the approval of this site's operator, "
                "or an API key of the organization.",
            )

    models = models_of(own)
    if not all(models.values()):
        return InputRefused("bench_no_models", "No language models are configured here.")
    if own and has_own_key(own) and any(map(has_prefix, own_models(own).values())):
        return InputRefused(
            "bench_not_paid", "An organization's API key cannot pay for the models it names."
        )
    return None


def sentence_without_models(organization_id: int) -> str:
    """Return why models cannot judge for this organization, as a sentence; empty if they can."""
    refusal = reason_without_models(organization_id)
    return refusal.sentence if refusal else ""


def has_own_key(own: OrganizationBench | None) -> bool:
    return own is not None and bool(own.sealed_key)


def models_of(own: OrganizationBench | None) -> dict[str, str]:
    """Return the model of each judge, with its provider as a prefix; empty without one."""
    if own is not None and has_own_key(own):
        prefix = "" if own.provider == OPENAI else f"{own.provider}:"
        names = own_models(own).items()
        return {judge: name and f"{prefix}{name}" for judge, name in names}
    return {
        "Prosecutor": settings.PROSECUTOR_MODEL,
        "Defense": settings.DEFENSE_MODEL,
        "TechLead": settings.TECH_LEAD_MODEL,
    }


def own_models(own: OrganizationBench) -> dict[str, str]:
    """Return the names that an organization gave, as its provider knows them."""
    return {
        "Prosecutor": own.prosecutor_model,
        "Defense": own.defense_model,
        "TechLead": own.tech_lead_model,
    }


def address_of(own: OrganizationBench | None) -> str:
    """Return the address of the endpoint; empty where it is the provider's own."""
    if own is None or not has_own_key(own):
        return settings.OPENAI_BASE_URL
    # The operator's setting for an organization counts before that of its teachers.
    if own.base_url or own.provider_url or own.provider != OPENAI:
        return own.base_url or own.provider_url
    # The operator's URL may be a gateway that asks for no key.
    return settings.OPENAI_BASE_URL if own.organization.is_approved else OPENAI_URL


def provider_of(own: OrganizationBench | None) -> tuple[str, str]:
    """Return key and address. The operator's key is never sent to an organization's address."""
    if own is None or not has_own_key(own):
        return settings.OPENAI_API_KEY, address_of(own)
    return unseal(own.sealed_key, purpose=KEY_PURPOSE), address_of(own)


def _access_of(own: OrganizationBench | None) -> dict[str, Any]:
    """Return the fields of the courtroom's BenchSettings that say whom models are asked for."""
    key, address = provider_of(own)
    access = {"api_key": key or None, "base_url": address or None}
    if own is None or not has_own_key(own):
        return access
    is_teachers = bool(own.provider_url) and not own.base_url
    return access | {
        "provider": own.provider,
        # What it holds is the operator's: keys, addresses, names of accounts.
        "uses_environment": False,
        # On a developer's machine loopback is one of the addresses that may be called.
        "public_only": is_teachers and not settings.ALLOW_LOCAL_REPOSITORIES,
    }


def audit_limit_of(own: OrganizationBench | None) -> Decimal | None:
    """Return the most that one audit may cost in USD, None without a limit."""
    return _least(own.audit_budget_usd if own else None, settings.AUDIT_BUDGET_USD, own)


def month_limit_of(own: OrganizationBench | None) -> Decimal | None:
    """Return the most that a calendar month may cost in USD, None without a limit."""
    return _least(own.monthly_budget_usd if own else None, settings.MONTHLY_BUDGET_USD, own)


def _least(
    figure: Decimal | None, operators: Decimal | None, own: OrganizationBench | None
) -> Decimal | None:
    # The operator limits what the operator pays.
    limits = (figure, None if has_own_key(own) else operators)
    return min((limit for limit in limits if limit is not None), default=None)


def settings_of(audit: Audit) -> dict[str, Any]:
    """Return the fields of the courtroom's BenchSettings for an audit by models.

    Raises InputRefused (bench_*) if nobody pays for them: approval may have been withdrawn since
    the audit was queued.
    """
    return settings_within(audit.organization_id, audit.budget_usd)


def settings_within(organization_id: int, budget_usd: Decimal | None) -> dict[str, Any]:
    """Return the same for calls that may cost so much together; None means no limit."""
    if refusal := reason_without_models(organization_id):
        raise refusal
    own = bench_of(organization_id)
    return {
        **_access_of(own),
        "models": models_of(own),
        # An organization has none of its own, and its key pays for none of the operator's.
        "vision_model": None if has_own_key(own) else settings.VISION_MODEL or None,
        "screening_model": None if has_own_key(own) else settings.SCREENING_MODEL or None,
        "concurrency": settings.JUDGES_CONCURRENCY,
        "deadline_seconds": settings.JUDGES_DEADLINE_SECONDS,
        "batch": own.batch if own else settings.JUDGES_BATCH,
        "debate": own.debate if own else settings.JUDGES_DEBATE,
        "warm_up": settings.MODEL_CACHES_PREFIXES,
        "exhibit_characters": settings.JUDGES_EXHIBIT_CHARACTERS,
        "may_ask": settings.JUDGES_MAY_ASK,
        "screen": settings.JUDGES_SCREEN,
        # The operator chose them for the operator's models.
        "temperatures": {} if has_own_key(own) else settings.JUDGES_TEMPERATURES,
        "prices": settings.MODEL_PRICES,
        "budget_usd": budget_usd,
    }
