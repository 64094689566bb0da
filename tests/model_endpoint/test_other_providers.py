"""Clients of other providers, made by their packages and asked over HTTP; and the packages' lock.

`make providers` runs this in an environment that has the packages.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from courtroom.judges.answer_schema import object_schema, parse_json
from courtroom.judges.completion import Completion
from courtroom.judges.connection_trial import try_models
from courtroom.judges.prompts import Prompt
from courtroom.judges.provider_failures import CallFailed, failure_of
from courtroom.judges.providers import ModelClient, ModelClients
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.judge_answer import PERSONAS
from courtroom.models.model_providers import AZURE, OPENAI, PROVIDERS
from requirements.check_advisories import pins_in
from tests.factories.model_server import Desk, model_endpoint
from tests.model_endpoint.provider_protocols import ProtocolHandler
from tests.model_endpoint.provider_refusals import HOSTILE, PAUSE, REFUSALS, USUAL

REQUIREMENTS = Path(__file__).parents[2] / "requirements"
# 110 MB that the site does not need.
EXTRA_MISSING = "make providers runs this in an environment with requirements/providers.txt"
KEY = "sk-own-key-123"
OPERATORS = "operators-secret"
# Signed in by more than one key, so never by an institution.
BEDROCK = "bedrock_converse"
WITH_KEY = sorted(name for name, provider in PROVIDERS.items() if provider.key_variable)
ALL = [*WITH_KEY, BEDROCK]
VERSION = "2024-10-21"
SCHEMA = object_schema({"sum": {"type": "integer"}})
PROMPT: Prompt = [("system", "Our rules."), ("human", "The material.")]
MOST_TOKENS = 77


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One event loop, because a library keeps its connections for the process."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def server() -> Iterator[Desk]:
    with model_endpoint(ProtocolHandler) as desk:
        yield desk


@pytest.fixture(scope="module")
def shared_clients(loop: asyncio.Runner, server: Desk) -> Clients:
    return Clients(loop, server)


@pytest.fixture
def clients(shared_clients: Clients, endpoint: Desk) -> Clients:
    """The same clients, after `endpoint` has forgotten what they sent before."""
    return shared_clients


@pytest.fixture
def endpoint(server: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    server.requests.clear()
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL", "_API_BASE")):
            monkeypatch.delenv(name)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "operators-own")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", url_of(server))
    return server


def url_of(server: Desk, provider: str = "") -> str:
    query = f"?api-version={VERSION}" if provider == "azure_openai" else ""
    return f"http://127.0.0.1:{server.server_port}{query}"


def lock(name: str) -> str:
    return (REQUIREMENTS / f"{name}.txt").read_text("utf-8")


def need_package(provider: str) -> None:
    pytest.importorskip(PROVIDERS[provider].package, reason=EXTRA_MISSING)


def bench(server: Desk, provider: str, **changes: Any) -> BenchSettings:
    """Return the settings of an institution; of the operator for Bedrock."""
    given: dict[str, Any] = {"provider": provider, "api_key": KEY, "uses_environment": False}
    if provider == BEDROCK:
        given = {}
    return BenchSettings.model_validate(
        {"kind": "llm", "base_url": url_of(server, provider), **given, **changes}
    )


class Clients:
    """Clients of providers at one server, each made once: making them takes most of the time."""

    def __init__(self, runner: asyncio.Runner, server: Desk) -> None:
        self._runner, self._server = runner, server
        self._clients: dict[tuple[str, float], ModelClient] = {}

    def ask(self, provider: str, behaviour: str, seconds: float = 20.0) -> Completion:
        behave = ("human", f"Add 2 and 3. Behave: {provider}.{behaviour}.")
        return self._runner.run(
            self._client(provider, seconds).ask([*PROMPT, behave], SCHEMA, MOST_TOKENS)
        )

    def failure(self, *arguments: Any) -> CallFailed:
        with pytest.raises(Exception) as raised:
            parse_json(self.ask(*arguments))
        return failure_of(raised.value)

    def _client(self, provider: str, seconds: float) -> ModelClient:
        key = (provider, seconds)
        if key not in self._clients:
            settings = bench(self._server, provider, deadline_seconds=seconds)
            self._clients[key] = ModelClients(settings).client_for(f"{provider}:a-model")
        return self._clients[key]


@pytest.mark.parametrize(
    ("extra", "other"), [("guards", "runtime"), ("providers", "runtime"), ("providers", "storage")]
)
def test_extra_has_the_versions_of_what_is_installed_beside_it(extra: str, other: str) -> None:
    pins = {pin.package: pin.version for pin in pins_in(lock(other))}
    shared = {p.package: p.version for p in pins_in(lock(extra)) if p.package in pins}
    assert shared == {name: pins[name] for name in shared}


def test_lock_of_the_providers_names_no_registry() -> None:
    lines = lock("providers").splitlines()
    assert [line for line in lines if re.match(r"--|-i|-f", line) or "://" in line] == []


def test_package_of_each_provider_is_locked() -> None:
    locked = {pin.package for name in ("providers", "runtime") for pin in pins_in(lock(name))}
    packages = {provider.package.replace("_", "-") for provider in PROVIDERS.values()}
    assert packages - locked == set()


@pytest.mark.parametrize("provider", ALL)
def test_model_is_asked_once_at_its_address_with_its_key_and_bounds(
    clients: Clients, endpoint: Desk, provider: str
) -> None:
    need_package(provider)
    completion = clients.ask(provider, "good")
    (request,) = endpoint.requests
    body = json.dumps(request["body"])
    assert parse_json(completion) == {"sum": 5}
    form = "json_schema" if provider == AZURE else "provider"
    assert (completion.form, completion.usage.calls) == (form, 1)
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (100, 20)
    assert KEY in json.dumps(request["headers"]) or provider == BEDROCK
    # What the answer may cost is bounded in every protocol.
    assert re.search(rf": {MOST_TOKENS}\b", body)
    assert [str(text) in body for _, text in PROMPT] == [True, True]


def test_azure_is_asked_at_its_deployment_with_the_version_of_the_address(
    clients: Clients, endpoint: Desk
) -> None:
    clients.ask("azure_openai", "good")
    (request,) = endpoint.requests
    path = f"/openai/deployments/a-model/chat/completions?api-version={VERSION}"
    headers = {name.lower(): value for name, value in request["headers"].items()}
    assert request["path"] == path
    assert (headers["api-key"], "authorization" in headers) == (KEY, False)


def test_ollama_is_asked_to_read_prompts_of_the_length_that_judges_send(
    clients: Clients, endpoint: Desk
) -> None:
    need_package("ollama")
    clients.ask("ollama", "good")
    assert endpoint.requests[0]["body"]["options"]["num_ctx"] == 32_768


@pytest.mark.parametrize("provider", ALL)
def test_answer_that_was_cut_short_is_a_failure_of_that_type(
    clients: Clients, endpoint: Desk, provider: str
) -> None:
    need_package(provider)
    assert clients.failure(provider, "truncated").kind == "truncated"


@pytest.mark.parametrize("provider", sorted({*ALL} - {"cohere", "ollama"}))
def test_answer_that_was_filtered_is_a_failure_of_that_type(
    clients: Clients, endpoint: Desk, provider: str
) -> None:
    need_package(provider)
    # Azure refuses the request instead, with a code.
    assert clients.failure(provider, "filtered").kind == "filtered"


@pytest.mark.parametrize(
    ("provider", "kind"),
    sorted({*REFUSALS, *((name, kind) for name in ALL for kind in USUAL)}),
)
def test_refusal_has_its_type_and_is_sent_once(
    clients: Clients, endpoint: Desk, provider: str, kind: str
) -> None:
    need_package(provider)
    failed = clients.failure(provider, kind)
    assert (failed.kind, failed.refused, len(endpoint.requests)) == (kind, True, 1)
    is_paused = kind == "rate_limited" and provider != BEDROCK
    assert failed.pause == (PAUSE if is_paused else None)
    assert KEY[:6] not in failed.message


@pytest.mark.parametrize("provider", ALL)
@pytest.mark.parametrize("behaviour", sorted(HOSTILE))
def test_no_path_trace_address_or_key_of_a_provider_reaches_the_message(
    clients: Clients, provider: str, behaviour: str
) -> None:
    need_package(provider)
    failed = clients.failure(provider, behaviour)
    assert failed.kind in ("server", "invalid")
    assert re.findall(r"/srv|Traceback|10\.0|sk-own|<|File|127\.0", failed.message) == []
    assert failed.message.startswith("The endpoint")


@pytest.mark.parametrize("provider", ALL)
def test_answer_without_its_end_is_a_failure(
    clients: Clients, endpoint: Desk, provider: str
) -> None:
    need_package(provider)
    failed = clients.failure(provider, "cut")
    assert failed.kind in ("server", "invalid")
    assert re.findall(r"an-an|127\.0", failed.message) == []


@pytest.mark.parametrize("provider", ALL)
def test_endpoint_that_does_not_answer_is_a_timeout_by_the_clients_own_limit(
    clients: Clients, endpoint: Desk, provider: str
) -> None:
    need_package(provider)
    seconds = 1 if provider in ("mistralai", "google_genai") else 0.2
    failed = clients.failure(provider, "slow", seconds)
    assert (failed.kind, len(endpoint.requests)) == ("timeout", 1)


@pytest.mark.parametrize("provider", [*WITH_KEY, OPENAI])
def test_nothing_of_the_operators_environment_goes_to_the_address_of_an_institution(
    loop: asyncio.Runner,
    endpoint: Desk,
    provider: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if provider != OPENAI:
        need_package(provider)
    for name in OPERATORS_VARIABLES:
        is_address = name.endswith(("_URL", "_BASE", "_ENDPOINT", "_HOST"))
        value = f"http://127.0.0.1:9/{OPERATORS}" if is_address else OPERATORS
        monkeypatch.setenv(name, value)
    Clients(loop, endpoint).ask(provider, "good")
    (request,) = endpoint.requests
    assert OPERATORS not in json.dumps(request)
    assert KEY in json.dumps(request["headers"])


OPERATORS_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_API_URL",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "AZURE_OPENAI_AD_TOKEN",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "COHERE_API_KEY",
    "CO_API_KEY",
    "CO_API_URL",
    "DEEPSEEK_API_BASE",
    "DEEPSEEK_API_KEY",
    "CLOUDFLARE_ACCESS_CLIENT_ID",
    "CLOUDFLARE_ACCESS_CLIENT_SECRET",
    "FIREWORKS_ACCOUNT_ID",
    "FIREWORKS_API_BASE",
    "FIREWORKS_API_KEY",
    "FIREWORKS_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_API_KEY",
    "GROQ_API_BASE",
    "GROQ_API_KEY",
    "GROQ_BASE_URL",
    "MISTRAL_API_KEY",
    "MISTRAL_BASE_URL",
    "OLLAMA_API_KEY",
    "OLLAMA_HOST",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "OPENAI_API_VERSION",
    "OPENAI_BASE_URL",
    "OPENAI_ORGANIZATION",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
    "TOGETHER_API_BASE",
    "TOGETHER_API_KEY",
    "XAI_API_BASE",
    "XAI_API_KEY",
)


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("anthropic", "ANTHROPIC_CUSTOM_HEADERS"),
        ("deepseek", "OPENAI_CUSTOM_HEADERS"),
        ("google_genai", "GOOGLE_GENAI_DEFAULT_HEADERS"),
        ("google_genai", "GOOGLE_GENAI_USE_VERTEXAI"),
        (OPENAI, "OPENAI_CUSTOM_HEADERS"),
    ],
)
def test_environment_that_cannot_be_dropped_refuses_the_key_of_an_institution(
    endpoint: Desk, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    if provider != OPENAI:
        need_package(provider)
    value = "true" if variable.endswith("VERTEXAI") else f"x: {OPERATORS}"
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputRefused) as refused:
        ModelClients(bench(endpoint, provider)).client_for(f"{provider}:a-model")
    assert (refused.value.code, OPERATORS in refused.value.message) == ("bench_no_provider", False)


def test_bench_that_does_not_use_the_environment_has_no_other_provider(
    endpoint: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", OPERATORS)
    for settings in (bench(endpoint, "anthropic"), bench(endpoint, OPENAI)):
        with pytest.raises(InputRefused) as refused:
            ModelClients(settings).client_for("groq:a-model")
        assert refused.value.code == "bench_not_paid"


@pytest.mark.parametrize("provider", WITH_KEY)
def test_operators_model_without_its_key_is_refused_before_the_first_call_or_by_the_provider(
    loop: asyncio.Runner, endpoint: Desk, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_package(provider)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", url_of(endpoint))
    monkeypatch.setenv("OPENAI_API_VERSION", VERSION)
    clients = ModelClients(BenchSettings(kind="llm"))
    if provider not in ("anthropic", "cohere", "mistralai", "ollama"):
        with pytest.raises(InputRefused) as refused:
            clients.client_for(f"{provider}:a-model")
        assert (refused.value.code, PROVIDERS[provider].label in refused.value.message) == (
            "bench_no_key",
            True,
        )
    monkeypatch.setenv(PROVIDERS[provider].key_variable, "a-key")
    clients.client_for(f"{provider}:a-model")


def test_provider_whose_packages_are_missing_is_named_with_what_to_install(
    endpoint: Desk,
) -> None:
    if PROVIDERS["anthropic"].is_installed:
        pytest.skip("the packages are installed here")
    with pytest.raises(InputRefused) as refused:
        ModelClients(bench(endpoint, "anthropic")).client_for("anthropic:a-model")
    assert refused.value.code == "bench_no_provider"
    assert "pip install langchain-anthropic" in refused.value.message


def test_trial_of_a_model_says_in_which_form_it_answered(clients: Clients, endpoint: Desk) -> None:
    models = dict.fromkeys(PERSONAS, "azure_openai:a-model")
    settings = bench(endpoint, "azure_openai", models=models)

    async def trials() -> list[Any]:
        return [trial async for trial in try_models(settings)]

    (trial,) = asyncio.run(trials())
    assert (trial.failure, trial.answer) == (None, '{"sum": 5}')
    assert trial.usage.answer_forms == {"azure_openai:a-model": "json_schema"}
