"""Packages of other providers (requirements/providers.txt): their lock, and clients made by them."""

import re
from pathlib import Path

import pytest

from courtroom.judges.providers import LangchainClient, ModelClients
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from requirements.check_advisories import pins_in

REQUIREMENTS = Path(__file__).parents[2] / "requirements"
# 165 MB that neither the site nor CI needs.
EXTRA_MISSING = "install requirements/providers.txt, an extra (docs/operations.md), to run this"
NEEDS_KEY = {"groq": "GROQ_API_KEY", "google_genai": "GOOGLE_API_KEY", "xai": "XAI_API_KEY"}


def lock(name):
    return (REQUIREMENTS / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("extra", ["providers", "guards"])
def test_extra_keeps_the_versions_of_the_site(extra):
    site = {pin.package: pin.version for pin in pins_in(lock("runtime"))}
    other = {p.package: p.version for p in pins_in(lock(extra)) if p.package in site}
    assert other == {name: site[name] for name in other}


def test_lock_of_the_providers_names_no_registry():
    lines = lock("providers").splitlines()
    assert [line for line in lines if re.match(r"--|-i|-f", line) or "://" in line] == []


@pytest.mark.parametrize("provider", ["anthropic", "mistralai", "ollama"])
def test_client_of_a_provider_is_made_without_its_key(provider):
    pytest.importorskip("langchain", reason=EXTRA_MISSING)
    clients = ModelClients(BenchSettings(kind="llm"))
    assert isinstance(clients.client_for(f"{provider}:a-model"), LangchainClient)


@pytest.mark.parametrize("provider", sorted(NEEDS_KEY))
def test_provider_that_wants_its_key_at_once_is_refused_without_it(provider, monkeypatch):
    pytest.importorskip("langchain", reason=EXTRA_MISSING)
    clients = ModelClients(BenchSettings(kind="llm"))
    monkeypatch.delenv(NEEDS_KEY[provider], raising=False)
    with pytest.raises(InputRefused) as refused:
        clients.client_for(f"{provider}:a-model")
    assert refused.value.code == "bench_no_key"

    monkeypatch.setenv(NEEDS_KEY[provider], "a-key")
    assert isinstance(clients.client_for(f"{provider}:a-model"), LangchainClient)
