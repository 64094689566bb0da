"""Clients for models of any provider. They return text and usage, and let exceptions through,
but for FormRefused, after which the same call may be sent again.

An OpenAI-compatible endpoint is asked for a plain completion: the client's own parsing of
structured output takes three times the CPU per call and loses the usage of a truncated answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any, Protocol

from httpx2 import AsyncClient, create_ssl_context
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpx2Client

from courtroom.judges.answer_forms import (
    HEAD_START_SECONDS,
    DialectTrial,
    Roles,
    bare_json,
    form_in_words,
)
from courtroom.judges.prompts import Prompt
from courtroom.judges.provider_failures import FormRefused, refused_request
from courtroom.judges.provider_words import provider_words
from courtroom.models.audit_report import AnswerForm, Usage
from courtroom.models.case import PROVIDERS, BenchSettings
from courtroom.models.errors import InputRefused

TRUNCATED = ("length", "max_tokens", "MAX_TOKENS")
FILTERED = ("content_filter", "SAFETY", "refusal", "guardrail_intervened")


@dataclass(frozen=True, slots=True)
class Completion:
    """Answer of a model: `refusal` in its own words or empty, `finish_reason` as the provider names
    it, `form` as it was asked for, `refused` what the endpoint took no request with.
    """

    text: str
    refusal: str
    finish_reason: str
    usage: Usage
    form: AnswerForm
    refused: tuple[str, ...] = ()


class ModelClient(Protocol):
    async def ask(
        self,
        prompt: Prompt,
        schema: dict[str, Any],
        max_tokens: int,
        temperature: float | None = None,
    ) -> Completion: ...


class OpenAiClient:
    """One client for all calls to one model; `trial` learns what its endpoint takes."""

    def __init__(
        self, model: str, settings: BenchSettings, http: AsyncClient, trial: DialectTrial
    ) -> None:
        self._trial = trial
        self._client = ChatOpenAI(
            model=model,
            api_key=settings.api_key,
            base_url=settings.base_url,
            http_async_client=http,
            max_retries=0,
            timeout=settings.deadline_seconds,
        )

    async def ask(
        self,
        prompt: Prompt,
        schema: dict[str, Any],
        max_tokens: int,
        temperature: float | None = None,
    ) -> Completion:
        """Raises FormRefused when the endpoint does not take this form, and another is left."""
        async with self._trial.turn() as dialect:
            if dialect.form != "json_schema":
                prompt = _with_words(prompt, form_in_words(dialect.form, schema))
            try:
                body = dialect.parameters(schema, max_tokens, temperature)
                message = await self._client.ainvoke(
                    _in_roles(prompt, dialect.roles), extra_body=body
                )
            except Exception as error:  # each provider has its own
                if self._trial.refuse(dialect, refused_request(error)):
                    raise FormRefused(dialect.form) from error
                raise
            self._trial.accept(dialect)
        return _completion(message, bare_json(message.text), dialect.form, dialect.refused)


def _in_roles(prompt: Prompt, roles: Roles) -> Prompt:
    """Return the prompt with its messages joined as the endpoint takes them, our rules first."""
    if roles == "several":
        return prompt
    first = 0 if roles == "user" else sum(role == "system" for role, _ in prompt)
    contents = [content for _, content in prompt[first:]]
    texts = [content for content in contents if isinstance(content, str)]
    if len(texts) == len(contents):
        return [*prompt[:first], ("human", "\n\n".join(texts))]
    parts = [
        part
        for content in contents
        for part in ([{"type": "text", "text": content}] if isinstance(content, str) else content)
    ]
    return [*prompt[:first], ("human", parts)]


def _with_words(prompt: Prompt, words: str) -> Prompt:
    """Return the prompt with these words at the end of its last message."""
    *before, (role, content) = prompt
    if isinstance(content, str):
        return [*before, (role, f"{content}\n\n{words}")]
    return [*before, (role, [*content, {"type": "text", "text": words}])]


class LangchainClient:
    """Any chat model of langchain, asked for structured output in its own way.

    `make_model` takes the most tokens that the answer may have.
    """

    def __init__(self, make_model: Callable[[int], BaseChatModel]) -> None:
        self._make_model = make_model

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
        model = chat.with_structured_output(titled, include_raw=True)
        answer = dict(await model.ainvoke(prompt))
        parsed = answer["parsed"]
        text = answer["raw"].text if parsed is None else json.dumps(parsed)
        return _completion(answer["raw"], text, "provider")


class ModelClients:
    """Clients of one bench. Connections belong to one event loop, so benches do not share them."""

    def __init__(
        self, settings: BenchSettings, head_start_seconds: float = HEAD_START_SECONDS
    ) -> None:
        self._settings, self._head_start = settings, head_start_seconds
        self._http: AsyncClient | None = None

    def client_for(self, model: str) -> ModelClient:
        """Return the client of a model named as in the settings. Raises InputRefused."""
        provider, colon, name = model.partition(":")
        if colon and provider in PROVIDERS:
            return LangchainClient(_model_factory(provider, name, self._settings))
        if self._settings.api_key is None:
            raise InputRefused("bench_no_key", "The LLM bench needs an API key (OPENAI_API_KEY).")
        self._http = self._http or DefaultAsyncHttpx2Client(verify=_trusted_certificates())
        name = name if colon and provider == "openai" else model
        trial = DialectTrial((self._settings.base_url or "", name), self._head_start)
        return OpenAiClient(name, self._settings, self._http, trial)

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()


@cache
def _trusted_certificates() -> SSLContext:
    """Return them once per process: reading them takes a tenth of an audit's processor time."""
    return create_ssl_context()


def _model_factory(
    provider: str, name: str, settings: BenchSettings
) -> Callable[[int], BaseChatModel]:
    try:
        from langchain.chat_models import init_chat_model  # type: ignore[import-not-found]  # -- an extra

        def make(max_tokens: int) -> BaseChatModel:
            made: BaseChatModel = init_chat_model(
                name,
                model_provider=provider,
                max_retries=0,
                timeout=settings.deadline_seconds,
                max_tokens=max_tokens,
            )
            return made

        make(settings.max_completion_tokens)
    except ImportError as missing:
        message = (
            f"Models of {provider} need more packages: install requirements/providers.txt,"
            f" or pip install langchain and its {provider} package."
        )
        raise InputRefused("bench_no_provider", message) from missing
    except Exception as error:  # each provider has its own for a key that is not set
        message = (
            f"Models of {provider} cannot be used: a key or another setting of {provider}"
            " is missing or wrong in the server's environment."
        )
        raise InputRefused("bench_no_key", message) from error
    return make


def _completion(
    message: AIMessage, text: str, form: AnswerForm, refused: tuple[str, ...] = ()
) -> Completion:
    metadata = message.response_metadata
    refusal = str(message.additional_kwargs.get("refusal") or "")
    return Completion(
        text=text,
        refusal=refusal and (provider_words(refusal) or "The model refused."),
        finish_reason=str(metadata.get("finish_reason") or metadata.get("stop_reason") or ""),
        usage=_usage(message.usage_metadata),
        form=form,
        refused=refused,
    )


def _usage(metadata: Any) -> Usage:
    if not metadata:
        return Usage(calls=1)
    return Usage(
        calls=1,
        prompt_tokens=metadata["input_tokens"],
        cached_tokens=metadata.get("input_token_details", {}).get("cache_read", 0) or 0,
        completion_tokens=metadata["output_tokens"],
    )
