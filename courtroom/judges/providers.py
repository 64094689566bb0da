"""Clients for models of any provider. They return text and usage, and let exceptions through,
but for FormRefused, after which the same call may be sent again.

An OpenAI-compatible endpoint is asked for a plain completion: the client's own parsing of
structured output takes three times the CPU per call and loses the usage of a truncated answer.
"""

from __future__ import annotations

from functools import cache
from ssl import SSLContext
from typing import Any, Protocol

from httpx2 import AsyncClient, Client, create_ssl_context
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpx2Client, DefaultHttpx2Client

from courtroom.judges.answer_forms import (
    HEAD_START_SECONDS,
    DialectTrial,
    Roles,
    bare_json,
    form_in_words,
)
from courtroom.judges.completion import Completion, completion_of
from courtroom.judges.langchain_clients import (
    LangchainClient,
    forget_environment,
    model_factory,
)
from courtroom.judges.prompts import Prompt
from courtroom.judges.provider_failures import FormRefused, refused_request
from courtroom.judges.public_connections import public_connections_only
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.model_providers import AZURE, OPENAI, PROVIDERS, split_model


class ModelClient(Protocol):
    async def ask(
        self,
        prompt: Prompt,
        schema: dict[str, Any],
        max_tokens: int,
        temperature: float | None = None,
    ) -> Completion: ...


class OpenAiClient:
    """One client for all calls to one model by OpenAI's protocol; `trial` learns what its endpoint
    takes.
    """

    def __init__(self, chat: BaseChatModel, trial: DialectTrial) -> None:
        self._client, self._trial = chat, trial

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
        return completion_of(message, bare_json(message.text), dialect.form, dialect.refused)


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


class PublicOnlyClient:
    """Client whose calls connect to public addresses only."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client

    async def ask(
        self,
        prompt: Prompt,
        schema: dict[str, Any],
        max_tokens: int,
        temperature: float | None = None,
    ) -> Completion:
        with public_connections_only():
            return await self._client.ask(prompt, schema, max_tokens, temperature)


class ModelClients:
    """Clients of one bench. Connections belong to one event loop, so benches do not share them."""

    def __init__(
        self, settings: BenchSettings, head_start_seconds: float = HEAD_START_SECONDS
    ) -> None:
        self._settings, self._head_start = settings, head_start_seconds
        self._http: AsyncClient | None = None

    def client_for(self, model: str) -> ModelClient:
        """Return the client of a model named as in the settings. Raises InputRefused."""
        client = self._client_for(model)
        return PublicOnlyClient(client) if self._settings.public_only else client

    def _client_for(self, model: str) -> ModelClient:
        provider, name = split_model(model)
        trial = DialectTrial((self._settings.base_url or provider, name), self._head_start)
        if provider == OPENAI:
            return OpenAiClient(self._openai_chat(name), trial)
        make_model = model_factory(name, PROVIDERS[provider], self._settings)
        if provider == AZURE:
            return OpenAiClient(make_model(None), trial)
        make_model(self._settings.max_completion_tokens)  # refused before the first call, or never
        return LangchainClient(make_model, provider)

    def _openai_chat(self, name: str) -> ChatOpenAI:
        settings = self._settings
        if settings.api_key is None or settings.provider != OPENAI:
            raise InputRefused("bench_no_key", "The LLM bench needs an API key (OPENAI_API_KEY).")
        self._http = self._http or DefaultAsyncHttpx2Client(verify=_trusted_certificates())
        chat = ChatOpenAI(
            model=name,
            api_key=settings.api_key,
            base_url=settings.base_url,
            http_client=_unused_client(),
            http_async_client=self._http,
            max_retries=0,
            timeout=settings.deadline_seconds,
        )
        if not settings.uses_environment:
            forget_environment(chat)
        return chat

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()


@cache
def _unused_client() -> Client:
    """Return the synchronous client that a ChatOpenAI wants to have beside the one that asks.

    Left to itself it makes one per address, and each reads the certificates again.
    """
    return DefaultHttpx2Client(verify=_trusted_certificates())


@cache
def _trusted_certificates() -> SSLContext:
    """Return them once per process: reading them takes a tenth of an audit's processor time."""
    return create_ssl_context()
