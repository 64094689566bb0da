"""Model settings of an organization: its own, else the operator's."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from grading.core.crypto import seal, unseal
from grading.models import Audit, OrganizationBench

# The encryption key is derived from it: if it changed, no stored key could be read.
KEY_PURPOSE = "model api key"


def sealed_key(key: str) -> str:
    """Return the key encrypted for storage."""
    return seal(key, purpose=KEY_PURPOSE)


def bench_of(organization_id: int) -> OrganizationBench | None:
    return OrganizationBench.objects.filter(organization=organization_id).first()


def can_judge_with_models(organization_id: int) -> bool:
    """Return whether every judge has a model, by the organization or the operator."""
    return all(models_of(bench_of(organization_id)).values())


def models_of(own: OrganizationBench | None) -> dict[str, str]:
    """Return the model of each judge; empty without one."""
    return {
        "Prosecutor": (own and own.prosecutor_model) or settings.PROSECUTOR_MODEL,
        "Defense": (own and own.defense_model) or settings.DEFENSE_MODEL,
        "TechLead": (own and own.tech_lead_model) or settings.TECH_LEAD_MODEL,
    }


def provider_of(own: OrganizationBench | None) -> tuple[str, str]:
    """Return key and base URL. The operator's key is never sent to an organization's URL."""
    base_url = own.base_url if own else ""
    if own and own.sealed_key:
        return unseal(own.sealed_key, purpose=KEY_PURPOSE), base_url or settings.OPENAI_BASE_URL
    return "" if base_url else settings.OPENAI_API_KEY, base_url or settings.OPENAI_BASE_URL


def _vision_model(own: OrganizationBench | None) -> str | None:
    """Return the operator's vision model; an organization's own URL may not have it."""
    return None if own and own.base_url else settings.VISION_MODEL or None


def settings_of(audit: Audit) -> dict[str, Any]:
    """Return the fields of the courtroom's BenchSettings for an audit by models."""
    own = bench_of(audit.organization_id)
    key, base_url = provider_of(own)
    return {
        "models": models_of(own),
        "vision_model": _vision_model(own),
        "api_key": key or None,
        "base_url": base_url or None,
        "concurrency": settings.JUDGES_CONCURRENCY,
        "deadline_seconds": settings.JUDGES_DEADLINE_SECONDS,
        "batch": own.batch if own else settings.JUDGES_BATCH,
        "debate": own.debate if own else settings.JUDGES_DEBATE,
        "warm_up": settings.MODEL_CACHES_PREFIXES,
        "prices": settings.MODEL_PRICES,
        "budget_usd": audit.budget_usd,
    }
