"""Clients for models of other providers, by langchain's packages (requirements/providers.txt).

A key and address of the bench are passed to the client. Without them a provider's own library
takes both from the environment, which is the operator's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs, urlsplit

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from courtroom.judges.completion import Completion, completion_of
from courtroom.judges.prompts import Prompt
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.model_providers import Provider

# Ollama cuts a longer prompt without a word, and its own default is a few thousand tokens.
OLLAMA_CONTEXT = 32_768
NO_RETRY = {"max_retries": 0}
# What OpenAI's library takes from the environment besides a key: the operator's, at any address.
OPENAI_IDENTITY = ("organization", "project")
# Variables whose headers a provider's library adds to every request.
HEADER_VARIABLES = ("_CUSTOM_HEADERS", "_DEFAULT_HEADERS")
Arguments = dict[str, Any]
# Makes a model whose answers have so many tokens at most.
ModelFactory = Callable[[int | None], BaseChatModel]


@dataclass(frozen=True, slots=True)
class Plan:
    """Client to make: `key` and `url` are null where the environment has them."""

    model: str
    key: str | None
    url: str | None
    seconds: float
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class Query:
    """Question to a model, with the JSON Schema of the answer and its most tokens."""

    prompt: Prompt
    schema: dict[str, Any]
    max_tokens: int


class LangchainClient:
    """Any chat model of langchain, asked for structured output in its own way."""

    def __init__(self, make_model: ModelFactory, provider: str = "") -> None:
        self._make_model = make_model
        self._ask = WAYS_OF_ASKING.get(provider, _ask_by_langchain)

    async def ask(
        self,
        prompt: Prompt,
        schema: dict[str, Any],
        max_tokens: int,
        temperature: float | None = None,
    ) -> Completion:
        titled = {"title": "answer", "description": "The answer in full", **schema}
        chat = self._make_model(max_tokens)
        if temperature is not None and "temperature" in type(chat).model_fields:
            chat = chat.model_copy(update={"temperature": temperature})
        message, text = await self._ask(chat, Query(prompt, titled, max_tokens))
        return completion_of(message, text, "provider")


async def _ask_by_langchain(chat: BaseChatModel, query: Query) -> tuple[AIMessage, str]:
    model = chat.with_structured_output(query.schema, include_raw=True)
    answer = dict(await model.ainvoke(query.prompt))
    message, parsed = answer["raw"], answer["parsed"]
    return message, message.text if parsed is None else json.dumps(parsed)


async def _ask_cohere(chat: BaseChatModel, query: Query) -> tuple[AIMessage, str]:
    """Ask with what langchain's client of Cohere has no argument for."""
    message = await chat.ainvoke(
        query.prompt,
        response_format={"type": "json_object", "schema": query.schema},
        max_tokens=query.max_tokens,
        request_options=NO_RETRY,
    )
    return message, message.text


WAYS_OF_ASKING = {"cohere": _ask_cohere}


def model_factory(model: str, provider: Provider, settings: BenchSettings) -> ModelFactory:
    """Return what makes a provider's model, once for each limit: a new one opens new connections.

    It raises InputRefused.
    """
    key, url = _access(provider, settings)
    arguments = ARGUMENTS.get(provider.name, _usual)

    @cache
    def make(max_tokens: int | None) -> BaseChatModel:
        plan = Plan(model, key, url, settings.deadline_seconds, max_tokens)
        try:
            client_class = getattr(import_module(provider.package), provider.client)
            made: BaseChatModel = client_class(**arguments(plan))
        except ImportError as missing:
            raise _not_installed(provider) from missing
        except Exception as error:  # each provider has its own for a key that is not set
            raise _not_usable(provider, settings) from error
        if not settings.uses_environment:
            forget_environment(made)
        return made

    return make


def _access(provider: Provider, settings: BenchSettings) -> tuple[str | None, str | None]:
    """Return key and address of this provider; null where the environment has them."""
    if settings.provider == provider.name and settings.api_key is not None:
        return settings.api_key.get_secret_value(), settings.base_url or provider.url or None
    if settings.uses_environment:
        return None, None
    raise InputRefused("bench_not_paid", f"No key pays for models of {provider.label} here.")


def forget_environment(chat: BaseChatModel) -> None:
    """Drop what a library took from the environment, of which the operator is the owner.

    Raises InputRefused for what cannot be dropped.
    """
    client = getattr(getattr(chat, "async_client", None), "_client", None)
    for name in OPENAI_IDENTITY:
        if getattr(client, name, None) is not None:
            setattr(client, name, None)

    headers = [name for name in os.environ if name.endswith(HEADER_VARIABLES)]
    uses_vertex = getattr(getattr(chat, "client", None), "vertexai", False)
    if headers or uses_vertex:
        names = ", ".join(headers) or "Google's Vertex AI"
        message = f"The server's environment sets {names} for all models: no other key can be used."
        raise InputRefused("bench_no_provider", message)


def _not_installed(provider: Provider) -> InputRefused:
    message = (
        f"Models of {provider.label} need more packages: install requirements/providers.txt,"
        f" or pip install {provider.package.replace('_', '-')}."
    )
    return InputRefused("bench_no_provider", message)


def _not_usable(provider: Provider, settings: BenchSettings) -> InputRefused:
    place = "in the server's environment" if settings.uses_environment else "here"
    message = (
        f"Models of {provider.label} cannot be used: a key or another setting of"
        f" {provider.name} is missing or wrong {place}."
    )
    return InputRefused("bench_no_key", message)


def _given(**arguments: Any) -> Arguments:
    return {name: value for name, value in arguments.items() if value is not None}


def _usual(plan: Plan) -> Arguments:
    return {
        "model": plan.model,
        "timeout": plan.seconds,
        "max_retries": 0,
        **_given(max_tokens=plan.max_tokens, api_key=plan.key, base_url=plan.url),
    }


def _azure(plan: Plan) -> Arguments:
    """Take the version of the API from the address, where an address of Azure has it."""
    usual = _usual(replace(plan, url=None))
    if plan.url is None:
        return usual
    parts = urlsplit(plan.url)
    version = parse_qs(parts.query).get("api-version", [None])[0]
    endpoint = parts._replace(query="").geturl()
    # Named, because a token in the environment would come before the key.
    usual |= {"azure_ad_token": None, "azure_endpoint": endpoint}
    return {**usual, **_given(api_version=version)}


def _cohere(plan: Plan) -> Arguments:
    given = _given(cohere_api_key=plan.key, base_url=plan.url)
    return {"model": plan.model, "timeout_seconds": plan.seconds, **given}


def _google(plan: Plan) -> Arguments:
    return {**_usual(plan), **_given(vertexai=None if plan.key is None else False)}


def _ollama(plan: Plan) -> Arguments:
    headers = {} if plan.key is None else {"Authorization": f"Bearer {plan.key}"}
    return {
        "model": plan.model,
        "num_predict": plan.max_tokens,
        "num_ctx": OLLAMA_CONTEXT,
        "client_kwargs": {"timeout": plan.seconds, "headers": headers},
        **_given(base_url=plan.url),
    }


def _bedrock(plan: Plan) -> Arguments:
    retries = {"total_max_attempts": 1}
    config = import_module("botocore.config").Config(
        read_timeout=plan.seconds, connect_timeout=plan.seconds, retries=retries
    )
    return {"model": plan.model, "max_tokens": plan.max_tokens, "config": config}


# Arguments of the classes that do not take the usual ones.
ARGUMENTS: Mapping[str, Callable[[Plan], Arguments]] = {
    "azure_openai": _azure,
    "bedrock_converse": _bedrock,
    "cohere": _cohere,
    "google_genai": _google,
    "ollama": _ollama,
}
