"""Lines to models, whoever provides them: text and figures out, exceptions as the library raises them.

An OpenAI-compatible endpoint is asked for the completion alone: the client's own parsing of structured output
costs three times the CPU per call and loses the usage of an answer that was cut short.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from httpx2 import AsyncClient
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpx2Client

from courtroom.judges.prompts import Prompt
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.record import Usage

# langchain's names of providers that speak another protocol; `ollama:` keeps the colon in its models' names.
PROVIDERS = (
    "anthropic",
    "azure_openai",
    "bedrock_converse",
    "cohere",
    "deepseek",
    "fireworks",
    "google_genai",
    "google_vertexai",
    "groq",
    "huggingface",
    "mistralai",
    "ollama",
    "together",
    "xai",
)
CUT_SHORT = ("length", "max_tokens", "MAX_TOKENS")
WITHHELD = ("content_filter", "SAFETY", "refusal", "guardrail_intervened")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a model sent: `refusal` in its own words or empty; `finish` as the provider calls it."""

    text: str
    refusal: str
    finish: str
    usage: Usage


class Line(Protocol):
    async def ask(self, prompt: Prompt, schema: dict[str, Any], room: int) -> Spoken: ...


class OpenAiLine:
    """One client for all calls to one model."""

    def __init__(self, model: str, settings: BenchSettings, http: AsyncClient) -> None:
        self._client = ChatOpenAI(
            model=model,
            api_key=settings.api_key,
            base_url=settings.base_url,
            http_async_client=http,
            max_retries=0,
            timeout=settings.deadline_seconds,
            store=False,
        )

    async def ask(self, prompt: Prompt, schema: dict[str, Any], room: int) -> Spoken:
        form = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
        message = await self._client.ainvoke(
            prompt, max_completion_tokens=room, extra_body={"response_format": form}
        )
        return _spoken(message, message.text)


class ProviderLine:
    """Any chat model of langchain, by its own way to structured output; `make` gets the room for the answer."""

    def __init__(self, make: Callable[[int], BaseChatModel]) -> None:
        self._make = make

    async def ask(self, prompt: Prompt, schema: dict[str, Any], room: int) -> Spoken:
        titled = {"title": "answer", "description": "The answer in full", **schema}
        model = self._make(room).with_structured_output(titled, include_raw=True)
        answer = dict(await model.ainvoke(prompt))
        parsed = answer["parsed"]
        return _spoken(answer["raw"], answer["raw"].text if parsed is None else json.dumps(parsed))


class Lines:
    """Opens the lines of one bench. Its connections belong to one event loop, so no two benches share them."""

    def __init__(self, settings: BenchSettings) -> None:
        self._settings = settings
        self._http: AsyncClient | None = None

    def to(self, model: str) -> Line:
        """The line for a model's name as the settings give it. Raises InputRefused when it cannot be opened."""
        provider, colon, name = model.partition(":")
        if colon and provider in PROVIDERS:
            return ProviderLine(_initialiser(provider, name, self._settings))
        if self._settings.api_key is None:
            raise InputRefused("bench_no_key", "The LLM bench needs an API key (OPENAI_API_KEY).")
        self._http = self._http or DefaultAsyncHttpx2Client()
        return OpenAiLine(
            name if colon and provider == "openai" else model, self._settings, self._http
        )

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()


def _initialiser(
    provider: str, name: str, settings: BenchSettings
) -> Callable[[int], BaseChatModel]:
    try:
        from langchain.chat_models import init_chat_model  # type: ignore[import-not-found]  # -- an extra

        def make(room: int) -> BaseChatModel:
            made: BaseChatModel = init_chat_model(
                name,
                model_provider=provider,
                max_retries=0,
                timeout=settings.deadline_seconds,
                max_tokens=room,
            )
            return made

        make(settings.max_completion_tokens)
    except ImportError as missing:
        message = f"Models of {provider} need more packages: pip install langchain and its {provider} package."
        raise InputRefused("bench_no_provider", f"{message} ({missing})") from missing
    return make


def _spoken(message: AIMessage, text: str) -> Spoken:
    about = message.response_metadata
    return Spoken(
        text=text,
        refusal=str(message.additional_kwargs.get("refusal") or ""),
        finish=str(about.get("finish_reason") or about.get("stop_reason") or ""),
        usage=_usage(message.usage_metadata),
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
