"""Providers that an organization may choose for its own key, and faults of such a choice."""

from __future__ import annotations

from grading.core.errors import WebhookRefused
from grading.engine.repository_addresses import pinned

OPENAI = "openai"
AZURE = "azure_openai"
EXAMPLE = "https://models.example.org/v1"
_ADDRESS_SENTENCES = {  # the check speaks of repositories and webhooks
    "url_malformed": f"Give the whole address, such as {EXAMPLE}, without anything from a “#” on.",
    "url_not_https": "Give an address that begins with https://: the key must not be read on its way.",
}


def provider_choices() -> list[tuple[str, str]]:
    """Return name and label of the providers whose key is one text, OpenAI's protocol first."""
    from courtroom.models.model_providers import PROVIDERS

    offered = [(p.name, p.label) for p in PROVIDERS.values() if p.key_variable]
    return [(OPENAI, "OpenAI, or any address that speaks its protocol"), *offered]


def label_of(provider: str) -> str:
    return dict(provider_choices()).get(provider, provider)


def has_prefix(model: str) -> bool:
    """Return whether a model's name begins with a provider other than OpenAI's protocol."""
    from courtroom.models.model_providers import split_model

    return split_model(model)[0] != OPENAI


def fault_of_provider(provider: str) -> str:
    """Return why this provider cannot be chosen on this site, else an empty text."""
    from courtroom.models.model_providers import PROVIDERS

    if provider == OPENAI:
        return ""
    if provider not in dict(provider_choices()):
        return f"There is no provider “{provider}” here."
    if not PROVIDERS[provider].is_installed:
        return (
            f"The packages for {PROVIDERS[provider].label} are not installed on this site. "
            "Its operator can add them."
        )
    return ""


def fault_of_address(provider: str, url: str) -> str:
    """Return why the site does not call this address for the provider, else an empty text.

    It takes the time of looking up the host's name.
    """
    from courtroom.models.model_providers import PROVIDERS

    if not url:
        needs_one = provider in PROVIDERS and not PROVIDERS[provider].url
        return (
            "" if not needs_one else f"{label_of(provider)} has no address of its own: enter yours."
        )
    before, mark, query = url.partition("?")
    if provider == AZURE and "api-version=" not in query:
        return "Add the version of Azure's API to the address, such as ?api-version=2024-10-21."
    if provider != AZURE and mark:
        return "Remove the “?” and everything after it: it is not part of the address."
    try:
        # Of a provider a host without a path may be the address.
        pinned(f"{before.rstrip('/')}/v1{mark}{query}")
    except WebhookRefused as refused:
        return _ADDRESS_SENTENCES.get(refused.code, refused.sentence)
    return ""
